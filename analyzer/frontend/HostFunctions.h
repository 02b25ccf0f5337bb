// What nvcc lets the host call and clang keeps for the device.
#pragma once

namespace clang {
class Decl;
} // namespace clang

namespace gradtidy {

/// Has \p declaration, which is none of the user's, count as the host's, too, if it is one of the
/// toolkit's min() and max() for the device. nvcc declares these in the global namespace for both
/// sides; in clang's headers the host's are in `std` alone, and a function that calls one without
/// it would not compile.
void offerToHost(clang::Decl &declaration);

} // namespace gradtidy
