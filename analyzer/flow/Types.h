// What tensors of different types and shapes make where they meet.
#pragma once

#include "State.h"

#include "analyzer/ir/Typing.h"

namespace gradtidy {

/// The tensors among what an event takes, in the order of the source.
llvm::SmallVector<const Operand *, 4> tensorsOf(const Event &event);

/// What the function of a loss makes of the losses of all elements: its options may say that, or a
/// number.
Reduction reductionOf(const Event &event);

/// Two tensors of one operation that go over each other in a way that nobody means: each element
/// of a column meets each of a row.
struct Crossing {
  const Operand *column = nullptr; ///< Of one feature, or a map of them, for each sample.
  /// Of one dimension, perhaps squeezed out of a column; in a loss with whatever before it.
  const Operand *row = nullptr;
};
std::optional<Crossing> crossingOf(const Event &event, const State &state);

/// A tensor that selects elements of another, but has elements with which none can be selected;
/// null if there is none. where() takes bytes for truth values, as all once did.
const Operand *badMaskOf(const Event &event, const State &state);

/// A tensor of real numbers that is to tell which elements of another are meant, by their numbers;
/// null if there is none.
const Operand *badIndexOf(const Event &event, const State &state);

} // namespace gradtidy
