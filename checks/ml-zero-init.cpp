// Neurons that begin with the same weights, before and behind them, get the same gradients. Layers
// whose weights are a constant each are as wide as one neuron, however many they have. So is a
// product of two parameters that are; of zeros, it never becomes anything else.

#include "Check.h"

#include "analyzer/ir/Typing.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class ZeroInit : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->equalNeurons.before != nullptr;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const EqualNeurons &equal = visit.event.details->equalNeurons;
    const std::string before = equal.before->spelling.str();
    const std::string behind = equal.behind->spelling.str();
    Finding finding(Level::Likely, *equal.fill,
                    "the weights of '" + before + "' are all the same, and so are those of '" +
                        behind + "': no weight tells the neurons between them apart");
    if (equal.other != equal.fill)
      finding.notes.push_back({*equal.other, "those of '" + behind + "' are set here"});
    else
      finding.notes.push_back({visit.event, "it is called for both here"});
    reporter.report(std::move(finding));
  }

  void onClass(const ClassVisit &visit, Reporter &reporter) override {
    const Factors factors = constantParametersOf(visit);
    if (factors.size() < 2)
      return;
    llvm::SmallPtrSet<const ir::Symbol *, 4> told;
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events) {
          if (!isProduct(event))
            continue;
          llvm::SmallVector<const ir::Symbol *, 4> members;
          collect(visit, *function, event, members, 0);
          llvm::erase_if(members, [&](const ir::Symbol *each) { return !factors.contains(each); });
          if (members.size() != 2 || members[0] == members[1] || !told.insert(members[0]).second)
            continue;
          const ir::Node *first = factors.lookup(members[0]);
          const ir::Node *second = factors.lookup(members[1]);
          if (visit.source.isBefore(second->begin(), first->begin()))
            std::swap(first, second);
          Finding finding(Level::Likely, *first,
                          "'" + members[0]->name.str() + "' and '" + members[1]->name.str() +
                              "', which are multiplied, both begin with all elements the same: if "
                              "they are zeros, neither ever gets a gradient");
          finding.notes.push_back({*second, "the other one is made here"});
          finding.notes.push_back({event, "the product is computed here"});
          reporter.report(std::move(finding));
        }
  }

private:
  /// Parameters, and what makes their values.
  using Factors = llvm::MapVector<const ir::Symbol *, const ir::Node *>;

  static bool isProduct(const Event &event) {
    return event.typing && event.typing->rule == ResultRule::Matmul;
  }

  /// The members of the class that are registered as parameters of a constant and get no other
  /// value, as far as the unit shows.
  static Factors constantParametersOf(const ClassVisit &visit) {
    Factors factors;
    for (const ModuleMember &member : visit.view.members)
      if (member.role == TypeRole::Tensor && member.definitions.size() == 1 &&
          member.replacements.empty() && visit.view.isVisible)
        if (const ir::Node *made = constantIn(visit, member.definitions.front()))
          factors[member.field] = made;
    if (factors.size() < 2)
      return {};
    const PathTable &paths = visit.unit.tables().paths;
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events) {
          if (mayChangeAll(visit, event))
            return {};
          const auto drop = [&](const Operand &operand) {
            if (operand.path)
              if (const ir::Symbol *name = paths.last(operand.path).name())
                factors.erase(name);
          };
          if (isHarmless(event))
            continue;
          drop(event.subject);
          for (const Operand &operand : event.operands)
            drop(operand);
        }
    return factors;
  }

  /// What makes the constant that the definition registers as a parameter, or null.
  static const ir::Node *constantIn(const ClassVisit &visit, const MemberDefinition &definition) {
    const ir::Node *value = &ir::stripped(definition.value)->spelled();
    const FunctionBody *function =
        definition.function ? visit.unit.callGraph().bodyOf(*definition.function) : nullptr;
    const ir::Node *made = nullptr;
    bool isParameter = false;
    if (function)
      for (const Block &block : function->blocks)
        for (const Event &event : block.events) {
          isParameter |= event.site == value && event.registers == Registers::Parameter &&
                         event.constant == true;
          if (event.kind == EventKind::Create && event.operation == Operation::Fill &&
              llvm::any_of(value->arguments, [&](const ir::Node *argument) {
                return &ir::stripped(argument)->spelled() == event.site;
              }))
            made = event.site;
        }
    return isParameter ? made : nullptr;
  }

  /// Whether what the event does to its operands leaves the values of parameters alone, and gives
  /// them no gradient but that of products.
  static bool isHarmless(const Event &event) {
    return isProduct(event) || event.registers == Registers::Parameter ||
           event.kind == EventKind::RequireGrad ||
           (event.kind == EventKind::Bind && !event.operands.empty()) ||
           (keepsValues(event.operation) && !event.changesElements);
  }

  /// Whether the event may give the parameters of any module other values: those of a file, or of
  /// whatever goes over all of them.
  static bool mayChangeAll(const ClassVisit &visit, const Event &event) {
    const auto isModuleOperand = [](const Operand &operand) { return isModule(operand.role); };
    if (event.kind == EventKind::Load)
      return isModuleOperand(event.subject) || llvm::any_of(event.operands, isModuleOperand);
    if (event.operation == Operation::Apply || event.operation == Operation::LoadModule)
      return true;
    if (event.kind != EventKind::Overwrite || !event.subject.path)
      return false;
    const PathTable &paths = visit.unit.tables().paths;
    const PathStep &last = paths.last(event.subject.path);
    return last.kind == PathStep::Element ||
           (last.kind == PathStep::Variable &&
            (last.symbol()->isRangeElement || last.symbol()->type->isReference));
  }

  /// The members that are factors of the product \p event, be it of a product of them.
  static void collect(const ClassVisit &visit, const FunctionBody &function, const Event &event,
                      llvm::SmallVectorImpl<const ir::Symbol *> &members, unsigned depth) {
    if (event.subject.path && event.kind != EventKind::Bind)
      collect(visit, function, event.subject, members, depth);
    if (isProduct(event) || event.kind == EventKind::Bind)
      for (const Operand &operand : event.operands)
        collect(visit, function, operand, members, depth);
  }
  static void collect(const ClassVisit &visit, const FunctionBody &function, const Operand &factor,
                      llvm::SmallVectorImpl<const ir::Symbol *> &members, unsigned depth) {
    if (!factor.path || depth > 6)
      return;
    const PathStep &last = visit.unit.tables().paths.last(factor.path);
    if (last.kind == PathStep::Member) {
      members.push_back(last.symbol());
      return;
    }
    for (const Block &block : function.blocks)
      for (const Event &event : block.events)
        if ((event.result == factor.path && (isProduct(event) || keepsValues(event.operation))) ||
            (event.kind == EventKind::Bind && event.subject.path == factor.path))
          return collect(visit, function, event, members, depth + 1);
  }
};

} // namespace

std::unique_ptr<Check> makeZeroInit() { return std::make_unique<ZeroInit>(); }

} // namespace gradtidy
