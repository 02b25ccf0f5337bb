// Pointers and views into what has ended.
#pragma once

#include "Check.h"

namespace gradtidy {

/// What leads into something: a pointer into the memory of a tensor, a view of a shape or list, or
/// a tensor over the memory of a container. Pointers into containers are C++'s own affair.
enum class Leader : unsigned char { Pointer, View, Tensor, Other };

/// A pointer or view that leads into what has ended.
struct Lost {
  Look look;
  bool isUsed = false; ///< By the visit's event; else it is kept where others find it.
};

/// Whether the event uses a pointer or view that leads into what has ended.
bool usesLost(const Moment &moment);

/// Whether the event has left such pointers behind.
bool leavesLost(const Moment &moment);

/// What the visit's event uses, or leaves behind, of that kind.
llvm::SmallVector<Lost, 1> lostBy(const Visit &visit, Leader leader);

/// The level of the finding: what others may hold, too, may live on.
Level levelOf(const Visit &visit, const Lost &lost);

/// What it leads into, and what becomes of that: "'x', which ends".
std::string fateOf(const Visit &visit, const Lost &lost);

/// Where that is, and where it is used.
void noteFate(const Visit &visit, const Lost &lost, Finding &finding);

} // namespace gradtidy
