#include "DepthGuard.h"
#include "Bodies.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"

namespace gradtidy {

/// As in a condition without macros: see findDeepCode.
static constexpr size_t maxConditionTokens = size_t(3) * maxNesting;

/// Nothing but a token that is no operand ends the evaluation: what the macros stand for becomes
/// one.
void ConditionGuard::MacroExpands(const clang::Token &, const clang::MacroDefinition &macro,
                                  clang::SourceRange range, const clang::MacroArgs *) {
  if (!preprocessor.isParsingIfOrElifDirective())
    return;
  const llvm::ArrayRef<clang::Token> replacement = macro.getMacroInfo()->tokens();
  tokens += replacement.size();
  if (tokens <= maxConditionTokens)
    return;
  if (tooLong)
    tooLong(range.getBegin());
  for (const clang::Token &each : replacement) {
    auto &token = const_cast<clang::Token &>(each);
    token.setKind(clang::tok::unknown);
    token.setIdentifierInfo(nullptr); // It would bring the kind back.
  }
}

DepthGuard::DepthGuard(clang::Preprocessor &preprocessor, const UserCode &userCode,
                       ParseDepth &depth)
    : sources(preprocessor.getSourceManager()), userCode(userCode), depth(depth) {
  preprocessor.setTokenWatcher([this](const clang::Token &token) {
    // The preprocessor hands out a token of its own, or of the parser: none is constant.
    take(const_cast<clang::Token &>(token));
  });
  preprocessor.addPPCallbacks(
      std::make_unique<ConditionGuard>(preprocessor, [this](clang::SourceLocation place) {
        if (!this->depth.isTooDeep)
          note(place);
        this->depth.isTooDeep = true;
      }));
}

void DepthGuard::LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                                  clang::SrcMgr::CharacteristicKind, clang::FileID,
                                  clang::SourceLocation place) {
  const auto entry = sources.getFileEntryRefForID(file);
  const auto buffer = sources.getBufferOrNone(file);
  if (reason != LexedFileChangeReason::EnterFile || !entry || !buffer)
    return;
  if (file == sources.getMainFileID())
    depth.mainFile = entry->getName().str();
  else if (userCode.contains(place, sources))
    look(entry->getName().str(), buffer->getBuffer());
}

/// Does not let the file be parsed if it nests too deeply.
void DepthGuard::look(const std::string &file, llvm::StringRef text) {
  if (std::vector<DeepCode> code = findDeepCode(text); !code.empty()) {
    depth.isTooDeep = true;
    depth.code[file] = std::move(code);
  }
}

void DepthGuard::endAtEmbed(clang::SourceLocation place) {
  if (depth.isTooDeep)
    return;
  const auto [file, offset] = sources.getDecomposedLoc(place);
  const auto entry = sources.getFileEntryRefForID(file);
  depth.current = {entry ? entry->getName().str() : std::string(), offset};
  depth.isTooDeep = depth.isByEmbed = true;
}

void DepthGuard::take(clang::Token &token) {
  if (!depth.isTooDeep) {
    note(token.getLocation());
    meter.add(token.getKind());
    depth.isTooDeep = meter.isTooDeep();
  }
  if (depth.isTooDeep)
    token.setKind(clang::tok::eof);
}

void DepthGuard::note(clang::SourceLocation place) {
  if (place.isInvalid())
    return;
  if (place.isMacroID())
    place = sources.getExpansionLoc(place);
  if (place < begin || !(place < end)) {
    const clang::FileID file = sources.getFileID(place);
    const auto entry = sources.getFileEntryRefForID(file);
    const bool isUsers = entry && userCode.contains(place, sources);
    depth.current.file = isUsers ? entry->getName().str() : std::string();
    begin = sources.getLocForStartOfFile(file);
    end = sources.getLocForEndOfFile(file);
  }
  depth.current.offset = place.getRawEncoding() - begin.getRawEncoding();
}

} // namespace gradtidy
