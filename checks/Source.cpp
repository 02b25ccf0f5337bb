#include "Source.h"

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

clang::SourceLocation Source::behind(clang::SourceLocation location) const {
  return clang::Lexer::getLocForEndOfToken(location, 0, manager, language);
}

clang::SourceLocation Source::behindSemicolon(clang::SourceLocation location) const {
  return clang::Lexer::findLocationAfterToken(location, clang::tok::semi, manager, language,
                                              /*SkipTrailingWhitespaceAndNewLine=*/false);
}

} // namespace gradtidy
