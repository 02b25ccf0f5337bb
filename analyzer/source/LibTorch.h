// The LibTorch that is installed on this machine, for hints.
#pragma once

#include <string>

namespace gradtidy {

/// The flags that a source needs to include LibTorch: its standard of C++ and its headers. LibTorch
/// is looked for where Torch_DIR and LIBTORCH point to, among Python's packages, and in /usr. Where
/// there is none, a placeholder takes the place of its folder.
std::string libtorchFlags();

} // namespace gradtidy
