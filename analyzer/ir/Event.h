// Events: what a function does, in the order of its control flow, in terms of access paths and the
// roles of the model. They are made once per function (see Lowering.h); the flow analysis and the
// checks read only them.
#pragma once

#include "Device.h"
#include "KernelCare.h"
#include "Node.h"
#include "Rare.h"
#include "analyzer/model/Role.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

struct CalledModule;
struct Operator;

enum class EventKind : unsigned char {
  Bind,      ///< `subject` (a place) now denotes operand 0; without operand, something new.
  Construct, ///< `result` is a new object made from the operands.
  Combine,   ///< `result` is computed from the subject and the operands, which stay as they are.
  Call,      ///< A function of the user, or one nothing is known about.
  Forward,   ///< `result` is what the module `subject` makes of the operands.
  Backward,  ///< Adds to the gradients of everything `subject` was computed from.
  Step,      ///< The optimizer `subject` consumes its gradients; operand 0 may be a closure.
  ClearGradients, ///< Forgets the gradients of `subject`: an optimizer, module or tensor.
  Overwrite,      ///< Replaces the values of `subject`; of a gradient, that forgets it.
  Detach,         ///< `result` is `subject` without its history; without result, in place.
  Differentiate,  ///< `result` are the gradients of operand 0.
  Create,         ///< `result` is a new tensor; operands may tell its device.
  Move,           ///< `result` is the tensor `subject` on the device of operand 0, if any; a module
                  ///< moves itself.
  SetMode,        ///< The module `subject` gets into the mode `constant` (training or not), or
                  ///< into that which the variable operand 0 has kept.
  KeepMode,       ///< The variable `subject` keeps the mode of the module operand 0.
  EnterGradMode,  ///< While the variable `subject` lives, recording of gradients is `constant`.
  KeepGradMode,   ///< The variable `subject` keeps whether gradients are recorded.
  SetGradMode,    ///< Recording of gradients is `constant` from now on.
  EnterAutocast,  ///< While the variable `subject` lives, autocast is on.
  SetAutocast,    ///< Autocast is `constant` from now on.
  SetAutocastCache,   ///< Whether autocast keeps weights in 16 bits is `constant` from now on.
  ClearAutocastCache, ///< Autocast forgets the weights that it keeps.
  RequireGrad,        ///< `subject` is to have a gradient, or none (`constant`).
  Load,               ///< The values of operand 0 are replaced.
  Return,             ///< The function returns operand 0, if any.
  EndLifetime,        ///< The variable `subject` ends.
  Assign,             ///< A condition's variable changes: see `conditions`.
  Release,            ///< The memory that the variable `subject` holds is freed, or moves.
  Access,             ///< What the pointer or view `subject` leads to is read or written.
};

/// Which elements of a tensor an event writes.
enum class Coverage : unsigned char {
  All,
  Part, ///< Some, which may be all in the end: a slice, an element for each number of a loop.
  Some, ///< Those that a condition or a list chooses.
};

/// How a Bind makes its place denote the value.
enum class BindKind : unsigned char {
  Reference, ///< Another name for the same place.
  Handle,    ///< Shares the object: pointers, smart pointers, module holders, closures.
  Value,     ///< A copy: tensors, containers, structs.
};

/// The answer to a repeated condition (see Conditions.h), as a truth value.
struct Flag {
  signed char condition = -1; ///< Its number, or -1 for nothing known.
  bool isNegated = false;
};

/// A part of a text that is put together: what is written, or what the variable at a place holds.
struct TextPart {
  std::string literal;
  PathId place = noPath; ///< If it is no literal.
};

/// A string, such as the name of a file, as it is put together.
struct Text {
  llvm::SmallVector<TextPart, 2> parts;
};

/// What an event registers in the module that is its subject.
enum class Registers : unsigned char {
  None,
  Module,
  Parameter,
  Buffer,
  Other, ///< It takes something out, or puts a module into the place of another.
};

/// What an event does to a list of tensors, or of pointers to modules.
enum class ListChange : unsigned char {
  None,   ///< The list keeps its elements, as far as the event is about one.
  Clear,  ///< It has no elements after that.
  Size,   ///< It gets elements that hold nothing, behind those that it has.
  Append, ///< It gets further elements, which hold something.
  Other,  ///< It may lose elements, or those that it has may be filled.
};

/// A value that takes part in an event.
struct Operand {
  PathId path = noPath;
  TypeRole role = TypeRole::None;
  bool escapes = false;           ///< The callee can change what the path names.
  bool fresh = false;             ///< A new object that has no other name.
  bool isClosure = false;         ///< A lambda or std::function.
  bool isTensor = false;          ///< A tensor or something that holds some.
  bool isLent = false;            ///< The callee may assign to what the path names.
  bool isGivenAway = false;       ///< An object that who gets it may move: `std::move(x)`.
  bool isText = false;            ///< A string, or the path of a file.
  bool isMovedThere = false;      ///< Of a Forward: the first that is done to it is to move it.
  bool isForHost = false;         ///< The callee takes it on the CPU alone.
  Flag flag = {};                 ///< Of a Call: what the value is the answer to.
  Device device = {};             ///< Where the source says it literally.
  const ir::Node *expr = nullptr; ///< As written, where it is written.
  const Text *text = nullptr;     ///< Of an argument that is a string, where it is known.
};

/// What a function itself reads or writes of memory, on the host.
enum class HostRead : unsigned char {
  None,     ///< Nothing, or other functions do.
  Packed,   ///< The same, but the other function is told sizes alone: it goes through it in order.
  Elements, ///< Single elements, of which it computes the places.
  All,      ///< One after the other, as they lie there.
};

/// Arithmetic in place of the samples that a dataset keeps.
struct SampleChange {
  const ir::Node *call = nullptr; ///< Null if there is none.
  bool isDropped = false;         ///< Nobody takes its value.

  explicit operator bool() const { return call; }
  bool operator==(const SampleChange &) const = default;
};

/// What a data loader is made with, as the source says.
struct LoaderOptions {
  unsigned workers = 0;        ///< How many for certain.
  bool lacksWorkers = false;   ///< None for certain: the loop over the batches makes them itself.
  unsigned batchSize = 0;      ///< How many samples are in a batch; 0 if nobody knows.
  bool lacksBatchSize = false; ///< Nobody sets how many samples are in a batch: it is one.
  bool splitsSamples = false;  ///< The sampler gives each of several processes a part of them.
  bool keepsEpoch = false;     ///< It does so in an order of its own for each epoch it is told.
  bool givesAll = false;       ///< It does not, and what is known of the dataset does not, either.
  const ir::Node *dropsLast = nullptr; ///< What leaves out a last batch that is not full.
  /// What draws random numbers for every sample, whatever the dataset is asked for.
  const ir::Node *draw = nullptr;
  const ir::Node *read = nullptr; ///< What reads or decodes samples when they are asked for.
  /// What the dataset or a transform draws random numbers from when it gives a sample, of which
  /// each worker has a copy that draws the same; null if there is none.
  const ir::Symbol *engine = nullptr;
  /// What all workers share and the dataset changes when it gives a sample, and where it does; null
  /// if there is none.
  const ir::Symbol *shared = nullptr;
  const ir::Node *change = nullptr;
  /// What changes the samples where the dataset keeps them, each time it gives them.
  SampleChange sampleChange = {};

  bool operator==(const LoaderOptions &) const = default;
};

/// How a loop over a loader is left before the last batch.
struct EarlyEnd {
  const ir::Node *leave = nullptr; ///< What does so first; null if nothing does.
  bool isConditional = false;      ///< Not every round reaches it.

  bool operator==(const EarlyEnd &) const = default;
};

/// When what a kept pointer or view leads to ends with the expression that makes it.
enum class Ending : unsigned char {
  None,   ///< It does not, or nobody knows.
  Always, ///< It is made for the expression alone.
  Copied, ///< If `original` is not on the device yet that it is brought to.
  Packed, ///< If `original` does not lie in memory in the order of its dimensions.
  Mostly, ///< If it is not by chance what lives elsewhere, too.
};

/// What a pointer or view that is kept leads to when the expression has ended.
struct DanglingView {
  Ending ending = Ending::None;
  PathId copy = noPath;     ///< Of `original`, which is the tensor itself where it need not change.
  PathId original = noPath; ///< A tensor that lives on.
  const ir::Node *temporary = nullptr; ///< What ends.
  const ir::Symbol *keeper = nullptr;  ///< The variable that keeps it, if it is one.

  bool operator==(const DanglingView &) const = default;
};

/// What adds to a list in every round of a loop, or every run of a function, and never takes away.
struct Growth {
  const ir::Node *list = nullptr; ///< Where the first is added; null if there is none.
  bool isAll = false;             ///< Nothing else fills the list.

  bool operator==(const Growth &) const = default;
};

/// What is wrong with how a function that computes its own gradients is written.
struct CustomFunctionFacts {
  int inputs = -1;    ///< Return of its backward: what it must give gradients for, if that differs.
  int gradients = -1; ///< The number that it returns.
  int misplaced = -1; ///< Which of them is for an input that is no tensor.
  bool keepsOutput = false;  ///< Bind: the context keeps what the function returns.
  bool changesInput = false; ///< Combine: an input is changed in place, returned, and not marked.

  bool operator==(const CustomFunctionFacts &) const = default;
};

/// Two layers, one behind the other, whose weights are a constant each: nothing but biases tells
/// the neurons between them apart.
struct EqualNeurons {
  const ir::Symbol *before = nullptr; ///< Null if there are none.
  const ir::Symbol *behind = nullptr;
  const ir::Node *fill = nullptr;  ///< What fills the first.
  const ir::Node *other = nullptr; ///< What fills the second.

  bool operator==(const EqualNeurons &) const = default;
};

/// A loop that reads another element of one and the same tensor in each round.
struct ElementLoop {
  const ir::Node *loop = nullptr; ///< Null if there is none.
  bool isComputed = false;        ///< It reads a number that is computed from the element, or
                                  ///< of all elements for the round.
  /// There is none in this function, of which each call reads the element that it is asked for.
  bool isOfCalls = false;

  bool operator==(const ElementLoop &) const = default;
};

/// What becomes of a number that is for people alone.
enum class Shown : unsigned char {
  No,       ///< The program goes by it, or nobody knows.
  Returned, ///< The function returns it, and does nothing else with it.
  Logged,   ///< It is added up, kept or handed to a log.
  Printed,  ///< It is written out at once, if not only for what has a certain size.
};

/// What a number that is read from a tensor is read for.
struct NumberUse {
  const ir::Node *assertion = nullptr; ///< See assertionOf().
  bool isVain = false;                 ///< See isVain().
  const ir::Node *otherTest = nullptr; ///< See otherTestOf().
  const ir::Node *joined = nullptr;    ///< See joinedBy().

  bool operator==(const NumberUse &) const = default;
};

/// What is written of the order in which a tensor has samples and steps: its first two dimensions.
struct OrderMark {
  /// That of the samples: of a batch that is made, of what is asked for its size.
  signed char samples = -1;
  bool isPlain = false; ///< A loss of classes counts all that it is given, and each the same; what
                        ///< fills up sequences may be anything else, too.
  signed char pooled = -1; ///< Combine: the one of which it takes the last entry, or the mean.
  bool keepsFirst = false; ///< Combine: the first size is that of the subject.
};

class FunctionBody;
struct Typing;

/// The learning rate that an optimizer starts with.
struct LearningRate {
  const ir::Node *expr = nullptr; ///< Where it is said; null if nobody knows it.
  double value = 0;
  const ir::Symbol *given = nullptr; ///< What callers give it by, if they do.

  bool operator==(const LearningRate &) const = default;
};

/// What few events say, each of it for a check or two.
struct EventDetails {
  LearningRate rate = {};           ///< Construct: that an optimizer starts with.
  LoaderOptions loader = {};        ///< Combine: of the data loader that is made.
  EarlyEnd earlyEnd = {};           ///< Create of batches: how the loop over them ends.
  DanglingView danglingView = {};   ///< What ends although something is kept of it.
  CustomFunctionFacts custom = {};  ///< In a function that computes its own gradients.
  Growth growth = {};               ///< Forward: of its list of inputs.
  EqualNeurons equalNeurons = {};   ///< Of what fills the weights of a layer.
  llvm::StringRef file;             ///< Load, what saves: the name of the file, if it is written.
  const ir::Node *filled = nullptr; ///< Load: what has filled the list that it adds to.
  const Text *name =
      nullptr;            ///< Combine that registers something: by which name, where that is known.
  PathId holder = noPath; ///< Create over memory: the variable by which that is freed.
  PathId since = noPath;  ///< ReadClock: the earlier time that is taken from this one.
  ElementLoop elementLoop = {};            ///< Combine that reads a number, Move to the host.
  const ir::Node *lastOfLoop = nullptr;    ///< The same: see lastOfLoop().
  const ir::Node *readBefore = nullptr;    ///< The same: see readBefore().
  const ir::Node *parameterLoop = nullptr; ///< The same: see parameterLoopOf().
  NumberUse use = {};                      ///< The same.
  const ir::Node *batchLoop = nullptr;     ///< Combine that takes a slice: see batchLoopOf().
  const ir::Node *copied = nullptr;        ///< SetEpoch: what has taken a copy of the subject, and
                                           ///< makes the call vain.
  const ir::Node *sharedChange = nullptr;  ///< Construct of a list: see changeOfShared().

  bool operator==(const EventDetails &) const = default;
};

struct Event {
  EventKind kind = EventKind::Combine;
  BindKind bind = BindKind::Value;
  const ir::Node *site = nullptr; ///< Where; never null.
  Operand subject;
  llvm::SmallVector<Operand, 1> operands;
  Rare<EventDetails> details;
  PathId result = noPath;
  PathId memory = noPath; ///< Create: whose memory it is, a local variable's or any element's.
  TypeRole resultRole = TypeRole::None;
  Operation operation = Operation::None; ///< What the framework's function or layer computes.
  const Operator *run = nullptr;         ///< The framework's operator that it runs, if it is one.
  /// Elements of the subject, or of operand 0 where there is none, get other values.
  bool changesElements = false;
  Coverage coverage = Coverage::All; ///< Of these.
  const Typing *typing = nullptr;    ///< What is written of the elements and shape of the result.
  Trait trait = Trait::None;         ///< Construct, Step: what holds of the class of the subject;
                                     ///< Call: of the function.
  bool keepsMomentum = false;        ///< Construct: the optimizer has a momentum.
  bool isArithmetic = false;         ///< The result carries no tensor.
  bool isTensor = false;             ///< The result is a tensor or holds some.
  bool isDifferentiable = true;      ///< The result has a gradient if an operand has.
  bool endsGraph = false;            ///< Differentiate: the result has no graph of its own.
  bool keepsDimensions = true;       ///< The result has dimensions if an operand has.
  bool isNoise = false;              ///< Create: several random samples.
  bool isData = false;               ///< Create: values that the program has to give each time.
  bool isAnyDevice = false;          ///< The operands may be on several devices.
  bool isAttribute = false;          ///< The result tells the shape, type or place of the subject.
  bool isDiscarded = false;       ///< Nothing uses the result, and there is no other effect. Bind:
                                  ///< nothing reads the variable any more.
  bool switchesGradients = false; ///< SetMode, Forward: the class of the subject enables gradients
                                  ///< of parameters with the mode.
  bool ignoresMode = false;       ///< Combine: it trains whatever the mode of the module.
  bool usesOwnGradient = false;   ///< Of what changes the subject: by its own gradient.
  bool changesCopy = false; ///< The same: the subject is a copy of elements, for nothing else.
  HostRead hostRead = HostRead::None; ///< Combine: what the function reads of the memory it gets.
  bool readsOnHost() const { return hostRead > HostRead::Packed; }
  /// Combine: the result is a pointer into the subject or a view of it. Construct: the result is a
  /// view of the operand, or keeps the pointers that it is made with. Create: it lies where the
  /// pointer leads that it is made with.
  bool leadsIn = false;
  ListChange listChange = ListChange::None; ///< Construct, Combine: of the result, the subject.
  std::optional<ElementType> element;       ///< Move: what a module's parameters become.
  OrderMark order = {};                     ///< Of samples and steps.
  Shown shown = Shown::No;   ///< Combine that reads a number, or a Call that gives one.
  bool dropsBatch = false;   ///< Combine: a batch of one sample loses the dimension of samples.
  bool keepsStrides = false; ///< Combine: the result is as the only tensor among the operands.
  bool isStateless = false;  ///< Forward: the module has neither parameters nor a mode.
  bool isWeightless = false; ///< Forward: the module has no tensors, and so no device.
  bool followsInput = false; ///< Forward: the module moves to where its input is.
  bool castsWeights = false; ///< Forward: autocast keeps the casts of the module's parameters.
  bool isGuarded = false;    ///< Forward: it disables gradients itself.
  bool mayUseHost = false;   ///< Forward: some operands may be meant to be on the host.
  bool isUpdate = false;     ///< Bind: the value is a method's of what the place held.
  bool isAsync = false;      ///< Move, Overwrite: the host does not wait for the copy.
  bool isPageable = false;   ///< Create: certainly not in page-locked memory.
  bool namesGpu = false;     ///< Create, Move: to a GPU, whatever the machine has.
  bool keepsBest = false;    ///< Bind, or Combine that adds an element to a list: in a branch that
                             ///< keeps the best of a number.
  bool isRegistered = false; ///< Bind: of a layer of the framework, which has registered what it
                             ///< held there.
  bool givesParameters = false; ///< Combine: the result is a list of those of the subject.
  bool growsSubject = false; ///< Combine: a module with parameters becomes a part of the subject.
  Registers registers = Registers::None; ///< Combine: what the operand becomes of the subject.
  bool hasParameters = false;            ///< Forward: the module certainly has some.
  bool isLostEdit = false;   ///< Bind, Combine: it changes options that no optimizer reads.
  bool startsThread = false; ///< The closures among the operands run in a thread of their own.
  const CalledModule *called = nullptr; ///< See module().
  const ir::Symbol *callee = nullptr;   ///< Of a Call or Forward, if it is known.
  bool isVirtual = false; ///< Of these: which overrider is called is found at run time.
  llvm::StringRef clear;  ///< Step: the name of the function that clears what it uses.
  const FunctionBody *function = nullptr; ///< The function it stands in; never null.
  unsigned forgets = 0;                   ///< Assign: the conditions that may change, as bits.
  /// Combine of `c ? a : b`: what chooses operand 0. What has a `constant`: what tells it
  /// otherwise.
  Flag choice;
  /// Assign: their new value. SetMode, SetGradMode, EnterGradMode, SetAutocast, SetAutocastCache,
  /// RequireGrad: on or off. Backward, Differentiate: whether the graph is retained; unknown
  /// where that goes through a part of it only. Anomaly detection: on or off. Release: the memory
  /// is freed for certain. Where the source says it literally.
  std::optional<bool> constant;

  /// What is known of the module that is the subject; Construct: of the module that it makes.
  const CalledModule &module() const;

  /// Whether it is a loss of classes that counts all it is given, and each the same.
  bool isPlainLoss() const;
};

/// A group of processes that train together, in the function that makes it.
struct RankGroup {
  const ir::Symbol *variable = nullptr; ///< Null if there is none, or others get hold of it.
  bool isOnOneMachine = false;          ///< All of them are.
  bool choosesDevice = false;           ///< Which of them it is may decide on a device,
  bool choosesMore = false;             ///< or on other things.
};

/// What a condition asks of the shape of a tensor: `x.dim() > 2`, `x.size(0) == 1`.
struct ShapeTest {
  PathId tensor = noPath;
  std::optional<std::int64_t> axis = {}; ///< Whose size it is; none: the number of dimensions.
  std::int64_t least = 0;                ///< It is from this,
  std::int64_t most = std::numeric_limits<std::int64_t>::max(); ///< to that one,
  bool holds = true;                                            ///< or, if this is false, is not.
};

/// A basic block: its events and where control goes from there.
struct Block {
  struct Edge {
    unsigned target;
    int condition = -1;         ///< The repeated condition this edge decides, or -1.
    bool value = false;         ///< What the edge says about it.
    unsigned excluded = 0;      ///< The repeated conditions that do not hold along it, as bits.
    bool isKeptApart = true;    ///< The ways stay apart from here on (see Conditions.h).
    PathId undefined = noPath;  ///< What holds nothing along this edge.
    PathId exhausted = noPath;  ///< A loader that has given its last batch along this edge.
    bool lacksGpu = false;      ///< It is taken only where there is no GPU.
    bool isSwitchedOff = false; ///< A flag that nothing sets keeps control from it.
    llvm::SmallVector<PathId, 2> placed = {}; ///< The tensors whose devices decide.
    std::optional<ShapeTest> shape = {};      ///< What holds of a shape along this edge.
    /// Of a loop's latch: the repeated condition that tells the last round, or -1, and what it
    /// answers then.
    int lastRound = -1;
    bool answerInLastRound = false;
  };
  std::vector<Event> events;
  std::vector<PathId> temporaries; ///< Roots that no later block mentions; dead at the end.
  llvm::SmallVector<Edge, 2> edges;
  bool isLoopHead = false;   ///< Control comes back to it.
  bool neverReturns = false; ///< It ends in a throw, or what it calls last does not come back.
  /// No way leads to it but for edges that are: code that is kept for other settings. Checks see
  /// it, as its reader may switch it on; what the program as it stands uses is not told by it.
  bool isSwitchedOff = false;
  /// The edge that leaves a `for` or `while` loop, which is assumed to run at least once; else -1.
  int exitEdge = -1;
  /// The block from which control comes back to this loop head (see exitEdge).
  unsigned latch = 0;
};

/// A condition that compares a parameter with a value of an enumeration.
struct ParameterChoice {
  unsigned condition;
  const ir::Symbol *value; ///< The value.
};

/// A lowered function. Blocks are numbered in reverse post order; block 0 is the entry.
class FunctionBody {
public:
  FunctionBody(const ir::Symbol *function, const ir::Node *body);
  ~FunctionBody();

  struct Parameter {
    const ir::Symbol *declaration;
    Operand place;
    BindKind bind;
    int condition = -1; ///< The repeated condition that asks for its value alone, or -1.
    llvm::SmallVector<ParameterChoice, 2> choices = {}; ///< Of an enumeration.
    /// Of a module's method: the first that is done to it is to move it to a device.
    bool isMovedFirst = false;
    /// Of a module's method: it meets, as it is, other tensors, which must be on its device.
    bool meetsTensors = false;
  };

  const ir::Symbol *function;
  const ir::Node *body;
  std::vector<Block> blocks;
  std::vector<Parameter> parameters;
  PathId thisObject = noPath;  ///< The path of `this`, in a method.
  bool isModuleMethod = false; ///< `this` is a module.
  bool hasGuard = false;       ///< Of a module's method: a guard of gradients stands in it.
  bool followsInput = false;   ///< Of a module's method: it moves the module to where its input is.
  bool isOfDataset = false;    ///< `this` is a dataset.
  bool isInner = false;        ///< Others lead to it; it is none of LoweredUnit::functions().
  bool asksForMode = false;    ///< It, or what it calls outside other modules, does by itself what
                               ///< depends on the mode.
  bool isStep = false;         ///< It is what a step of an optimizer of the user's does.
  bool isCallback = false;     ///< It overrides a function of the framework, which calls it.
  bool isOwnBackward = false;  ///< It computes the gradients of a function of the user's.
  bool asksForDevices = false; ///< A condition asks where tensors are, or for a GPU.
  bool asksForPlaces = false;  ///< The first of these, or what a device is.
  bool returnsTensors = false;
  bool usesGpu = false;      ///< It names a GPU, or a device that may be one.
  bool changesOrder = false; ///< It tells layers that are there already which dimension is which.
  bool changesElements = false; ///< It gives parameters, or new tensors, elements of another type.
  bool setsDefaultType = false; ///< It says what elements new tensors have.
  std::vector<std::unique_ptr<const Typing>> typings;       ///< Of its events.
  std::vector<std::unique_ptr<const Text>> texts;           ///< Of the operands of its events.
  std::vector<std::unique_ptr<const CalledModule>> modules; ///< Of its events.
  std::string linkedFrom; ///< The source that has it, if that is another than the unit's own.
  KernelCare kernelCare;  ///< About launches, its own and those of who it calls.
  /// The data loaders in it whose batches come in the same order each time, as the samples are
  /// stored: nothing shuffles them, as far as can be seen.
  std::vector<const ir::Symbol *> orderedLoaders;
  RankGroup group;          ///< The one that it makes for itself.
  Operand batchDevice;      ///< What says the device it moves its batches to, if that is one.
  PathId returned = noPath; ///< The path of the value it returns.

  /// The whole expression that \p site is part of, or null.
  const ir::Node *fullExpressionOf(const ir::Node *site) const;

  /// The same if it is a statement of its own directly in a block `{ … }`, else null.
  const ir::Node *expressionStatementOf(const ir::Node *site) const;

  /// The innermost statement, no expression, that \p site is or is part of; for an expression that
  /// is a statement of its own, that expression.
  const ir::Node *statementOf(const ir::Node *site) const;

  /// The innermost statement or expression around \p site within the function, or null.
  const ir::Node *statementAround(const ir::Node *site) const;

  /// The loops around \p site within this function, innermost first.
  llvm::SmallVector<const ir::Node *, 4> loopsAround(const ir::Node *site) const;

  /// Whether \p variable, or member, is named anywhere in the function.
  bool mentions(const ir::Symbol &variable) const;

  /// Whether something in \p within, a part of the function, may change the variable or member
  /// \p entity, or lends it to what may. A member is that of any object.
  bool mayChange(const ir::Symbol &entity, const ir::Node *within) const;

  /// The variables and members that \p expr names.
  llvm::SmallVector<const ir::Symbol *, 4> namedIn(const ir::Node *expr) const;

  /// Whether a run of the function, or a round of the loop \p within, may leave \p site out for
  /// what it asks.
  bool isConditional(const ir::Node *site, const ir::Node *within = nullptr) const;

  /// The same, but not for what ends the loop \p within, or throws: the rounds before that have
  /// run.
  bool isLeftOut(const ir::Node *site, const ir::Node *within = nullptr) const;

  /// The same, but whatever may leave the function before \p site is reached.
  bool isInBranch(const ir::Node *site) const;

  /// The block `{ … }` of which \p statement is a direct child, or null.
  const ir::Node *compoundOf(const ir::Node *statement) const;

  /// What is around \p site within the function, innermost first; nothing for what stands outside
  /// of its body, such as the initializers of a constructor.
  llvm::SmallVector<const ir::Node *, 16> around(const ir::Node *site) const;

private:
  // Made when asked for.
  mutable std::optional<llvm::DenseSet<const ir::Symbol *>> mentioned, changed;
};

/// The number that \p node in \p function says, be it by way of a variable that never changes.
std::optional<double> numberOf(const ir::Node &node, const FunctionBody &function);

/// The rate that \p number in \p function is, if it is a constant, or a parameter that never
/// changes.
LearningRate rateIn(const ir::Node &number, const FunctionBody &function);

} // namespace gradtidy
