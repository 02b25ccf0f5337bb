#include "CallGraph.h"

#include "analyzer/events/lowering/Lowering.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/UserCode.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace gradtidy {
namespace {

/// Collects the functions with bodies in user code, template instantiations and lambdas included.
class Collector : public clang::RecursiveASTVisitor<Collector> {
public:
  Collector(const UserCode &userCode, const clang::SourceManager &sources)
      : userCode(userCode), sources(sources) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  /// Declarations that are not the user's are not entered: that keeps the framework's out.
  bool TraverseDecl(clang::Decl *declaration) {
    if (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
        declaration->getLocation().isValid() &&
        !userCode.contains(declaration->getLocation(), sources))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (function->doesThisDeclarationHaveABody() &&
        (!function->isDependentContext() || isUnused(*function)))
      found.push_back(function);
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
    if (clang::CXXMethodDecl *function = lambda->getCallOperator();
        function && function->hasBody() && !function->isDependentContext())
      found.push_back(function);
    return true;
  }

  std::vector<const clang::FunctionDecl *> found;

private:
  /// Whether the unit never instantiates \p function, which is a template or a member of one.
  static bool isUnused(const clang::FunctionDecl &function) {
    const clang::FunctionTemplateDecl *pattern = function.getDescribedFunctionTemplate();
    if (pattern && !pattern->specializations().empty())
      return false;
    for (const clang::DeclContext *around = function.getDeclContext(); around->isDependentContext();
         around = around->getParent()) {
      const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(around);
      if (!record || llvm::isa<clang::ClassTemplatePartialSpecializationDecl>(record))
        return false;
      const clang::ClassTemplateDecl *generic = record->getDescribedClassTemplate();
      const auto mayDefine = [&](const clang::CXXRecordDecl *instance) {
        return pattern || record != function.getDeclContext() || defines(*instance, function);
      };
      if (generic && llvm::any_of(generic->specializations(), mayDefine))
        return false;
    }
    return true;
  }

  /// Whether the class has an instance of \p method, of its template, that was asked for.
  static bool defines(const clang::CXXRecordDecl &instance, const clang::FunctionDecl &method) {
    return llvm::any_of(instance.methods(), [&](const clang::CXXMethodDecl *each) {
      const clang::FunctionDecl *origin = each->getInstantiatedFromMemberFunction();
      return origin && origin->getCanonicalDecl() == method.getCanonicalDecl() && each->isDefined();
    });
  }

  const UserCode &userCode;
  const clang::SourceManager &sources;
};

} // namespace

CallGraph::CallGraph(clang::ASTContext &context, PathTable &paths, Vocabulary &vocabulary,
                     const UserCode &userCode)
    : context(context), paths(paths), vocabulary(vocabulary), userCode(userCode) {
  Collector collector(userCode, context.getSourceManager());
  for (clang::Decl *declaration : context.getTraversalScope())
    collector.TraverseDecl(declaration);
  for (const clang::FunctionDecl *function : collector.found) {
    if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
      addOverrider(*method, *method);
    if (const FunctionBody *body = bodyOf(*function))
      all.insert(body);
  }
  for (const FunctionBody *body : all)
    addCallsOf(*body);
  // Of partners only what leads to the unit's own functions.
  for (size_t i = 0; i < leading.size(); ++i)
    leading.insert_range(callers.lookup(leading[i]));
  llvm::copy_if(all, std::back_inserter(followed),
                [&](const FunctionBody *body) { return leading.contains(body); });
}

const FunctionBody *CallGraph::bodyOf(const clang::FunctionDecl &function) const {
  // Where errors keep a template from being instantiated, it speaks for itself.
  const clang::FunctionDecl *definition = nullptr;
  const clang::FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  if (!function.hasBody(definition) && !(pattern && pattern->hasBody(definition)))
    return nullptr;
  const auto [entry, isNew] = bodies.try_emplace(definition);
  if (isNew && userCode.contains(definition->getLocation(), context.getSourceManager())) {
    const Analyzing analyzing(*definition);
    entry->second = lower(definition, paths, vocabulary, context);
  }
  return entry->second.get();
}

const FunctionBody *CallGraph::bodyOf(const ir::Symbol &function) const {
  const clang::FunctionDecl *declaration = CodeMap::function(&function);
  return declaration ? bodyOf(*declaration) : nullptr;
}

bool CallGraph::isOwn(const FunctionBody &function) const {
  return partnerAt(function.function->location, context.getSourceManager()).empty();
}

void CallGraph::addOverrider(const clang::CXXMethodDecl &overridden,
                             const clang::CXXMethodDecl &method) {
  for (const clang::CXXMethodDecl *base : overridden.overridden_methods()) {
    overriders[base->getCanonicalDecl()].insert(method.getCanonicalDecl());
    addOverrider(*base, method);
  }
}

void CallGraph::addCallsOf(const FunctionBody &body) {
  const bool isOfUnit = isOwn(body);
  if (isOfUnit)
    leading.insert(&body);
  if (const FunctionBody *around = isClosure(body) ? bodyAround(body) : nullptr) {
    callers[&body].push_back(around);
    closures[around].push_back(&body);
  }
  for (const Block &block : body.blocks)
    for (const Event &event : block.events) {
      const bool isCall = event.kind == EventKind::Call && event.callee;
      const FunctionBody *callee = isCall ? calleeOf(*event.callee, event.isVirtual) : nullptr;
      if (!callee || callee == &body)
        continue;
      if (isOfUnit || !leading.contains(callee))
        called.insert(callee);
      callers[callee].push_back(&body);
    }
}

const FunctionBody *CallGraph::bodyAround(const FunctionBody &closure) const {
  const ir::Symbol *lambda = closure.function->owner;
  const ir::Symbol *around = lambda ? lambda->owner : nullptr;
  return around ? bodyOf(*around) : nullptr;
}

const FunctionBody *CallGraph::calleeOf(const ir::Symbol &called, bool isVirtual) const {
  const clang::FunctionDecl &callee = *CodeMap::function(&called);
  const auto known = isVirtual ? overriders.find(callee.getCanonicalDecl()) : overriders.end();
  if (known == overriders.end())
    return bodyOf(callee);
  const bool isOnlyOne = known->second.size() == 1 && callee.isPureVirtual();
  return isOnlyOne ? bodyOf(**known->second.begin()) : nullptr;
}

llvm::SmallVector<const FunctionBody *, 4> CallGraph::candidates(const Event &call) const {
  llvm::SmallVector<const clang::FunctionDecl *, 4> callees;
  const clang::FunctionDecl *called = CodeMap::function(call.callee);
  if (called && !called->isPureVirtual())
    callees.push_back(called);
  if (called && call.isVirtual)
    if (const auto known = overriders.find(called->getCanonicalDecl()); known != overriders.end())
      callees.append(known->second.begin(), known->second.end());
  llvm::SmallVector<const FunctionBody *, 4> found;
  for (const clang::FunctionDecl *callee : callees)
    if (const FunctionBody *body = bodyOf(*callee))
      found.push_back(body);
    else
      return {};
  return found;
}

bool CallGraph::runs(FunctionSet &reached, llvm::function_ref<bool(const Event &)> one,
                     llvm::function_ref<bool(const Event &)> unseen,
                     llvm::function_ref<void(const FunctionBody &)> more) const {
  const auto isOne = [&](const Event &event) {
    if ((event.kind != EventKind::Call && event.kind != EventKind::Forward) || one(event))
      return one(event);
    const auto callees = candidates(event);
    reached.insert(callees.begin(), callees.end());
    return event.kind == EventKind::Call && callees.empty() && unseen(event);
  };
  for (size_t i = 0; i < reached.size(); ++i) {
    if (hasEvent(*reached[i], isOne))
      return true;
    more(*reached[i]);
  }
  return false;
}

bool CallGraph::runs(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one,
                     llvm::function_ref<bool(const Event &)> unseen) const {
  FunctionSet reached;
  reached.insert(&function);
  return runs(reached, one, unseen, [](const FunctionBody &) {});
}

bool CallGraph::mayRun(const FunctionBody &function,
                       llvm::function_ref<bool(const Event &)> one) const {
  FunctionSet reached;
  reached.insert(&function);
  return runs(
      reached, one, [](const Event &) { return false; },
      [&](const FunctionBody &each) {
        if (const auto within = closures.find(&each); within != closures.end())
          reached.insert_range(within->second);
      });
}

llvm::ArrayRef<const FunctionBody *> CallGraph::callersOf(const FunctionBody &function) const {
  const auto known = callers.find(&function);
  if (known == callers.end())
    return {};
  return known->second;
}

bool isClosure(const FunctionBody &function) { return function.function->isClosure; }

bool hasEvent(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one) {
  return llvm::any_of(function.blocks,
                      [&](const Block &block) { return llvm::any_of(block.events, one); });
}

} // namespace gradtidy
