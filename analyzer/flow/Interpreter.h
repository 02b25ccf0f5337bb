// Runs the events of functions over states until nothing new is learned, seeing through calls.
//
// A forward worklist over the blocks in reverse post order. Each block keeps a few states apart by
// the answers to the function's repeated conditions (trace partitioning, see Conditions.h). A call
// of a function with a body in the unit is run from the caller's state, as if it stood there, down
// to a bounded depth; recursion is cut.
#pragma once

#include "Effects.h"
#include "MemberLists.h"
#include "Numbers.h"
#include "Partition.h"
#include "ProgramFacts.h"
#include "Snapshots.h"
#include "StoredGraphs.h"
#include "Uses.h"

#include "analyzer/ir/Layer.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace gradtidy {

/// An event on one way through the program, of which somebody may want to know.
struct Moment {
  const Event &event;
  const State &before;                   ///< Of step(closure): behind the closure.
  llvm::ArrayRef<const Event *> callers; ///< The calls that lead there, outermost first.
  bool isUnseen = false;                 ///< Call: what it runs is not followed.
  /// The event has just ended what pointers or views lead into. The state is that of this moment.
  bool isBehind = false;
  /// A forward pass runs for what the first of the callers gives it. Nothing else that it knows is
  /// told there.
  bool isOfInputs = false;
};

/// Whether somebody wants to see the moment: by what it tells, and nothing else.
using Interest = std::function<bool(const Moment &)>;

/// A moment that somebody wants to see, kept.
struct Observation {
  const Event *event;
  State before;
  llvm::SmallVector<const Event *, 2> callers;
  SiteId site; ///< Of the event, or of the call of a module around it (see Interpreter::siteOf).
  bool isUnseen, isBehind, isOfInputs;

  Moment moment() const { return {*event, before, callers, isUnseen, isBehind, isOfInputs}; }
};

/// Whether the event begins a loop over the batches of a loader.
bool beginsBatches(const Event &event);

/// Whether the event computes a tensor, which has no part in the graphs of what it is computed from
/// where gradients are disabled.
bool leavesGraphs(const Event &event);

/// A tensor that the event reads though the memory that it lies in is gone; null if there is none.
const Operand *releasedReadBy(const Event &event, const State &state);

/// A tensor of which the event computes something, though nobody has given all its elements a
/// value; null if there is none.
const Operand *unwrittenReadBy(const Event &event, const State &state);

/// A tensor made under a guard for inference that \p forward, which is recorded, would have to keep
/// for its backward: it throws. Null if there is none.
const Operand *inferenceTensorSavedBy(const Event &forward, const State &state);

class Interpreter {
public:
  /// How deep calls are followed, through how many functions one virtual call may run, and how many
  /// blocks one root may visit.
  static constexpr unsigned maxDepth = 6;
  static constexpr unsigned maxOverriders = 4;
  static constexpr unsigned maxVisits = 20000;
  /// How many events one root may run, times the size of what is known there (State::size): some
  /// seconds.
  static constexpr std::uint64_t maxWork = 20'000'000;

  /// All arguments but \p interest must outlive this object. It is asked once of each event,
  /// calling context and partition, in the order of the flow; null wants nothing. \p snapshots
  /// gets the states behind events, if it is not null.
  Interpreter(Tables &tables, const CallGraph &graph, const Effects &effects,
              const StoredGraphs &stored, const ProgramFacts &program,
              const MemberLists &memberLists, const Numbers &numbers, Interest interest,
              Snapshots *snapshots)
      : tables(tables), graph(graph), effects(effects), stored(stored), program(program),
        memberLists(memberLists), numbers(numbers), interest(std::move(interest)),
        snapshots(snapshots) {}

  /// What runs over the sequences that a forward pass is given as a parameter.
  struct Receiver {
    const Event *layer = nullptr; ///< Null if nothing does.
    bool isSwapped = false;       ///< The first two dimensions change places before.
  };
  Receiver receiverOf(const Event &forward, unsigned operand) const;

  /// What takes the last of the steps that the layer \p forward makes, their mean, or the state
  /// that is left behind them; null if nothing is seen to.
  const Event *endTakenBy(const Event &forward) const { return endTakers.lookup(&forward); }

  /// Which dimension the layer that \p forward runs takes for that of the samples: whether it is
  /// the second, and not the first. Nothing if that is not known, or it is no layer that does.
  std::optional<bool> takesSecond(const Event &forward) const;

  /// Analyses \p body with nothing known of its surroundings.
  void run(const FunctionBody &body) { run(body, {}); }

  /// The same for the ways through \p body that none of its callers takes, as they all told the
  /// same answer to one of its conditions.
  void runUntold(const FunctionBody &body);

  /// What the interest wants to see.
  const std::vector<Observation> &observations() const { return seen; }

  /// What becomes of values. Complete when all functions are analysed.
  Uses &uses() { return used; }
  const Uses &uses() const { return used; }

  /// What makes the tensor that a function returns, if that is always the same.
  const Event *returned(const FunctionBody &body) const { return returnedBy.lookup(&body); }

  /// The layer that the forward pass is one of, or ends in.
  Layer layerOf(const Event &forward) const { return layers.lookup(&forward).layer; }

  /// Functions for which a bound was hit: not all that they do was followed.
  llvm::ArrayRef<const FunctionBody *> cutShort() const { return bounded.getArrayRef(); }

  /// Whether the function was analysed, by itself or through a call.
  bool hasVisited(const FunctionBody &body) const { return alwaysTold.contains(&body); }

private:
  /// The state at the end of one way to a block, and how it meets the others.
  struct Way {
    State state;
    Junction junction;
  };
  /// By the block and the partition it comes from.
  using Incoming = std::map<std::pair<unsigned, Partition>, Way>;

  struct Solution {
    std::vector<std::map<Partition, Incoming>> before;       ///< Of each block.
    std::set<std::pair<unsigned, Partition>> pending;        ///< Blocks to be run, again perhaps.
    std::map<std::pair<unsigned, Partition>, unsigned> runs; ///< How often they were.

    /// Variables that rounds of a loop swap are something else in each.
    bool isSettled(unsigned number, Partition from) const {
      const auto known = runs.find({number, from});
      return known != runs.end() && known->second <= 12;
    }
  };

  struct Memory {
    State before;
    Answers told;
    std::optional<State> after;
  };

  void run(const FunctionBody &body, Answers told);
  /// The state before block \p number. Where it \p isSettled what one round of a loop hands to the
  /// next, that is what is known of graphs.
  State joined(const Incoming &incoming, unsigned number, bool isSettled) const;
  /// The state at the function's end, if control gets there.
  /// \p told is what is known of the function's conditions before it begins.
  std::optional<State> solve(const FunctionBody &body, const State &entry, bool observe,
                             Answers told = {});
  /// Takes the state at the end of block \p number along \p edge.
  void follow(const Block::Edge &edge, const FunctionBody &body, unsigned number, Partition from,
              Answers answers, const State &state, Solution &solution);
  /// Runs each block once more, to see its events.
  void observeAll(const FunctionBody &body, Answers told, const Solution &solution);
  /// Of what a forward pass is given, that on which its result may depend.
  struct Inputs {
    Answers told;
    std::uint8_t modes = GradMode::On; ///< GradMode::possible.
    struct Tensor {
      TypeId type = unknownType;
      std::uint8_t graph = Graph::Unknown;
      bool operator==(const Tensor &) const = default;
    };
    llvm::SmallVector<Tensor, 4> tensors; ///< For each parameter.
    /// What the caller has made of the elements of the module's parameters, and by what; else null.
    ElementType element = ElementType::Unknown;
    const Event *cast = nullptr;

    bool operator==(const Inputs &) const = default;
  };
  /// What it gives then. Modules and graphs are not those of a caller.
  struct Pass {
    Value result;
    llvm::SmallVector<std::pair<PathStep, Value>, 4> parts; ///< Of a tuple, a pair, a structure.
    /// What it leaves behind in the tensors that it is given; empty where that is not followed.
    llvm::SmallVector<std::optional<Value>, 4> left;
  };
  Inputs inputsOf(const FunctionBody &pass, const Event &event, const State &state) const;
  const Pass &passOf(const FunctionBody &body, const Event &event, const State &caller);
  Pass runPass(const FunctionBody &body, const Inputs &inputs, const Event &event);
  /// The function returns what \p made tells.
  void noteMaker(const FunctionBody &body, const Event *made);
  /// \p value, of what the pass of a module is made of, is what it has \p given.
  void take(const Value &given, const FunctionBody &pass, bool isFrozen, Value &value) const;
  /// What the pass has done with the tensors themselves that \p event hands it.
  void changeInputs(const Event &event, const Pass &pass, State &state) const;

  bool isSpent() const { return visits > maxVisits || work > maxWork; }
  /// Whether control may come back to a block of \p body.
  bool isInLoop(const FunctionBody &body, const Block &block);
  /// Runs a block; false if control does not reach its end.
  bool runBlock(const Block &block, State &state, Answers &answers, bool observe);
  bool transfer(const Event &event, State &state, bool observe);
  /// The same, but for lists and files.
  bool transferItself(const Event &event, State &state, bool observe);
  bool call(const Event &event, State &state, bool observe);
  std::optional<State> enter(const FunctionBody &body, const Event &event, const State &caller,
                             Answers told, bool observe);
  void leaveObject(const FunctionBody &body, const State &caller, State &state) const;
  /// What the arguments of a call say to the conditions of the function that is called.
  Answers answersTo(const FunctionBody &body, const Event &event) const;
  std::optional<bool> answerOf(const Flag &flag) const;
  /// What the event turns on or off, here.
  std::optional<bool> constantOf(const Event &event) const;
  /// What is known behind a call that runs \p body. Empty if control does not come back.
  std::optional<State> callOne(const FunctionBody &body, const Event &event, const State &caller,
                               bool observe);
  void callUnknown(const Event &event, State &state, bool observe);
  /// Runs a closure that is handed to code which calls it; false if control does not come back.
  bool runClosure(const Operand &operand, const Event &event, State &state, bool observe);
  /// Runs \p body, which \p event starts in a thread of its own.
  void runThread(const Event &event, State &state, llvm::function_ref<bool(State &)> body);
  /// The body of a closure: of a generic one, those that are called. Empty if one is not known.
  using Closures = llvm::SmallVector<const FunctionBody *, 2>;
  Closures closuresOf(const Operand &operand, const State &state) const;
  /// Whether a function of others that is called may run a closure which is known.
  bool reachesClosure(const Event &call, const State &state) const;
  void bindArguments(const FunctionBody &closure, const Event &event, State &state) const;
  /// Whether a function may come back to its caller, whatever that knows.
  bool mayReturn(const FunctionBody &body);
  /// Whether a function, with what it calls, may compute a tensor of others. One that does not
  /// gives what its object or its caller holds, or a view of it: autograd saves nothing there.
  bool computes(const FunctionBody &body);
  void observe(Moment moment);

  /// What can be said before a function is entered by nobody that is known.
  State entryOf(const FunctionBody &body);
  using OwnedParameters = llvm::MapVector<PathId, SourcesId>;
  /// Notes in \p kept, by optimizer, what those own that are members which nothing replaces, as
  /// one more constructor of \p record leaves them; \p object is what it makes.
  void keepOwned(const ir::Class &record, const State &end, PathId object, PathId thisObject,
                 OwnedParameters &kept) const;
  /// What the constructors of its class have established when a method is called.
  void establish(const ir::Symbol &method, PathId thisObject, State &state);
  /// The elements and shapes of tensors that they leave in members which nothing replaces.
  void establishTypes(const ir::Symbol &method, PathId thisObject, State &state);
  /// What is known behind a constructor, if it comes to an end.
  const std::optional<State> &endOf(const FunctionBody &constructor);
  /// The tensor that an operation makes of the subject and the operands.
  Value combined(const Event &event, const State &state) const;
  const Event *permutedBy(const Event &event, const State &state) const;
  Value created(const Event &event, const State &state) const;
  /// Where the elements of \p result lie, which the event makes (Storage.cpp).
  Storage storageOf(const Event &event, const State &state, const Value &result) const;
  /// What cuts gradients on the way to \p result, which the event computes.
  void cutGradients(const Event &event, const State &state, Value &result) const;
  /// What reads from a tensor, on the host, what the elements are computed of that \p factory
  /// makes; null if nothing does, as far as one can see.
  const Event *readForNew(const Event &factory) const;
  /// What the event does to memory, before all else that it does.
  void followMemory(const Event &event, State &state);
  /// The same to elements that nobody has given a value.
  void followElements(const Event &event, State &state) const;
  /// The weights of a module that a backward through \p result, which it gives, needs as they are.
  void saveWeights(const Event &forward, const State &state, Value &result) const;
  /// The step of \p optimizer changes the weights that it owns.
  void changeWeights(const Event &step, PathId optimizer, State &state) const;
  /// Code that cannot be seen may give all elements a value that the event hands it.
  void doubtElements(const Event &event, State &state) const;
  /// What pointers and views lead into, of what the event lets go of (Holders.cpp).
  llvm::SmallVector<PathId, 2> leavingBy(const Event &event, const State &state) const;
  /// Where what the event takes leads.
  Look lookTakenBy(const Event &event, const State &state) const;
  /// The tensors among the operands that the event hands to others, or keeps.
  void shareOperands(const Event &event, State &state) const;
  /// What the event has done to those who hold tensors, and to what leads into these; \p left is
  /// what it let go of.
  void followHolders(const Event &event, llvm::ArrayRef<PathId> left, State &state, bool observe);
  void lose(const Event &event, llvm::ArrayRef<PathId> left, State &state, bool observe);
  /// The elements and the shape of what an event gives (Types.cpp).
  TypeId typeOf(const Event &event, const State &state) const;
  /// What the tensors among the operands, and those in lists among them, have in common.
  TypeId typeOfElements(const Event &event, const State &state) const;
  TypeId typeOfPass(const Event &event, const State &state) const;
  /// Notes the layer that a forward pass runs: what its code says, or else its module.
  void noteLayer(const Event &forward, const State &state);
  /// Which dimension counts samples in what an event gives (Orders.cpp).
  SampleOrder orderOf(const Event &event, const State &state) const;
  /// What the layer \p event makes of sequences has its own order.
  void orderSteps(const Event &event, State &state, const Value &value) const;
  /// What the event tells of the order of the tensor that it asks for its size.
  void tellOrder(const Event &event, State &state) const;
  /// The parameters of a forward pass have the order that callers give them.
  void nameOrders(const FunctionBody &body, State &state) const;
  const Event *paddedBy(const Event &event, const State &state) const;
  /// Notes what the event does on the host with tensors that factories have made there, but for
  /// what could be done anywhere (HostNeeds.cpp).
  void noteHostNeeds(const Event &event, const State &state);
  /// Notes what the event does with tensors but for making others of them, which may get lost
  /// themselves (Consumption.cpp).
  void noteConsumption(const Event &event, const State &state);
  /// Notes that it does so with its operands, or with all that it is given.
  void consumeOperands(const Event &event, const State &state);
  void consumeAll(const Event &event, const State &state);
  /// Notes that it needs all of them there.
  void needOnHost(const Event &event, const State &state);
  /// Notes what takes the end of sequences.
  void noteEnd(const Event &event, const State &state);
  /// Notes which parameters get to layers that run over sequences.
  void noteReceivers(const Event &forward, const State &state);
  /// The device that the result of an operation on devices, options or tensors names.
  Device deviceNamed(const Event &event, const State &state) const;
  Value moved(const Event &event, const State &state) const;

  /// What the event does to lists of tensors, and to what is known of files (domains/Lists.cpp,
  /// Files.cpp).
  void changeList(const Event &event, State &state) const;
  void noteFiles(const Event &event, State &state);
  /// What cannot be seen is called: it may change files, above all those that it is told of.
  void callMayTouchFiles(const Event &event, State &state, bool isSeen);
  /// Whether a function, with what it calls, may have to do with files.
  bool touchesFiles(const FunctionBody &body);

  // Transfer functions, named like the events. Those that run closures are false if control does
  // not come back from these.
  bool construct(const Event &event, State &state, bool observe);
  bool combine(const Event &event, State &state, bool observe);
  bool step(const Event &event, State &state, bool observe);
  void bindPlace(const Event &event, State &state);
  void returnValue(const Event &event, State &state, bool observe);
  /// The steps to what a tuple, a pair or a structure is made of; none for anything else.
  llvm::SmallVector<PathStep, 4> partsOf(const ir::Type &type) const;
  void forward(const Event &event, State &state);
  void move(const Event &event, State &state);
  void load(const Event &event, State &state);
  void detach(const Event &event, State &state);
  void requireGrad(const Event &event, State &state);
  void backward(const Event &event, State &state, const Operand &loss);
  void differentiate(const Event &event, State &state);
  void overwrite(const Event &event, State &state);
  void clearGradients(const Event &event, State &state);

  /// What is known of a module that the event makes, on \p device where nothing tells another one.
  void makeModule(const Event &event, State &state, Device device);
  /// Runs the closures among the operands; \p given is what they give back, where that is known.
  bool runClosures(const Event &event, State &state, bool observe, std::optional<Value> &given);
  /// \p value is what a module makes of the operands; \p isCertain tells whether it records a
  /// graph for sure.
  void passModule(const Event &event, State &state, Value &value, bool isCertain);
  /// Puts the value of \p operand into \p place, which may outlive this run of the code.
  void store(const Event &event, PathId place, Value &value, bool accumulates);
  /// A module that gets a part from another device is on none.
  void replacePart(const Event &event, const Operand &part, State &state);
  /// Whether a function returns what is nobody's after that.
  bool isOwnLocal(const Event &event, const Operand &value, const State &state) const;
  void mutateSubject(const Event &event, State &state, const Value &value);
  /// Code that cannot be seen gets hold of a tensor, and may run a backward through it.
  void escape(const Value &value, const State &state);

  /// The site of an event, or of the outermost call of a module around it: what a module does
  /// within is its own affair.
  SiteId siteOf(const Event &event);

  Tables &tables;
  const CallGraph &graph;
  const Effects &effects;
  const StoredGraphs &stored;
  const ProgramFacts &program;
  const MemberLists &memberLists;
  const Numbers &numbers;
  Interest interest;
  Snapshots *snapshots;
  const Event *inputGiver = nullptr; ///< Runs a forward pass, see Moment::isOfInputs.
  struct RunLayer {
    Layer layer;
    bool isWritten = false; ///< The code tells, whatever module it is in this run.
  };
  llvm::DenseMap<const Event *, RunLayer> layers; ///< Of forward passes.
  Uses used{tables};
  llvm::DenseSet<SiteId> rootSites; ///< The forwards of the function being analysed.
  std::vector<Observation> seen;
  llvm::DenseMap<const ir::Symbol *, Receiver> receivers;
  llvm::DenseMap<const Event *, const Event *> endTakers;
  /// What makes the tensor that a function returns. Null where several do, or nobody knows.
  llvm::DenseMap<const FunctionBody *, const Event *> returnedBy;
  /// What forward passes give, for each kind of input that they were run with.
  llvm::DenseMap<const FunctionBody *, std::deque<std::pair<Inputs, Pass>>> passes;
  /// What was told of the functions that have been visited, each time.
  llvm::DenseMap<const FunctionBody *, Answers> alwaysTold;
  Answers known;           ///< At the event that is run.
  bool isFirstRun = false; ///< That event has been run on no way that leads to it.
  llvm::SmallSetVector<const FunctionBody *, 4> bounded;
  llvm::SmallVector<const FunctionBody *, 8> stack;
  llvm::SmallVector<const Event *, 8> callers;
  llvm::DenseMap<std::pair<const Event *, const FunctionBody *>, Memory> memory;
  llvm::DenseMap<const FunctionBody *, llvm::BitVector> loops; ///< See isInLoop().
  llvm::DenseMap<const FunctionBody *, bool> returning;        ///< See mayReturn().
  llvm::DenseMap<const FunctionBody *, bool> computing;        ///< See computes().
  /// Permutations of what another one has permuted before.
  mutable llvm::SmallPtrSet<const Event *, 4> permutedTwice;
  llvm::DenseMap<const FunctionBody *, bool> touching; ///< See touchesFiles().
  /// What is known behind constructors, if they come to an end.
  llvm::DenseMap<const FunctionBody *, std::optional<State>> constructed;
  unsigned visits = 0;
  std::uint64_t work = 0; ///< See maxWork.
};

} // namespace gradtidy
