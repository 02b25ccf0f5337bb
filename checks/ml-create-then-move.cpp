// A tensor that is made on the CPU and then moved costs a copy over the bus and holds the CPU up,
// each time; the factory can make it on the GPU.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"
#include "Fixes.h"
#include "Loops.h"
#include "Moments.h"
#include "analyzer/ir/UserWords.h"

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
  bool wants(const Moment &moment) const override {
    return mayMoveInVain(moment) ||
           (movesTensor(moment.event) && (moment.event.namesGpu || moment.event.isAsync));
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &move = visit.event;
    if (!move.subject.expr)
      return;
    const Value value = visit.before.valueOf(move.subject);
    const Event *creation = value.placement.freshOnHost;
    const Operand *target = deviceIn(move);
    if (!creation || !isMadeUp(*creation) || !target || !mayGoToGpu(visit, *target) ||
        !mayBeMadeThere(visit, *creation))
      return;
    const bool isNeededOnHost = visit.unit.uses().isNeededOnHost(*creation);
    if (move.function != creation->function)
      return onMaker(visit, value, isNeededOnHost, reporter);
    if (!isMadeEachTime(move, *creation) || isNeededOnHost)
      return;
    const std::optional<Level> level =
        levelOf(heatOf(visit), *creation, value.placement.hasDimensions, isInInnerLoop(visit));
    if (!level)
      return;
    // Of several ways to it the worst counts.
    const auto [known, isNew] = reported.try_emplace(creation, *level);
    if (!isNew && known->second <= *level)
      return;
    known->second = *level;

    const bool isConstant = listsValues(*creation);
    const bool isOne = contains(visit, move.site, creation->site);
    Finding finding(*level, {creation->site->begin(), (isOne ? move : *creation).site->range},
                    isConstant ? "these constants are copied to the GPU each time; the tensor can "
                                 "be made and moved once"
                               : "the tensor is made on the CPU and copied to the GPU each time, "
                                 "instead of being made there");
    if (!isOne)
      finding.notes.push_back({move, "it is copied here"});
    if (!isConstant)
      finding.fixes = makeThere(visit, *creation, *target);
    reporter.report(std::move(finding));
  }

private:
  /// A tensor that a function of the user's makes of numbers alone.
  void onMaker(const Visit &visit, const Value &value, bool isNeededOnHost, Reporter &reporter) {
    const Event &move = visit.event;
    const ir::Node *call = makerOf(*move.subject.expr);
    const ir::Symbol *maker = call ? call->symbol : nullptr;
    if (!maker || maker->name.empty() || value.meaning.isNoise || !value.placement.hasDimensions ||
        !isOfNumbers(*maker) || !makesTheSame(visit, *maker) ||
        move.function->loopsAround(move.site) != move.function->loopsAround(call) ||
        (isNeededOnHost && !llvm::all_of(call->arguments, [&](const ir::Node *argument) {
           return isSteady(visit, *argument);
         })))
      return;
    const Heat heat = heatOf(visit);
    if (heat == Heat::None || !made.insert(call).second)
      return;
    Finding finding(heat == Heat::Training ? Level::Likely : Level::Advice, move,
                    "'" + maker->spelling.str() +
                        "' makes the tensor on the CPU, and it is copied to the GPU, each time; " +
                        (isNeededOnHost ? "made and copied once, it can stay there"
                                        : "it can be made there, or once"));
    finding.notes.push_back({*call, "it is made here"});
    reporter.report(std::move(finding));
  }

  /// The call of a function outside of classes, or of a method of the same object, that has made
  /// \p tensor, or null.
  static const ir::Node *makerOf(const ir::Node &tensor) {
    const ir::Node *value = &tensor.spelled();
    for (unsigned depth = 0; depth < 8; ++depth) {
      const ir::Symbol *variable = ir::variableIn(value);
      if (value->kind == ir::NodeKind::MemberCall) {
        if (ir::as(ir::NodeKind::This, value->object))
          return value;
        value = &value->object->spelled();
      } else if (variable && variable->isLocal && !variable->isStatic && variable->init)
        value = &variable->init->spelled();
      else
        break;
    }
    return value->kind == ir::NodeKind::MemberCall || value->kind == ir::NodeKind::OperatorCall
               ? nullptr
               : ir::asCall(value);
  }

  static bool isOfNumbers(const ir::Symbol &maker) {
    return !maker.parameters.empty() &&
           llvm::all_of(maker.parameters, [](const ir::Symbol *parameter) {
             return parameter->type->isArithmetic && !parameter->type->isEnumeration;
           });
  }

  /// Whether the same numbers make the same tensor: nothing else is asked, neither chance nor the
  /// world.
  static bool makesTheSame(const Visit &visit, const ir::Symbol &maker, unsigned depth = 0) {
    const ir::Node *body = depth < 4 ? ir::codeOf(maker) : nullptr;
    if (!body)
      return false;
    bool isSame = true;
    ir::forEach(body, [&](const ir::Node &part) {
      const ir::Symbol *named = part.kind == ir::NodeKind::Reference ? part.symbol : nullptr;
      if (named && named->isVariable())
        isSame &= named->isStatic ? named->type->isConst && !named->type->isReference
                                  : isPlain(*named->type);
      isSame &= part.kind != ir::NodeKind::String && part.kind != ir::NodeKind::This;
      if (!part.isCall() || !isSame)
        return;
      const ir::Symbol *callee = part.symbol;
      isSame = callee && callee->trait != Trait::MakesRandom &&
               !words::speaksOfChance(callee->name) &&
               (callee->isBuiltin || isOfLibrary(*callee) ||
                (isOfNumbers(*callee) && makesTheSame(visit, *callee, depth + 1)));
    });
    return isSame;
  }

  /// Whether a variable of the type holds numbers, tensors, or lists of them.
  static bool isPlain(const ir::Type &type) {
    const ir::Type &object = type.isPointer && type.pointee ? *type.pointee : type;
    if (!object.record)
      return object.isArithmetic || object.isArray;
    return isOfLibrary(*object.record) &&
           (!object.record->isStandard || object.name == "vector" || object.name == "array");
  }

  /// Whether the standard library or the framework declares it.
  static bool isOfLibrary(const ir::Symbol &symbol) {
    return symbol.isStandard || symbol.isFramework;
  }

  /// Whether \p number is mostly the same: a constant, a size, what need not be told.
  static bool isSteady(const Visit &visit, const ir::Node &number) {
    const ir::Node &value = number.spelled();
    if (number.kind == ir::NodeKind::DefaultArgument || value.isConstant)
      return true;
    const ir::Symbol *variable = ir::variableIn(&value);
    if (variable && variable->kind == ir::SymbolKind::Parameter)
      return variable->hasDefault;
    if (variable)
      return variable->init && isSteady(visit, *variable->init);
    return value.calls(Operation::CountElements) || words::countsEntries(value.calledName());
  }

  llvm::DenseSet<const ir::Node *> made; ///< What is said of calls of makers.

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
    return listsValues(creation) && heat != Heat::Training ? Level::Advice : Level::Likely;
  }

  static Heat heatOf(const Visit &visit) {
    const Frames frames = framesOf(visit);
    if (llvm::any_of(frames, [](const Event *frame) { return isKept(*frame); }))
      return Heat::None;
    const ir::Node *usual = usualOf(*visit.event.function, visit.event.site);
    if (const TrainingLoop training = trainingLoopAround(visit, usual); training.loop) {
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
      if (!isOften && !isPass && (runsModuleAround(visit, *frame) || givesSample(visit, *frame))) {
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
      const bool isMain = function.function->isMain;
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

  /// Whether only the source of a program with its main function can call \p function, which is
  /// no method.
  static bool isOnlyOfMain(const Visit &visit, const FunctionBody &function) {
    const auto isMain = [](const FunctionBody *each) {
      return each->function->isMain && each->function->isOfMainFile;
    };
    return !function.function->isMethod() && function.function->isOfMainFile &&
           llvm::any_of(visit.unit.callGraph().functions(), isMain);
  }

  /// Whether the event is part of what sets an object up, or of some rounds of a loop only.
  static bool isNowAndThen(const Event &event) {
    const FunctionBody &function = *event.function;
    const auto loops = function.loopsAround(event.site);
    if (isOfConstructor(event) || loops.empty())
      return isOfConstructor(event);
    return function.isConditional(usualOf(function, event.site), loops.front());
  }

  /// Whether all that the branch does is to move tensors: `if (onGpu) x = x.cuda();`
  static bool onlyMoves(const ir::Node &branch) {
    if (branch.kind == ir::NodeKind::Compound)
      return llvm::all_of(branch.children, [](const ir::Node *each) { return onlyMoves(*each); });
    const ir::Node *call =
        branch.isAssignment() || branch.op == "=" ? ir::asCall(&branch) : nullptr;
    if (!call || call->arguments.size() != 2)
      return false;
    const ir::Symbol *target = ir::variableIn(ir::stripped(call->arguments.front()));
    const ir::Node *move = ir::asCall(&call->arguments.back()->spelled());
    return target && move && move->symbol && move->object &&
           ir::variableIn(ir::stripped(move->object)) == target &&
           llvm::is_contained(
               {FunctionRole::Move, FunctionRole::MoveToCpu, FunctionRole::MoveToCuda},
               move->symbol->purpose);
  }

  /// \p site, or what around it runs it, but for an exception, whenever it runs: a branch for all
  /// cases but one, or for training, or for tensors that are moved.
  static const ir::Node *usualOf(const FunctionBody &function, const ir::Node *site) {
    const ir::Node *inner = site;
    for (const ir::Node *outer = function.statementAround(site); outer;
         outer = function.statementAround(inner = outer)) {
      if (outer->isLoop())
        break;
      const ir::Node *choice = ir::as(ir::NodeKind::If, outer);
      if (!choice || inner == choice->condition)
        continue;
      if (choice->otherwise == inner ? !asksForOneCase(*choice->condition)
                                     : !choice->condition->spelled().calls(Aspect::AsksForMode) &&
                                           (choice->otherwise || !onlyMoves(*inner)))
        break;
      site = choice;
    }
    return site;
  }

  /// `i == n`
  static bool asksForOneCase(const ir::Node &condition) {
    const ir::Node &comparison = condition.spelled();
    return comparison.kind == ir::NodeKind::Binary && comparison.op == "==";
  }

  static bool isOfConstructor(const Event &event) {
    return event.function->function->kind == ir::SymbolKind::Constructor;
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
    return function.isOfDataset ||
           (function.isCallback && !function.isModuleMethod && !function.isStep) ||
           function.function->isClosure;
  }

  static bool runsModule(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(block.events,
                          [](const Event &event) { return event.kind == EventKind::Forward; });
    });
  }

  /// Whether the event is part of how a list of samples of the user's own gives one of them. What
  /// the framework's data sets do is on the CPU.
  static bool givesSample(const Visit &visit, const Event &event) {
    const FunctionBody &function = *event.function;
    const ir::Symbol &method = *function.function;
    return method.isMethod() && function.returnsTensors && !function.isOfDataset &&
           !function.isModuleMethod && method.parameters.size() == 1 &&
           method.parameters.front()->type->isInteger && words::givesEntry(method.name) &&
           llvm::any_of(
               ir::classOf(*method.owner).methods,
               [&](const ir::Method &each) { return words::countsEntries(each.symbol->name); }) &&
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
      const ir::Symbol &variable = *root.symbol();
      return variable.isStatic ||
             (variable.kind == ir::SymbolKind::Parameter && variable.type->isReference);
    };
    return llvm::any_of(function.blocks,
                        [&](const Block &block) { return llvm::any_of(block.events, isStore); });
  }

  /// Whether the event makes the value that a static variable begins with.
  static bool isKept(const Event &event) {
    const ir::Node *statement = event.function->statementOf(event.site);
    return statement && llvm::any_of(statement->declared, [](const ir::Symbol *variable) {
             return variable->isLocal && variable->isStatic;
           });
  }

  /// Whether the tensor is not made once and moved many times.
  static bool isMadeEachTime(const Event &move, const Event &creation) {
    return move.function == creation.function &&
           move.function->loopsAround(move.site) == creation.function->loopsAround(creation.site);
  }

  static bool isInInnerLoop(const Visit &visit) {
    const Event &event = visit.event;
    const ir::Node *training = trainingLoopAround(visit).loop;
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

  static llvm::StringRef nameOf(const Event &creation) { return creation.site->calledName(); }

  /// Whether the source lists the values.
  static bool listsValues(const Event &creation) {
    return creation.site->symbol && creation.site->symbol->trait == Trait::MakesScalar;
  }

  /// Whether a factory makes up the values; those of batches are read.
  static bool isMadeUp(const Event &creation) {
    const auto isLoader = [](const Operand &each) { return each.role == TypeRole::DataLoader; };
    return !nameOf(creation).empty() && creation.operation != Operation::WrapMemory &&
           llvm::none_of(creation.operands, isLoader);
  }

  /// Whether \p function can be told a device, by itself or with other options.
  static bool takesDevice(const ir::Symbol &function) {
    return llvm::any_of(function.parameters, [](const ir::Symbol *parameter) {
      return parameter->type && parameter->type->role == TypeRole::Device;
    });
  }

  /// Whether the factory can be told where: one that takes sizes alone makes all it makes on the
  /// CPU.
  static bool mayBeMadeThere(const Visit &visit, const Event &creation) {
    const ir::Node *call = ir::asCall(creation.site);
    return !call || !call->symbol || creation.subject.path || takesDevice(*call->symbol);
  }

  /// Gives the device to the factory, where it is all that the move is told.
  static Fix makeThere(const Visit &visit, const Event &creation, const Operand &target) {
    const ir::Node *move = ir::as(ir::NodeKind::MemberCall, visit.event.site);
    const ir::Node *call = ir::asCall(creation.site);
    if (!move || call->begin().isMacroID() || move->end().isMacroID() ||
        target.role == TypeRole::Tensor)
      return {};
    const unsigned given = move->writtenArguments();
    const std::string device =
        (given == 0 ? visit.unit.code().constant(DeviceRole::Cuda) : textOf(visit, target.expr))
            .str();
    const bool hasOptions = llvm::any_of(creation.operands, [](const Operand &operand) {
      return operand.role == TypeRole::Device && operand.expr;
    });
    const bool isDirect = &move->object->spelled() == call;
    if (given > 1 || device.empty() || hasOptions || !isDirect)
      return {};
    const clang::SourceLocation end = endOf(visit, call);
    return {clang::FixItHint::CreateInsertion(call->brackets.getEnd(), ", " + device),
            clang::FixItHint::CreateRemoval(
                clang::CharSourceRange::getCharRange(end, endOf(visit, move)))};
  }

  llvm::DenseMap<const Event *, Level> reported;
};

} // namespace

std::unique_ptr<Check> makeCreateThenMove() { return std::make_unique<CreateThenMove>(); }

} // namespace gradtidy
