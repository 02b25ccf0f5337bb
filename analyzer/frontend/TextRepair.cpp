#include "TextRepair.h"

#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <vector>

namespace gradtidy {
namespace {

using clang::tok::TokenKind;

struct Piece {
  TokenKind kind;
  llvm::StringRef spelling;
  size_t begin = 0;
  unsigned indent = 0;      ///< Of its line.
  bool startsLine = false;  ///< It is the first on its line.
  bool isDirective = false; ///< It is part of a preprocessor directive.
  bool isDropped = false;   ///< It is part of a line that is no longer there.

  size_t end() const { return begin + spelling.size(); }
};

clang::LangOptions languageOptions() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus17 = options.CPlusPlus20 = true;
  options.LineComment = options.RawStringLiterals = options.Bool = true;
  return options;
}

std::vector<Piece> piecesOf(llvm::StringRef text) {
  const clang::LangOptions options = languageOptions();
  const std::string terminated = text.str();
  clang::Lexer lexer(clang::SourceLocation::getFromRawEncoding(1), options, terminated.data(),
                     terminated.data(), terminated.data() + terminated.size());
  std::vector<Piece> pieces;
  clang::Token token;
  unsigned indent = 0;
  bool isDirective = false;
  for (lexer.LexFromRawLexer(token); token.isNot(clang::tok::eof); lexer.LexFromRawLexer(token)) {
    const size_t begin = token.getLocation().getRawEncoding() - 1;
    if (token.isAtStartOfLine()) {
      const size_t line = text.rfind('\n', begin) + 1; // npos + 1 is 0.
      indent = begin - line;
      isDirective = token.is(clang::tok::hash);
    }
    pieces.push_back({token.getKind(), text.substr(begin, token.getLength()), begin, indent,
                      token.isAtStartOfLine(), isDirective, false});
  }
  return pieces;
}

class Repair {
public:
  explicit Repair(llvm::StringRef text) : text(text), pieces(piecesOf(text)), result(text) {}

  std::optional<std::string> run() {
    for (number = 0; number < pieces.size(); ++number) {
      const Piece &piece = pieces[number];
      if (piece.isDirective)
        continue;
      closeChevrons();
      if (piece.startsLine && !open.empty())
        closeBefore();
      if (piece.startsLine && isBetweenDefinitions() && isGarbage()) {
        dropLine();
        continue;
      }
      if (piece.kind == clang::tok::l_brace)
        open.push_back({number, indentOfHead(), isScope()});
      else if (piece.kind == clang::tok::r_brace && !open.empty())
        open.pop_back();
    }
    return isChanged ? std::optional(std::move(result)) : std::nullopt;
  }

private:
  struct Brace {
    size_t piece;
    unsigned indent; ///< Of what it is the body of.
    bool isScope;    ///< Of a namespace or a linkage: what is in it need not be indented.
  };

  /// How far what the brace at hand is the body of is indented; its parameters may be further.
  unsigned indentOfHead() const {
    unsigned indent = pieces[number].indent;
    for (size_t i = number; i-- > 0 && !endsStatement(pieces[i]);)
      indent = std::min(indent, pieces[i].indent);
    return indent;
  }

  static bool endsStatement(const Piece &piece) {
    return piece.isDirective || piece.kind == clang::tok::semi ||
           piece.kind == clang::tok::l_brace || piece.kind == clang::tok::r_brace;
  }

  /// Whether the brace at hand opens a namespace or `extern "C"`.
  bool isScope() const {
    for (size_t i = number; i-- > 0;) {
      const Piece &before = pieces[i];
      if (endsStatement(before) || before.kind == clang::tok::r_paren)
        return false;
      if (before.spelling == "namespace" || before.spelling == "extern")
        return true;
    }
    return false;
  }

  /// Whether the piece at hand is the first of what stands by itself in a file or namespace.
  bool isBetweenDefinitions() const {
    if (!llvm::all_of(open, [](const Brace &brace) { return brace.isScope; }))
      return false;
    for (size_t i = number; i-- > 0;)
      if (!pieces[i].isDirective && !pieces[i].isDropped)
        return pieces[i].kind == clang::tok::semi || pieces[i].kind == clang::tok::l_brace ||
               pieces[i].kind == clang::tok::r_brace;
    return true;
  }

  /// The first piece of the next line.
  size_t nextLine() const {
    size_t next = number + 1;
    while (next < pieces.size() && !pieces[next].startsLine)
      ++next;
    return next;
  }

  /// Whether the line that the piece at hand begins is part of no declaration: it begins as none
  /// does, or has nothing but names, behind which another one begins.
  bool isGarbage() {
    switch (pieces[number].kind) {
    case clang::tok::coloncolon:
    case clang::tok::l_square:
    case clang::tok::l_paren:
    case clang::tok::l_brace:
    case clang::tok::r_brace:
    case clang::tok::semi:
    case clang::tok::tilde:
      return false;
    case clang::tok::raw_identifier:
      break;
    default:
      return true;
    }
    const size_t next = nextLine();
    return next < pieces.size() && beginsDeclaration(pieces[next]) &&
           llvm::all_of(
               llvm::ArrayRef(pieces).slice(number, next - number),
               [&](const Piece &piece) { return isName(piece); });
  }

  /// Whether the piece is a name, and none that a compiler gives a meaning: `__global__`.
  bool isName(const Piece &piece) {
    return piece.kind == clang::tok::raw_identifier && !piece.spelling.starts_with("__") &&
           words.get(piece.spelling).getTokenID() == clang::tok::identifier;
  }

  /// Whether the piece is a word that no type can stand before.
  static bool beginsDeclaration(const Piece &piece) {
    return llvm::StringSwitch<bool>(piece.spelling)
        .Cases({"struct", "class", "enum", "union", "namespace", "template", "using"}, true)
        .Cases({"void", "bool", "char", "int", "float", "double", "auto", "typedef"}, true)
        .Default(false);
  }

  void dropLine() {
    const size_t end = nextLine();
    for (; number < end; ++number) {
      Piece &piece = pieces[number];
      piece.isDropped = true;
      std::fill_n(result.begin() + piece.begin, piece.spelling.size(), ' ');
    }
    --number;
    isChanged = true;
  }

  /// `kernel<< < grid, block >> >(…)`, as formatters write it, and nvcc takes it.
  void closeChevrons() {
    const bool isOpening = pieces[number].kind == clang::tok::lessless;
    const bool isClosing = isLaunch && pieces[number].kind == clang::tok::greatergreater;
    if (number + 1 == pieces.size() || !(isOpening || isClosing))
      return;
    const Piece &last = pieces[number + 1];
    const size_t begin = pieces[number].begin, length = last.end() - begin;
    if (last.kind != (isOpening ? clang::tok::less : clang::tok::greater) || last.startsLine ||
        length == 3)
      return;
    result.replace(begin, length, (isOpening ? "<<<" : ">>>") + std::string(length - 3, ' '));
    isLaunch = isOpening;
    isChanged = true;
  }

  void closeBefore() {
    const unsigned indent = pieces[number].indent;
    const auto *swallowing = llvm::find_if(
        open, [&](const Brace &brace) { return !brace.isScope && brace.indent >= indent; });
    if (swallowing == open.end() || !isDefinition())
      return;
    const size_t missing = open.end() - swallowing;
    // The last piece of the body: what follows begins its lines as far to the left as the body.
    size_t last = number - 1;
    size_t lineStart = last;
    for (; last > swallowing->piece; last = lineStart - 1) {
      for (lineStart = last; !pieces[lineStart].startsLine; --lineStart)
        ;
      const Piece &first = pieces[lineStart];
      if (lineStart <= swallowing->piece || first.indent > indent ||
          first.kind == clang::tok::r_brace)
        break;
    }
    if (close(pieces[last].end(), pieces[last + 1].begin, missing))
      open.erase(swallowing, open.end());
  }

  /// Whether the pieces at hand begin the definition of a function or a class, or a namespace.
  bool isDefinition() const {
    const llvm::StringRef first = pieces[number].spelling;
    const bool isStatement =
        llvm::StringSwitch<bool>(first)
            .Cases({"if", "for", "while", "do", "switch", "else", "try", "catch", "return"}, true)
            .Cases({"case", "default", "goto", "throw", "delete", "new", "co_return"}, true)
            .Cases({"public", "private", "protected", "co_await", "co_yield"}, true)
            .Default(false);
    if (pieces[number].kind != clang::tok::raw_identifier || isStatement)
      return false;
    if (llvm::StringSwitch<bool>(first)
            .Cases({"namespace", "template", "struct", "class", "enum"}, true)
            .Default(false))
      return true;
    if (first == "extern") // Else it may be a local declaration.
      return number + 1 < pieces.size() && clang::tok::isStringLiteral(pieces[number + 1].kind);
    return isFunction();
  }

  /// A type, a name, parameters, and what only definitions have behind them.
  bool isFunction() const {
    size_t i = number;
    while (i < pieces.size() && pieces[i].kind != clang::tok::l_paren) {
      switch (pieces[i].kind) {
      case clang::tok::raw_identifier:
      case clang::tok::coloncolon:
      case clang::tok::less:
      case clang::tok::greater:
      case clang::tok::comma:
      case clang::tok::star:
      case clang::tok::amp:
      case clang::tok::ampamp:
        ++i;
        break;
      default:
        return false;
      }
    }
    if (i >= pieces.size() || i < number + 2 || pieces[i - 1].kind != clang::tok::raw_identifier ||
        pieces[i - 2].kind == clang::tok::comma)
      return false;
    unsigned depth = 0;
    for (; i < pieces.size(); ++i) {
      depth += pieces[i].kind == clang::tok::l_paren;
      if (pieces[i].kind == clang::tok::r_paren && --depth == 0)
        break;
    }
    if (++i >= pieces.size())
      return false;
    return pieces[i].kind == clang::tok::l_brace || pieces[i].kind == clang::tok::arrow ||
           pieces[i].kind == clang::tok::colon || pieces[i].spelling == "const" ||
           pieces[i].spelling == "noexcept" || pieces[i].spelling == "override";
  }

  /// Puts \p count braces between two pieces; false if there is no room for them.
  bool close(size_t begin, size_t end, size_t count) {
    if (end - begin < count)
      return false;
    for (size_t i = begin; i < end; ++i)
      if (result[i] != '\n')
        result[i] = ' ';
    for (const char room : {' ', '\n'})
      for (size_t i = begin; i < end && count > 0; ++i)
        if (result[i] == room) {
          result[i] = '}';
          --count;
        }
    return isChanged = true;
  }

  llvm::StringRef text;
  std::vector<Piece> pieces;
  clang::IdentifierTable words{languageOptions()}; ///< Keywords, and the names of the text.
  std::string result;
  llvm::SmallVector<Brace, 16> open;
  size_t number = 0;     ///< Of the piece at hand.
  bool isLaunch = false; ///< Chevrons were opened that are not closed.
  bool isChanged = false;
};

} // namespace

std::optional<std::string> repaired(llvm::StringRef text) { return Repair(text).run(); }

} // namespace gradtidy
