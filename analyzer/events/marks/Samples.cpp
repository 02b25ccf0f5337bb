#include "Samples.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gradtidy {

/// Whether a function outside of the libraries reads or decodes files, by its name.
static bool reads(StringRef name) {
  return llvm::any_of(
      llvm::ArrayRef<StringRef>{"imread", "imdecode", "load", "read", "open", "decode"},
      [&](StringRef part) { return name.contains_insensitive(part); });
}

namespace {

/// Follows the code that gives a sample.
class Giving {
public:
  explicit Giving(Vocabulary &vocabulary) : vocabulary(vocabulary) {}

  const Expr *draw = nullptr, *read = nullptr;
  bool isSeeded = false; ///< What is drawn may be the same each time.

  void visit(const FunctionDecl &function, unsigned depth = 0) {
    const FunctionDecl *body = function.getDefinition();
    if (!body || !body->doesThisDeclarationHaveABody() || depth == 4 ||
        !visited.insert(body).second)
      return;
    const bool before = mayHaveLeft;
    this->depth = depth;
    visit(body->getBody());
    this->depth = depth;
    mayHaveLeft = before;
  }

private:
  void visit(const Stmt *statement) {
    if (!statement || isa<LambdaExpr>(statement))
      return;
    if (const auto *branch = dyn_cast<IfStmt>(statement)) {
      visit(branch->getInit());
      visit(branch->getConditionVariableDeclStmt());
      visit(branch->getCond());
      visitChoice(branch->getThen());
      visitChoice(branch->getElse());
    } else if (const auto *choice = dyn_cast<AbstractConditionalOperator>(statement)) {
      visit(choice->getCond());
      visitChoice(choice->getTrueExpr());
      visitChoice(choice->getFalseExpr());
    } else if (const auto *operation = dyn_cast<BinaryOperator>(statement);
               operation && operation->isLogicalOp()) {
      visit(operation->getLHS());
      visitChoice(operation->getRHS());
    } else if (const auto *cases = dyn_cast<SwitchStmt>(statement)) {
      visit(cases->getCond());
      visitChoice(cases->getBody());
    } else {
      for (const Stmt *child : statement->children())
        visit(child);
      if (const auto *expr = dyn_cast<Expr>(statement))
        note(*expr);
      mayHaveLeft |= isa<ReturnStmt>(statement);
    }
  }

  void visitChoice(const Stmt *statement) {
    ++choices;
    visit(statement);
    --choices;
  }

  void note(const Expr &expr) {
    if (const auto *made = dyn_cast<CXXConstructExpr>(&expr)) {
      const StringRef name = made->getConstructor()->getParent()->getName();
      if ((name == "basic_ifstream" || name == "basic_fstream") && made->getNumArgs() > 0 && !read)
        read = &expr;
      return;
    }
    const auto *call = dyn_cast<CallExpr>(&expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return;
    const StringRef name = simpleName(callee);
    isSeeded |= name.contains("seed");
    if (!draw && choices == 0 && !mayHaveLeft && draws(*call, *callee))
      draw = &expr;
    const bool isLibrary = isStandard(callee);
    const FunctionDecl *body = callee->getDefinition();
    if (!isLibrary && !vocabulary.isFramework(callee) && body)
      visit(*callee, depth + 1);
    else if (!isLibrary && reads(name) && !read)
      read = &expr;
  }

  bool draws(const CallExpr &call, const FunctionDecl &callee) {
    if (vocabulary.traitOf(&callee) == Trait::MakesRandom)
      return true;
    if (const Operator *run = vocabulary.operatorOf(&callee))
      return run->isRandom();
    const StringRef name = simpleName(&callee);
    if (name == "rand" || name == "drand48" || name == "randu" || name == "randn")
      return true;
    // `engine()`, `distribution(engine)`, `std::shuffle(…, engine)`.
    return llvm::any_of(call.arguments(), [&](const Expr *each) { return isEngine(*each); }) ||
           (isMethodCall(&call) && objectOf(&call) && isEngine(*objectOf(&call)));
  }

  /// Whether \p expr is an engine that does not begin anew with each sample.
  bool isEngine(const Expr &expr) {
    const CXXRecordDecl *record = expr.getType().isNull()
                                      ? nullptr
                                      : expr.getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (!record)
      return false;
    if (isStandard(record) && record->getName() == "random_device")
      return isa<DeclRefExpr, MemberExpr>(strip(&expr));
    if (vocabulary.traitOf(record) != Trait::DrawsNumbers)
      return false;
    const VarDecl *variable = variableOf(strip(&expr));
    return !variable || !variable->isLocalVarDecl() || variable->isStaticLocal() ||
           variable->getTSCSpec() != TSCS_unspecified;
  }

  Vocabulary &vocabulary;
  llvm::SmallPtrSet<const FunctionDecl *, 8> visited;
  unsigned depth = 0;
  unsigned choices = 0;     ///< The branches around what is visited.
  bool mayHaveLeft = false; ///< The function may not come here.
};

} // namespace

llvm::SmallVector<const CXXRecordDecl *, 2> sampleClasses(QualType dataset,
                                                          Vocabulary &vocabulary) {
  dataset = dataset.getNonReferenceType();
  if (const QualType object = pointee(dataset); !object.isNull())
    dataset = object;
  const CXXRecordDecl *record = dataset->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isLambda())
    return {};
  if (!vocabulary.isFramework(record))
    return {record};
  llvm::SmallVector<const CXXRecordDecl *, 2> wrapped;
  if (const auto *wrapper = dyn_cast<ClassTemplateSpecializationDecl>(record))
    for (const TemplateArgument &argument : wrapper->getTemplateArgs().asArray())
      if (argument.getKind() == TemplateArgument::Type)
        wrapped.append(sampleClasses(argument.getAsType(), vocabulary));
  return wrapped;
}

bool givesSamples(const CXXMethodDecl &method) {
  const StringRef name = simpleName(&method);
  return name == "get" || name == "get_batch" || name == "apply" || name == "apply_batch";
}

void markSamples(LoaderOptions &options, QualType dataset, Vocabulary &vocabulary) {
  for (const CXXRecordDecl *record : sampleClasses(dataset, vocabulary)) {
    Giving giving(vocabulary);
    for (const CXXMethodDecl *method : record->methods())
      if (givesSamples(*method) || method->getOverloadedOperator() == OO_Call)
        giving.visit(*method);
    if (!options.draw && !giving.isSeeded)
      options.draw = vocabulary.code().node(giving.draw);
    if (!options.read)
      options.read = vocabulary.code().node(giving.read);
  }
}

} // namespace gradtidy
