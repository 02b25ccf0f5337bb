#include "Bodies.h"
#include "Paths.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/thread.h"

#include <mutex>
#include <utility>

namespace gradtidy {

static thread_local std::optional<FunctionPlace> *underWay = nullptr;

/// How many parameters a function may have. Templates that take a list apart have a function for
/// each length of it, so lists of n elements make n² parameters.
static constexpr unsigned maxParameters = 256;

/// Visits the functions and variables in declarations, template instantiations included.
class BodyRemoval {
public:
  BodyRemoval(const LeftOut &leftOut, const clang::SourceManager &sources)
      : leftOut(leftOut), sources(sources) {}

  /// Nested declarations wait in a list, since they may nest deeply, too.
  void run(llvm::ArrayRef<clang::Decl *> declarations) {
    pending.append(declarations.begin(), declarations.end());
    while (!pending.empty())
      visit(pending.pop_back_val());
  }

  DroppedBodies dropped;

private:
  void visit(clang::Decl *declaration) {
    if (auto *generic = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
      pending.push_back(generic->getTemplatedDecl());
      pending.append(generic->spec_begin(), generic->spec_end());
    } else if (auto *record = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
      pending.push_back(record->getTemplatedDecl());
      pending.append(record->spec_begin(), record->spec_end());
    } else if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
      visit(*function);
    } else if (auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
      if (clang::Expr *init = variable->getInit(); init && drops(*variable, init)) {
        variable->setInit(nullptr);
        dropped.undo.push_back([variable, init] { variable->setInit(init); });
      }
    } else if (auto *field = llvm::dyn_cast<clang::FieldDecl>(declaration)) {
      if (clang::Expr *init =
              field->hasInClassInitializer() ? field->getInClassInitializer() : nullptr;
          init && drops(*field, init)) {
        field->setInClassInitializer(nullptr);
        dropped.undo.push_back([field, init] { field->setInClassInitializer(init); });
      }
    } else if (auto *scope = llvm::dyn_cast<clang::DeclContext>(declaration)) {
      pending.append(scope->noload_decls_begin(), scope->noload_decls_end());
    }
  }

  void visit(clang::FunctionDecl &function) {
    if (function.doesThisDeclarationHaveABody() && !function.isLateTemplateParsed()) {
      const bool isTooWide = function.getNumParams() > maxParameters;
      if (isTooWide)
        dropped.all.insert(placeOf(function, sources));
      if (isTooWide || drops(function, function.getBody()))
        drop(function);
    }
    for (clang::Decl *local : function.noload_decls()) // Lambdas are part of the body.
      if (const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(local);
          record && !record->isLambda())
        pending.push_back(local);
    if (auto *constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function);
        constructor && llvm::any_of(constructor->inits(), [](const auto *each) {
          return isNestedTooDeeply(each->getInit());
        })) {
      dropped.all.insert(placeOf(function, sources));
      const unsigned count = constructor->getNumCtorInitializers();
      constructor->setNumCtorInitializers(0);
      dropped.undo.push_back([constructor, count] { constructor->setNumCtorInitializers(count); });
      drop(function);
    }
  }

  void drop(clang::FunctionDecl &function) {
    clang::Stmt *body = function.getBody();
    function.setBody(nullptr);
    dropped.undo.push_back([&function, body] { function.setBody(body); });
  }

  bool drops(const clang::NamedDecl &owner, const clang::Stmt *code) {
    if (leftOut.lacksBody(owner, sources))
      return true;
    if (!leftOut.contains(owner, sources) && !isNestedTooDeeply(code))
      return false;
    dropped.all.insert(placeOf(owner, sources));
    return true;
  }

  const LeftOut &leftOut;
  const clang::SourceManager &sources;
  llvm::SmallVector<clang::Decl *, 64> pending;
};

bool isNestedTooDeeply(const clang::Stmt *root) {
  llvm::SmallVector<std::pair<const clang::Stmt *, unsigned>, 64> pending = {{root, 1}};
  while (!pending.empty()) {
    const auto [statement, level] = pending.pop_back_val();
    if (!statement)
      continue;
    if (level > maxNesting)
      return true;
    for (const clang::Stmt *child : statement->children())
      pending.push_back({child, level + 1});
  }
  return false;
}

std::string FunctionPlace::describe() const {
  return name + " (" + file + ":" + std::to_string(line) + ")";
}

FunctionPlace placeOf(const clang::NamedDecl &function, const clang::SourceManager &sources) {
  return placeOf(function.getQualifiedNameAsString(), function.getLocation(), sources);
}

FunctionPlace placeOf(std::string name, clang::SourceLocation location,
                      const clang::SourceManager &sources) {
  // `#line` gives what names it likes, of which functions with one name might share one.
  const clang::PresumedLoc place = sources.getPresumedLoc(location, /*UseLineDirectives=*/false);
  FunctionPlace result;
  result.name = std::move(name);
  if (place.isValid()) {
    result.file = place.getFilename();
    result.line = place.getLine();
    result.column = place.getColumn();
  }
  return result;
}

void LeftOut::add(const std::string &file, const DeepCode &code, FunctionPlace place) {
  if (code.isBody)
    bodies[file].push_back(code);
  declarations.insert(std::move(place));
}

bool LeftOut::contains(const clang::NamedDecl &function,
                       const clang::SourceManager &sources) const {
  return (!functions.empty() && functions.contains(placeOf(function, sources))) ||
         lacksBody(function, sources);
}

bool LeftOut::lacksBody(const clang::NamedDecl &function,
                        const clang::SourceManager &sources) const {
  if (bodies.empty())
    return false;
  const auto [file, offset] = sources.getDecomposedExpansionLoc(function.getLocation());
  const auto entry = sources.getFileEntryRefForID(file);
  if (!entry)
    return false;
  const auto found = bodies.find(cleanPath(*entry, sources));
  return found != bodies.end() && llvm::any_of(found->second, [&](const DeepCode &code) {
           return code.declaration <= offset && offset < code.begin;
         });
}

FunctionPlaces LeftOut::places() const {
  FunctionPlaces all = functions;
  all.insert(declarations.begin(), declarations.end());
  return all;
}

void DroppedBodies::restore() {
  while (!undo.empty()) {
    undo.back()();
    undo.pop_back();
  }
}

DroppedBodies dropBodies(llvm::ArrayRef<clang::Decl *> declarations, const LeftOut &leftOut,
                         const clang::SourceManager &sources) {
  BodyRemoval removal(leftOut, sources);
  removal.run(declarations);
  return std::move(removal.dropped);
}

void runOnDeepStack(llvm::function_ref<void()> work) {
  llvm::thread(std::optional<unsigned>(deepStack), work).join();
}

static std::mutex logMutex;
static FunctionPlaces unfollowedLog;

void logUnfollowed(const FunctionPlaces &functions) {
  const std::lock_guard lock(logMutex);
  unfollowedLog.insert(functions.begin(), functions.end());
}

FunctionPlaces takeUnfollowed() {
  const std::lock_guard lock(logMutex);
  return std::exchange(unfollowedLog, {});
}

UnderWay::UnderWay(std::optional<FunctionPlace> &slot) { underWay = &slot; }

UnderWay::~UnderWay() { underWay = nullptr; }

std::optional<FunctionPlace> UnderWay::current() { return underWay ? *underWay : std::nullopt; }

void UnderWay::parse(const clang::NamedDecl *function) {
  if (!underWay)
    return;
  underWay->reset();
  if (function)
    *underWay = placeOf(*function, function->getASTContext().getSourceManager());
}

Analyzing::Analyzing(FunctionPlace function) : before(UnderWay::current()) {
  if (underWay)
    *underWay = std::move(function);
}

Analyzing::~Analyzing() {
  if (underWay)
    *underWay = std::move(before);
}

} // namespace gradtidy
