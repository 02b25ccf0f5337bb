// What a unit does with macros, in whichever way it says so.
#pragma once

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

namespace gradtidy {

/// Observes which macros conditions ask for in a parse, from its beginning to its end.
class MacroObserver : public clang::PPCallbacks {
public:
  void MacroUndefined(const clang::Token &name, const clang::MacroDefinition &macro,
                      const clang::MacroDirective *) override {
    ask(name, macro);
  }
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &macro,
                    clang::SourceRange, const clang::MacroArgs *) override {
    if (preprocessor.isParsingIfOrElifDirective())
      ask(name, macro);
  }
  void Defined(const clang::Token &name, const clang::MacroDefinition &macro,
               clang::SourceRange) override {
    ask(name, macro);
  }
  void Ifdef(clang::SourceLocation, const clang::Token &name,
             const clang::MacroDefinition &macro) override {
    ask(name, macro);
  }
  void Ifndef(clang::SourceLocation, const clang::Token &name,
              const clang::MacroDefinition &macro) override {
    ask(name, macro);
  }
  using PPCallbacks::Elifdef;
  using PPCallbacks::Elifndef;
  void Elifdef(clang::SourceLocation, const clang::Token &name,
               const clang::MacroDefinition &macro) override {
    ask(name, macro);
  }
  void Elifndef(clang::SourceLocation, const clang::Token &name,
                const clang::MacroDefinition &macro) override {
    ask(name, macro);
  }

protected:
  /// \p preprocessor must outlive this object.
  explicit MacroObserver(const clang::Preprocessor &preprocessor) : preprocessor(preprocessor) {}

  const clang::Preprocessor &preprocessor;

private:
  /// A condition asks for a macro, which may not be defined; or it is undefined.
  virtual void ask(const clang::Token &name, const clang::MacroDefinition &macro) = 0;
};

} // namespace gradtidy
