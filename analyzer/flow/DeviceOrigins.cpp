#include "DeviceOrigins.h"

#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {

DeviceOrigins::DeviceOrigins(const PathTable &paths, Vocabulary &vocabulary,
                             llvm::ArrayRef<const FunctionBody *> bodies, Callee calleeOf)
    : paths(paths) {
  for (const FunctionBody *body : bodies)
    for (const Block &block : body->blocks)
      for (const Event &event : block.events) {
        if (!block.isSwitchedOff)
          add(event, calleeOf);
        addInitialiser(event.subject.path, vocabulary);
        for (const Operand &operand : event.operands)
          addInitialiser(operand.path, vocabulary);
      }
}

static const clang::Expr *initialiserOf(const clang::VarDecl &variable) {
  return variable.hasGlobalStorage() ? variable.getAnyInitializer() : nullptr;
}

/// The same of a member that no other source can set.
static const clang::Expr *initialiserOf(const clang::FieldDecl &field) {
  const clang::SourceManager &sources = field.getASTContext().getSourceManager();
  return field.hasInClassInitializer() && sources.isInMainFile(field.getLocation())
             ? field.getInClassInitializer()
             : nullptr;
}

void DeviceOrigins::addInitialiser(PathId path, Vocabulary &vocabulary) {
  const PathStep &last = paths.last(path);
  const clang::Expr *value = nullptr;
  if (last.kind == PathStep::Variable)
    value = initialiserOf(*CodeMap::variable(last.symbol()));
  else if (last.kind == PathStep::Member)
    value = initialiserOf(*CodeMap::member(last.symbol()));
  if (!value || !initialised.insert(last.identity).second)
    return;
  std::vector<Operand> &parts = origins[last.identity];
  if (namesDevice(value, vocabulary))
    parts.push_back({});
}

const void *DeviceOrigins::keyOf(PathId path) const {
  const PathStep &last = paths.last(path);
  const bool isKnown = last.kind == PathStep::Variable || last.kind == PathStep::Member ||
                       last.kind == PathStep::Temporary;
  return path && isKnown ? last.identity : nullptr;
}

void DeviceOrigins::add(const Event &event, Callee calleeOf) {
  if (event.kind == EventKind::Bind && event.subject.role == TypeRole::Device) {
    if (!event.operands.empty())
      origins[keyOf(event.subject.path)].push_back(event.operands.front());
  } else if (event.kind == EventKind::Construct && event.subject.role == TypeRole::Device) {
    std::vector<Operand> &parts = origins[keyOf(event.result)]; // None: options that say nothing.
    parts.insert(parts.end(), event.operands.begin(), event.operands.end());
  } else if (event.kind == EventKind::Combine && event.resultRole == TypeRole::Device) {
    if (event.subject.path)
      origins[keyOf(event.result)].push_back(event.subject);
    for (const Operand &operand : event.operands)
      if (operand.role == TypeRole::Device)
        origins[keyOf(event.result)].push_back(operand);
  } else if (const FunctionBody *body = event.kind == EventKind::Call ? calleeOf(event) : nullptr) {
    for (size_t i = 0; i < body->parameters.size(); ++i)
      if (const Operand &parameter = body->parameters[i].place; parameter.role == TypeRole::Device)
        origins[keyOf(parameter.path)].push_back(i < event.operands.size() ? event.operands[i]
                                                                           : Operand{});
  }
}

bool DeviceOrigins::mayBe(Device::Kind kind, PathId path) const {
  const Device::Kind other = kind == Device::Cuda ? Device::Cpu : Device::Cuda;
  llvm::SmallSetVector<const void *, 4> reached;
  reached.insert(keyOf(path));
  for (size_t i = 0; i < reached.size(); ++i) {
    const auto found = reached[i] ? origins.find(reached[i]) : origins.end();
    if (found == origins.end())
      return true;
    for (const Operand &origin : found->second) {
      const bool isIndex = origin.expr && isArithmetic(CodeMap::expr(origin.expr));
      if (isIndex || origin.device.kind == other)
        continue;
      if (origin.role != TypeRole::Device || origin.device.kind == kind)
        return true;
      reached.insert(keyOf(origin.path));
    }
  }
  return false;
}

} // namespace gradtidy
