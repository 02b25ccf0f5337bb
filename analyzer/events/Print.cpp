#include "Print.h"

#include "llvm/Support/raw_ostream.h"

namespace gradtidy {
namespace {

std::string text(PathId path, const PathTable &paths) {
  if (!path)
    return "-";
  PathId root = paths.rootOf(path);
  std::string spelling = paths.spelling(path);
  switch (paths.last(root).kind) {
  case PathStep::Temporary:
    return "%" + std::to_string(root) + (root == path ? "" : "." + spelling);
  case PathStep::This:
    return "this" + (root == path ? "" : "." + spelling);
  case PathStep::Returned:
    return "return";
  default:
    return spelling;
  }
}

std::string text(const Operand &operand, const PathTable &paths) {
  std::string result = text(operand.path, paths);
  if (operand.role != TypeRole::None)
    result += ":" + roleName(operand.role).str();
  if (operand.fresh)
    result += "!";
  if (operand.escapes)
    result += "&";
  return result;
}

} // namespace

llvm::StringRef name(EventKind kind) {
  switch (kind) {
  case EventKind::Bind:
    return "bind";
  case EventKind::Construct:
    return "construct";
  case EventKind::Combine:
    return "combine";
  case EventKind::Call:
    return "call";
  case EventKind::Forward:
    return "forward";
  case EventKind::Backward:
    return "backward";
  case EventKind::Step:
    return "step";
  case EventKind::ClearGradients:
    return "clear-gradients";
  case EventKind::Overwrite:
    return "overwrite";
  case EventKind::Detach:
    return "detach";
  case EventKind::Differentiate:
    return "differentiate";
  case EventKind::Create:
    return "create";
  case EventKind::Move:
    return "move";
  case EventKind::SetMode:
    return "set-mode";
  case EventKind::EnterGradMode:
    return "enter-grad-mode";
  case EventKind::KeepGradMode:
    return "keep-grad-mode";
  case EventKind::SetGradMode:
    return "set-grad-mode";
  case EventKind::EnterAutocast:
    return "enter-autocast";
  case EventKind::SetAutocast:
    return "set-autocast";
  case EventKind::SetAutocastCache:
    return "set-autocast-cache";
  case EventKind::ClearAutocastCache:
    return "clear-autocast-cache";
  case EventKind::RequireGrad:
    return "require-grad";
  case EventKind::Load:
    return "load";
  case EventKind::Return:
    return "return";
  case EventKind::EndLifetime:
    return "end-lifetime";
  case EventKind::Assign:
    return "assign";
  case EventKind::Release:
    return "release";
  case EventKind::Access:
    return "access";
  }
  return "";
}

void print(llvm::raw_ostream &out, const FunctionBody &body, const PathTable &paths) {
  out << body.function->qualifiedName << "\n";
  for (unsigned number = 0; number < body.blocks.size(); ++number) {
    const Block &block = body.blocks[number];
    out << " block " << number << (block.isLoopHead ? " (loop head)" : "") << "\n";
    for (const Event &event : block.events) {
      out << "  " << name(event.kind);
      if (event.kind == EventKind::Call && event.callee)
        out << " " << event.callee->spelling;
      if (event.subject.path)
        out << " " << text(event.subject, paths);
      if (!event.operands.empty())
        out << " (";
      for (const Operand &operand : event.operands)
        out << (&operand == event.operands.begin() ? "" : ", ") << text(operand, paths);
      if (!event.operands.empty())
        out << ")";
      if (event.constant)
        out << (*event.constant ? " on" : " off");
      if (event.choice.condition >= 0)
        out << (event.choice.isNegated ? " unless" : " if") << " condition "
            << event.choice.condition << " holds";
      if (event.result)
        out << " -> " << text(event.result, paths);
      out << "\n";
    }
    for (const Block::Edge &edge : block.edges) {
      out << "  to " << edge.target;
      if (edge.condition >= 0)
        out << " if condition " << edge.condition << (edge.value ? " holds" : " does not hold");
      if (edge.undefined)
        out << " where " << text(edge.undefined, paths) << " is undefined";
      if (block.exitEdge >= 0 && &edge == &block.edges[block.exitEdge])
        out << " after at least one round";
      out << "\n";
    }
  }
}

} // namespace gradtidy
