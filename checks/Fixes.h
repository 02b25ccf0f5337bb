// Repairs that several checks make: text put in as a statement of its own, laid out like its
// neighbours.
#pragma once

#include "Check.h"

namespace gradtidy {

/// The source text of what stands before a member call on \p object: "optimizer." or "optimizer->".
/// Empty where it cannot be written elsewhere (macros, calls with effects).
std::string memberPrefix(const Visit &visit, const Operand &object);

/// What the framework of the unit writes for \p phrase, with these texts for what stands in braces.
/// Empty if it has no such phrase: then there is no fix-it.
std::string phrase(const LoweredUnit &unit, Phrase phrase,
                   llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> parts = {});

/// Behind a tensor: the same with elements of that type, in the words of the unit's framework.
std::string castTo(const Visit &visit, ElementType element);

/// The statement that makes the call \p call of an object. Empty if one of them is.
std::string callOf(llvm::StringRef object, llvm::StringRef call);

using Fix = llvm::SmallVector<clang::FixItHint, 2>;

/// Puts \p text as a statement in a line of its own before \p statement. Empty in a macro.
Fix insertBefore(const Visit &visit, const ir::Node *statement, llvm::StringRef text);

/// Puts \p text as a statement behind the one in which \p event stands; with braces around the two
/// where that is all there is to a loop or branch. Empty in a macro.
Fix insertAfter(const Visit &visit, const Event &event, llvm::StringRef text);

/// The same behind the whole of \p statement, which must stand in a block.
Fix insertBehind(const Visit &visit, const ir::Node *statement, llvm::StringRef text);

/// Puts \p before and \p behind around \p statement and its semicolon. Empty in a macro, or where
/// it is no statement.
Fix enclose(const Visit &visit, const ir::Node &statement, llvm::StringRef before,
            llvm::StringRef behind);

/// Where the text of \p expr ends.
clang::SourceLocation endOf(const Visit &visit, const ir::Node *expr);

/// Takes away the statement in which \p event stands, with its line if nothing else is on it. Empty
/// where it is not a statement of a block.
Fix removeStatement(const Visit &visit, const Event &event);

/// Puts \p text behind \p expr, with parentheses around it where it needs them. Empty in a macro.
Fix append(const Visit &visit, const ir::Node *expr, llvm::StringRef text);

/// The same behind the tensor whose memory the event reads, for a copy of it. Empty where a pointer
/// outlives the statement, which an accessor does, or the statement reads twice or writes: each
/// copy is a tensor of its own.
Fix appendForRead(const Visit &visit, llvm::StringRef text);

/// The source text of \p expr, or of the tokens in \p range; empty in a macro.
llvm::StringRef textOf(const Visit &visit, const ir::Node *expr);
llvm::StringRef textOf(const Visit &visit, clang::SourceRange range);

} // namespace gradtidy
