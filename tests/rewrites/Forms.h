// The forms of writing that programs are rewritten to. Each means the same and keeps line numbers.
#pragma once

#include "Program.h"

#include <functional>

namespace rewrites {

struct Form {
  std::string name;    ///< "lambda-call"
  std::string summary; ///< For people: what becomes what.
  std::string helpers; ///< Declarations in the namespace `rewritten` that the result needs.
  std::function<std::vector<Place>(const Program &)> places; ///< Outer ones first.
};

std::vector<Form> expressionForms();
std::vector<Form> localForms();
std::vector<Form> statementForms();
std::vector<Form> functionForms();

/// The declaration of a local variable in parts: TYPE NAME INITIALIZER ;
struct Declaration {
  std::string type; ///< Without const; what "auto" stands for.
  bool isConst;
  Range head;        ///< All that stands before the initializer.
  Range initializer; ///< "(a, b)", "{a}" or, behind "=", an expression; may be empty.
  bool isAssigned;   ///< There is a "=".
  Range whole;       ///< With the semicolon.
};

/// Nothing for references.
std::optional<Declaration> splitDeclaration(const Program &program, const Local &local);

/// \p text with the values of "$A", "$B" … in place of these names, which are single letters.
std::string fillIn(llvm::StringRef text, llvm::ArrayRef<std::pair<char, std::string>> values);

} // namespace rewrites
