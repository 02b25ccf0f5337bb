#include "Path.h"

namespace gradtidy {

PathTable::PathTable() { nodes.emplace_back(); }

PathId PathTable::intern(PathId parent, PathStep step) {
  const std::pair key{std::pair{parent, step.identity},
                      std::pair{static_cast<int>(step.kind), step.index}};
  auto [entry, isNew] = ids.try_emplace(key, noPath);
  if (!isNew)
    return entry->second;
  const bool isElement = step.kind == PathStep::Element, isToldApart = isElement && step.index >= 0;
  if (isToldApart && node(parent).elements == maxElements)
    return ids[key] = element(parent);
  const PathId index = nodes.size();
  const PathId root = parent ? parent >> 32 : index;
  Node added{.parent = parent, .step = step};
  if (parent) {
    added.depth = depthOf(parent) + 1;
    added.hasElement = isElement || hasElement(parent);
    nodes[static_cast<std::uint32_t>(parent)].elements += isToldApart;
  }
  nodes.push_back(added);
  return entry->second = root << 32 | index;
}

PathId PathTable::ancestorAt(PathId path, unsigned depth) const {
  while (depthOf(path) > depth)
    path = parent(path);
  return path;
}

bool PathTable::isWithin(PathId path, PathId prefix) const {
  return rootOf(path) == rootOf(prefix) && depthOf(path) >= depthOf(prefix) &&
         ancestorAt(path, depthOf(prefix)) == prefix;
}

PathId PathTable::anyElement(PathId path) {
  if (!hasElement(path))
    return path;
  const PathId whole = anyElement(parent(path));
  const PathStep step = last(path);
  return step.kind == PathStep::Element ? element(whole) : this->step(whole, step);
}

bool PathTable::overlap(PathId a, PathId b) const {
  if (rootOf(a) != rootOf(b))
    return false;
  const unsigned depth = std::min(depthOf(a), depthOf(b));
  a = ancestorAt(a, depth);
  b = ancestorAt(b, depth);
  for (; a != b; a = parent(a), b = parent(b)) {
    const PathStep &stepA = last(a), &stepB = last(b);
    bool sameElement = stepA.kind == PathStep::Element && stepB.kind == PathStep::Element &&
                       (stepA.index < 0 || stepB.index < 0);
    if (!(stepA == stepB) && !sameElement)
      return false;
  }
  return true;
}

std::string PathTable::spelling(PathId path) const {
  const PathStep &step = last(path);
  const std::string parent = this->parent(path) ? spelling(this->parent(path)) : "";
  switch (step.kind) {
  case PathStep::Variable:
    return step.symbol()->spelling.str();
  case PathStep::This:
  case PathStep::Temporary:
  case PathStep::Returned:
    return "";
  case PathStep::Member:
    return parent.empty() ? step.symbol()->spelling.str()
                          : parent + "." + step.symbol()->spelling.str();
  case PathStep::Element:
    if (step.identity)
      return parent + "[\"" + step.key().str() + "\"]";
    return parent + "[" + (step.index < 0 ? "*" : std::to_string(step.index)) + "]";
  case PathStep::Gradient:
    return parent + ".grad()";
  }
  return "";
}

} // namespace gradtidy
