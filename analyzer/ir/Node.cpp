#include "Node.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy::ir {

const Node *withoutParentheses(const Node *node) {
  while (node && node->kind == NodeKind::Parentheses && !node->children.empty())
    node = node->children.front();
  return node;
}

const Node *stripped(const Node *node) {
  while (node) {
    const Node *inner = node;
    switch (node->kind) {
    case NodeKind::Parentheses:
    case NodeKind::Cast:
    case NodeKind::FunctionalCast:
      inner = node->children.empty() ? node : node->children.front();
      break;
    case NodeKind::Unary:
      inner = node->op == "&" || node->op == "*" ? node->children.front() : node;
      break;
    case NodeKind::DefaultArgument:
      inner = node->symbol && node->symbol->init ? node->symbol->init : node;
      break;
    default:
      break;
    }
    if (inner == node)
      break;
    node = inner;
  }
  return node;
}

bool isNull(const Node *node) {
  node = stripped(node);
  if (!node || node->kind == NodeKind::NullPointer)
    return node;
  const bool isList = node->kind == NodeKind::List;
  const llvm::ArrayRef<const Node *> parts = isList ? node->children : node->arguments;
  return (isList || asConstruction(node)) && parts.size() == 1 && isNull(parts.front());
}

const Node *Node::callee() const {
  return isCall() && !children.empty() ? withoutParentheses(children.front()) : nullptr;
}

Aspects Node::calledAspects() const {
  if (!isCall())
    return {};
  if (symbol)
    return symbol->aspects;
  const Node *called = callee();
  return !called ? Aspects() : called->symbol ? called->symbol->aspects : called->openAspects;
}

unsigned Node::writtenArguments() const {
  return llvm::count_if(
      arguments, [](const Node *argument) { return argument->kind != NodeKind::DefaultArgument; });
}

bool Node::isAssignment() const {
  return kind == NodeKind::Binary && op.ends_with("=") && op != "==" && op != "!=" && op != "<=" &&
         op != ">=";
}

bool areAlike(const Node &a, const Node &b) {
  if (a.kind != b.kind || a.op != b.op || a.symbol != b.symbol || a.type != b.type ||
      a.integer != b.integer || a.real != b.real || a.children.size() != b.children.size())
    return false;
  for (size_t i = 0; i < a.children.size(); ++i)
    if (!areAlike(*a.children[i], *b.children[i]))
      return false;
  return true;
}

const Node *constantIn(const Node *node) {
  constexpr unsigned maxNames = 4;
  for (unsigned names = 0; node && names <= maxNames; ++names) {
    node = &stripped(node)->spelled();
    const bool isName = node->kind == NodeKind::Reference || node->kind == NodeKind::Member;
    const Symbol *named = isName ? node->symbol : nullptr;
    if (!named || !named->isVariable() || !named->type || !named->type->isConst)
      return node;
    node = named->init;
  }
  return nullptr;
}

const Symbol *variableIn(const Node *node) {
  const Node *named = node ? &node->spelled() : nullptr;
  return named && named->kind == NodeKind::Reference && named->symbol && named->symbol->isVariable()
             ? named->symbol
             : nullptr;
}

void forEach(const Node *node, llvm::function_ref<void(const Node &)> visit) {
  if (!node)
    return;
  visit(*node);
  for (const Node *child : node->children)
    forEach(child, visit);
}

} // namespace gradtidy::ir
