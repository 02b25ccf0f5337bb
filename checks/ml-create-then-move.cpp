// A tensor that is made on the CPU and then moved costs a copy over the bus and holds the CPU up,
// each time; the factory can make it on the GPU.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Loops.h"

#include "analyzer/events/values/Syntax.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace gradtidy {
namespace {

/// How often an event happens.
enum class Heat {
  None,    ///< Once, or now and then.
  Often,   ///< For each of the tensors that somebody hands over.
  Training ///< In every step of a training, or every forward pass.
};

class CreateThenMove : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &move = visit.event;
    if (move.kind != EventKind::Move || !move.subject.expr)
      return;
    const Value value = visit.before.valueOf(move.subject);
    const Event *creation = value.freshOnHost;
    const Operand *target = deviceIn(move);
    if (!creation || !isMadeUp(*creation) || !target || !mayGoToGpu(visit, *target))
      return;
    const bool isNeededOnHost = visit.unit.uses().isNeededOnHost(*creation);
    if (move.function != creation->function)
      return onMaker(visit, value, isNeededOnHost, reporter);
    if (!isMadeEachTime(move, *creation) || isNeededOnHost)
      return;
    const std::optional<Level> level =
        levelOf(heatOf(visit), *creation, value.hasDimensions, isInInnerLoop(visit));
    if (!level)
      return;
    // Of several ways to it the worst counts.
    const auto [known, isNew] = reported.try_emplace(creation, *level);
    if (!isNew && known->second <= *level)
      return;
    known->second = *level;

    const bool isConstant = nameOf(*creation) == "tensor";
    Finding finding(*level, {creation->site->getBeginLoc(), move.site->getSourceRange()},
                    isConstant ? "these constants are copied to the GPU each time; the tensor can "
                                 "be made and moved once"
                               : "the tensor is made on the CPU and copied to the GPU each time, "
                                 "instead of being made there");
    if (!contains(visit, move.site, creation->site)) {
      finding.range = creation->site->getSourceRange();
      finding.notes.push_back({move, "it is copied here"});
    }
    if (!isConstant)
      finding.fixes = makeThere(visit, *creation, *target);
    reporter.report(std::move(finding));
  }

private:
  /// A tensor that a function of the user's makes of numbers alone.
  void onMaker(const Visit &visit, const Value &value, bool isNeededOnHost, Reporter &reporter) {
    const Event &move = visit.event;
    const clang::CallExpr *call = makerOf(*move.subject.expr);
    const clang::FunctionDecl *maker = call ? call->getDirectCallee() : nullptr;
    if (!maker || !maker->getIdentifier() || value.isNoise || !value.hasDimensions ||
        !isOfNumbers(*maker) || !makesTheSame(*maker) ||
        move.function->loopsAround(move.site) != move.function->loopsAround(call) ||
        (isNeededOnHost && !llvm::all_of(call->arguments(), [&](const clang::Expr *argument) {
           return isSteady(*argument, visit.context);
         })))
      return;
    const Heat heat = heatOf(visit);
    if (heat == Heat::None || !made.insert(call).second)
      return;
    Finding finding(heat == Heat::Training ? Level::Likely : Level::Advice, move,
                    "'" + maker->getNameAsString() +
                        "' makes the tensor on the CPU, and it is copied to the GPU, each time; " +
                        (isNeededOnHost ? "made and copied once, it can stay there"
                                        : "it can be made there, or once"));
    finding.notes.push_back({*call, "it is made here"});
    reporter.report(std::move(finding));
  }

  /// The call of a function outside of classes that has made \p tensor, or null.
  static const clang::CallExpr *makerOf(const clang::Expr &tensor) {
    const clang::Expr *value = tensor.IgnoreUnlessSpelledInSource();
    for (unsigned depth = 0; depth < 8; ++depth) {
      const auto *method = llvm::dyn_cast<clang::CXXMemberCallExpr>(value);
      const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(value);
      const auto *variable =
          reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
      if (method)
        value = method->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource();
      else if (variable && variable->isLocalVarDecl() && !variable->isStaticLocal() &&
               variable->hasInit())
        value = variable->getInit()->IgnoreUnlessSpelledInSource();
      else
        break;
    }
    return llvm::isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(value)
               ? nullptr
               : llvm::dyn_cast<clang::CallExpr>(value);
  }

  static bool isOfNumbers(const clang::FunctionDecl &maker) {
    return !llvm::isa<clang::CXXMethodDecl>(maker) && maker.getNumParams() > 0 &&
           llvm::all_of(maker.parameters(), [](const clang::ParmVarDecl *parameter) {
             const clang::QualType type = parameter->getType().getNonReferenceType();
             return type->isArithmeticType() && type->getAs<clang::EnumType>() == nullptr;
           });
  }

  /// Whether the same numbers make the same tensor: nothing else is asked, neither chance nor the
  /// world.
  static bool makesTheSame(const clang::FunctionDecl &maker, unsigned depth = 0) {
    const clang::FunctionDecl *definition = nullptr;
    if (depth == 4 || !maker.hasBody(definition))
      return false;
    bool isSame = true;
    forEach(definition->getBody(), [&](const clang::Stmt *part) {
      if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(part)) {
        const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
        isSame &=
            !variable || (variable->hasGlobalStorage() ? variable->getType().isConstQualified()
                                                       : isPlain(variable->getType()));
      }
      isSame &= !llvm::isa<clang::StringLiteral>(part);
      const auto *call = llvm::dyn_cast<clang::CallExpr>(part);
      const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
      if (!call || !isSame)
        return;
      const llvm::StringRef name =
          callee && callee->getIdentifier() ? callee->getName() : llvm::StringRef();
      isSame = callee && !name.contains("rand") && name != "normal" && name != "bernoulli" &&
               (callee->getBuiltinID() != 0 || isOfLibrary(*callee) ||
                (isOfNumbers(*callee) && makesTheSame(*callee, depth + 1)));
    });
    return isSame;
  }

  /// Whether a variable of the type holds numbers, tensors, or lists of them.
  static bool isPlain(clang::QualType type) {
    type = type.getNonReferenceType();
    if (type->isPointerType())
      type = type->getPointeeType();
    const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
    if (!record)
      return type->isArithmeticType() || type->isArrayType();
    return isOfLibrary(*record) && (outermostNamespace(*record) != "std" ||
                                    record->getName() == "vector" || record->getName() == "array");
  }

  static llvm::StringRef outermostNamespace(const clang::Decl &declaration) {
    llvm::StringRef name;
    for (const clang::DeclContext *outer = declaration.getDeclContext(); outer;
         outer = outer->getParent())
      if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(outer))
        name = space->getName();
    return name;
  }

  /// Whether the standard library or the framework declares it.
  static bool isOfLibrary(const clang::Decl &declaration) {
    return llvm::is_contained({"std", "torch", "at", "c10"}, outermostNamespace(declaration));
  }

  /// Whether \p number is mostly the same: a constant, a size, what need not be told.
  static bool isSteady(const clang::Expr &number, const clang::ASTContext &context) {
    const clang::Expr *value = number.IgnoreUnlessSpelledInSource();
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(value);
    const auto *parameter =
        reference ? llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl()) : nullptr;
    const auto *variable =
        reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    if (llvm::isa<clang::CXXDefaultArgExpr>(number) ||
        (!value->isValueDependent() && value->isEvaluatable(context)))
      return true;
    if (parameter) {
      const auto *function = llvm::cast<clang::FunctionDecl>(parameter->getDeclContext());
      return llvm::any_of(function->redecls(), [&](const clang::FunctionDecl *each) {
        return each->getParamDecl(parameter->getFunctionScopeIndex())->hasDefaultArg();
      });
    }
    if (variable)
      return variable->hasInit() && isSteady(*variable->getInit(), context);
    return calledName(value) == "size";
  }

  llvm::DenseSet<const clang::CallExpr *> made; ///< What is said of calls of makers.

  /// Constants are few: they count where the time of every step does. A single number counts less
  /// still, unless it is copied several times a step.
  static std::optional<Level> levelOf(Heat heat, const Event &creation, bool hasDimensions,
                                      bool isInInnerLoop) {
    if (heat == Heat::None)
      return std::nullopt;
    if (!hasDimensions && heat != Heat::Training)
      return std::nullopt;
    if (!hasDimensions)
      return isInInnerLoop ? Level::Likely : Level::Advice;
    return nameOf(creation) == "tensor" && heat != Heat::Training ? Level::Advice : Level::Likely;
  }

  static Heat heatOf(const Visit &visit) {
    llvm::SmallVector<const Event *, 8> frames(visit.callers);
    frames.push_back(&visit.event);
    if (llvm::any_of(frames, [](const Event *frame) { return isKept(*frame); }))
      return Heat::None;
    if (const TrainingLoop training = trainingLoopAround(visit); training.loop) {
      const auto within = std::next(llvm::find(frames, training.event));
      return llvm::any_of(llvm::make_range(within, frames.end()),
                          [&](const Event *frame) {
                            return isPerEpoch(visit, *frame) || isOfConstructor(*frame);
                          })
                 ? Heat::None
                 : Heat::Training;
    }
    bool isOfTensors = false, isOfModule = false, isOften = false;
    for (const Event *frame : llvm::reverse(frames)) {
      const FunctionBody &function = *frame->function;
      const bool isPass = function.isModuleMethod && computes(visit, function);
      if (isOfModule && !isPass)
        return Heat::Training;
      if (!isOften && !isPass && (runsModuleAround(visit, *frame) || givesSample(*frame))) {
        isOften = true;
        continue;
      }
      if (isOften ? isNowAndThen(*frame) : isRare(visit, *frame) || isOfData(function))
        return Heat::None;
      if (function.isStep)
        return Heat::Training;
      isOfModule = isPass && !isOften;
      isOfTensors |= computes(visit, function);
      // What a module makes is worked on.
      const bool isMain = function.function->isMain();
      isOften |= !isOfModule && isOfTensors && runsModule(function) && !isOfConstructor(*frame) &&
                 (!isMain || !function.loopsAround(frame->site).empty());
    }
    if (isOften)
      return Heat::Often;
    if (isOfModule)
      return Heat::Training;
    // Where nobody is seen to call it, what it is given may be anything.
    const FunctionBody &first = *frames.front()->function;
    return computes(visit, first) && !visit.unit.callGraph().isCalled(first) &&
                   !isOnlyOfMain(visit, first)
               ? Heat::Often
               : Heat::None;
  }

  /// Whether the event is part of what sets an object up, or of some rounds of a loop only.
  static bool isNowAndThen(const Event &event) {
    const FunctionBody &function = *event.function;
    const auto loops = function.loopsAround(event.site);
    if (isOfConstructor(event) || loops.empty())
      return isOfConstructor(event);
    return function.isConditional(usualOf(function, event.site), loops.front());
  }

  /// \p site, or what around it runs it, but for an exception, whenever it runs: a branch for all
  /// cases but one, or for training.
  static const clang::Stmt *usualOf(const FunctionBody &function, const clang::Stmt *site) {
    const clang::Stmt *inner = site;
    for (const clang::Stmt *outer = function.statementAround(site); outer;
         outer = function.statementAround(inner = outer)) {
      if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(outer))
        break;
      const auto *choice = llvm::dyn_cast<clang::IfStmt>(outer);
      if (!choice || inner == choice->getCond())
        continue;
      if (choice->getElse() == inner ? !asksForOneCase(*choice->getCond())
                                     : calledName(choice->getCond()) != "is_training")
        break;
      site = choice;
    }
    return site;
  }

  /// `i == n`
  static bool asksForOneCase(const clang::Expr &condition) {
    const auto *comparison =
        llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreUnlessSpelledInSource());
    return comparison && comparison->getOpcode() == clang::BO_EQ;
  }

  /// Whether only the source of a program with that main function can call \p function.
  static bool isOnlyOfMain(const Visit &visit, const FunctionBody &function) {
    const clang::SourceManager &sources = visit.context.getSourceManager();
    const auto isInSource = [&](const clang::Decl *declaration) {
      return sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation()));
    };
    const clang::FunctionDecl &own = *function.function;
    return !llvm::isa<clang::CXXMethodDecl>(own) && llvm::all_of(own.redecls(), isInSource) &&
           llvm::any_of(visit.context.getTranslationUnitDecl()->decls(), [&](clang::Decl *each) {
             const auto *other = llvm::dyn_cast<clang::FunctionDecl>(each);
             return other && other->isMain() && isInSource(other);
           });
  }

  static bool isOfConstructor(const Event &event) {
    return llvm::isa<clang::CXXConstructorDecl>(event.function->function);
  }

  /// Whether the event stands in a function that trains in a loop, but not in that loop.
  static bool isPerEpoch(const Visit &visit, const Event &event) {
    const FunctionBody &function = *event.function;
    const auto own = function.loopsAround(event.site);
    const auto isTrainedInLoop = [&](const Event &each) {
      const bool isTraining = each.kind == EventKind::Backward || each.kind == EventKind::Step ||
                              visit.unit.effects().callsTraining(each);
      return isTraining && llvm::any_of(function.loopsAround(each.site), [&](const auto *loop) {
               return !llvm::is_contained(own, loop);
             });
    };
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, isTrainedInLoop);
    });
  }

  /// Whether a function makes tensors of tensors: of those that it is given, or of its object's.
  static bool computes(const Visit &visit, const FunctionBody &function) {
    return function.returnsTensors && (llvm::any_of(function.parameters,
                                                    [](const FunctionBody::Parameter &parameter) {
                                                      return parameter.place.isTensor;
                                                    }) ||
                                       (function.thisObject && combinesMembers(visit, function)));
  }

  static bool combinesMembers(const Visit &visit, const FunctionBody &function) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isMember = [&](const Operand &operand) {
      return operand.isTensor && operand.path && operand.path != function.thisObject &&
             paths.rootOf(operand.path) == function.thisObject;
    };
    return llvm::any_of(function.blocks, [&](const Block &block) {
      return llvm::any_of(block.events, [&](const Event &event) {
        return event.kind == EventKind::Combine && event.isTensor &&
               (isMember(event.subject) || llvm::any_of(event.operands, isMember));
      });
    });
  }

  /// Whether a function works on the CPU for a data loader, or runs who knows where.
  static bool isOfData(const FunctionBody &function) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function.function);
    return function.isOfDataset ||
           (function.isCallback && !function.isModuleMethod && !function.isStep) ||
           (method && method->getParent()->isLambda());
  }

  static bool runsModule(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(block.events,
                          [](const Event &event) { return event.kind == EventKind::Forward; });
    });
  }

  /// Whether the event is part of how a list of samples of the user's own gives one of them. What
  /// the framework's data sets do is on the CPU.
  static bool givesSample(const Event &event) {
    const FunctionBody &function = *event.function;
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function.function);
    const auto isNamed = [](const clang::CXXMethodDecl *method,
                            llvm::ArrayRef<llvm::StringRef> names) {
      return method->getIdentifier() &&
             llvm::is_contained(names, llvm::StringRef(method->getName().lower()));
    };
    return method && function.returnsTensors && !function.isOfDataset && !function.isModuleMethod &&
           method->getNumParams() == 1 &&
           method->getParamDecl(0)->getType().getNonReferenceType()->isIntegerType() &&
           isNamed(method, {"get", "getitem", "get_item", "__getitem__", "at"}) &&
           llvm::any_of(method->getParent()->methods(),
                        [&](const clang::CXXMethodDecl *each) {
                          return isNamed(each, {"size", "length", "len", "__len__"});
                        }) &&
           !function.isConditional(event.site);
  }

  /// Whether each round of the loop around the event runs a module, and the event.
  static bool runsModuleAround(const Visit &visit, const Event &event) {
    const FunctionBody &function = *event.function;
    const auto loops = function.loopsAround(event.site);
    if (loops.empty() || function.isConditional(event.site, loops.front()))
      return false;
    const auto isAround = [&](const Event &other) {
      return isModuleCall(other) && !other.isStateless &&
             function.loopsAround(other.site) == loops &&
             !function.isConditional(other.site, loops.front());
    };
    return llvm::any_of(function.blocks,
                        [&](const Block &block) { return llvm::any_of(block.events, isAround); });
  }

  /// Whether the event is left out on many runs of its function. One that makes tensors of tensors
  /// calls what it has been made to call, and leaves early what is an exception, unless it keeps
  /// something.
  static bool isRare(const Visit &visit, const Event &event) {
    const FunctionBody &function = *event.function;
    const bool isSteady =
        function.isStep || (computes(visit, function) && !keepsTensors(visit, function));
    if (isSteady && &event == &visit.event)
      return function.isInBranch(usualOf(function, event.site));
    // What is made anew where what is kept will not do: `if (length > cached) extend(length);`
    if (const FunctionBody *callee =
            event.callee ? visit.unit.callGraph().bodyOf(*event.callee) : nullptr;
        isSteady && callee && keepsTensors(visit, *callee))
      return function.isInBranch(event.site);
    return !isSteady && function.isConditional(event.site);
  }

  /// Whether a function stores tensors in what outlives it.
  static bool keepsTensors(const Visit &visit, const FunctionBody &function) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isStore = [&](const Event &event) {
      const bool isBind = event.kind == EventKind::Bind;
      // What is called for its result is no container.
      const bool isAdded = event.subject.escapes && event.subject.role == TypeRole::None &&
                           (event.kind == EventKind::Combine || !event.isTensor);
      if (!event.subject.path || !(isBind || isAdded) ||
          llvm::none_of(event.operands, [](const Operand &each) { return each.isTensor; }))
        return false;
      const PathStep &root = paths.last(paths.rootOf(event.subject.path));
      if (root.kind != PathStep::Variable)
        return root.kind == PathStep::This;
      const auto *variable = static_cast<const clang::VarDecl *>(root.subject);
      return variable->hasGlobalStorage() ||
             (llvm::isa<clang::ParmVarDecl>(variable) && variable->getType()->isReferenceType());
    };
    return llvm::any_of(function.blocks,
                        [&](const Block &block) { return llvm::any_of(block.events, isStore); });
  }

  /// Whether the event makes the value that a static variable begins with.
  static bool isKept(const Event &event) {
    const clang::Stmt *statement = event.function->statementOf(event.site);
    const auto *declared = llvm::dyn_cast_or_null<clang::DeclStmt>(statement);
    return declared && llvm::any_of(declared->decls(), [](const clang::Decl *each) {
             const auto *variable = llvm::dyn_cast<clang::VarDecl>(each);
             return variable && variable->isStaticLocal();
           });
  }

  /// Whether the tensor is not made once and moved many times.
  static bool isMadeEachTime(const Event &move, const Event &creation) {
    return move.function == creation.function &&
           move.function->loopsAround(move.site) == creation.function->loopsAround(creation.site);
  }

  static bool isInInnerLoop(const Visit &visit) {
    const Event &event = visit.event;
    const clang::Stmt *training = trainingLoopAround(visit).loop;
    const auto loops = event.function->loopsAround(event.site);
    return !loops.empty() && loops.front() != training;
  }

  /// What the tensor is moved to: a device, or to where another tensor is.
  static const Operand *deviceIn(const Event &move) {
    const auto isTensor = [](const Operand &operand) { return operand.role == TypeRole::Tensor; };
    const Operand *target = targetOf(move);
    const auto *other = llvm::find_if(move.operands, isTensor);
    return target || other == move.operands.end() ? target : other;
  }

  static llvm::StringRef nameOf(const Event &creation) {
    const auto *call = llvm::dyn_cast<clang::CallExpr>(creation.site);
    const clang::FunctionDecl *factory = call ? call->getDirectCallee() : nullptr;
    return factory && factory->getIdentifier() ? factory->getName() : llvm::StringRef();
  }

  /// Whether a factory makes up the values; those of batches are read.
  static bool isMadeUp(const Event &creation) {
    const auto isLoader = [](const Operand &each) { return each.role == TypeRole::DataLoader; };
    return !nameOf(creation).empty() && creation.operation != Operation::WrapMemory &&
           llvm::none_of(creation.operands, isLoader);
  }

  /// Gives the device to the factory, where it is all that the move is told.
  static Fix makeThere(const Visit &visit, const Event &creation, const Operand &target) {
    const auto *move = llvm::dyn_cast<clang::CXXMemberCallExpr>(visit.event.site);
    const auto *call = llvm::cast<clang::CallExpr>(creation.site);
    if (!move || call->getBeginLoc().isMacroID() || move->getEndLoc().isMacroID() ||
        target.role == TypeRole::Tensor)
      return {};
    const auto isGiven = [](const clang::Expr *argument) {
      return !llvm::isa<clang::CXXDefaultArgExpr>(argument);
    };
    const auto given = llvm::count_if(move->arguments(), isGiven);
    const std::string device = given == 0 ? "torch::kCUDA" : textOf(visit, target.expr).str();
    const bool hasOptions = llvm::any_of(creation.operands, [](const Operand &operand) {
      return operand.role == TypeRole::Device && operand.expr;
    });
    const bool isDirect = move->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource() == call;
    if (given > 1 || device.empty() || hasOptions || !isDirect)
      return {};
    const clang::SourceLocation end = endOf(visit, call);
    return {clang::FixItHint::CreateInsertion(call->getRParenLoc(), ", " + device),
            clang::FixItHint::CreateRemoval(
                clang::CharSourceRange::getCharRange(end, endOf(visit, move)))};
  }

  llvm::DenseMap<const Event *, Level> reported;
};

} // namespace

std::unique_ptr<Check> makeCreateThenMove() { return std::make_unique<CreateThenMove>(); }

} // namespace gradtidy
