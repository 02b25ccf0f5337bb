#include "Transients.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gradtidy {
namespace {

/// \p object without the arrow of a holder.
const Expr *withoutArrow(const Expr *object) {
  object = strip(object);
  const auto *arrow = dyn_cast<CXXOperatorCallExpr>(object);
  return arrow && arrow->getOperator() == OO_Arrow ? strip(arrow->getArg(0)) : object;
}

/// What a call for a forward pass is made on; null for other statements.
const Expr *forwardObject(const Stmt *statement) {
  const Expr *object = nullptr;
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(statement);
      call && call->getOperator() == OO_Call)
    object = call->getArg(0);
  else if (const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
           call && isForward(call->getMethodDecl()))
    object = call->getImplicitObjectArgument();
  else if (const auto *call = dyn_cast<CallExpr>(statement)) // In a template.
    if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(call->getCallee());
        member && !member->isImplicitAccess() && member->getMember().getAsString() == "forward")
      object = member->getBase();
  return object ? withoutArrow(object) : nullptr;
}

/// What a call only brings to a device; null for other statements.
const Expr *movedObject(const Stmt *statement) {
  const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
  return call && simpleName(call->getMethodDecl()) == "to"
             ? withoutArrow(call->getImplicitObjectArgument())
             : nullptr;
}

/// How often \p variable is named below \p statement other than to call it for a forward pass, or
/// to move it.
unsigned otherMentions(const Stmt *statement, const VarDecl *variable) {
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
    return reference->getDecl() == variable;
  unsigned found = 0;
  for (const Stmt *child : statement->children())
    found += child ? otherMentions(child, variable) : 0;
  const Expr *called = forwardObject(statement), *moved = movedObject(statement);
  const Expr *object = called ? called : moved;
  const bool isCounted = object && entityOf(object) == variable;
  return found - isCounted;
}

class Search {
public:
  Search(const FunctionDecl &forward, ModuleUses &uses, ModuleNatures &natures, CodeMap &map)
      : body(forward.getBody()), uses(uses), natures(natures), map(map) {
    forEach(body, [&](const Stmt *part) {
      const auto *member = dyn_cast<MemberExpr>(part);
      const auto *method = member ? dyn_cast<CXXMethodDecl>(member->getMemberDecl()) : nullptr;
      asksForMode |= method && simpleName(method) == "is_training";
    });
  }

  void visit(const Stmt *statement) {
    if (const auto *declarations = dyn_cast<DeclStmt>(statement))
      for (const Decl *declaration : declarations->decls())
        if (const auto *variable = dyn_cast<VarDecl>(declaration);
            variable && isOwnLocal(variable) && isTransient(variable->getInit()))
          found.push_back({map.node(variable->getInit()), map.symbol(variable)});
    if (const Expr *object = forwardObject(statement); object && isTransient(object))
      found.push_back({map.node(object), nullptr});
    for (const Stmt *child : statement->children())
      if (child)
        visit(child);
  }

  std::vector<Transient> found;

private:
  bool isOwnLocal(const VarDecl *variable) {
    return variable->isLocalVarDecl() && variable->hasLocalStorage() && variable->hasInit() &&
           uses.holdsModules(variable->getType()) && otherMentions(body, variable) == 0;
  }

  /// Whether \p value makes a module, be it in a template.
  bool makesModule(const Expr *value) {
    if (const auto *made = dyn_cast<CXXConstructExpr>(value))
      return !isNull(made) && uses.makesModule(made);
    const auto *call = dyn_cast<CallExpr>(value);
    const bool isMade = isa<CXXNewExpr, CXXUnresolvedConstructExpr>(value) ||
                        (call && isFactory(call->getDirectCallee()));
    return isMade && uses.holdsModules(value->getType());
  }

  bool isTransient(const Expr *value) {
    value = strip(value);
    if (!makesModule(value) || !isStateful(value) || takesTensors(value))
      return false;
    const auto &modules = uses.heldBy(value->getType()).modules;
    // What has a mode alone may be called in one of them only.
    return llvm::all_of(modules, [&](const CXXRecordDecl *module) { return isPlain(module); }) &&
           (!asksForMode ||
            llvm::any_of(modules, [&](const CXXRecordDecl *module) { return hasLayers(module); }));
  }

  /// Whether tensors are handed to what makes the module: its weights, perhaps.
  bool takesTensors(const Stmt *value) {
    const auto isTensor = [&](const Expr *argument) {
      return uses.holdsTensors(argument->getType());
    };
    bool takes = false;
    forEach(value, [&](const Stmt *part) {
      if (const auto *call = dyn_cast<CallExpr>(part); call && !isa<CXXOperatorCallExpr>(call))
        takes |= llvm::any_of(call->arguments(), isTensor);
      else if (const auto *made = dyn_cast<CXXConstructExpr>(part); made && !isCopyOrMove(made))
        takes |= llvm::any_of(made->arguments(), isTensor);
    });
    return takes;
  }

  bool isStateful(const Expr *value) {
    return (value->isTypeDependent() ? natures.of(value->getType()) : natures.of(value)).stateful ==
           Answer::Yes;
  }

  /// Whether all that is known of objects of the class is what they are made with. Norms have no
  /// parameters if their options say so.
  bool isPlain(const CXXRecordDecl *module) {
    if (!uses.isUser(module))
      return module->getIdentifier() && !module->getName().contains("Norm");
    return module->hasDefinition() && uses.isVisible(module) && hasLayers(module) &&
           !setsValues(module);
  }

  /// Whether some layers with parameters of their own are certainly among its members.
  bool hasLayers(const CXXRecordDecl *module) {
    if (!uses.isUser(module))
      return natures.of(module).stateful == Answer::Yes && natures.of(module).mode != Answer::Yes;
    if (!module->hasDefinition() || !visited.insert(module->getCanonicalDecl()).second)
      return false;
    const bool result =
        llvm::any_of(module->getDefinition()->fields(), [&](const FieldDecl *field) {
          return llvm::any_of(uses.heldBy(field->getType()).modules,
                              [&](const CXXRecordDecl *part) {
                                return hasLayers(part) || (!uses.isUser(part) && isFilled(field));
                              });
        });
    visited.erase(module->getCanonicalDecl());
    return result;
  }

  /// Whether layers of the framework, and no modules of the user, are in the container.
  bool isFilled(const FieldDecl *field) {
    const auto isUsers = [&](const CXXRecordDecl *module) { return uses.isUser(module); };
    bool holdsOthers = false;
    for (const EntityDefinition &definition : uses.definitionsOf(field))
      forEach(definition.value, [&](const Stmt *part) {
        const auto *expr = dyn_cast<Expr>(part);
        holdsOthers |= expr && !isa<CXXThisExpr>(expr) &&
                       llvm::any_of(uses.heldBy(expr->getType()).modules, isUsers);
      });
    return !holdsOthers && natures.of(canonical(field)).stateful == Answer::Yes;
  }

  /// Whether methods of the class, or of its parts, may give parameters other values, load them,
  /// or freeze them: a filter is the same one each time.
  bool setsValues(const CXXRecordDecl *module) {
    if (!uses.isUser(module) || !module->hasDefinition() ||
        !visited.insert(module->getCanonicalDecl()).second)
      return false;
    bool result =
        llvm::any_of(module->getDefinition()->methods(), [&](const CXXMethodDecl *method) {
          const FunctionDecl *definition = uses.definitionOf(method);
          if (!definition || isForward(method))
            return false;
          bool sets = false;
          forEach(definition->getBody(), [&](const Stmt *part) { sets |= mayReachValues(part); });
          return sets;
        });
    for (const FieldDecl *field : module->getDefinition()->fields())
      for (const CXXRecordDecl *part : uses.heldBy(field->getType()).modules)
        result |= setsValues(part);
    visited.erase(module->getCanonicalDecl());
    return result;
  }

  bool mayReachValues(const Stmt *part) const {
    StringRef name;
    std::string open;
    if (const auto *member = dyn_cast<MemberExpr>(part)) {
      name = member->getMemberDecl()->getIdentifier() ? member->getMemberDecl()->getName() : "";
    } else if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(part)) {
      name = open = member->getMember().getAsString();
    } else if (const auto *overloads = dyn_cast<OverloadExpr>(part)) {
      name = open = overloads->getName().getAsString();
    } else if (const auto *reference = dyn_cast<DeclRefExpr>(part)) {
      const auto *function = dyn_cast<FunctionDecl>(reference->getDecl());
      name = function ? simpleName(function) : "";
    }
    return uses.worksInPlace(name) || llvm::StringSwitch<bool>(name)
                                          .Cases({"weight", "bias", "load", "parameters"}, true)
                                          .Cases({"named_parameters", "buffers", "apply"}, true)
                                          .Cases({"set_requires_grad", "children"}, true)
                                          .Cases({"modules", "eval", "named_buffers"}, true)
                                          .Default(false);
  }

  const Stmt *body;
  ModuleUses &uses;
  ModuleNatures &natures;
  CodeMap &map;
  bool asksForMode = false;                            ///< It calls is_training().
  llvm::SmallPtrSet<const CXXRecordDecl *, 4> visited; ///< Classes that are looked into.
};

} // namespace

std::vector<Transient> findTransients(const FunctionDecl &forward, ModuleUses &uses,
                                      ModuleNatures &natures, CodeMap &map) {
  Search search(forward, uses, natures, map);
  search.visit(forward.getBody());
  return std::move(search.found);
}

} // namespace gradtidy
