// A holder that is made of nullptr, a tensor and a smart pointer hold nothing until something gives
// them a value. Where no code does, the first use throws, or crashes.

#include "Check.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Path.h"

namespace gradtidy {
namespace {

class UnsetMember : public Check {
public:
  void onUnit(const UnitVisit &visit, Reporter &reporter) override {
    llvm::MapVector<const ir::Symbol *, Use> used;
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events)
          collect(event, visit, used);
    for (auto &[member, use] : used)
      if (mayBeEmpty(*member, use) && isInSight(*member, visit) && isOnlyUsed(*member, visit))
        report(*member, use, visit, reporter);
  }

private:
  struct Use {
    const ir::Node *site = nullptr; ///< The first that needs the value.
    TypeRole role = TypeRole::None;
  };

  /// The member that the operand is, or null.
  static const ir::Symbol *memberOf(const Operand &operand, const UnitVisit &visit) {
    const PathStep &last = visit.unit.tables().paths.last(operand.path);
    return operand.path && last.kind == PathStep::Member ? last.symbol() : nullptr;
  }

  /// Adds the members that the event certainly needs the values of.
  static void collect(const Event &event, const UnitVisit &visit,
                      llvm::MapVector<const ir::Symbol *, Use> &used) {
    const auto add = [&](const Operand &operand) {
      if (const ir::Symbol *member = memberOf(operand, visit); member && operand.expr)
        used.insert({member, {operand.expr, operand.role}});
    };
    switch (event.kind) {
    case EventKind::Forward:
    case EventKind::Step:
    case EventKind::ClearGradients:
    case EventKind::Backward:
      return add(event.subject);
    case EventKind::Combine:
      if (event.givesParameters || (event.run && event.site->kind == ir::NodeKind::MemberCall &&
                                    !event.isAttribute)) // Of no tensor sizes are told.
        add(event.subject);
      // Functions may take a tensor that holds nothing: a layer without a bias.
      if (event.registers == Registers::Module ||
          (event.run && event.site->kind == ir::NodeKind::OperatorCall))
        llvm::for_each(event.operands, add);
      return;
    default:
      return;
    }
  }

  /// Whether the member begins without a value.
  static bool mayBeEmpty(const ir::Symbol &member, const Use &use) {
    const ir::Type &type = *member.type;
    if (type.isReference || type.isArray || member.isStatic)
      return false;
    const ir::Node *made = member.init ? &member.init->spelled() : nullptr;
    const bool isNull = member.init && (ir::isNull(member.init) || ir::isNull(made));
    if (type.pointee)
      return isNull || (!member.init && !type.isPointer);
    return isModule(use.role) ? isNull : use.role == TypeRole::Tensor && !member.init;
  }

  /// Whether all code that may give the member a value is in the unit.
  static bool isInSight(const ir::Symbol &member, const UnitVisit &visit) {
    const ir::Symbol &record = *member.owner;
    const ir::Class &code = ir::classOf(record);
    const auto isUnseen = [](const ir::Method &method) {
      return !method.isGenerated && !method.symbol->isPureVirtual && !method.isDefined;
    };
    const auto isWritten = [](const ir::Symbol *constructor) { return !constructor->isImplicit; };
    const bool isReachable = !member.isPrivate && !isInSource(record, visit);
    return !code.hasFriends && !code.isDamaged && !isReachable &&
           llvm::any_of(code.constructors, isWritten) && llvm::none_of(code.methods, isUnseen);
  }

  /// Whether the class is defined in a source, which no other one includes.
  static bool isInSource(const ir::Symbol &record, const UnitVisit &visit) {
    const clang::SourceManager &manager = visit.source.manager;
    const llvm::StringRef file = manager.getFilename(manager.getExpansionLoc(record.location));
    return llvm::is_contained({".cpp", ".cc", ".cxx", ".c++", ".C", ".cu"},
                              llvm::sys::path::extension(file));
  }

  /// Whether nothing in the unit does anything to the member but to use its value.
  static bool isOnlyUsed(const ir::Symbol &member, const UnitVisit &visit) {
    return llvm::all_of(visit.unit.callGraph().functions(), [&](const FunctionBody *function) {
      return !isBound(member, *function, visit) && isOnlyUsedIn(member, *function);
    });
  }

  /// Whether an initializer of a constructor gives the member a value.
  static bool isBound(const ir::Symbol &member, const FunctionBody &function,
                      const UnitVisit &visit) {
    if (function.function->kind != ir::SymbolKind::Constructor)
      return false; // See isOnlyUsedIn().
    return hasEvent(function, [&](const Event &event) {
      const ir::Node *value = event.kind == EventKind::Bind && !event.operands.empty()
                                  ? event.operands.front().expr
                                  : nullptr;
      if (!value || memberOf(event.subject, visit) != &member || ir::isNull(value))
        return false;
      // A holder that is made of nothing holds a new module.
      const bool isEmpty = ir::asConstruction(value) && value->arguments.empty() &&
                           (value->type->pointee || !isModule(value->type->role));
      // The default of the member, which every constructor repeats.
      const bool isDefault = isEmpty || (value->kind == ir::NodeKind::Other && event.site == value);
      return !isDefault && !isOwnRegistration(&member, value, function);
    });
  }

  static bool isOnlyUsedIn(const ir::Symbol &member, const FunctionBody &function) {
    bool result = true;
    ir::forEach(function.body, [&](const ir::Node &part) {
      if (part.symbol == &member)
        result &= part.kind == ir::NodeKind::Member && needsValue(part, function);
    });
    return result;
  }

  /// Whether what is done with the member where \p name names it needs its value, and leaves it as
  /// it is.
  static bool needsValue(const ir::Node &name, const FunctionBody &function) {
    const ir::Node *use = name.parent;
    const ir::Node *value = &name;
    while (use && (use->kind == ir::NodeKind::Construct ||
                   use->kind == ir::NodeKind::Parentheses)) { // A copy of the handle.
      value = use;
      use = use->parent;
    }
    if (!use)
      return false;
    if (use->kind == ir::NodeKind::OperatorCall && !use->arguments.empty() &&
        (use->op == "()" || use->op == "->" || use->op == "*") &&
        &use->arguments.front()->spelled() == &name)
      return !name.type->pointee || use->op != "()";
    if (use->kind == ir::NodeKind::Member && name.type->isPointer)
      return true; // `optimizer->step()`
    if (use->kind == ir::NodeKind::OperatorCall && use->op == "=" && use->arguments[0] == &name)
      return isOwnRegistration(name.symbol, use->arguments[1], function);
    return hasEvent(function, [&](const Event &event) {
      if (event.site != use || event.kind != EventKind::Combine ||
          !(event.run || event.registers != Registers::None))
        return false;
      const auto isIt = [&](const Operand &operand) {
        return operand.expr && &operand.expr->spelled() == &value->spelled();
      };
      return isIt(event.subject) || llvm::any_of(event.operands, isIt);
    });
  }

  /// Whether the value is that of a registration of the member itself:
  /// `fc = register_module("fc", fc)`.
  static bool isOwnRegistration(const ir::Symbol *member, const ir::Node *value,
                                const FunctionBody &function) {
    return hasEvent(function, [&](const Event &event) {
      const ir::Node *given = event.registers != Registers::None && !event.operands.empty()
                                  ? event.operands.front().expr
                                  : nullptr;
      return given && event.site == &value->spelled() && given->spelled().symbol == member;
    });
  }

  static void report(const ir::Symbol &member, const Use &use, const UnitVisit &visit,
                     Reporter &reporter) {
    // A holder asks whether there is a module, but where it is called by itself.
    const ir::Node *call = ir::as(ir::NodeKind::OperatorCall, use.site->spelled().parent);
    const bool crashes = member.type->pointee || (call && call->op == "()");
    Finding finding(Level::Certain, *use.site,
                    "nothing ever gives '" + member.name.str() + "' a value: this " +
                        (crashes ? "crashes" : "throws"));
    finding.notes.push_back({member, "it is declared here, without a value"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeUnsetMember() { return std::make_unique<UnsetMember>(); }

} // namespace gradtidy
