#include "Path.h"

#include "clang/AST/DeclCXX.h"

namespace gradtidy {

PathTable::PathTable() { nodes.emplace_back(); }

PathId PathTable::intern(PathId parent, PathStep step) {
  auto [entry, isNew] =
      ids.try_emplace({{parent, step.subject}, {static_cast<int>(step.kind), step.index}}, noPath);
  if (!isNew)
    return entry->second;
  PathId id = static_cast<PathId>(nodes.size());
  entry->second = id;
  nodes.push_back(
      {parent, parent ? nodes[parent].root : id, parent ? nodes[parent].depth + 1 : 0, step});
  return id;
}

PathId PathTable::ancestorAt(PathId path, unsigned depth) const {
  while (nodes[path].depth > depth)
    path = nodes[path].parent;
  return path;
}

bool PathTable::isWithin(PathId path, PathId prefix) const {
  return nodes[path].depth >= nodes[prefix].depth &&
         ancestorAt(path, nodes[prefix].depth) == prefix;
}

bool PathTable::overlap(PathId a, PathId b) const {
  if (nodes[a].root != nodes[b].root)
    return false;
  unsigned depth = std::min(nodes[a].depth, nodes[b].depth);
  a = ancestorAt(a, depth);
  b = ancestorAt(b, depth);
  for (; a != b; a = nodes[a].parent, b = nodes[b].parent) {
    const PathStep &stepA = nodes[a].step, &stepB = nodes[b].step;
    bool sameElement = stepA.kind == PathStep::Element && stepB.kind == PathStep::Element &&
                       (stepA.index < 0 || stepB.index < 0);
    if (!(stepA == stepB) && !sameElement)
      return false;
  }
  return true;
}

std::string PathTable::spelling(PathId path) const {
  const Node &node = nodes[path];
  std::string parent = node.parent ? spelling(node.parent) : "";
  switch (node.step.kind) {
  case PathStep::Variable:
    return static_cast<const clang::VarDecl *>(node.step.subject)->getNameAsString();
  case PathStep::This:
  case PathStep::Temporary:
  case PathStep::Returned:
    return "";
  case PathStep::Member: {
    std::string name = static_cast<const clang::FieldDecl *>(node.step.subject)->getNameAsString();
    return parent.empty() ? name : parent + "." + name;
  }
  case PathStep::Element:
    if (const auto *key = static_cast<const clang::IdentifierInfo *>(node.step.subject))
      return parent + "[\"" + key->getName().str() + "\"]";
    return parent + "[" + (node.step.index < 0 ? "*" : std::to_string(node.step.index)) + "]";
  case PathStep::Gradient:
    return parent + ".grad()";
  }
  return "";
}

} // namespace gradtidy
