#include "BatchFirst.h"

namespace gradtidy {

using namespace ir;

/// The object of which \p call sets the option that puts samples first, or null.
static const Node *putterOf(const Node &call, const ModuleUses &uses) {
  const bool isSetter = call.kind == NodeKind::MemberCall && !call.calledName().empty() &&
                        uses.traitOfOption(call.calledName()) == Trait::BatchFirstOption;
  return isSetter ? call.object : nullptr;
}

static Answer answerOf(const Node &setter) {
  const Node *value = setter.arguments.size() == 1 ? setter.arguments.front() : nullptr;
  if (!value || !value->integer)
    return Answer::Unknown;
  return *value->integer ? Answer::Yes : Answer::No;
}

static Answer putsBatchFirst(const Node *options, const ModuleUses &uses, unsigned depth) {
  options = strip(options);
  if (options->kind == NodeKind::MemberCall)
    return putterOf(*options, uses) ? answerOf(*options)
                                    : putsBatchFirst(options->object, uses, depth);
  if (asConstruction(options))
    return putsBatchFirst(options->arguments, uses);
  if (options->kind == NodeKind::List)
    return putsBatchFirst(options->children, uses);
  const Entity variable = entityOf(options);
  const Symbol *function = variable && variable->isLocal ? variable->owner : nullptr;
  if (!function || !variable->init || depth > 2)
    return Answer::Unknown;
  Answer answer = putsBatchFirst(variable->init, uses, depth + 1);
  forEach(codeOf(*function), [&](const Node &part) {
    const Node *object = putterOf(part, uses);
    while (object && strip(object)->kind == NodeKind::MemberCall)
      object = strip(object)->object;
    if (object && entityOf(strip(object)) == variable)
      answer = answerOf(part);
  });
  return answer;
}

Answer putsBatchFirst(llvm::ArrayRef<const Node *> arguments, const ModuleUses &uses) {
  if (arguments.empty())
    return Answer::Unknown;
  if (llvm::all_of(arguments, [](const Node *argument) { return isArithmetic(*argument); }))
    return Answer::No;
  return arguments.size() == 1 ? putsBatchFirst(arguments.front(), uses, 0) : Answer::Unknown;
}

} // namespace gradtidy
