#include "ModeFlags.h"

#include "Forms.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace gradtidy {
namespace {

using namespace ir;

struct FlagFacts {
  unsigned mentions = 0, reads = 0;
  std::vector<const Node *> asked;
  llvm::DenseSet<const Node *> assignments;
};

using Arguments = llvm::ArrayRef<const Node *>;

class Flags {
public:
  explicit Flags(const LoweredUnit::Contents &unit) {
    for (const auto &view : unit.classes)
      for (const Symbol *member : ir::classOf(*view->record).members)
        if (isModeFlag(*member))
          flags[canonical(member)].mentions = 0;
    if (flags.empty())
      return;
    for (const auto &body : unit.functions)
      if (!body->function->isClosure) // It is a part of the code around it.
        look(*body->function);
  }

  /// Those that are true in all objects and at all times.
  std::vector<ModeFlag> stuck() {
    std::vector<ModeFlag> found;
    for (auto &[field, facts] : flags)
      if (isStuck(*field, facts))
        found.push_back({field, std::move(facts.asked)});
    return found;
  }

private:
  static bool isModeFlag(const Symbol &field) {
    return field.type && field.type->isBoolean && words::isModeFlag(field.name);
  }

  void look(const Symbol &function) {
    for (const Initializer &initializer : function.initializers)
      look(initializer.value, function);
    look(function.body, function);
  }

  void look(const Node *code, const Symbol &function) {
    forEach(code, [&](const Node &node) {
      if (node.kind == NodeKind::Member)
        lookAtMember(node, function);
      else if (node.kind == NodeKind::Binary && node.op == "=")
        lookAtAssignment(node);
      else if (node.calls(Aspect::AsksForMode))
        asking.insert(gradtidy::classOf(&function));
      if (asConstruction(&node) || (node.isCall() && isFactory(node.symbol)))
        construct(node);
    });
  }

  void lookAtMember(const Node &member, const Symbol &function) {
    const auto flag = flags.find(canonical(member.symbol));
    if (flag == flags.end())
      return;
    ++flag->second.mentions;
    if (!member.isOnlyRead)
      return;
    ++flag->second.reads;
    if (gradtidy::classOf(&function) == flag->first->owner &&
        function.kind != SymbolKind::Constructor)
      flag->second.asked.push_back(&member);
  }

  void lookAtAssignment(const Node &assignment) {
    if (const Node *member = as(NodeKind::Member, assignment.children.front()))
      if (const auto flag = flags.find(canonical(member->symbol)); flag != flags.end())
        flag->second.assignments.insert(&assignment);
  }

  /// A module of that type is made, or its holder with the same arguments. Copies are none, nor are
  /// empty holders.
  void construct(const Node &made) {
    const Symbol *record = moduleClassOf(made.type);
    const bool isNew =
        record && record->isUser && llvm::none_of(made.arguments, [&](const Node *argument) {
          return moduleClassOf(argument->type) == record || argument->kind == NodeKind::NullPointer;
        });
    if (isNew)
      constructions[record].push_back(made.arguments);
  }

  bool isStuck(const Symbol &field, FlagFacts &facts) const {
    const Symbol &record = *field.owner;
    const auto made = constructions.find(&record);
    const Class &whole = ir::classOf(record);
    const bool hasOwnMode = llvm::any_of(whole.methods, [](const Method &method) {
      return method.symbol->aspects.has(Aspect::SetsMode);
    });
    if (facts.asked.empty() || made == constructions.end() || record.isDependent ||
        asking.contains(&record) || hasOwnMode)
      return false;
    return llvm::all_of(whole.constructors,
                        [&](const Symbol *constructor) {
                          return setsTrue(*constructor, field, facts, made->second);
                        }) &&
           facts.mentions == facts.reads && facts.assignments.empty();
  }

  static bool isTrue(const Node *value) {
    const Node *number = value ? strip(value) : nullptr;
    return number && (number->integer.value_or(0) != 0 || number->real.value_or(0) != 0);
  }

  /// Takes those assignments of \p facts away that make sure of it.
  static bool setsTrue(const Symbol &constructor, const Symbol &field, FlagFacts &facts,
                       const std::vector<Arguments> &made) {
    const Node *value = field.init;
    if (const Symbol *definition = definitionOf(&constructor)) {
      if (definition->isDelegating)
        return true; // The other constructor is asked, too.
      for (const Initializer &initializer : definition->initializers)
        if (canonical(initializer.member) == &field)
          value = initializer.value;
      if (definition->body)
        for (const Node *statement : definition->body->children)
          if (facts.assignments.erase(statement)) {
            --facts.mentions;
            value = statement->children.back();
          }
    } else if (!isGenerated(constructor)) {
      return false;
    }
    const Node *named = value ? as(NodeKind::Reference, strip(value)) : nullptr;
    const Symbol *parameter = named && named->symbol && named->symbol->kind == SymbolKind::Parameter
                                  ? named->symbol
                                  : nullptr;
    if (!parameter)
      return isTrue(value);
    const llvm::ArrayRef<const Symbol *> parameters = constructor.parameters;
    const size_t required =
        llvm::count_if(parameters, [](const Symbol *each) { return !each->hasDefault; });
    // All constructions that may be by this constructor.
    return llvm::all_of(made, [&](Arguments arguments) {
      if (arguments.size() > parameters.size() || arguments.size() < required ||
          parameter->index >= parameters.size())
        return true;
      return isTrue(parameter->index < arguments.size() ? arguments[parameter->index]
                                                        : parameters[parameter->index]->init);
    });
  }

  static bool isGenerated(const Symbol &constructor) {
    return constructor.owner &&
           llvm::any_of(ir::classOf(*constructor.owner).methods, [&](const Method &method) {
             return method.symbol == &constructor && method.isGenerated;
           });
  }

  llvm::MapVector<const Symbol *, FlagFacts> flags;
  llvm::DenseSet<const Symbol *> asking; ///< Classes that call is_training().
  llvm::DenseMap<const Symbol *, std::vector<Arguments>> constructions;
};

} // namespace

std::vector<ModeFlag> findStuckModeFlags(const LoweredUnit::Contents &unit) {
  return Flags(unit).stuck();
}

} // namespace gradtidy
