// Rewrites a program so that it means the same and is written differently, line by line.
//
//   rewrite --list                                              the forms, one a line, and what
//   they do rewrite --precompile=FILE HEADER -- FLAG...                 precompiles a header for
//   the below rewrite [--form=NAME]... [--only=N] --out=FOLDER SOURCE -- FLAG...
//
// Writes FOLDER/FORM.cpp for each form that the program has places for, and prints a line for each:
// FORM MADE LEFT-OUT ERROR, the numbers of places that were rewritten, and of those where the
// result would not compile, and the first error of these. --only=N rewrites the Nth place alone,
// counted from 0. The exit status is 1 if SOURCE does not compile, 2 after other errors.
#include "Forms.h"

#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace clang;
using namespace rewrites;

namespace {

namespace cl = llvm::cl;
cl::list<std::string> formNames("form", cl::desc("A form; all of them unless given"));
cl::opt<std::string> outFolder("out", cl::desc("Where rewritten programs go"));
cl::opt<std::string> precompiled("precompile",
                                 cl::desc("Precompile the source, a header, to this file"));
cl::opt<int> only("only", cl::desc("Rewrite this place alone, counted from 0"), cl::init(-1));
cl::opt<bool> list("list", cl::desc("List the forms"));
cl::opt<std::string> sourceFile(cl::Positional, cl::desc("SOURCE"));
std::vector<std::string> flags; ///< Of the compiler.

/// Where errors are in the main file.
class Errors : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < DiagnosticsEngine::Error)
      return;
    hasErrors = true;
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid())
      return;
    const SourceManager &sources = diagnostic.getSourceManager();
    const SourceLocation location = sources.getExpansionLoc(diagnostic.getLocation());
    if (sources.isInMainFile(location))
      offsets.push_back(sources.getFileOffset(location));
    llvm::SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    if (firstMessage.empty())
      firstMessage = message.str().str();
  }

  bool hasErrors = false;
  std::string firstMessage;
  std::vector<unsigned> offsets;
};

class Consumer : public ASTConsumer {
public:
  explicit Consumer(const std::function<void(ASTContext &)> &then) : then(then) {}
  void HandleTranslationUnit(ASTContext &context) override { then(context); }

private:
  const std::function<void(ASTContext &)> &then;
};

class Parse : public ASTFrontendAction {
public:
  explicit Parse(const std::function<void(ASTContext &)> &then) : then(then) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<Consumer>(then);
  }

private:
  const std::function<void(ASTContext &)> &then;
};

} // namespace

/// The source under its own name, with \p text in place of what it holds.
static llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem(llvm::StringRef text) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(sourceFile, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  auto overlay =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  overlay->pushOverlay(files);
  return overlay;
}

/// Runs \p action over \p text in place of the source.
static void run(std::unique_ptr<FrontendAction> action, llvm::StringRef text,
                DiagnosticConsumer &diagnostics, const std::vector<std::string> &moreFlags) {
  std::vector<std::string> line = {"clang++", "-resource-dir=" GRADTIDY_RESOURCE_DIR, "-w"};
  line.insert(line.end(), flags.begin(), flags.end());
  line.insert(line.end(), moreFlags.begin(), moreFlags.end());
  line.push_back(sourceFile);
  auto files = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), fileSystem(text));
  tooling::ToolInvocation invocation(line, std::move(action), files.get());
  invocation.setDiagnosticConsumer(&diagnostics);
  invocation.run();
}

static void parse(llvm::StringRef text, Errors &errors,
                  const std::function<void(ASTContext &)> &then) {
  run(std::make_unique<Parse>(then), text, errors, {"-fsyntax-only", "-ferror-limit=0"});
}

/// The place whose change is nearest to \p offset of the rewritten text.
static size_t blame(const Rewritten &rewritten, unsigned offset) {
  const auto distance = [&](const Rewritten::Part &part) {
    return offset < part.range.begin ? part.range.begin - offset
           : offset > part.range.end ? offset - part.range.end
                                     : 0;
  };
  return llvm::min_element(rewritten.parts,
                           [&](const auto &a, const auto &b) { return distance(a) < distance(b); })
      ->place;
}

/// \p places behind one that declares the helpers of \p form at \p offset.
static std::vector<Place> withHelpers(const Form &form, std::vector<Place> places,
                                      unsigned offset) {
  if (form.helpers.empty() || places.empty())
    return places;
  Place helpers;
  helpers.before(offset, "namespace rewritten { " + form.helpers + " } ");
  places.insert(places.begin(), std::move(helpers));
  return places;
}

namespace {

struct Result {
  std::string text;
  size_t made = 0, leftOut = 0;
  std::string firstError;
};

} // namespace

/// Rewrites as many of \p places as give a program that compiles. The first \p fixed ones are there
/// anyway.
static Result rewrite(llvm::StringRef text, llvm::ArrayRef<Place> places, size_t fixed) {
  std::vector<size_t> chosen = compatible(places);
  Result result;
  while (chosen.size() > fixed) {
    Rewritten rewritten = apply(text, places, chosen);
    Errors errors;
    parse(rewritten.text, errors, [](ASTContext &) {});
    if (!errors.hasErrors) {
      result.text = std::move(rewritten.text);
      result.made = chosen.size() - fixed;
      break;
    }
    if (result.firstError.empty())
      result.firstError = errors.firstMessage;
    std::set<size_t> guilty;
    for (const unsigned offset : errors.offsets)
      guilty.insert(blame(rewritten, offset));
    for (size_t i = 0; i < fixed; ++i)
      guilty.erase(i);
    if (guilty.empty())
      break;
    llvm::erase_if(chosen, [&](size_t place) { return guilty.contains(place); });
  }
  result.leftOut = places.size() - fixed - result.made;
  return result;
}

static std::vector<Form> allForms() {
  std::vector<Form> forms;
  for (auto part : {expressionForms(), localForms(), statementForms(), functionForms()})
    llvm::append_range(forms, part);
  return forms;
}

namespace {

/// What a form does to the program, known while the AST is there.
struct Plan {
  Form form;
  std::vector<Place> places;
  size_t fixed; ///< How many of them are no places of the program.
};

} // namespace

static std::vector<Plan> makePlans(llvm::StringRef text, Errors &errors) {
  std::vector<Plan> plans;
  parse(text, errors, [&](ASTContext &context) {
    const Program program(context);
    for (const Form &form : allForms()) {
      if (!formNames.empty() && !llvm::is_contained(formNames, form.name))
        continue;
      std::vector<Place> places = form.places(program);
      if (only >= 0)
        places = only < static_cast<int>(places.size()) ? std::vector<Place>{places[only]}
                                                        : std::vector<Place>{};
      const size_t number = places.size();
      places = withHelpers(form, std::move(places), program.firstDeclaration());
      plans.push_back({form, std::move(places), 0});
      plans.back().fixed = plans.back().places.size() - number;
    }
  });
  return plans;
}

static int fail(const llvm::Twine &message, int status = 2) {
  llvm::errs() << "rewrite: " << message << '\n';
  return status;
}

static int rewriteSource(llvm::StringRef text) {
  Errors errors;
  const std::vector<Plan> plans = makePlans(text, errors);
  if (errors.hasErrors)
    return fail(sourceFile + " does not compile: " + errors.firstMessage, 1);
  if (const auto error = llvm::sys::fs::create_directories(outFolder))
    return fail(outFolder + ": " + error.message());
  for (const Plan &plan : plans) {
    const Result result = rewrite(text, plan.places, plan.fixed);
    if (result.made) {
      std::error_code error;
      llvm::raw_fd_ostream(outFolder + "/" + plan.form.name + ".cpp", error) << result.text;
      if (error)
        return fail(outFolder + ": " + error.message());
    }
    llvm::outs() << plan.form.name << '\t' << result.made << '\t' << result.leftOut << '\t'
                 << result.firstError << '\n';
  }
  return 0;
}

static int precompile(llvm::StringRef text) {
  Errors errors;
  run(std::make_unique<GeneratePCHAction>(), text, errors,
      {"-x", "c++-header", "-Xclang", "-skip-function-bodies", "-o", precompiled});
  return errors.hasErrors ? fail(errors.firstMessage) : 0;
}

int main(int argc, char **argv) {
  char **separator = std::find(argv, argv + argc, llvm::StringRef("--"));
  if (separator != argv + argc)
    flags.assign(separator + 1, argv + argc);
  cl::ParseCommandLineOptions(separator - argv, argv,
                              "Rewrites a program so that it means the same\n");
  if (list) {
    for (const Form &form : allForms())
      llvm::outs() << form.name << '\t' << form.summary << '\n';
    return 0;
  }
  const auto text = llvm::MemoryBuffer::getFile(sourceFile);
  if (!text)
    return fail(sourceFile + ": " + text.getError().message());
  return precompiled.empty() ? rewriteSource((*text)->getBuffer())
                             : precompile((*text)->getBuffer());
}
