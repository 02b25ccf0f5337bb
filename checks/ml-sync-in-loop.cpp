// A GPU works behind the program's back until the program wants to see a number: then it waits
// until everything that was asked for is done. Once a step, that is the price of a progress report;
// for every element of a batch, it is most of the time.

#include "Calls.h"
#include "Check.h"
#include "Devices.h"
#include "Loops.h"
#include "Moments.h"
#include "analyzer/ir/UserWords.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

#include <set>

namespace gradtidy {
namespace {

class SyncInLoop : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    return event.operation == Operation::ReadScalar || isPass(moment) ||
           llvm::is_contained({EventKind::Backward, EventKind::Step}, event.kind) ||
           (movesTensor(event) && event.details->elementLoop.loop) || isAskedOfCopy(moment);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &read = visit.event;
    if (read.operation == Operation::ReadScalar)
      onRead(visit, reporter);
    else if (read.kind == EventKind::Move)
      onCopy(visit, reporter);
    else if (read.kind == EventKind::Combine && read.isAttribute)
      onAttribute(visit, reporter);
  }

private:
  /// Whether the event asks for the shape of a tensor that the same expression has just moved.
  static bool isAskedOfCopy(const Moment &moment) {
    const Operand &copy = moment.event.subject;
    return moment.event.isAttribute &&
           isWrittenAs(copy, moment.before.valueOf(copy).placement.placed, EventKind::Move);
  }

  /// What the event reads: the original of a copy that the same expression makes on the host.
  static const Operand &sourceOf(const Visit &visit) {
    const Event &read = visit.event;
    const Value value = visit.before.valueOf(read.subject);
    const bool isCopy = value.placement.placed && value.placement.placed->kind == EventKind::Move &&
                        value.placement.device.kind == Device::Cpu &&
                        value.placement.placed->function == read.function &&
                        value.placement.placed->subject.expr &&
                        contains(visit, read.site, value.placement.placed->site);
    return isCopy ? value.placement.placed->subject : read.subject;
  }

  static bool isOnGpu(const Visit &visit, const Operand &tensor) {
    const Device device = visit.before.valueOf(tensor).placement.device;
    return visit.unit.program().mayBeGpu(device) &&
           (visit.unit.program().movesModules() || !isOwnDevice(visit, device));
  }

  /// The same, or nobody knows where the tensor is, but modules get to a GPU.
  static bool isLikelyOnGpu(const Visit &visit) {
    const Operand &source = sourceOf(visit);
    const Value value = visit.before.valueOf(source);
    return isOnGpu(visit, source) ||
           (value.placement.device.kind == Device::Unknown && !value.placement.freshOnHost &&
            visit.unit.program().movesModules());
  }

  void onRead(const Visit &visit, Reporter &reporter) {
    if (visit.event.details->parameterLoop)
      return onParameter(visit, reporter);
    if (!isOnGpu(visit, sourceOf(visit))) {
      if (!isLikelyOnGpu(visit) || onUse(visit, reporter))
        return;
      if (const TrainingLoop training = trainingLoopOrBranchAround(visit);
          training.loop && training.depth == 1 && isOfList(visit.event))
        report(visit, training, "tensor of the list", reporter);
      else
        onSeveral(visit, reporter);
      return;
    }
    const TrainingLoop training = trainingLoopOrBranchAround(visit);
    if (const ir::Node *loop = visit.event.details->elementLoop.loop; loop && loop != training.loop)
      onElement(visit, *loop, training, reporter);
    else if (onUse(visit, reporter))
      return;
    else if (training.loop && training.depth == 1 && isOfList(visit.event))
      report(visit, training, "tensor of the list", reporter);
    else if (training.loop && training.depth == 0)
      onRound(visit, training, reporter);
    else
      onSeveral(visit, reporter);
  }

  /// Whether it reads the tensor that the loop around it takes from a list or map.
  static bool isOfList(const Event &read) {
    const auto loops = read.function->loopsAround(read.site);
    const ir::Node *range = loops.empty() ? nullptr : ir::as(ir::NodeKind::RangeFor, loops.front());
    const ir::Node *tensor = range && read.subject.expr ? &read.subject.expr->spelled() : nullptr;
    if (const ir::Node *value = ir::as(ir::NodeKind::Member, tensor);
        value && value->symbol->name == "second")
      tensor = &value->object->spelled();
    const ir::Node *reference = ir::as(ir::NodeKind::Reference, tensor);
    if (!reference)
      return false;
    const ir::Symbol *named = reference->symbol;
    return (named->kind == ir::SymbolKind::Binding ? named->owner : named) == range->symbol;
  }

  /// An element that is copied to the host alone.
  void onCopy(const Visit &visit, Reporter &reporter) {
    const Event &move = visit.event;
    const Operand *target = move.details->elementLoop.loop ? targetOf(move) : nullptr;
    if (target &&
        (target->expr ? visit.before.deviceOf(*target) : target->device).kind == Device::Cpu &&
        isOnGpu(visit, move.subject))
      onElement(visit, *move.details->elementLoop.loop, trainingLoopAround(visit), reporter);
  }

  /// A number of each parameter, such as the norm of its gradient. Parameters are where the modules
  /// are moved to.
  static void onParameter(const Visit &visit, Reporter &reporter) {
    const Event &read = visit.event;
    const Device device = visit.before.valueOf(read.subject).placement.device;
    if (device.isKnown() ? !isOnGpu(visit, read.subject) : !visit.unit.program().movesModules())
      return;
    const TrainingLoop training = trainingLoopOrBranchAround(visit, read.details->parameterLoop);
    const bool isStep = (read.function->isStep || stepsOptimizer(*read.function)) &&
                        !read.function->isInBranch(read.details->parameterLoop);
    if (!isStep && (!training.loop || training.depth > 1))
      return;
    report(visit, training, "parameter", reporter);
  }

  static void report(const Visit &visit, const TrainingLoop &training, const char *each,
                     Reporter &reporter) {
    Finding finding(Level::Likely, visit.event,
                    std::string("reading a number of each ") + each +
                        " from the GPU waits for it as many times in every " +
                        (training.loop ? "round" : "step") +
                        " of the training; stack them, and read once");
    if (training.loop)
      finding.notes.push_back({*training.loop, "the training is here"});
    reporter.report(std::move(finding));
  }

  /// How often a number is read for certain.
  struct Pace {
    const char *words = nullptr; ///< Null if it is not read again and again.
    TrainingLoop training;       ///< The loop, if it is one.
  };

  /// \param site The event, or what is always run and asks for it.
  static Pace paceOf(const Visit &visit, const ir::Node *site) {
    const auto isLeftOut = [&](const Event *frame) {
      return frame->function->isInBranch(frame == &visit.event ? site : frame->site);
    };
    const TrainingLoop training = trainingLoopOrBranchAround(visit, site);
    if (training.loop && training.depth == 0)
      return {"in every round of the training", training};
    if (training.loop)
      return {};
    if (isOfModule(visit) && !isLeftOut(&visit.event) && llvm::none_of(visit.callers, isLeftOut))
      return {"whenever the module computes", {}};
    const Frames frames = framesOf(visit);
    for (const Event *frame : llvm::reverse(frames)) {
      if (isLeftOut(frame) || !frame->function->loopsAround(frame->site).empty())
        return {};
      if (isTrainingStep(*frame->function))
        return {"in every step of the training", {}};
    }
    return {};
  }

  /// A number that need not be read for what it is for.
  static bool onUse(const Visit &visit, Reporter &reporter) {
    const Event &read = visit.event;
    const NumberUse &use = read.details->use;
    const bool isVain = use.isVain && !takesTime(*read.function);
    const bool isJoined = use.joined && joinsOnGpu(visit, *use.joined);
    if (!isVain && !use.assertion && !use.otherTest && !isJoined)
      return false;
    const Pace pace = paceOf(visit, use.assertion ? use.assertion : read.site);
    if (!pace.words)
      return false;
    Finding finding(Level::Likely, read);
    const std::string words = pace.words;
    if (isVain)
      finding.message = "a number is read from the GPU, which waits for it, " + words +
                        ", and nothing is done with it";
    else if (use.assertion)
      finding.message = "an assertion reads a number from the GPU, and waits for it, " + words +
                        "; asked every now and then, it tells the same";
    else if (use.otherTest)
      finding.message =
          "two tests of one tensor wait for the GPU " + words + "; isfinite() tells both at once";
    else
      finding.message = "a number is read from the GPU, which waits for it, " + words +
                        ", only to be computed with a tensor there; so can the tensor that it is "
                        "read from, detached";
    if (use.otherTest && !isVain && !use.assertion)
      finding.notes.push_back({*use.otherTest, "the other test is here"});
    if (pace.training.loop && pace.training.event != &read)
      finding.notes.push_back({*pace.training.event, "it is called here"});
    reporter.report(std::move(finding));
    return true;
  }

  /// Whether the function measures times, for which it may have to wait.
  static bool takesTime(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(
          block.events, [](const Event &event) { return event.operation == Operation::ReadClock; });
    });
  }

  /// Whether the tensor that \p operation computes with the number is where the number is from.
  static bool joinsOnGpu(const Visit &visit, const ir::Node &operation) {
    const Value source = visit.before.valueOf(sourceOf(visit));
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events) {
        if (event.site != &operation)
          continue;
        llvm::SmallVector<const Operand *, 4> operands{&event.subject};
        for (const Operand &operand : event.operands)
          operands.push_back(&operand);
        for (const Operand *operand : operands)
          if (operand->role == TypeRole::Tensor && operand->path) {
            const Value other = visit.before.valueOf(*operand);
            if (!other.placement.freshOnHost && other.placement.device.kind != Device::Cpu &&
                (other.placement.device == source.placement.device
                     ? source.placement.device.isKnown()
                     : other.autograd.history != noSources))
              return true;
          }
      }
    return false;
  }

  /// The forward pass behind the event, in the same round of \p loop, of a module on another GPU,
  /// or null. Until then that GPU has nothing to do.
  static const Event *nextOfOtherGpu(const Visit &visit, const ir::Node &loop) {
    const Event &read = visit.event;
    const Device device = visit.before.valueOf(read.subject).placement.device;
    const Source &sources = visit.source;
    for (const Observation &seen : visit.observations()) {
      const Event &other = *seen.event;
      if (device.kind != Device::Cuda || !isModuleCall(other) || other.function != read.function ||
          !contains(visit, &loop, other.site) ||
          !sources.isBefore(read.site->end(), other.site->begin()))
        continue;
      const Device there = seen.before.module(other.subject).device;
      if (there.kind == Device::Cuda && there.id != device.id)
        return &other;
    }
    return nullptr;
  }

  void onRound(const Visit &visit, const TrainingLoop &training, Reporter &reporter) {
    Finding finding(Level::Certain, *training.event);
    const bool isCalled = training.event != &visit.event;
    const bool isLast = !isCalled && visit.event.details->lastOfLoop == training.loop;
    const bool isSeldom = !isCalled && isSeldomUsed(visit, *training.loop);
    const ir::Node *before = isCalled ? nullptr : visit.event.details->readBefore;
    const Event *waiting = isCalled ? nullptr : nextOfOtherGpu(visit, *training.loop);
    if (!isLast && !isSeldom && !before && !waiting && onSeveral(visit, reporter))
      return;
    finding.level = isLast || isSeldom || before || waiting ? Level::Likely : Level::Advice;
    finding.message = std::string(isCalled ? "this call reads" : "reading") +
                      " a number from the GPU" + (isCalled ? ", which" : "") +
                      " waits for it in every round of the training";
    if (isLast)
      finding.message += ", and only that of the last round is used";
    else if (isSeldom)
      finding.message += ", of which few use it";
    else if (before)
      finding.message += ", and it was read before";
    else if (waiting)
      finding.message += ", before another GPU gets its work";
    if (waiting)
      finding.notes.push_back({*waiting, "it gets that here"});
    if (before)
      finding.notes.push_back({*before, "it was read here"});
    if (isCalled)
      finding.notes.push_back({visit.event, "it is read here"});
    reporter.report(std::move(finding));
  }

  /// Whether the number is kept in a variable that only some of the rounds go on to name.
  static bool isSeldomUsed(const Visit &visit, const ir::Node &loop) {
    const FunctionBody &function = *visit.event.function;
    const ir::Node *site = visit.event.site;
    const ir::Node *kept = ir::as(ir::NodeKind::Declaration, function.statementOf(site));
    if (!kept || kept->declared.size() != 1 || function.isConditional(site, &loop))
      return false;
    bool isNamed = false, isAlways = false;
    ir::forEach(loop.body, [&](const ir::Node &node) {
      if (node.kind != ir::NodeKind::Reference || node.symbol != kept->declared.front())
        return;
      isNamed = true;
      isAlways |= !function.isConditional(&node, &loop);
    });
    return isNamed && !isAlways;
  }

  // --- several numbers ---------------------------------------------------------------------------

  /// What each round of a loop, or each run of a function, reads from the GPU for people alone.
  struct Turn {
    const ir::Node *around = nullptr; ///< The loop, or the body of the function; else null.
    const Event *event = nullptr;     ///< In the loop: the read, or the call of it.
    bool isLoop = false;
    bool isForward = false; ///< The function is the forward pass of a module.
  };

  /// A read in a turn: where it is, and where it is called.
  using Place = std::pair<clang::SourceLocation, clang::SourceLocation>;

  struct Turns {
    std::set<Place> places;
    std::set<std::pair<const FunctionBody *, const ir::Node *>> statements; ///< They stand in.
  };

  static Turn turnOf(const Visit &visit) {
    const Event &read = visit.event;
    if (read.operation != Operation::ReadScalar || read.details->parameterLoop || !isShown(visit) ||
        !isLikelyOnGpu(visit))
      return {};
    const TrainingLoop training = trainingLoopOrBranchAround(visit);
    if (read.details->elementLoop.loop && read.details->elementLoop.loop != training.loop)
      return {};
    if (training.loop)
      return training.depth == 0 ? Turn{training.loop, training.event, /*isLoop=*/true} : Turn();
    const FunctionBody &function = *read.function;
    if (!function.loopsAround(read.site).empty())
      return {};
    if (isTrainingStep(function) && !function.isLeftOut(read.site))
      return {function.body, &read};
    if (read.shown == Shown::Printed && isForwardPass(function)) {
      const ir::Node *outermost = read.site;
      for (const ir::Node *outer = read.site; outer; outer = function.statementAround(outer))
        if (outer->kind == ir::NodeKind::If)
          outermost = outer;
      if (!function.isLeftOut(outermost))
        return {function.body, &read, /*isLoop=*/false, /*isForward=*/true};
    }
    return {};
  }

  static bool isForwardPass(const FunctionBody &function) {
    return function.isModuleMethod && function.returnsTensors &&
           words::isForward(function.function->name);
  }

  /// Whether the number, perhaps that of a function that returns it, is for people alone.
  static bool isShown(const Visit &visit) {
    Shown shown = visit.event.details->use.assertion ? Shown::Logged : visit.event.shown;
    for (const Event *caller : llvm::reverse(visit.callers)) {
      if (shown != Shown::Returned)
        break;
      shown = caller->shown;
    }
    return shown == Shown::Logged || shown == Shown::Printed;
  }

  /// The statement in a block `{ … }` that the read is part of.
  static const ir::Node *statementOf(const Event &read) {
    const ir::Node *statement = read.site;
    while (statement && !read.function->compoundOf(statement))
      statement = read.function->statementAround(statement);
    return statement;
  }

  void findTurns(const Visit &visit) {
    std::set<const ir::Node *> steps; // Loops each round of which is a step, no epoch.
    for (const Observation &seen : visit.observations())
      if (seen.event->kind == EventKind::Backward || seen.event->kind == EventKind::Step)
        if (const auto loops = loopsAround(visitOf(visit, seen)); !loops.empty())
          steps.insert(loops.front());
    for (const Observation &seen : visit.observations()) {
      const Turn turn = turnOf(visitOf(visit, seen));
      if (!turn.around || (turn.isLoop && !steps.contains(turn.around)))
        continue;
      Turns &all = turns[turn.around];
      all.places.insert({seen.event->site->begin(), turn.event->site->begin()});
      all.statements.insert({seen.event->function, statementOf(*seen.event)});
    }
    hasTurns = true;
  }

  /// Said once of statements that stand one behind the other.
  bool isFirst(const Event &read, const Turns &all, const Visit &visit) const {
    const ir::Node *own = statementOf(read);
    const ir::Node *block = own ? read.function->compoundOf(own) : nullptr;
    const ir::Node *before = nullptr;
    if (block)
      for (const ir::Node *each : block->children) {
        if (each == own)
          break;
        if (each->kind != ir::NodeKind::Null)
          before = each;
      }
    if (before && all.statements.contains({read.function, before}))
      return false;
    return llvm::none_of(all.places, [&](const Place &place) {
      return own && contains(visit, own, place.first) && place.first < read.site->begin();
    });
  }

  /// Numbers that could be read together, or every now and then.
  bool onSeveral(const Visit &visit, Reporter &reporter) {
    if (!hasTurns)
      findTurns(visit);
    const Turn turn = turnOf(visit);
    const auto found = turn.around ? turns.find(turn.around) : turns.end();
    if (found == turns.end() || found->second.places.size() < (turn.isForward ? 2 : 3))
      return false;
    if (!isFirst(visit.event, found->second, visit))
      return true;
    Finding finding(Level::Likely, visit.event);
    finding.message =
        std::to_string(found->second.places.size()) + " numbers are read from the GPU one by one " +
        (turn.isForward ? "whenever the module computes"
         : turn.isLoop  ? "in every round of the training"
                        : "in every step of the training") +
        ", each of which waits for it; stacked or added up there, they are read at once";
    if (turn.isLoop)
      finding.notes.push_back({*turn.around, "the training is here"});
    if (turn.event != &visit.event)
      finding.notes.push_back({*turn.event, "it is called here"});
    reporter.report(std::move(finding));
    return true;
  }

  llvm::DenseMap<const ir::Node *, Turns> turns; ///< By what they are the turns of.
  bool hasTurns = false;

  /// Said once of each loop. What runs once may take its time.
  void onElement(const Visit &visit, const ir::Node &loop, const TrainingLoop &training,
                 Reporter &reporter) {
    const Event &read = visit.event;
    if (first.try_emplace(&loop, read.site).first->second != read.site)
      return;
    const bool isComputed = read.details->elementLoop.isComputed;
    const bool isOfStep = isTrainingStep(*read.function);
    const bool isTrained = training.loop || isOfStep || isOfModule(visit);
    const bool isRepeated = loopsAround(visit).back() != &loop || isTrained;
    const bool isWaste = !isComputed || isTrained;
    Finding finding(
        isRepeated && isWaste ? Level::Likely : Level::Advice, read,
        isComputed ? "reading a number that is computed from each element waits for the GPU for "
                     "every one; computed for all at once, and copied, they wait once"
                   : "reading a tensor's elements from the GPU one by one waits for it for every "
                     "element; a copy on the CPU, made before the loop, waits once");
    finding.notes.push_back({loop, "the loop is here"});
    reporter.report(std::move(finding));
  }

  /// Whether a module reads it for the tensors that it computes.
  static bool isOfModule(const Visit &visit) {
    const auto computes = [](const Event *frame) {
      return frame->function->isModuleMethod && frame->function->returnsTensors;
    };
    return computes(&visit.event) || llvm::any_of(visit.callers, computes);
  }

  llvm::DenseMap<const ir::Node *, const ir::Node *> first; ///< The first read in each loop.

  /// Shape, type and place are known without the values.
  static void onAttribute(const Visit &visit, Reporter &reporter) {
    const Value copy = visit.before.valueOf(visit.event.subject);
    if (!copy.placement.placed || copy.placement.placed->kind != EventKind::Move ||
        copy.placement.device.kind != Device::Cpu || !visit.event.subject.expr ||
        &visit.event.subject.expr->spelled() != copy.placement.placed->site ||
        !isOnGpu(visit, copy.placement.placed->subject) || !trainingLoopAround(visit).loop)
      return;
    Finding finding(Level::Likely, {copy.placement.placed->site->begin(), visit.event.site->range},
                    "the tensor is copied from the GPU only to ask for its shape, which the "
                    "original knows as well");
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeSyncInLoop() { return std::make_unique<SyncInLoop>(); }

} // namespace gradtidy
