#include "MissingMacros.h"

#include "UserCode.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"

namespace gradtidy {
namespace {

/// Names in capitals.
bool isMacroName(llvm::StringRef name) {
  return name.size() > 2 && llvm::all_of(name, [](char letter) {
           return llvm::isUpper(letter) || llvm::isDigit(letter) || letter == '_';
         });
}

/// Reads the tokens of a file as they are written, and finds the macros that only a header can have
/// defined.
class MacroFinder {
public:
  explicit MacroFinder(clang::Lexer &lexer) : lexer(lexer) {}

  void run() {
    for (bool atEnd = false; !atEnd;) {
      atEnd = lexer.LexFromRawLexer(token);
      isDirective = token.isAtStartOfLine() ? token.is(clang::tok::hash) : isDirective;
      if (!isDirective)
        read();
    }
  }

  llvm::SmallVector<llvm::StringRef, 4> ofClasses; ///< In front of the name of a class.
  llvm::SmallVector<llvm::StringRef, 4> ofTests;   ///< `TEST_CASE("…") { … }` outside functions.

private:
  void read() {
    const bool isName = token.is(clang::tok::raw_identifier);
    const llvm::StringRef name = isName ? token.getRawIdentifier() : llvm::StringRef();
    findClass(name);
    findTest(name);
    if (token.is(clang::tok::l_brace))
      depth += depth > 0 || !opensNamespace ? 1 : 0;
    else if (token.is(clang::tok::r_brace))
      depth -= depth > 0 ? 1 : 0;
    opensNamespace =
        name == "namespace" || (opensNamespace && (isName || token.is(clang::tok::coloncolon)));
    before[0] = before[1];
    before[1] = before[2];
    before[2] = name;
    isBegin = token.isOneOf(clang::tok::semi, clang::tok::r_brace, clang::tok::l_brace);
  }

  /// `class MACRO Name {`, `class MACRO Name : …`
  void findClass(llvm::StringRef name) {
    const bool isDefinition =
        token.isOneOf(clang::tok::l_brace, clang::tok::colon) || name == "final";
    if (isDefinition && (before[0] == "class" || before[0] == "struct") && isMacroName(before[1]) &&
        before[1].contains('_') && !before[2].empty())
      ofClasses.push_back(before[1]);
  }

  /// `MACRO(…) {` where a declaration begins.
  void findTest(llvm::StringRef name) {
    if (parentheses == 0 && !test.empty() && token.is(clang::tok::l_brace) && isClosed)
      ofTests.push_back(test);
    if (token.is(clang::tok::l_paren))
      ++parentheses;
    else if (token.is(clang::tok::r_paren) && parentheses > 0)
      isClosed = --parentheses == 0;
    else if (parentheses == 0) {
      test = isBegin && depth == 0 && isMacroName(name) ? name : llvm::StringRef();
      isClosed = false;
    }
  }

  clang::Lexer &lexer;
  clang::Token token;
  bool isDirective = false;
  llvm::StringRef before[3];   ///< The last names; empty for other tokens.
  bool opensNamespace = false; ///< The next brace is that of a namespace.
  unsigned depth = 0;          ///< In braces that are not those of namespaces.
  bool isBegin = true;         ///< A declaration may begin here.
  llvm::StringRef test;        ///< What may be the macro of a test.
  unsigned parentheses = 0;
  bool isClosed = false; ///< The parentheses behind it.
};

} // namespace

bool MissingMacros::FileNotFound(llvm::StringRef) {
  if (const clang::PreprocessorLexer *lexer = preprocessor.getCurrentFileLexer())
    defineMacrosOf(lexer->getFileID());
  return false;
}

void MissingMacros::LexedFileChanged(clang::FileID file, LexedFileChangeReason,
                                     clang::SrcMgr::CharacteristicKind, clang::FileID,
                                     clang::SourceLocation) {
  if (headerIsMissing)
    defineMacrosOf(file);
}

void MissingMacros::defineMacrosOf(clang::FileID file) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  const clang::SourceLocation begin = sources.getLocForStartOfFile(file);
  const auto text = sources.getBufferOrNone(file);
  if (!text || !userCode.contains(begin, sources) || !seen.insert(file).second)
    return;
  clang::Lexer lexer(file, *text, sources, preprocessor.getLangOpts());
  MacroFinder finder(lexer);
  finder.run();
  for (const llvm::StringRef name : finder.ofClasses)
    define(name, preprocessor.AllocateMacroInfo(begin));
  for (const llvm::StringRef name : finder.ofTests)
    define(name, functionOf(begin));
}

void MissingMacros::define(llvm::StringRef name, clang::MacroInfo *meaning) {
  clang::IdentifierInfo *macro = preprocessor.getIdentifierInfo(name);
  if (!macro->hasMacroDefinition())
    preprocessor.appendDefMacroDirective(macro, meaning);
}

clang::MacroInfo *MissingMacros::functionOf(clang::SourceLocation place) {
  // Each has another type of parameter: none is defined twice.
  clang::Lexer lexer(place, preprocessor.getLangOpts(), function.begin(), function.begin(),
                     function.end());
  llvm::SmallVector<clang::Token, 16> tokens;
  clang::Token token;
  for (lexer.LexFromRawLexer(token); token.isNot(clang::tok::eof); lexer.LexFromRawLexer(token)) {
    if (token.is(clang::tok::raw_identifier))
      preprocessor.LookUpIdentifierInfo(token);
    token.setLocation(place);
    tokens.push_back(token);
  }
  clang::MacroInfo *meaning = preprocessor.AllocateMacroInfo(place);
  clang::IdentifierInfo *arguments[] = {preprocessor.getIdentifierInfo("__VA_ARGS__")};
  meaning->setIsFunctionLike();
  meaning->setIsC99Varargs();
  meaning->setParameterList(arguments, preprocessor.getPreprocessorAllocator());
  meaning->setTokens(tokens, preprocessor.getPreprocessorAllocator());
  return meaning;
}

} // namespace gradtidy
