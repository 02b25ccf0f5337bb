// A module that is put into a container as an object, and not by a pointer or holder, is copied:
// the copy shares its registered parts and nothing else. And clone() copies those parts of a module
// whose classes say how, and makes the others anew. Some functions that are called copy give
// another name to the same parameters: a target network that is made so follows its original at
// every step.

#include "Check.h"
#include "Loops.h"

namespace gradtidy {
namespace {

class ModuleCopy : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::CopyModule ||
           moment.event.kind == EventKind::Forward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.event.operation == Operation::CopyModule && isModule(visit.event.subject.role))
      onClone(visit, reporter);
  }

  void onUnit(const UnitVisit &visit, Reporter &reporter) override {
    for (const FunctionBody *function : visit.unit.callGraph().relevant())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events)
          if (event.subject.role == TypeRole::ScriptModule && event.operation == Operation::View)
            onShared(visit, event, reporter);
          else
            findCopies(visit, event);
    for (const Copy &copy : copies)
      onCopy(visit, copy, reporter);
  }

private:
  // --- copies that share their parameters -------------------------------------------------------

  /// A copy that is put beside its original, which is trained, and runs without gradients.
  static void onShared(const UnitVisit &visit, const Event &copy, Reporter &reporter) {
    const PathTable &paths = visit.unit.tables().paths;
    const ir::Symbol *original = paths.last(copy.subject.path).name();
    const ir::Symbol *name = targetOf(copy.site);
    if (!original || !name || name == original)
      return;
    const auto isAbout = [&](const Operand &operand, const ir::Symbol *symbol) {
      return operand.path && paths.last(operand.path).name() == symbol;
    };
    const auto trains = [](const Event &event) {
      return event.kind == EventKind::Step || event.kind == EventKind::Backward;
    };
    const auto gives = [&](const Event &event) {
      return event.givesParameters && isAbout(event.subject, original);
    };
    const auto keeps = [&](const Event &event) {
      return event.kind == EventKind::Bind && event.keepsBest && isAbout(event.subject, name);
    };
    const auto functions = visit.unit.callGraph().functions();
    const auto isInUnit = [&](llvm::function_ref<bool(const Event &)> one) {
      return llvm::any_of(functions,
                          [&](const FunctionBody *function) { return hasEvent(*function, one); });
    };
    if (!isInUnit(trains))
      return;
    const bool isGiven = original->kind == ir::SymbolKind::Parameter; // By another name elsewhere.
    const auto givesAny = [](const Event &event) {
      return event.givesParameters && event.subject.role == TypeRole::ScriptModule;
    };
    if (hasEvent(*copy.function, keeps) && (isGiven ? isInUnit(givesAny) : isInUnit(gives))) {
      Finding finding(Level::Likely, copy,
                      "the copy that is kept as the best so far shares the parameters of '" +
                          original->name.str() +
                          "', and changes with them at every step of the optimizer");
      reporter.report(std::move(finding));
      return;
    }
    if (!isInUnit(gives))
      return;
    for (const Observation &other : visit.observations())
      if (const Event &forward = *other.event; forward.kind == EventKind::Forward &&
                                               isAbout(forward.subject, name) &&
                                               other.before.gradMode().possible == GradMode::Off) {
        Finding finding(Level::Likely, copy,
                        "the copy shares the parameters of '" + original->name.str() +
                            "', and changes with them at every step of the optimizer");
        finding.notes.push_back({forward, "it is used here as if it stayed what it was"});
        reporter.report(std::move(finding));
        return;
      }
  }

  /// The variable or member that gets the value of \p site, or null.
  static const ir::Symbol *targetOf(const ir::Node *site) {
    for (const ir::Node *around = site->parent; around; around = around->parent) {
      if (around->kind == ir::NodeKind::Declaration)
        return around->declared.size() == 1 ? around->declared.front() : nullptr;
      if (around->kind == ir::NodeKind::OperatorCall && around->op == "=")
        return around->arguments.front()->spelled().symbol;
      if (!around->isExpression)
        return nullptr;
    }
    return nullptr;
  }

  // --- clone() ----------------------------------------------------------------------------------

  static void onClone(const Visit &visit, Reporter &reporter) {
    const Event &clone = visit.event;
    const auto lost = clone.module().lostByClone;
    if (lost.empty() || getsValuesLater(visit))
      return;
    for (const ir::Symbol *part : lost) {
      Finding finding(Level::Certain, clone,
                      "the clone has new weights in '" + part->name.str() +
                          "': the class of this submodule does not derive from Cloneable");
      finding.notes.push_back({*part, "the submodule is declared here"});
      reporter.report(std::move(finding));
      return;
    }
  }

  /// Whether what follows gives parameters other values, once: those of the original, perhaps.
  static bool getsValuesLater(const Visit &visit) {
    const CallGraph &graph = visit.unit.callGraph();
    const FunctionBody &function = *visit.event.function;
    const PathTable &paths = visit.unit.tables().paths;
    const auto givesValues = [&](const Event &event) {
      const bool isGradient =
          event.subject.path && paths.last(event.subject.path).kind == PathStep::Gradient;
      return event.kind == EventKind::Load || (event.kind == EventKind::Overwrite && !isGradient);
    };
    const auto isRepair = [&](const Event &event) {
      const bool isCall = event.kind == EventKind::Call &&
                          llvm::any_of(graph.candidates(event), [&](const FunctionBody *body) {
                            return graph.mayRun(*body, givesValues);
                          });
      if (!isCall && !givesValues(event))
        return false;
      return llvm::none_of(function.loopsAround(event.site), [&](const ir::Node *loop) {
        return !contains(visit, loop, visit.event.site) && trainsIn(visit, function, loop);
      });
    };
    for (const Block &block : function.blocks)
      for (const Event &event : block.events)
        if (isRepair(event) &&
            comesBehind(event, [&](const Event &other) { return &other == &visit.event; }))
          return true;
    return false;
  }

  // --- objects that are put into containers -----------------------------------------------------

  struct Copy {
    const Event *event;
    const ir::Symbol *original; ///< The variable or member that is copied.
    const ir::Symbol *record;   ///< Its class.
  };

  /// What happens to an original, or by a function that it is given to.
  struct Change {
    const ir::Node *site;
    const FunctionBody *function;
    const ir::Symbol *field; ///< That gets another value; null for the mode.
  };
  struct Uses {
    std::vector<Change> changes;
    bool isUsed = false; ///< It computes something itself, or gets out of sight.
  };

  /// Whether \p type is a module class of the user, and no pointer to such.
  static bool isModuleObject(const UnitVisit &visit, const ir::Type *type) {
    return type && type->record && !type->isPointer &&
           llvm::any_of(visit.unit.code().classes(),
                        [&](const ModuleClass &view) { return view.record == type->record; });
  }

  /// The variable or member that names the object, seen through references; or null.
  static const ir::Symbol *nameOf(const ir::Node *object) {
    for (unsigned hops = 0; object && hops < 8; ++hops) {
      object = ir::stripped(object);
      if (object && object->kind == ir::NodeKind::OperatorCall &&
          (object->op == "*" || object->op == "->")) {
        object = object->arguments.front();
        continue;
      }
      if (!object ||
          (object->kind != ir::NodeKind::Reference && object->kind != ir::NodeKind::Member))
        return nullptr;
      const ir::Symbol *name = object->symbol;
      if (!name || !name->isVariable() || !name->type->isReference || !name->init ||
          name->kind == ir::SymbolKind::Parameter || name->isRangeElement)
        return name;
      object = name->init;
    }
    return nullptr;
  }

  void findCopies(const UnitVisit &visit, const Event &event) {
    const bool isContainer =
        (event.kind == EventKind::Combine && event.site->kind == ir::NodeKind::MemberCall &&
         event.site->symbol && (event.site->symbol->isStandard || isModule(event.subject.role))) ||
        (event.kind == EventKind::Construct && event.subject.role == TypeRole::ModuleHolder);
    if (!isContainer || event.callee)
      return;
    for (const Operand &operand : event.operands) {
      if (!operand.expr || operand.isGivenAway)
        continue;
      const ir::Node *object = operand.expr;
      if (const ir::Node *made = ir::as(ir::NodeKind::Call, &object->spelled());
          made && made->symbol && made->symbol->isStandard && made->arguments.size() == 1 &&
          made->type && made->type->pointee && made->arguments[0]->type &&
          made->type->pointee->record == made->arguments[0]->type->record)
        object = made->arguments[0]; // `std::make_shared<Net>(net)`
      if (!isModuleObject(visit, object->type))
        continue;
      if (const ir::Symbol *original = nameOf(object))
        copies.push_back({&event, original, object->type->record});
    }
  }

  void onCopy(const UnitVisit &visit, const Copy &copy, Reporter &reporter) {
    const Uses uses = usesOf(visit, *copy.original, *copy.record);
    if (uses.isUsed)
      return;
    for (const Change &change : uses.changes) {
      if (!comesTooLate(visit, copy, change) ||
          (change.field && !isRead(visit, *copy.record, *change.field)))
        continue;
      Finding finding(Level::Certain, *change.site,
                      "this changes '" + copy.original->name.str() +
                          "', of which the container has a copy: nothing computes with it");
      finding.notes.push_back({*copy.event, "the module is copied here; a holder or a "
                                            "std::shared_ptr would share it"});
      reporter.report(std::move(finding));
    }
  }

  /// Whether the change is behind the copy, and no other copy is made behind the change.
  bool comesTooLate(const UnitVisit &visit, const Copy &copy, const Change &change) const {
    return llvm::all_of(copies, [&](const Copy &other) {
      if (other.original != copy.original)
        return true;
      const FunctionBody &function = *other.event->function;
      if (&function != change.function)
        return function.function->kind == ir::SymbolKind::Constructor &&
               change.function->function->kind != ir::SymbolKind::Constructor;
      const auto isAround = [&](const ir::Node *loop) {
        return contains(visit, loop, change.site) &&
               !contains(visit, loop, copy.original->location);
      };
      return visit.source.isBefore(other.event->site->begin(), change.site->begin()) &&
             llvm::none_of(function.loopsAround(other.event->site), isAround);
    });
  }

  /// Whether a method of the class reads the member.
  static bool isRead(const UnitVisit &visit, const ir::Symbol &record, const ir::Symbol &field) {
    for (const ir::Method &method : ir::classOf(record).methods) {
      bool found = false;
      ir::forEach(ir::codeOf(*method.symbol), [&](const ir::Node &node) {
        found |= node.kind == ir::NodeKind::Member && node.symbol == &field && !isTarget(node);
      });
      if (found)
        return true;
    }
    return false;
  }

  /// Whether \p node is what an assignment gives a value, or a part of that is.
  static const ir::Node *changeOf(const ir::Node &node) {
    const ir::Node *child = &node, *parent = node.parent;
    while (parent && (parent->kind == ir::NodeKind::Parentheses ||
                      (parent->kind == ir::NodeKind::Member && parent->object &&
                       ir::stripped(parent->object) == ir::stripped(child))))
      child = parent, parent = parent->parent;
    if (!parent)
      return nullptr;
    const bool isAssigned =
        (parent->kind == ir::NodeKind::Binary && parent->isAssignment() &&
         parent->children.front() == child) ||
        (parent->kind == ir::NodeKind::OperatorCall && parent->op == "=" &&
         !parent->arguments.empty() && parent->arguments.front() == child) ||
        (parent->kind == ir::NodeKind::Unary && (parent->op == "++" || parent->op == "--"));
    return isAssigned ? parent : nullptr;
  }
  static bool isTarget(const ir::Node &node) {
    const ir::Node *change = changeOf(node);
    return change && change->kind != ir::NodeKind::Unary && change->op == "=";
  }

  Uses usesOf(const UnitVisit &visit, const ir::Symbol &object, const ir::Symbol &record) const {
    Uses uses;
    const bool isLocal = object.isLocal || object.kind == ir::SymbolKind::Parameter;
    if (object.isExtern || (object.kind == ir::SymbolKind::Parameter && object.type->isReference))
      uses.isUsed = true; // Others have it, too.
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      if (!isLocal || object.owner == function->function)
        collect(visit, object, record, *function, function->body, nullptr, 0, uses);
    return uses;
  }

  /// What \p body, which is of \p function or is called by it at \p site, does to the object.
  void collect(const UnitVisit &visit, const ir::Symbol &object, const ir::Symbol &record,
               const FunctionBody &function, const ir::Node *body, const ir::Node *site,
               unsigned depth, Uses &uses) const {
    ir::forEach(body, [&](const ir::Node &node) {
      if (node.kind != ir::NodeKind::Reference && node.kind != ir::NodeKind::Member)
        return;
      if (node.symbol && node.symbol->isVariable() && node.symbol != &object && node.symbol->type &&
          node.symbol->type->isReference && nameOf(&node) == &object)
        return useOf(visit, node, record, function, site, depth, uses);
      if (node.symbol == &object)
        useOf(visit, node, record, function, site, depth, uses);
    });
  }

  void useOf(const UnitVisit &visit, const ir::Node &name, const ir::Symbol &record,
             const FunctionBody &function, const ir::Node *site, unsigned depth, Uses &uses) const {
    const ir::Node *node = &name, *parent = name.parent;
    const auto isSame = [&](const ir::Node *other) {
      return other && ir::stripped(other) == &name;
    };
    while (
        parent &&
        (parent->kind == ir::NodeKind::Parentheses || parent->kind == ir::NodeKind::Cast ||
         (parent->kind == ir::NodeKind::Unary && (parent->op == "*" || parent->op == "&")) ||
         (parent->kind == ir::NodeKind::OperatorCall && (parent->op == "*" || parent->op == "->"))))
      node = parent, parent = parent->parent;
    if (!parent)
      return;
    if (parent->kind == ir::NodeKind::Member && parent->symbol && parent->symbol->isMethod()) {
      node = parent, parent = parent->parent;
      if (parent && parent->kind == ir::NodeKind::MemberCall)
        callOf(visit, *parent, record, function, site, depth, uses);
      return;
    }
    if (parent->kind == ir::NodeKind::Member) { // A data member of it.
      if (const ir::Node *change = changeOf(*parent))
        uses.changes.push_back({site ? site : change, &function, parent->symbol});
      return;
    }
    if (parent->kind == ir::NodeKind::MemberCall && parent->object &&
        (parent->object == node || isSame(parent->object)))
      return callOf(visit, *parent, record, function, site, depth, uses);
    if (parent->kind == ir::NodeKind::Declaration || parent->kind == ir::NodeKind::Compound)
      return; // A reference, which is followed, or a copy.
    if (isCopied(name))
      return;
    if (parent->isCall() && depth < 4) {
      const auto argument = llvm::find(parent->arguments, node);
      const ir::Symbol *callee = parent->symbol ? parent->symbol->definition : nullptr;
      const size_t index = argument - parent->arguments.begin();
      const ir::Node *body = callee ? ir::codeOf(*callee) : nullptr;
      if (argument != parent->arguments.end() && body && index < callee->parameters.size() &&
          parent->kind == ir::NodeKind::Call)
        return collect(visit, *callee->parameters[index], record, function, body,
                       site ? site : parent, depth + 1, uses);
    }
    uses.isUsed = true;
  }

  /// Whether the name stands in what puts a copy into a container.
  bool isCopied(const ir::Node &name) const {
    for (const ir::Node *around = name.parent; around; around = around->parent)
      if (llvm::any_of(copies, [&](const Copy &copy) { return copy.event->site == around; }))
        return true;
    return false;
  }

  /// Whether the class itself asks for its mode: layers that it has registered are shared.
  static bool asksForMode(const UnitVisit &visit, const ir::Symbol &record) {
    const ModuleClass *view = visit.unit.code().viewOf(record);
    bool asks = !view || view->asksForMode;
    for (const ir::Method &method : ir::classOf(record).methods)
      ir::forEach(ir::codeOf(*method.symbol), [&](const ir::Node &node) {
        asks |= node.kind == ir::NodeKind::MemberCall && node.object && node.symbol &&
                ir::stripped(node.object)->kind == ir::NodeKind::This && node.arguments.empty() &&
                node.type && node.type->isBoolean && node.symbol->owner != &record &&
                !ir::codeOf(*node.symbol);
      });
    return asks;
  }

  /// A method of the object is called.
  void callOf(const UnitVisit &visit, const ir::Node &call, const ir::Symbol &record,
              const FunctionBody &function, const ir::Node *site, unsigned depth,
              Uses &uses) const {
    const ir::Symbol *method = call.symbol;
    const ir::Symbol *definition = method ? method->definition : nullptr;
    const ir::Node *body = definition ? ir::codeOf(*definition) : nullptr;
    for (const Block &block : function.blocks)
      for (const Event &event : block.events) {
        if (event.site != &call)
          continue;
        if (event.kind == EventKind::SetMode && asksForMode(visit, record))
          uses.changes.push_back({site ? site : &call, &function, nullptr});
        uses.isUsed |= event.kind == EventKind::Forward;
      }
    if (!method || !ir::isOrDerives(record, *method->owner) || !body)
      return;
    uses.isUsed |= definition->type && definition->type->record && !definition->type->isVoid;
    ir::forEach(body, [&](const ir::Node &node) {
      if (node.kind == ir::NodeKind::Member && node.object &&
          ir::stripped(node.object)->kind == ir::NodeKind::This && changeOf(node))
        uses.changes.push_back({site ? site : &call, &function, node.symbol});
    });
  }

  std::vector<Copy> copies;
};

} // namespace

std::unique_ptr<Check> makeModuleCopy() { return std::make_unique<ModuleCopy>(); }

} // namespace gradtidy
