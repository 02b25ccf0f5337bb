#include "CheckModels.h"

#include "OwnWork.h"
#include "analyzer/frontend/HeaderParse.h"
#include "analyzer/lowering/ast/Declarations.h"
#include "analyzer/model/ModelCheck.h"
#include "analyzer/model/ShippedModels.h"
#include "analyzer/report/Printable.h"
#include "analyzer/source/BoundedFile.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace gradtidy {
namespace {

llvm::StringRef nameOf(ModelProblem::Kind kind) {
  switch (kind) {
  case ModelProblem::Kind::Error:
    return "error";
  case ModelProblem::Kind::Warning:
    return "warning";
  case ModelProblem::Kind::Note:
    break;
  }
  return "note";
}

std::string count(unsigned number, llvm::StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

/// The headers that a model names.
std::vector<std::string> headersOf(const ModelText &text) {
  std::vector<std::string> headers;
  if (text.json().contains("headers"))
    for (const nlohmann::json &header : text.json()["headers"])
      headers.push_back(header.get<std::string>());
  return headers;
}

class Checker {
public:
  explicit Checker(const CommandLine &commandLine) : commandLine(commandLine) {}

  /// False if something is wrong with \p name.
  bool check(const std::string &name) {
    if (const std::optional<llvm::StringRef> shipped = shippedModel(name))
      return check(name, *shipped);
    auto read = readFile(name, limits::model);
    if (read)
      return check(name, (*read)->getBuffer());
    ErrorLine() << "cannot read model '" << name << "': " << llvm::toString(read.takeError());
    return false;
  }

private:
  bool check(const std::string &name, llvm::StringRef contents) {
    ModelText text(contents);
    bool isComplete = true;
    if (model.read(text)) {
      std::optional<DeclaredNames> declared;
      if (commandLine.fixedFlags)
        isComplete = parse(name, text, declared);
      checkModel(text, model, declared ? &*declared : nullptr);
    }
    unsigned errors = 0, warnings = 0;
    for (const ModelProblem &problem : text.problems()) {
      errors += problem.kind == ModelProblem::Kind::Error;
      warnings += problem.kind == ModelProblem::Kind::Warning;
      PrintableLine(llvm::outs()) << name << ':' << problem.line << ':' << problem.column << ": "
                                  << nameOf(problem.kind) << ": "
                                  << (problem.key.empty() ? "" : "\"" + problem.key + "\": ")
                                  << problem.message;
    }
    llvm::outs().flush();
    if (!commandLine.quiet)
      StatusLine() << "gradtidy: " << name << ": " << count(errors, "error") << ", "
                   << count(warnings, "warning")
                   << (commandLine.fixedFlags || errors
                           ? ""
                           : "; give compiler flags behind \"--\" to compare the names with the "
                             "headers");
    return isComplete && errors + warnings == 0;
  }

  bool parse(const std::string &name, const ModelText &text,
             std::optional<DeclaredNames> &declared) {
    const std::vector<std::string> headers = headersOf(text);
    if (headers.empty()) {
      ErrorLine() << name << " names no headers to compare with";
      return false;
    }
    const std::string error =
        parseHeaders(headers, *commandLine.fixedFlags,
                     [&](clang::ASTContext &context) { declared = declaredNames(context, model); });
    if (!error.empty())
      ErrorLine() << "cannot parse the headers of " << name << ": " << error;
    return error.empty();
  }

  const CommandLine &commandLine;
  Model model = Model::bundled();
};

} // namespace

int checkModels(const CommandLine &commandLine) {
  const OwnWork work("checking models");
  Checker checker(commandLine);
  bool isFine = true;
  for (const std::string &name : commandLine.sources)
    isFine = checker.check(name) && isFine;
  return isFine ? 0 : commandLine.statusOfFailure();
}

} // namespace gradtidy
