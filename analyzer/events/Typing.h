// What a call says of the elements and the shape of its result, as far as it is written there.
#pragma once

#include "TensorType.h"
#include "Vocabulary.h"

#include "clang/AST/Expr.h"

#include <optional>

namespace gradtidy {

/// Whether a loss gives one number, or one for each sample.
enum class Reduction : unsigned char { Unknown, Reduced, Kept };

struct Typing {
  ResultRule rule = ResultRule::None;
  ElementType element = ElementType::Unknown; ///< That is named, or those of listed values.
  bool namesElement = false;                  ///< It is, even if nobody knows which one.
  ElementType number = ElementType::Unknown;  ///< Of a number among the operands: float or integer.
  std::optional<Shape> shape;                 ///< Listed sizes, axes, or what listed values have.
  llvm::SmallVector<std::int64_t, 2> numbers; ///< Integers among the arguments, one by one.
  bool keepsAxes = false;                     ///< A reduction leaves sizes of 1.
  Reduction reduction = Reduction::Reduced;
  ElementType memory = ElementType::Unknown; ///< What lies where the pointer leads.
  /// What cannot be, of memory: what is named, or meant where nothing is named.
  bool isMisread = false;
  bool isScrambled = false; ///< Pixels whose channels lie side by side, in a shape that says no.

  static constexpr std::int64_t noNumber = INT64_MIN; ///< One that is not known.
};

/// What is written in one function.
class TypingReader {
public:
  /// Of variables that are local to \p body, what they are made with counts; of others only if they
  /// are constant.
  TypingReader(const clang::Stmt *body, Vocabulary &vocabulary, clang::ASTContext &context)
      : body(body), vocabulary(vocabulary), context(context) {}

  /// Of the result of a call with \p arguments.
  Typing read(ResultRule rule, llvm::ArrayRef<const clang::Expr *> arguments) const;

  /// The type of elements that \p expr names, as such or in options; \p isNamed tells whether it
  /// names one at all.
  ElementType elementIn(const clang::Expr *expr, bool &isNamed, unsigned depth = 0) const;

  /// What the arguments of a loss, or of its constructor, say of its reduction.
  Reduction reductionIn(llvm::ArrayRef<const clang::Expr *> arguments) const;

  /// The second number that a layer is made with: of a linear one, how many features it gives.
  std::int64_t secondNumber(llvm::ArrayRef<const clang::Expr *> arguments) const;

private:
  std::optional<std::int64_t> integer(const clang::Expr *expr, unsigned depth = 0) const;
  std::optional<Shape> list(const clang::Expr *expr) const;
  void readValues(const clang::Expr *expr, Typing &typing) const;
  void readMemory(const clang::Expr *pointer, Typing &typing) const;
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
