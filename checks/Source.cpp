#include "Source.h"

#include "clang/Basic/CharInfo.h"
#include "clang/Lex/Lexer.h"

namespace gradtidy {

llvm::StringRef Source::text(clang::SourceRange range) const {
  if (range.getBegin().isMacroID() || range.getEnd().isMacroID())
    return {};
  return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range), manager,
                                     language);
}

llvm::StringRef Source::indentation(clang::SourceLocation location) const {
  const auto [file, offset] = manager.getDecomposedLoc(location);
  llvm::StringRef line = manager.getBufferData(file).take_front(offset);
  line = line.substr(line.rfind('\n') + 1);
  return line.take_while([](char c) { return c == ' ' || c == '\t'; });
}

bool Source::hasWord(clang::SourceLocation location, llvm::StringRef word) const {
  const llvm::StringRef text =
      manager.getBufferData(manager.getFileID(manager.getFileLoc(location)));
  const auto isOfName = [&](size_t at) {
    return at < text.size() && clang::isAsciiIdentifierContinue(text[at]);
  };
  for (size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1))
    if ((at == 0 || !isOfName(at - 1)) && !isOfName(at + word.size()))
      return true;
  return false;
}

clang::SourceLocation Source::behind(clang::SourceLocation location) const {
  return clang::Lexer::getLocForEndOfToken(location, 0, manager, language);
}

clang::SourceLocation Source::behindSemicolon(clang::SourceLocation location) const {
  return clang::Lexer::findLocationAfterToken(location, clang::tok::semi, manager, language,
                                              /*SkipTrailingWhitespaceAndNewLine=*/false);
}

} // namespace gradtidy
