// What a self-contained program (GRADTIDY_STATIC) has in place of libraries that it must not need.
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SMTAPI.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

// Only clang's path-sensitive checks ask Z3, on request. There is no static library of Z3, and no
// check of gradtidy needs one.
namespace llvm {

SMTSolverRef CreateZ3Solver() {
  llvm::report_fatal_error("gradtidy is built without the Z3 solver", /*gen_crash_diag=*/false);
}

LLVM_DUMP_METHOD void SMTSort::dump() const {}
LLVM_DUMP_METHOD void SMTExpr::dump() const {}
LLVM_DUMP_METHOD void SMTSolver::dump() const {}

} // namespace llvm

/// For std::random_device. The C library has this function since glibc 2.36, and it is the only one
/// that would keep the program from running on Ubuntu 22.04, with glibc 2.35.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  ssize_t count = 0;
  do
    count = ::getrandom(&number, sizeof number, 0);
  while (count < 0 && errno == EINTR);
  if (count != sizeof number)
    std::abort();
  return number;
}
