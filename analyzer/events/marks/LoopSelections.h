// What the rounds of a loop select of a tensor that outlives them: one element after the other, or
// one batch after the other.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

namespace gradtidy {

/// The loop in which \p read, of a number on the host, reads another element of one and the same
/// tensor in each round, or what is computed from it; none if it is one of a few rounds. Outside of
/// loops: whether the function reads what its arguments, or what it has captured, say.
ElementLoop elementLoopOf(const clang::CallExpr &read, const FunctionCode &function,
                          Vocabulary &vocabulary, const clang::ASTContext &context);

/// The same of \p move, of an element to the host: one of those that two loops, one in the other,
/// go over, as over the pixels of an image.
ElementLoop pixelLoopOf(const clang::CallExpr &move, const FunctionCode &function,
                        Vocabulary &vocabulary, const clang::ASTContext &context);

/// The loop each round of which takes another parameter of a model, of which \p read reads a
/// number; null if there is none.
const clang::Stmt *parameterLoopOf(const clang::CallExpr &read, const FunctionCode &function,
                                   Vocabulary &vocabulary);

/// The loop each round of which puts the number that \p read gives in place of that of the round
/// before, and does nothing else with it; null if there is none.
const clang::Stmt *lastOfLoop(const clang::CallExpr &read, const FunctionCode &function);

/// What has read the same number of the same tensor before \p read, in each round of the loop
/// around both that makes the tensor; null if nothing has.
const clang::Stmt *readBefore(const clang::CallExpr &read, const FunctionCode &function,
                              const Vocabulary &vocabulary);

/// The loop whose rounds take one batch after the other, of which \p slice takes one, in an order
/// that is the same in each round of the loop around it; null if there is none, or if a state goes
/// from one batch to the next.
const clang::Stmt *batchLoopOf(const clang::CallExpr &slice, const FunctionCode &function,
                               Vocabulary &vocabulary);

} // namespace gradtidy
