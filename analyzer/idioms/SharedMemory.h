// Accesses to the memory that the threads of a block share, between which a barrier is missing.
#pragma once

#include "FunctionParts.h"

namespace gradtidy {

/// A write that other threads may do while some still wait for it, or have yet to read what it
/// overwrites.
struct UnorderedAccess {
  const ir::Node *write = nullptr;
  const ir::Node *read = nullptr;
  enum Order : unsigned char {
    WriteThenRead,
    ReadThenWrite,
    ReadThenNextRound, ///< The write is that of the next round of a loop around both.
  } order = WriteThenRead;
};

/// The first such write and read of each order in \p kernel, which consists of \p parts.
std::vector<UnorderedAccess> unorderedAccesses(const FunctionBody &kernel,
                                               const FunctionParts &parts);

/// The array or variable of a block's threads that \p access leads to, or null.
const ir::Symbol *sharedMemory(const ir::Node &access);

} // namespace gradtidy
