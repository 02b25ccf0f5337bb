// Processes that train one model together each see a part of the samples and must agree on every
// step. What keeps them from that is told by the function that makes their group: it hands the
// group to nobody, so that all it is used for is there to be read.

#include "Check.h"
#include "Loops.h"

#include "clang/Basic/SourceManager.h"

namespace gradtidy {
namespace {

class DistributedMisuse : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->copied ||
           llvm::is_contained({EventKind::Step, EventKind::Forward}, moment.event.kind) ||
           beginsBatches(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (event.details->copied)
      onSetEpoch(event, reporter);
    else if (event.kind == EventKind::Step)
      onStep(visit, reporter);
    else if (event.kind == EventKind::Forward)
      onForward(visit, reporter);
    else if (const ir::Node *loop = loopBegunBy(visit))
      onBatches(visit, *loop, reporter);
  }

private:
  /// The function that makes the group of the processes which run an event.
  struct Team {
    const FunctionBody *function = nullptr; ///< Null if there is none.
    const Event *event = nullptr;           ///< In it: the event, or the call that leads there.
    llvm::ArrayRef<const Event *> within;   ///< The calls behind that one, and the event.
    bool choosesDevice = false;             ///< Somebody on the way there may, by the rank.
  };

  static void report(Level level, const Place &place, std::string message, Note note,
                     Reporter &reporter) {
    Finding finding(level, place, std::move(message));
    finding.notes.push_back(std::move(note));
    reporter.report(std::move(finding));
  }

  /// A loader has a copy of the sampler that it is made with. Who sets the epoch of his own changes
  /// the order of nothing: every epoch has that of the first.
  static void onSetEpoch(const Event &setEpoch, Reporter &reporter) {
    report(Level::Certain, setEpoch,
           "the loader has a sampler of its own, and keeps its order: this sets the epoch of "
           "another one",
           {*setEpoch.details->copied, "the loader gets its sampler here"}, reporter);
  }

  /// Models that nobody keeps equal are as many models as there are processes.
  static void onStep(const Visit &visit, Reporter &reporter) {
    llvm::SmallVector<const Event *, 8> frames;
    const Team team = teamOf(visit, frames);
    if (!team.function || loopsAround(visit).empty() || mayExchange(visit, team))
      return;
    // Certainly one training, of which each process does a part. Others may each have their own.
    const bool isShared = splitsSamples(*team.function);
    if (!isShared && team.function->group.choosesMore)
      return;
    report(isShared ? Level::Certain : Level::Likely, visit.event,
           "each process steps by its own gradients: nobody averages them, and the models of the "
           "processes drift apart",
           {team.function->group.variable->location, "the processes of this group train together"},
           reporter);
  }

  static void onForward(const Visit &visit, Reporter &reporter) {
    const ModuleFacts facts = visit.before.module(visit.event.subject);
    llvm::SmallVector<const Event *, 8> frames;
    const Team team = teamOf(visit, frames);
    if (!team.function || !facts.placed || facts.device != Device{Device::Cuda, 0} ||
        team.choosesDevice || team.function->group.choosesMore || loopsAround(visit).empty() ||
        !visit.unit.uses().mayBeNeeded(visit.event))
      return;
    const bool isOneMachine = team.function->group.isOnOneMachine;
    report(isOneMachine ? Level::Likely : Level::Advice, *facts.placed,
           isOneMachine ? "all processes of the group train on the same GPU"
                        : "all processes of a machine train on the same GPU",
           {team.function->group.variable->location,
            "nothing depends on the rank of the process in this group"},
           reporter);
  }

  static void onBatches(const Visit &visit, const ir::Node &loop, Reporter &reporter) {
    const Event *maker = visit.unit.program().makerOf(visit.event.operands.front(), visit.before);
    const bool trains = maker && trainsIn(visit, *visit.event.function, &loop);
    const ir::Node *epochs = trains ? epochsOf(visit, loop, *maker) : nullptr;
    if (epochs && maker->details->loader.keepsEpoch && !setsEpochs(visit))
      report(Level::Likely, *maker,
             "the sampler gives the order of the first epoch in all of them: nobody sets the epoch",
             {*epochs, "each round of this loop is an epoch"}, reporter);
    llvm::SmallVector<const Event *, 8> frames;
    const Team team = teamOf(visit, frames);
    if (!maker || !maker->details->loader.givesAll || maker->function != team.function ||
        team.function->group.choosesMore || !trains)
      return;
    report(Level::Advice, *maker,
           "each process goes over all samples: a distributed sampler gives each its part",
           {team.function->group.variable->location, "the processes of this group train together"},
           reporter);
  }

  /// The loop around \p loop, in which the loader that \p maker makes is the same in each round.
  static const ir::Node *epochsOf(const Visit &visit, const ir::Node &loop, const Event &maker) {
    const auto isMakers = [&](const Event *frame) { return frame->function == maker.function; };
    if (!isMakers(&visit.event) && llvm::none_of(visit.callers, isMakers))
      return nullptr;
    for (const ir::Node *outer : loopsAround(visit))
      if (outer != &loop && !contains(visit, outer, maker.site))
        return outer;
    return nullptr;
  }

  /// Whether a function on the way to the event sets the epoch of a sampler.
  static bool setsEpochs(const Visit &visit) {
    const auto sets = [](const Event &frame) {
      return llvm::any_of(frame.function->blocks, [](const Block &block) {
        return llvm::any_of(block.events, [](const Event &event) {
          return event.operation == Operation::SetEpoch;
        });
      });
    };
    return sets(visit.event) ||
           llvm::any_of(visit.callers, [&](const Event *call) { return sets(*call); });
  }

  /// \p frames is the memory for what the answer refers to.
  static Team teamOf(const Visit &visit, llvm::SmallVectorImpl<const Event *> &frames) {
    frames.append(visit.callers.begin(), visit.callers.end());
    frames.push_back(&visit.event);
    Team team;
    for (size_t i = frames.size(); i-- > 0;) {
      const FunctionBody &function = *frames[i]->function;
      team.choosesDevice |= function.group.choosesDevice;
      if (!function.group.variable)
        continue;
      team.function = &function;
      team.event = frames[i];
      team.within = llvm::ArrayRef(frames).drop_front(i + 1);
      break;
    }
    return team;
  }

  static bool splitsSamples(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(block.events, [](const Event &event) {
        return event.operation == Operation::MakeLoader && event.details->loader.splitsSamples;
      });
    });
  }

  /// Whether tensors of the processes may come together in the training, or behind it.
  static bool mayExchange(const Visit &visit, const Team &team) {
    const auto isExchange = [](const Event &event) {
      return event.operation == Operation::Exchange;
    };
    const auto takes = [](const Event &call, auto isMeant) {
      return isMeant(call.subject) || llvm::any_of(call.operands, isMeant);
    };
    const auto isTrained = [](const Operand &operand) {
      return isModule(operand.role) || operand.role == TypeRole::Optimizer;
    };
    const auto isUnseen = [&](const Event &call) {
      return takes(call, [&](const Operand &each) { return isTrained(each) || each.isTensor; });
    };
    const Source &sources = visit.source;
    const auto loops = team.function->loopsAround(team.event->site);
    const ir::Node *training = loops.empty() ? team.event->site : loops.back();
    for (const Block &block : team.function->blocks)
      for (const Event &event : block.events) {
        const FunctionBody *callee =
            event.callee ? visit.unit.callGraph().bodyOf(*event.callee) : nullptr;
        const bool isUnknown = event.kind == EventKind::Call && !callee;
        if (sources.isBefore(event.site->begin(), training->begin())) {
          if (isUnknown && takes(event, isTrained))
            return true; // It may put hooks there.
        } else if (isExchange(event) || (isUnknown && isUnseen(event)) ||
                   (callee && visit.unit.callGraph().runs(*callee, isExchange, isUnseen))) {
          return true;
        }
      }
    return llvm::any_of(team.within, [&](const Event *inner) {
      return visit.unit.callGraph().runs(*inner->function, isExchange, isUnseen);
    });
  }
};

} // namespace

std::unique_ptr<Check> makeDistributedMisuse() { return std::make_unique<DistributedMisuse>(); }

} // namespace gradtidy
