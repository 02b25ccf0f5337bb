#include "Variation.h"

#include "Loops.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SetVector.h"

namespace gradtidy {
namespace {

/// The functions from the one in which a loop stands to that of an event.
class Frames {
public:
  Frames(const Visit &visit, const clang::Stmt *loop) : visit(visit), loop(loop) {
    while (first < visit.callers.size() && !isAround(*visit.callers[first]))
      ++first;
  }

  bool varies(const clang::Expr *expr) const { return varies(expr, visit.callers.size(), 0); }

private:
  bool isAround(const Event &event) const {
    return llvm::is_contained(event.function->loopsAround(event.site), loop);
  }

  const FunctionBody &functionAt(size_t depth) const {
    return depth == visit.callers.size() ? *visit.event.function : *visit.callers[depth]->function;
  }

  bool varies(const clang::Expr *expr, size_t depth, unsigned hops) const {
    if (!expr || hops > 8)
      return hops > 8;
    return llvm::any_of(functionAt(depth).namedIn(expr), [&](const clang::ValueDecl *named) {
      if (named->getType().isConstQualified() && !llvm::isa<clang::FieldDecl>(named) &&
          named->getDeclContext()->isFileContext())
        return false;
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(named);
      return variable ? varies(*variable, depth, hops) : changesMember(*named);
    });
  }

  bool varies(const clang::VarDecl &variable, size_t depth, unsigned hops) const {
    const FunctionBody &function = functionAt(depth);
    if (variable.isCXXForRangeDecl())
      return contains(visit, loop, variable.getLocation()) || depth > first;
    const bool isOwn = variable.getDeclContext()->Equals(function.function);
    if (isOwn && depth > first) { // It begins anew with each call.
      if (function.mayChange(variable, function.body))
        return true;
      const auto *parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable);
      if (!parameter)
        return !variable.hasInit() || varies(variable.getInit(), depth, hops + 1);
      const Event &call = *visit.callers[depth - 1];
      const unsigned index = parameter->getFunctionScopeIndex();
      return call.kind == EventKind::Call && index < call.operands.size() &&
             varies(call.operands[index].expr, depth - 1, hops + 1);
    }
    if (!variable.isLocalVarDeclOrParm() || variable.isStaticLocal())
      return llvm::any_of(visit.unit.callGraph().functions(), [&](const FunctionBody *each) {
        return each->mayChange(variable, each->body);
      });
    if (functionAt(first).mayChange(variable, loop))
      return true;
    return contains(visit, loop, variable.getLocation()) &&
           (!variable.hasInit() || varies(variable.getInit(), depth, hops + 1));
  }

  /// Whether the loop, or a function that it calls, may change the member of any object, but for
  /// constructors.
  bool changesMember(const clang::ValueDecl &member) const {
    const FunctionBody &function = functionAt(first);
    const auto changes = [&](const FunctionBody &each) {
      return !llvm::isa<clang::CXXConstructorDecl>(each.function) &&
             each.mayChange(member, each.body);
    };
    if (function.mayChange(member, loop))
      return true;
    llvm::SetVector<const FunctionBody *> reached;
    const auto reach = [&](const Event &event) {
      const auto bodies = visit.unit.callGraph().candidates(event);
      reached.insert(bodies.begin(), bodies.end());
    };
    forEachEvent(function, [&](const Event &event) {
      if (llvm::is_contained(function.loopsAround(event.site), loop))
        reach(event);
    });
    for (size_t i = 0; i < reached.size(); ++i) {
      if (changes(*reached[i]))
        return true;
      forEachEvent(*reached[i], reach);
    }
    return false;
  }

  static void forEachEvent(const FunctionBody &function,
                           llvm::function_ref<void(const Event &)> see) {
    for (const Block &block : function.blocks)
      for (const Event &event : block.events)
        if (event.callee)
          see(event);
  }

  const Visit &visit;
  const clang::Stmt *loop;
  size_t first = 0; ///< The calls that lead to the function of the loop.
};

} // namespace

bool variesIn(const Visit &visit, const clang::Expr *expr, const clang::Stmt *loop) {
  return Frames(visit, loop).varies(expr);
}

bool isWithin(const Visit &visit, const Observation &other, const clang::Stmt *loop) {
  const auto isHere = [&](const Event *event) {
    return llvm::is_contained(event->function->loopsAround(event->site), loop);
  };
  return isHere(other.event) || llvm::any_of(other.callers, isHere);
}

bool isSkippedIn(const Visit &visit, const clang::Stmt *loop) {
  llvm::SmallVector<const Event *, 8> frames(visit.callers);
  frames.push_back(&visit.event);
  for (const Event *frame : llvm::reverse(frames)) {
    const bool isOfLoop = llvm::is_contained(frame->function->loopsAround(frame->site), loop);
    if (frame->function->isLeftOut(frame->site, isOfLoop ? loop : nullptr))
      return true;
    if (frame != &visit.event && frame->kind != EventKind::Call)
      return true;
    if (isOfLoop)
      break;
  }
  return false;
}

} // namespace gradtidy
