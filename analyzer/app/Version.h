// What --version prints.
#pragma once

#include <string>

namespace gradtidy {

/// "gradtidy 0.1.0 (commit d63afdc1b2c3, LLVM 22.1.8)"; without the commit where gradtidy was not
/// built from a clone.
std::string versionText();

} // namespace gradtidy
