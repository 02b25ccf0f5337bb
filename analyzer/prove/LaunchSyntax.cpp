#include "LaunchSyntax.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

#include <stdexcept>
#include <vector>

namespace gradtidy {

namespace {

struct Word {
  clang::tok::TokenKind kind;
  size_t begin, end;
};

std::vector<Word> wordsOf(llvm::StringRef text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus20 = language.CUDA = true;
  const clang::SourceLocation start = clang::SourceLocation::getFromRawEncoding(1);
  clang::Lexer lexer(start, language, text.begin(), text.begin(), text.end());
  std::vector<Word> words;
  for (clang::Token token; !lexer.LexFromRawLexer(token);) {
    const size_t begin = token.getLocation().getRawEncoding() - start.getRawEncoding();
    words.push_back({token.getKind(), begin, begin + token.getLength()});
  }
  return words;
}

/// The word behind which \p launch, the position of `<<<`, begins: what is launched is a name, with
/// arguments of a template perhaps.
size_t beginOfKernel(llvm::ArrayRef<Word> words, size_t launch) {
  size_t first = launch;
  int depth = 0; // Of arguments of templates.
  const auto ends = [&](size_t i) {
    return (words[i].kind == clang::tok::greater) +
           2 * (words[i].kind == clang::tok::greatergreater) +
           3 * (words[i].kind == clang::tok::greatergreatergreater);
  };
  while (first > 0 && (depth > 0 || ends(first - 1) > 0)) {
    --first;
    depth += ends(first) - (words[first].kind == clang::tok::less);
    if (depth == 0)
      break;
  }
  if (first == 0 || words[first - 1].kind != clang::tok::raw_identifier)
    return launch;
  --first;
  while (first > 0 && words[first - 1].kind == clang::tok::coloncolon) {
    --first;
    if (first > 0 && words[first - 1].kind == clang::tok::raw_identifier)
      --first;
  }
  return first;
}

} // namespace

std::string withoutLaunchSyntax(llvm::StringRef text) {
  const std::vector<Word> words = wordsOf(text);
  std::string result;
  size_t copied = 0, open = 0;
  const auto copyUpTo = [&](size_t end) {
    result += text.slice(copied, end);
    copied = end;
  };
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind == clang::tok::lesslessless) {
      const size_t kernel = beginOfKernel(words, i);
      if (kernel == i)
        throw std::runtime_error("line " +
                                 std::to_string(1 + text.take_front(words[i].begin).count('\n')) +
                                 ": what is launched has to be a name");
      copyUpTo(words[kernel].begin);
      result += "::gradtidy::runtime::launcher([=](auto... arguments) { ";
      copyUpTo(words[i].begin);
      result += "(arguments...); }, ";
      copied = words[i].end;
      ++open;
    } else if (words[i].kind == clang::tok::greatergreatergreater && open > 0) {
      copyUpTo(words[i].begin);
      result += ")";
      --open;
      copied = words[i].end;
    }
  }
  copyUpTo(text.size());
  return result;
}

} // namespace gradtidy
