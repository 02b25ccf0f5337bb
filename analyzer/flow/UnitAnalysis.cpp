#include "UnitAnalysis.h"

#include "DeviceOrigins.h"

#include "analyzer/events/lowering/Lowering.h"
#include "analyzer/events/marks/Loaders.h"
#include "analyzer/events/values/Values.h"
#include "analyzer/frontend/UserCode.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace gradtidy {
namespace {

/// Collects the functions with bodies in user code, template instantiations and lambdas included.
class Functions : public clang::RecursiveASTVisitor<Functions> {
public:
  Functions(const UserCode &userCode, const clang::SourceManager &sources)
      : userCode(userCode), sources(sources) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  /// Declarations that are not the user's are not entered: that keeps the framework's out.
  bool TraverseDecl(clang::Decl *declaration) {
    if (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
        declaration->getLocation().isValid() &&
        !userCode.contains(declaration->getLocation(), sources))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (function->doesThisDeclarationHaveABody() &&
        (!function->isDependentContext() || isUnused(*function)))
      found.push_back(function);
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
    if (clang::CXXMethodDecl *function = lambda->getCallOperator();
        function && function->hasBody() && !function->isDependentContext())
      found.push_back(function);
    return true;
  }

  std::vector<const clang::FunctionDecl *> found;

private:
  /// Whether \p function is a template that the unit never instantiates.
  static bool isUnused(const clang::FunctionDecl &function) {
    const clang::FunctionTemplateDecl *pattern = function.getDescribedFunctionTemplate();
    return pattern && pattern->specializations().empty() &&
           !pattern->getDeclContext()->isDependentContext();
  }

  const UserCode &userCode;
  const clang::SourceManager &sources;
};

} // namespace

class UnitAnalysis::Implementation {
public:
  Implementation(clang::ASTContext &context, const Model &model, const UserCode &userCode)
      : context(context), vocabulary(model), userCode(userCode),
        interpreter(
            tables,
            [this](const clang::FunctionDecl *callee, bool isVirtual) {
              return isVirtual ? dispatch(callee) : bodyOf(callee);
            },
            [this](const Event &call) { return isHarmless(call); },
            [this](const Event &call) { return isIrrelevant(call); },
            [this](const clang::FieldDecl *field) {
              if (changed.contains(field))
                return MemberChanges::Any;
              if (loaded.contains(field))
                return MemberChanges::Loads;
              if (field->getAccess() == clang::AS_public)
                return MemberChanges::Any;
              return switched.contains(field) ? MemberChanges::Mode : MemberChanges::None;
            },
            [this](const Event &forward) { return layerOf(forward); }),
        modules(context, vocabulary, [&](const clang::Decl *declaration) {
          return userCode.contains(declaration->getLocation(), context.getSourceManager());
        }) {
    Functions functions(userCode, context.getSourceManager());
    for (clang::Decl *declaration : context.getTraversalScope())
      functions.TraverseDecl(declaration);

    // First those nobody in the unit calls: what they call is then seen with what they establish.
    // What is still unseen after that (recursion, closures kept for later) goes by itself.
    llvm::SmallPtrSet<const FunctionBody *, 32> called;
    std::vector<const FunctionBody *> all;
    for (const clang::FunctionDecl *function : functions.found) {
      if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
        addOverrider(method, method);
      if (const FunctionBody *body = bodyOf(function); body && !llvm::is_contained(all, body))
        all.push_back(body);
    }
    llvm::SmallSetVector<const FunctionBody *, 32> relevant;
    for (const FunctionBody *body : all) {
      findChanges(*body);
      const bool isOwn =
          partnerAt(body->function->getLocation(), context.getSourceManager()).empty();
      if (isOwn)
        relevant.insert(body);
      if (const FunctionBody *around = isClosure(*body) ? bodyAround(*body) : nullptr)
        callers[body].push_back(around);
      for (const Block &block : body->blocks)
        for (const Event &event : block.events)
          if (const FunctionBody *callee = !isCall(event)    ? nullptr
                                           : event.isVirtual ? dispatch(event.callee)
                                                             : bodyOf(event.callee);
              callee && callee != body) {
            // What others call may have more callers than are known: it goes by itself, too.
            if (isOwn || !relevant.contains(callee))
              called.insert(callee);
            callers[callee].push_back(body);
          }
    }
    lowered = all;
    if (context.getLangOpts().CUDA)
      findKernels();
    // Of partners only what leads to the unit's own functions.
    for (size_t i = 0; i < relevant.size(); ++i)
      relevant.insert_range(callers.lookup(relevant[i]));
    llvm::erase_if(all, [&](const FunctionBody *body) { return !relevant.contains(body); });
    assumesFloats =
        llvm::none_of(lowered, [](const FunctionBody *body) { return body->changesElements; });
    keepsDefaultType =
        llvm::none_of(lowered, [](const FunctionBody *body) { return body->setsDefaultType; });
    isProgram =
        llvm::any_of(lowered, [](const FunctionBody *body) { return body->function->isMain(); });
    if (assumesFloats)
      interpreter.assumeFloats();
    if (llvm::none_of(lowered, [](const FunctionBody *body) { return body->changesOrder; }))
      interpreter.assumeOrders();
    llvm::SmallPtrSet<const FunctionBody *, 32> begun, entered;
    const auto run = [&](const auto &self, const FunctionBody *body) -> void {
      if (!begun.insert(body).second ||
          !runs(*body, isOfTraining, [](const Event &) { return false; }))
        return;
      // What modules make of tensors comes first.
      const auto runPasses = [&](const auto &inside, const FunctionBody *caller) -> void {
        if (!entered.insert(caller).second)
          return;
        for (const Block &block : caller->blocks)
          for (const Event &event : block.events) {
            const FunctionBody *callee = event.callee ? bodyOf(event.callee) : nullptr;
            if (callee && event.kind == EventKind::Call)
              inside(inside, callee);
            else if (callee && event.kind == EventKind::Forward && !called.contains(callee))
              self(self, callee);
          }
      };
      runPasses(runPasses, body);
      interpreter.run(*body);
    };
    for (const FunctionBody *body : all)
      if (!called.contains(body) && !isClosure(*body))
        run(run, body);
    for (const FunctionBody *body : all)
      if (!interpreter.hasVisited(*body))
        run(run, body);
    for (const FunctionBody *body : all)
      interpreter.runUntold(*body);
    interpreter.uses().finish();
    for (const FunctionBody *body : all)
      findModeSetUps(*body);
    functionCount = all.size();
    movesModules = mayMoveModules(all);
  }

  Layer layerOf(const Event &forward) {
    return forward.subject.expr ? modules.lastLayer(forward.subject.expr) : Layer();
  }

  bool isSetUpOnly(const void *member) const {
    return !changed.contains(member) && !loaded.contains(member) && !written.contains(member);
  }

  Producer producerOf(const Event &made, unsigned depth = 0) {
    if (made.operation != Operation::None || depth == Interpreter::maxDepth)
      return {&made, made.operation};
    if (const auto bodies = candidates(made); bodies.size() == 1) {
      const Event *inner = interpreter.returned(*bodies.front());
      return inner ? producerOf(*inner, depth + 1) : Producer();
    }
    const bool isLayers = made.kind == EventKind::Forward && made.subject.expr;
    return {&made, isLayers ? modules.lastLayer(made.subject.expr).operation : Operation::None};
  }

  /// Whether a pointer that is made of \p value points to nothing.
  static bool isEmpty(const clang::Expr *value) {
    const auto *made = value ? llvm::dyn_cast<clang::CXXConstructExpr>(strip(value)) : nullptr;
    return value && ((made && made->getNumArgs() == 0) || isNull(value));
  }

  /// What makes the only data loader that gets into the member \p field, or null.
  const Event *makerOf(const void *field) const {
    const Event *maker = nullptr;
    for (const FunctionBody *body : lowered)
      for (const Block &block : body->blocks)
        for (const Event &event : block.events) {
          const PathStep &last = tables.paths.last(event.subject.path);
          if (event.kind != EventKind::Bind || event.operands.empty() || !event.subject.path ||
              last.kind != PathStep::Member || last.subject != field ||
              isEmpty(event.operands.front().expr))
            continue;
          const auto made = llvm::find_if(block.events, [&](const Event &each) {
            return each.operation == Operation::MakeLoader &&
                   each.result == event.operands.front().path;
          });
          if (made == block.events.end() || (maker && maker != &*made))
            return nullptr;
          maker = &*made;
        }
    return maker;
  }

  clang::ASTContext &context;
  Vocabulary vocabulary;
  Tables tables;
  bool movesModules = false;
  bool assumesFloats = false;
  bool keepsDefaultType = true;
  bool isProgram = false;
  size_t functionCount = 0;
  llvm::DenseMap<const FunctionBody *, std::vector<const FunctionBody *>> callers;
  llvm::DenseMap<const FunctionBody *, KernelCare> kernelCare; ///< Of all, in units of CUDA.
  std::vector<const FunctionBody *> launchers;
  llvm::DenseSet<const clang::FunctionDecl *> handedOn; ///< In units of CUDA.
  llvm::DenseSet<const void *> modeSetUps;              ///< Fields.

private:
  /// Whether some of the program that \p all are part of may bring modules to a GPU.
  bool mayMoveModules(llvm::ArrayRef<const FunctionBody *> all) const {
    const auto any = [](const auto &bodies, auto holds) {
      return llvm::any_of(bodies, [&](const FunctionBody *body) { return holds(*body); });
    };
    // A library's modules are moved by others.
    return any(all, [](const auto &body) { return body.usesGpu; }) &&
           (!isProgram || any(lowered, [](const auto &body) { return body.movesModules; }));
  }

  void findKernels() {
    for (const FunctionBody *body : lowered) {
      const KernelCare &care = kernelCare[body] = gradtidy::kernelCareOf(*body, vocabulary);
      handedOn.insert_range(care.named);
      if (!care.launches.empty() && !isClosure(*body) &&
          partnerAt(body->function->getLocation(), context.getSourceManager()).empty())
        launchers.push_back(body);
    }
  }

  void findModeSetUps(const FunctionBody &body) {
    llvm::SmallDenseSet<const void *, 4> set, called;
    for (const Block &block : body.blocks)
      for (const Event &event : block.events) {
        PathId module = event.subject.path;
        while (tables.paths.last(module).kind == PathStep::Element)
          module = tables.paths.parent(module);
        const PathStep &last = tables.paths.last(module);
        if (module && last.kind == PathStep::Member &&
            (event.kind == EventKind::SetMode || isModuleCall(event)))
          (event.kind == EventKind::SetMode ? set : called).insert(last.subject);
      }
    for (const void *field : set)
      if (!called.contains(field))
        modeSetUps.insert(field);
  }

  /// Finds the members that others than constructors change, or hand to code that may.
  void findChanges(const FunctionBody &body) {
    if (llvm::isa<clang::CXXConstructorDecl>(body.function))
      return;
    auto add = [&](llvm::DenseSet<const void *> &members, PathId path) {
      for (; path; path = tables.paths.parent(path))
        if (const PathStep &step = tables.paths.last(path); step.kind == PathStep::Member)
          members.insert(step.subject);
    };
    auto change = [&](PathId path, EventKind kind) {
      add(kind == EventKind::Load ? loaded : kind == EventKind::SetMode ? switched : changed, path);
    };
    for (const Block &block : body.blocks)
      for (const Event &event : block.events) {
        const bool isHandedOn =
            event.kind == EventKind::Call && !runsNone(event, changing, mayChange, getsHold);
        const bool isPlaced = (event.kind == EventKind::Move || event.kind == EventKind::Load) &&
                              isModule(event.subject.role);
        bool isChange = isPlaced || event.kind == EventKind::SetMode ||
                        event.kind == EventKind::Bind ||
                        (isHandedOn && event.subject.escapes && !isModuleCall(event));
        if (isChange)
          change(event.subject.path, event.kind);
        if (event.kind == EventKind::Overwrite || event.subject.escapes ||
            opensMemory(event.operation))
          add(written, event.subject.path);
        for (const Operand &operand : event.operands) {
          if (operand.escapes)
            add(written, operand.path);
          if (event.kind == EventKind::Return ||
              (event.kind == EventKind::Load && operand.role != TypeRole::Device) ||
              (event.kind == EventKind::Bind && event.bind != BindKind::Value) ||
              (isHandedOn && operand.escapes))
            change(operand.path, event.kind);
        }
      }
  }

  /// Whether the result gives access to elements of the tensor.
  static bool opensMemory(Operation operation) {
    return operation == Operation::Index || operation == Operation::PointToMemory ||
           operation == Operation::AccessElements;
  }

  static bool isCall(const Event &event) { return event.kind == EventKind::Call && event.callee; }

  static bool isClosure(const FunctionBody &body) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(body.function);
    return method && method->getParent()->isLambda();
  }

  /// The function in which a lambda stands, or null.
  const FunctionBody *bodyAround(const FunctionBody &closure) {
    const auto *method = llvm::cast<clang::CXXMethodDecl>(closure.function);
    const auto *around = llvm::dyn_cast<clang::FunctionDecl>(method->getParent()->getDeclContext());
    return around ? bodyOf(around) : nullptr;
  }

  void addOverrider(const clang::CXXMethodDecl *overridden, const clang::CXXMethodDecl *method) {
    for (const clang::CXXMethodDecl *base : overridden->overridden_methods()) {
      overriders[base->getCanonicalDecl()].insert(method->getCanonicalDecl());
      addOverrider(base, method);
    }
  }

  /// The body of a virtual call, if only one can be meant.
  const FunctionBody *dispatch(const clang::FunctionDecl *callee) {
    auto known = overriders.find(callee->getCanonicalDecl());
    if (known == overriders.end())
      return bodyOf(callee);
    bool isOnlyOne = known->second.size() == 1 && callee->isPureVirtual();
    return isOnlyOne ? bodyOf(*known->second.begin()) : nullptr;
  }

  /// All that a call may run, as far as the unit shows; empty if not all of it can be seen.
  llvm::SmallVector<const FunctionBody *, 4> candidates(const Event &call) {
    llvm::SmallVector<const clang::FunctionDecl *, 4> callees;
    if (call.callee && !call.callee->isPureVirtual())
      callees.push_back(call.callee);
    if (call.callee && call.isVirtual)
      if (const auto known = overriders.find(call.callee->getCanonicalDecl());
          known != overriders.end())
        callees.append(known->second.begin(), known->second.end());
    llvm::SmallVector<const FunctionBody *, 4> found;
    for (const clang::FunctionDecl *callee : callees)
      if (const FunctionBody *body = bodyOf(callee))
        found.push_back(body);
      else
        return {};
    return found;
  }

  /// Whether all that the call may run can be seen and only computes tensors.
  bool isHarmless(const Event &call) {
    // Or gets hold of modules, optimizers or gradients out of sight.
    return runsNone(call, touching, isTraining, getsHold);
  }

  /// Whether all that the call may run can be seen and has nothing to do with training.
  bool isIrrelevant(const Event &call) {
    return !isFollowed(call) && runsNone(call, following, isFollowed, [](const Event &unseen) {
      return !unseen.callee || !unseen.callee->getASTContext().getSourceManager().isInSystemHeader(
                                   unseen.callee->getLocation());
    });
  }

  /// Whether all that the call may run can be seen, and none of the events is \p one, nor a call
  /// that cannot be seen and is \p unseen.
  bool runsNone(const Event &call, llvm::DenseMap<const FunctionBody *, bool> &known,
                bool (*one)(const Event &), bool (*unseen)(const Event &)) {
    const llvm::SmallVector<const FunctionBody *, 4> bodies = candidates(call);
    return !bodies.empty() && llvm::none_of(bodies, [&](const FunctionBody *body) {
      if (known.try_emplace(body).second)
        known[body] = runs(*body, one, unseen);
      return known[body];
    });
  }

public:
  bool runs(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one,
            llvm::function_ref<bool(const Event &)> unseen) {
    llvm::SetVector<const FunctionBody *> reached;
    reached.insert(&function);
    const auto isOne = [&](const Event &event) {
      if ((event.kind != EventKind::Call && event.kind != EventKind::Forward) || one(event))
        return one(event);
      const auto callees = candidates(event);
      reached.insert(callees.begin(), callees.end());
      return event.kind == EventKind::Call && callees.empty() && unseen(event);
    };
    for (size_t i = 0; i < reached.size(); ++i)
      for (const Block &block : reached[i]->blocks)
        if (llvm::any_of(block.events, isOne))
          return true;
    return false;
  }

private:
  /// Whether the event has anything to do with what is followed from event to event.
  static bool isFollowed(const Event &event) {
    return isOfTraining(event) || event.subject.isClosure ||
           llvm::any_of(event.operands, [](const Operand &operand) { return operand.isClosure; });
  }

  /// The same, but for closures, whose bodies have events of their own.
  static bool isOfTraining(const Event &event) {
    const auto isFollowed = [](const Operand &operand) {
      return operand.role != TypeRole::None || operand.isTensor;
    };
    const bool isPlain = event.kind == EventKind::Bind || event.kind == EventKind::Construct ||
                         event.kind == EventKind::Combine || event.kind == EventKind::Return ||
                         event.kind == EventKind::EndLifetime || event.kind == EventKind::Assign ||
                         event.kind == EventKind::Call;
    return !isPlain || event.operation != Operation::None || event.isTensor ||
           event.resultRole != TypeRole::None || event.leftover.ending != Ending::None ||
           isFollowed(event.subject) || llvm::any_of(event.operands, isFollowed);
  }

  /// Whether the event may change a module that it is given, or keep it for later.
  static bool mayChange(const Event &event) {
    const auto isHeld = [](const Operand &operand) { return isModule(operand.role); };
    switch (event.kind) {
    case EventKind::Bind:
    case EventKind::Construct:
      return llvm::any_of(event.operands, isHeld);
    case EventKind::Move:
      return isHeld(event.subject);
    default:
      return event.kind == EventKind::SetMode || event.kind == EventKind::Load;
    }
  }

  static bool getsHold(const Event &call) {
    const auto isHold = [](const Operand &operand) {
      return operand.isClosure || (operand.escapes && operand.role != TypeRole::Tensor);
    };
    return isHold(call.subject) || llvm::any_of(call.operands, isHold);
  }

  /// Whether the event concerns modules, optimizers or gradients.
  static bool isTraining(const Event &event) {
    switch (event.kind) {
    case EventKind::Call:
    case EventKind::Bind:
    case EventKind::Construct:
    case EventKind::Combine:
    case EventKind::Detach:
    case EventKind::Create:
    case EventKind::Return:
    case EventKind::EndLifetime:
    case EventKind::Assign:
      return false;
    case EventKind::Move:
      return isModule(event.subject.role);
    default:
      return true;
    }
  }

public:
  const FunctionBody *bodyOf(const clang::FunctionDecl *function) {
    // Where errors keep a template from being instantiated, it speaks for itself.
    const clang::FunctionDecl *definition = nullptr;
    const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern();
    if (!function->hasBody(definition) && !(pattern && pattern->hasBody(definition)))
      return nullptr;
    auto [entry, isNew] = bodies.try_emplace(definition);
    if (isNew && userCode.contains(definition->getLocation(), context.getSourceManager())) {
      std::unique_ptr<FunctionBody> body = lower(definition, tables.paths, vocabulary, context);
      entry = bodies.find(definition); // Lowering may have added others.
      entry->second = std::move(body);
    }
    return entry->second.get();
  }

private:
  const UserCode &userCode;
  llvm::DenseMap<const clang::FunctionDecl *, llvm::SmallPtrSet<const clang::FunctionDecl *, 2>>
      overriders;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<FunctionBody>> bodies;
  llvm::DenseMap<const FunctionBody *, bool> touching;    ///< See isHarmless().
  llvm::DenseMap<const FunctionBody *, bool> following;   ///< See isIrrelevant().
  llvm::DenseMap<const FunctionBody *, bool> updating;    ///< See callsTraining().
  llvm::DenseMap<const FunctionBody *, bool> changing;    ///< See mayChange().
  llvm::DenseSet<const void *> changed, loaded, switched; ///< Members (see findChanges).
  llvm::DenseSet<const void *> written;                   ///< The same: perhaps their elements.
  std::vector<const FunctionBody *> lowered;              ///< All of the unit and its partners.
  std::optional<DeviceOrigins> origins; ///< Made when a finding first asks for it.

public:
  bool enablesGradients(const FunctionBody &function) {
    const auto isEnabling = [](const Event &event) {
      return event.kind == EventKind::SetGradMode && event.constant != false;
    };
    return runs(function, isEnabling, [](const Event &) { return false; });
  }

  bool callsTraining(const Event &call) {
    const auto isUpdate = [](const Event &event) {
      return event.kind == EventKind::Backward || event.kind == EventKind::Step;
    };
    return llvm::any_of(candidates(call), [&](const FunctionBody *body) {
      if (updating.try_emplace(body).second)
        updating[body] = runs(*body, isUpdate, [](const Event &) { return false; });
      return updating[body];
    });
  }

  bool onlyInfers() const {
    const auto isTraining = [](const Event &event) {
      switch (event.kind) {
      case EventKind::Backward:
      case EventKind::Step:
      case EventKind::Differentiate:
      case EventKind::ClearGradients:
        return true;
      case EventKind::RequireGrad:
      case EventKind::EnterGradMode:
      case EventKind::SetGradMode:
        return event.constant != false;
      default:
        return event.subject.role == TypeRole::Optimizer;
      }
    };
    return isProgram && llvm::none_of(lowered, [&](const FunctionBody *body) {
             return llvm::any_of(body->blocks, [&](const Block &block) {
               return llvm::any_of(block.events, isTraining);
             });
           });
  }

  bool changesTensors(const FunctionBody *except) const {
    const auto isChange = [&](const Event &event) {
      const auto *call = llvm::dyn_cast<clang::CallExpr>(event.site);
      const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
      return event.subject.role == TypeRole::Tensor &&
             (event.kind == EventKind::Overwrite ||
              (event.kind == EventKind::Combine && event.subject.escapes &&
               !(callee && vocabulary.traitOf(callee) == Trait::SharesHandle)));
    };
    return llvm::any_of(lowered, [&](const FunctionBody *body) {
      return body != except && llvm::any_of(body->blocks, [&](const Block &block) {
               return llvm::any_of(block.events, isChange);
             });
    });
  }

  bool mayClear(const clang::FieldDecl &field) {
    const auto fieldAt = [&](PathId path) {
      const PathStep &last = tables.paths.last(path);
      return path && last.kind == PathStep::Member
                 ? static_cast<const clang::FieldDecl *>(last.subject)
                 : nullptr;
    };
    // By name: a class template and its instances have fields of their own.
    const auto isOfClass = [&](const clang::RecordDecl *record) {
      return record->getName() == field.getParent()->getName();
    };
    const auto isOwn = [&](const Operand &operand) {
      const clang::FieldDecl *other = fieldAt(operand.path);
      return other && isOfClass(other->getParent()) &&
             (isModule(operand.role) || other->getName() == field.getName());
    };
    const auto isClear = [&](const Event &event) {
      return event.kind == EventKind::ClearGradients ||
             (event.subject.path &&
              tables.paths.last(event.subject.path).kind == PathStep::Gradient);
    };
    const auto runsClear = [&](const FunctionBody *body) {
      return runs(*body, isClear, [](const Event &) { return false; });
    };
    // Whether the event clears them, gives them to code that may, or got them from elsewhere.
    const auto concerns = [&](const FunctionBody &body, const Event &event) {
      const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(body.function);
      if (isClear(event))
        return isOwn(event.subject) ||
               (!fieldAt(event.subject.path) && method && isOfClass(method->getParent()));
      return llvm::any_of(event.operands, [&](const Operand &operand) {
        const bool isBound = event.kind == EventKind::Bind;
        if (!isOwn(operand))
          return isBound && event.subject.role == TypeRole::Optimizer && isOwn(event.subject) &&
                 tables.paths.last(tables.paths.rootOf(operand.path)).kind == PathStep::Variable;
        if (event.kind == EventKind::Call) {
          const auto callees = candidates(event);
          return callees.empty() || llvm::any_of(callees, runsClear);
        }
        return (event.kind == EventKind::Return && operand.role == TypeRole::Optimizer) ||
               (((isBound && event.bind != BindKind::Value) ||
                 llvm::isa<clang::InitListExpr>(event.site)) &&
                runsClear(&body));
      });
    };
    return llvm::any_of(lowered, [&](const FunctionBody *body) {
      return llvm::any_of(body->blocks, [&](const Block &block) {
        return llvm::any_of(block.events,
                            [&](const Event &event) { return concerns(*body, event); });
      });
    });
  }

  const ModuleClass *viewOf(const clang::CXXRecordDecl *record) const {
    for (const ModuleClass &view : modules.all())
      if (record && view.record->getCanonicalDecl() == record->getCanonicalDecl())
        return &view;
    return nullptr;
  }

  /// What an object of the class may be, which is abstract.
  llvm::SmallVector<const ModuleClass *, 4> variantsOf(const ModuleClass &view) const {
    llvm::SmallVector<const ModuleClass *, 4> variants;
    for (const ModuleClass &other : modules.all())
      if (!other.record->isAbstract() && other.record->isDerivedFrom(view.record))
        variants.push_back(&other);
    return variants;
  }

  /// Whether the class holds, and inherits, neither modules nor parameters.
  bool isStateless(const ModuleClass &view) {
    const bool inheritsNone = view.record->forallBases([&](const clang::CXXRecordDecl *base) {
      if (!isModule(vocabulary.roleOf(base)) || vocabulary.isFramework(base))
        return vocabulary.traitOf(base) != Trait::Container;
      const ModuleClass *inherited = viewOf(base);
      return inherited && holdsNothing(*inherited);
    });
    return inheritsNone && holdsNothing(view);
  }

  static bool holdsNothing(const ModuleClass &view) {
    return llvm::all_of(view.members, [&](const ModuleMember &member) {
      return view.isVisible && member.role == TypeRole::Tensor && member.registered == Answer::No &&
             !member.requiresGrad;
    });
  }

  /// Whether layers of the class may depend on the mode. They are members: what these are tells
  /// enough where the class is implemented elsewhere, but for those that a base class out of sight
  /// holds, such as a Sequential. An option that nobody is seen to set is not set.
  bool mayHoldModes(const ModuleClass &view) {
    llvm::SmallPtrSet<const ModuleClass *, 4> seen;
    return mayHoldModes(view, seen);
  }

  bool mayHoldModes(const ModuleClass &view, llvm::SmallPtrSetImpl<const ModuleClass *> &seen) {
    if (!seen.insert(&view).second)
      return false;
    if (view.record->isAbstract() && llvm::any_of(variantsOf(view), [](const ModuleClass *variant) {
          return variant->dependsOnMode == Answer::Yes;
        }))
      return true;
    const bool isAllSeen = view.record->forallBases([&](const clang::CXXRecordDecl *base) {
      if (!isModule(vocabulary.roleOf(base)))
        return true;
      if (vocabulary.isFramework(base))
        return vocabulary.traitOf(base) != Trait::Container;
      const ModuleClass *inherited = viewOf(base);
      return inherited && !mayHoldOwnModes(*inherited, seen);
    });
    return !isAllSeen || mayHoldOwnModes(view, seen);
  }

  bool mayHoldOwnModes(const ModuleClass &view, llvm::SmallPtrSetImpl<const ModuleClass *> &seen) {
    return llvm::any_of(view.members, [&](const ModuleMember &member) {
      const clang::QualType type = member.field->getType();
      if (!isModule(member.role) || modules.dependsOnMode(type) == Answer::No)
        return false;
      const clang::CXXRecordDecl *record = vocabulary.classOf(type);
      const ModuleClass *inner = viewOf(record);
      if (inner && (!inner->isVisible || inner->record->isAbstract()))
        return mayHoldModes(*inner, seen);
      return view.isVisible || !record || vocabulary.traitOf(record) != Trait::ModeByOption;
    });
  }

  Answer differentiates(const Event &forward) {
    if (!forward.callee || vocabulary.isFramework(forward.callee))
      return Answer::No;
    const auto isDifferentiation = [](const Event &event) {
      return event.kind == EventKind::Backward || event.kind == EventKind::Differentiate ||
             (event.kind == EventKind::RequireGrad && event.subject.role == TypeRole::Tensor &&
              event.constant == true);
    };
    const llvm::SmallVector<const FunctionBody *, 4> bodies = candidates(forward);
    if (bodies.empty())
      return takesTensors(*forward.callee) ? Answer::No : Answer::Unknown;
    return llvm::any_of(bodies,
                        [&](const FunctionBody *body) {
                          return runs(*body, isDifferentiation,
                                      [](const Event &) { return false; });
                        })
               ? Answer::Yes
               : Answer::No;
  }

  /// Whether all that the function takes are tensors and numbers.
  bool takesTensors(const clang::FunctionDecl &function) {
    return llvm::all_of(function.parameters(), [&](const clang::ParmVarDecl *parameter) {
      const clang::QualType type = parameter->getType().getNonReferenceType();
      const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
      const bool holdsThem = record && isStandard(record) && vocabulary.holdsTensors(type);
      return vocabulary.roleOf(type) == TypeRole::Tensor || vocabulary.isTensorList(type) ||
             holdsThem || type->isArithmeticType();
    });
  }

  bool mayBeGpu(PathId device) {
    if (!origins)
      origins.emplace(tables.paths, vocabulary, lowered, [this](const Event &call) {
        return isCall(call) ? bodyOf(call.callee) : nullptr;
      });
    return origins->mayBeGpu(device);
  }

  Interpreter interpreter;
  ModuleClasses modules;
};

UnitAnalysis::UnitAnalysis(clang::ASTContext &context, const Model &model, const UserCode &userCode)
    : implementation(std::make_unique<Implementation>(context, model, userCode)) {}

UnitAnalysis::~UnitAnalysis() = default;

const std::vector<Observation> &UnitAnalysis::observations() const {
  return implementation->interpreter.observations();
}

bool UnitAnalysis::keepsOrder(const clang::VarDecl &loader) const {
  return gradtidy::keepsOrder(loader, implementation->vocabulary);
}

UnitAnalysis::Producer UnitAnalysis::producerOf(const Value &value) const {
  return value.made ? implementation->producerOf(*value.made) : Producer();
}

Interpreter::Receiver UnitAnalysis::receiverOf(const Event &forward, unsigned operand) const {
  return implementation->interpreter.receiverOf(forward, operand);
}

std::optional<bool> UnitAnalysis::takesSecond(const Event &forward) const {
  return implementation->interpreter.takesSecond(forward);
}

const Event *UnitAnalysis::endTakenBy(const Event &forward) const {
  return implementation->interpreter.endTakenBy(forward);
}

bool UnitAnalysis::isPlainLoss(const Event &event) const {
  return event.kind == EventKind::Forward ? implementation->layerOf(event).isPlain
                                          : event.order.isPlain;
}

const Event *UnitAnalysis::makerOf(const Operand &loader, const State &state) const {
  if (const Event *made = state.valueOf(loader).made)
    return made->operation == Operation::MakeLoader ? made : nullptr;
  const PathStep &last = tables().paths.last(state.resolve(loader.path));
  return last.kind == PathStep::Member ? implementation->makerOf(last.subject) : nullptr;
}

bool UnitAnalysis::isSetUpOnly(const clang::FieldDecl &field) const {
  return implementation->isSetUpOnly(field.getCanonicalDecl());
}

bool UnitAnalysis::isCalled(const FunctionBody &function) const {
  return implementation->callers.contains(&function);
}

llvm::ArrayRef<const FunctionBody *> UnitAnalysis::callersOf(const FunctionBody &function) const {
  const auto known = implementation->callers.find(&function);
  if (known == implementation->callers.end())
    return {};
  return known->second;
}

llvm::ArrayRef<const FunctionBody *> UnitAnalysis::launchers() const {
  return implementation->launchers;
}

const KernelCare &UnitAnalysis::kernelCareOf(const FunctionBody &function) const {
  static const KernelCare none;
  const auto known = implementation->kernelCare.find(&function);
  return known == implementation->kernelCare.end() ? none : known->second;
}

bool UnitAnalysis::isHandedOn(const FunctionBody &function) const {
  return implementation->handedOn.contains(function.function->getCanonicalDecl());
}

bool UnitAnalysis::isProgram() const { return implementation->isProgram; }

const Uses &UnitAnalysis::uses() const { return implementation->interpreter.uses(); }
const Tables &UnitAnalysis::tables() const { return implementation->tables; }
bool UnitAnalysis::enablesGradients(const FunctionBody &function) const {
  return implementation->enablesGradients(function);
}
bool UnitAnalysis::assumesFloats() const { return implementation->assumesFloats; }

bool UnitAnalysis::keepsDefaultType() const { return implementation->keepsDefaultType; }

bool UnitAnalysis::keepsElements() const {
  return implementation->assumesFloats && implementation->isProgram;
}

bool UnitAnalysis::movesModules() const { return implementation->movesModules; }
bool UnitAnalysis::mayBeGpu(Device device) const {
  return device.kind == Device::Cuda ||
         (device.kind == Device::Symbol && implementation->mayBeGpu(device.id));
}
const std::vector<ModuleClass> &UnitAnalysis::classes() const {
  return implementation->modules.all();
}

const ModuleClass *UnitAnalysis::classOf(const Event &event) const {
  const clang::Expr *module = event.subject.expr;
  return module
             ? implementation->viewOf(implementation->vocabulary.classOf(strip(module)->getType()))
             : nullptr;
}

Answer UnitAnalysis::dependsOnMode(const Event &event) const {
  if (!event.subject.expr)
    return Answer::Unknown;
  Answer answer = implementation->modules.dependsOnMode(event.subject.expr);
  const ModuleClass *view = answer == Answer::Unknown ? classOf(event) : nullptr;
  return view && !implementation->mayHoldModes(*view) ? Answer::No : answer;
}

bool UnitAnalysis::isStateless(const Event &event) const {
  const ModuleClass *view = classOf(event);
  if (!view || dependsOnMode(event) != Answer::No)
    return false;
  if (!view->record->isAbstract())
    return implementation->isStateless(*view);
  llvm::SmallVector<const ModuleClass *, 4> variants = implementation->variantsOf(*view);
  return !variants.empty() && llvm::all_of(variants, [&](const ModuleClass *variant) {
    return implementation->isStateless(*variant);
  });
}

Answer UnitAnalysis::differentiates(const Event &event) const {
  return event.kind == EventKind::Forward ? implementation->differentiates(event) : Answer::No;
}

bool UnitAnalysis::isModeSetUp(const clang::FieldDecl *field) const {
  return implementation->modeSetUps.contains(field);
}

bool UnitAnalysis::isLayer(const Event &event) const {
  const clang::Expr *module = event.subject.expr;
  Vocabulary &vocabulary = implementation->vocabulary;
  const clang::CXXRecordDecl *record = module ? vocabulary.classOf(module->getType()) : nullptr;
  if (!record || !vocabulary.isFramework(record))
    return false;
  Trait trait = vocabulary.traitOf(record);
  return trait != Trait::Container && trait != Trait::Opaque;
}

const FunctionBody *UnitAnalysis::bodyOf(const clang::FunctionDecl &function) const {
  return implementation->bodyOf(&function);
}

bool UnitAnalysis::runs(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one,
                        llvm::function_ref<bool(const Event &)> unseen) const {
  return implementation->runs(function, one, unseen);
}

bool UnitAnalysis::callsTraining(const Event &event) const {
  return event.kind == EventKind::Call && implementation->callsTraining(event);
}

bool UnitAnalysis::mayClear(const clang::FieldDecl &field) const {
  return implementation->mayClear(field);
}

bool UnitAnalysis::normalizesBatches(const Event &event) const {
  return event.subject.expr &&
         implementation->modules.normalizesBatches(event.subject.expr) == Answer::Yes;
}

ModuleSize UnitAnalysis::sizeOf(const Event &event) const {
  return event.subject.expr ? implementation->modules.sizeOf(event.subject.expr) : ModuleSize();
}

bool UnitAnalysis::onlyInfers() const { return implementation->onlyInfers(); }

bool UnitAnalysis::changesTensors(const FunctionBody *except) const {
  return implementation->changesTensors(except);
}

size_t UnitAnalysis::functionCount() const { return implementation->functionCount; }

llvm::ArrayRef<const FunctionBody *> UnitAnalysis::cutShort() const {
  return implementation->interpreter.cutShort();
}

clang::ASTContext &UnitAnalysis::context() const { return implementation->context; }

} // namespace gradtidy
