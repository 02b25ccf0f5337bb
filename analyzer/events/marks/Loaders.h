// Data loaders: what they are made with, the order of their samples, and loops over them.
#pragma once

#include "analyzer/events/values/FunctionCode.h"
#include "analyzer/events/values/Vocabulary.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {

/// What the loader that \p make makes in \p body is made with, as the source says.
LoaderOptions optionsOf(const clang::CallExpr &make, const clang::Stmt &body,
                        const Vocabulary &vocabulary, const clang::ASTContext &context);

/// Whether the sampler of the loader \p loader keeps the order of the samples, and neither the
/// function that makes it nor the class of its dataset draws a random one.
bool keepsOrder(const clang::VarDecl &loader, const Vocabulary &vocabulary);

/// Whether the code of a user's class among the template arguments of \p loader, the type of a
/// loader, mentions page-locked memory.
bool mayPinMemory(clang::QualType loader, const Vocabulary &vocabulary);

/// Whether the batches of \p loader, the type of a loader, are samples that a transform has put
/// beside each other, in an order that is drawn, and nothing has changed after that.
bool stacksSamples(clang::QualType loader, const Vocabulary &vocabulary);

/// Whether \p statement, as it is written, asks for page-locked memory.
bool pinsMemory(const clang::Stmt *statement, const Vocabulary &vocabulary);

/// How the loop that \p begin begins is left before the last batch. Nothing where what is asked
/// before that may tell the last batch, or may keep the loops around from another round.
EarlyEnd earlyEndOf(const clang::CallExpr &begin, const FunctionCode &function);

/// The call that has given a loader a copy of the sampler on which \p setEpoch, in \p function,
/// sets the epoch, if that gets to no loader any more; else null.
const clang::CallExpr *missedLoader(const clang::CXXMemberCallExpr &setEpoch,
                                    const FunctionCode &function, const Vocabulary &vocabulary);

} // namespace gradtidy
