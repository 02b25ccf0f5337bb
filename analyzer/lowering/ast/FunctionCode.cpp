#include "FunctionCode.h"

#include "clang/AST/ParentMap.h"
#include "clang/AST/Stmt.h"

namespace gradtidy {

using namespace clang;

FunctionCode::FunctionCode(const FunctionBody &lowered, CodeMap &map)
    : function(CodeMap::function(lowered.function)), body(CodeMap::code(lowered.body)), map(map),
      lowered(lowered) {}

FunctionCode::~FunctionCode() = default;

const Stmt *FunctionCode::statementAround(const Stmt *statement) const {
  if (!parents)
    parents = std::make_unique<ParentMap>(const_cast<Stmt *>(body));
  return parents->getParent(const_cast<Stmt *>(statement));
}

llvm::SmallVector<const Stmt *, 4> FunctionCode::loopsAround(const Stmt *site) const {
  llvm::SmallVector<const Stmt *, 4> loops;
  for (const ir::Node *loop : lowered.loopsAround(map.node(site)))
    loops.push_back(CodeMap::code(loop));
  return loops;
}

bool FunctionCode::mentions(const VarDecl &variable) const {
  return lowered.mentions(*map.symbol(&variable));
}

bool FunctionCode::mayChange(const VarDecl &variable, const Stmt *within) const {
  return lowered.mayChange(*map.symbol(&variable), map.node(within));
}

bool FunctionCode::isConditional(const Stmt *site, const Stmt *within) const {
  return lowered.isConditional(map.node(site), map.node(within));
}

} // namespace gradtidy
