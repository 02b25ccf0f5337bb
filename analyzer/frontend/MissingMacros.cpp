#include "MissingMacros.h"

#include "UserCode.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"

namespace gradtidy {
namespace {

bool isMacroName(llvm::StringRef name) {
  return name.contains('_') && llvm::all_of(name, [](char letter) {
           return llvm::isUpper(letter) || llvm::isDigit(letter) || letter == '_';
         });
}

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
  // The last three tokens: `class`, a macro, a name; what follows tells a definition.
  llvm::StringRef before[3];
  clang::Token token;
  for (bool atEnd = false; !atEnd;) {
    atEnd = lexer.LexFromRawLexer(token);
    const bool isName = token.is(clang::tok::raw_identifier);
    const llvm::StringRef name = isName ? token.getRawIdentifier() : llvm::StringRef();
    const bool isDefinition =
        token.isOneOf(clang::tok::l_brace, clang::tok::colon) || name == "final";
    if (isDefinition && (before[0] == "class" || before[0] == "struct") && isMacroName(before[1]) &&
        !before[2].empty()) {
      clang::IdentifierInfo *macro = preprocessor.getIdentifierInfo(before[1]);
      if (!macro->hasMacroDefinition())
        preprocessor.appendDefMacroDirective(macro, preprocessor.AllocateMacroInfo(begin));
    }
    before[0] = before[1];
    before[1] = before[2];
    before[2] = name;
  }
}

} // namespace gradtidy
