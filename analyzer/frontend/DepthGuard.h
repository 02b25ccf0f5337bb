// Ends a parse before clang runs out of stack.
#pragma once

#include "DeepCode.h"
#include "UserCode.h"
#include "clang/Lex/PPCallbacks.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace gradtidy {

/// A place in the text of a file.
struct TextPlace {
  std::string file; ///< As the compiler names it; empty for nowhere.
  size_t offset = 0;
};

/// How deep a parse went, for those who survive it.
struct ParseDepth {
  std::string mainFile; ///< As the compiler names it.
  TextPlace current;    ///< Where the parser is, in user code.
  bool isTooDeep = false;
  bool isByEmbed = false; ///< All `#embed` from the current place on are too much.
  /// By header, what it would be parsed without; empty if macros make what is too deep, at the
  /// current place.
  std::map<std::string, std::vector<DeepCode>> code;
};

/// Ends conditions of the preprocessor that macros make too long: clang evaluates them by
/// recursion, before any parser sees a token.
class ConditionGuard : public clang::PPCallbacks {
public:
  /// \param tooLong is told the place of each such condition, or null.
  ConditionGuard(const clang::Preprocessor &preprocessor,
                 std::function<void(clang::SourceLocation)> tooLong)
      : preprocessor(preprocessor), tooLong(std::move(tooLong)) {}

  void MacroExpands(const clang::Token &, const clang::MacroDefinition &macro,
                    clang::SourceRange range, const clang::MacroArgs *) override;
  void If(clang::SourceLocation, clang::SourceRange, ConditionValueKind) override { tokens = 0; }
  void Elif(clang::SourceLocation, clang::SourceRange, ConditionValueKind,
            clang::SourceLocation) override {
    tokens = 0;
  }

private:
  const clang::Preprocessor &preprocessor;
  const std::function<void(clang::SourceLocation)> tooLong;
  size_t tokens = 0; ///< That macros have put into the condition that is being read.
};

/// Looks at each header of the user before it is parsed, and at each token before the parser has
/// it: the parser sees the end of the text instead of what is nested too deeply.
class DepthGuard : public clang::PPCallbacks {
public:
  /// All must outlive \p preprocessor.
  DepthGuard(clang::Preprocessor &preprocessor, const UserCode &userCode, ParseDepth &depth);

  void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                        clang::SrcMgr::CharacteristicKind, clang::FileID,
                        clang::SourceLocation place) override;

  /// Ends the parse before the `#embed` at \p place.
  void endAtEmbed(clang::SourceLocation place);

private:
  void look(const std::string &file, llvm::StringRef text);
  void take(clang::Token &token);
  void note(clang::SourceLocation place);

  const clang::SourceManager &sources;
  const UserCode &userCode;
  ParseDepth &depth;
  NestingMeter meter;
  clang::SourceLocation begin, end; ///< Of the file that the current place is in.
};

} // namespace gradtidy
