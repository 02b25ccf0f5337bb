// Reads what a call says of the elements and the shape of its result.
#pragma once

#include "Vocabulary.h"
#include "analyzer/ir/Typing.h"

#include "clang/AST/Expr.h"

#include <optional>

namespace gradtidy {

/// Whether values of the type name types of elements.
bool namesElements(clang::QualType type, Vocabulary &vocabulary);

/// What is written in one function.
class TypingReader {
public:
  /// Of variables that are local to \p body, what they are made with counts; of others only if they
  /// are constant.
  TypingReader(const clang::Stmt *body, Vocabulary &vocabulary, clang::ASTContext &context)
      : body(body), vocabulary(vocabulary), context(context) {}

  /// Of the result of a call with \p arguments.
  Typing read(ResultRule rule, llvm::ArrayRef<const clang::Expr *> arguments) const;

  /// Of the memory to which \p pointer leads, as the code takes it.
  Typing readPointer(const clang::Expr *pointer) const;

  /// The type of elements that \p expr names, as such or in options; \p isNamed tells whether it
  /// names one at all.
  ElementType elementIn(const clang::Expr *expr, bool &isNamed, unsigned depth = 0) const;

  /// What the arguments of a loss, or of its constructor, say of its reduction.
  Reduction reductionIn(llvm::ArrayRef<const clang::Expr *> arguments) const;

  /// One of the numbers that a layer is made with: how many features it takes, and gives.
  std::int64_t numberAt(unsigned index, llvm::ArrayRef<const clang::Expr *> arguments) const;

private:
  std::optional<std::int64_t> integer(const clang::Expr *expr, unsigned depth = 0) const;
  std::optional<Shape> list(const clang::Expr *expr) const;
  void readValues(const clang::Expr *expr, Typing &typing) const;
  void readMemory(const clang::Expr *pointer, Typing &typing) const;
  bool isAddress(clang::QualType type) const;
  /// Whether a tensor of \p sizes has as many elements as the list or array to which \p pointer
  /// leads: no more of them can lie there.
  bool fillsMemory(const clang::Expr *pointer, const clang::Expr *sizes) const;
  /// What gives the pixels that \p pointer leads to, row by row, the channels of each side by side:
  /// the call that loads them, or the memory of an image. Null if it leads elsewhere.
  const clang::Expr *pixelsAt(const clang::Expr *pointer, unsigned depth = 0) const;
  /// Whether a function that \p statement calls gives pixels channel by channel.
  bool separatesChannels(const clang::Stmt *statement) const;

  const clang::Stmt *body;
  Vocabulary &vocabulary;
  clang::ASTContext &context;
};

} // namespace gradtidy
