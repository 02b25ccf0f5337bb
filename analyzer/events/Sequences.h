// Sequences in batches: which dimension counts the samples and which the steps, as it is written.
#pragma once

#include "Answer.h"
#include "Event.h"
#include "Vocabulary.h"

#include "clang/AST/Expr.h"

namespace gradtidy {

/// Whether a layer that is made with \p arguments has the samples of a batch first.
Answer putsBatchFirst(llvm::ArrayRef<const clang::Expr *> arguments, const Vocabulary &vocabulary,
                      const clang::ASTContext &context);

/// Whether \p call tells a layer that is there already which dimension is which.
bool changesOrder(const clang::CallExpr &call, const Vocabulary &vocabulary);

/// The first or second dimension, of which \p size asks for the size, if that becomes the number of
/// samples in the state from which a layer of \p function starts; else -1.
int samplesCountedBy(const clang::CallExpr &size, const FunctionBody &function,
                     Vocabulary &vocabulary);

/// What \p call, of which \p event is lowered, says of the order of its subject.
OrderMark orderOf(const clang::CallExpr &call, const Event &event);

/// What \p pad, which fills up sequences, says of its result: it is plain if what it fills up with
/// is 0, which may be anything else, too.
OrderMark orderOfPadded(const clang::CallExpr &pad, const clang::ASTContext &context);

/// Whether the \p arguments of a loss of classes are scores and classes, and no more.
bool isPlainLoss(llvm::ArrayRef<const clang::Expr *> arguments, Vocabulary &vocabulary);

} // namespace gradtidy
