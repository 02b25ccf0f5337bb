// Declarations that nest so deeply that clang's parser would run out of stack.
#pragma once

#include "clang/Basic/TokenKinds.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

/// An upper bound of how deep a parser stands, whatever the construct: the tokens of all operands,
/// elements and statements that have begun and not ended.
class NestingMeter {
public:
  /// Takes the next token, raw or preprocessed.
  void add(clang::tok::TokenKind kind);

  bool isTooDeep() const;
  size_t brackets() const { return open.size() - 1; } ///< How many are open.

private:
  struct Level {
    clang::tok::TokenKind opener = clang::tok::unknown;
    unsigned tokens = 0; ///< Since the last separator.
    unsigned angles = 0; ///< Open among them: a comma may separate template arguments.
    unsigned heads = 0;  ///< Of statements around the next one, among them.
    unsigned ended = 0;  ///< Heads of a statement that has just ended: an `else` takes it up again.
  };

  void count(unsigned added = 1);
  void countHead(unsigned added = 1);
  void forget(unsigned kept);
  void endStatement();
  void push(clang::tok::TokenKind opener);
  void pop();

  std::vector<Level> open{1};
  size_t tokens = 0, braces = 0; ///< Of all levels.
  bool isString = false;         ///< The last token: those in a row are one.
};

/// What a text is parsed without: a declaration, or what the body of a function holds.
struct DeepCode {
  size_t begin = 0, end = 0; ///< In the text.
  size_t declaration = 0;    ///< Where that begins.
  bool isBody = false;
  bool isOpen = false;      ///< It lacks a bracket at its end.
  bool isCondition = false; ///< Of the preprocessor: counts as 0.
  std::string name;         ///< Of the declaration, as it is written there.
};

/// The outermost declarations in \p text, those within namespaces and classes, that nest too
/// deeply, or have \p tooDeep in them, and such conditions of the preprocessor.
std::vector<DeepCode> findDeepCode(llvm::StringRef text,
                                   std::optional<size_t> tooDeep = std::nullopt);

/// The directives `#embed` in \p text, from the one at \p first on; each counts as 0.
std::vector<DeepCode> findEmbeds(llvm::StringRef text, size_t first);

/// \p text with blanks in place of \p code; all else keeps its place.
std::string without(const std::vector<DeepCode> &code, std::string text);

} // namespace gradtidy
