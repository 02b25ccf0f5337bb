// What the types and functions of a tensor framework mean to the analysis. The names in the JSON
// models are those of roleName(): "module-holder", "clear-gradients" and so on.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace gradtidy {

/// The role of a class. A class without a role of its own has that of its nearest base.
enum class TypeRole : unsigned char {
  None,
  Tensor,         ///< A handle to a tensor; copies share it.
  Module,         ///< Owns parameters and submodules.
  ScriptModule,   ///< A module loaded from a file, in the mode it was saved in.
  ModuleHolder,   ///< A smart pointer to a module that forwards calls to it.
  Optimizer,      ///< Updates the parameters it was given from their gradients.
  DataLoader,     ///< Gives batches of a dataset, one after the other.
  Device,         ///< A device, or options for new tensors that name one.
  NoGradGuard,    ///< Disables the recording of gradients while it lives.
  InferenceGuard, ///< The same, if its argument is true or missing.
  GradModeGuard,  ///< Sets the recording of gradients to its argument while it lives.
  AutocastGuard,  ///< Enables autocast while it lives.
};

/// Whether values of that role are modules, seen through holders.
constexpr bool isModule(TypeRole role) {
  return role == TypeRole::Module || role == TypeRole::ScriptModule ||
         role == TypeRole::ModuleHolder;
}

/// Whether values of that role are tensors or may hold some (containers, structs).
constexpr bool mayHoldTensors(TypeRole role) {
  return role == TypeRole::Tensor || role == TypeRole::None;
}

/// Whether variables of that role decide how operations work by being alive.
constexpr bool isGuard(TypeRole role) {
  return role == TypeRole::NoGradGuard || role == TypeRole::InferenceGuard ||
         role == TypeRole::GradModeGuard || role == TypeRole::AutocastGuard;
}

/// The role of a function. The subject is the object of a member function, else the first argument.
enum class FunctionRole : unsigned char {
  None,
  Backward,       ///< Adds to the gradients of everything the subject was computed from.
  Step,           ///< The subject updates its parameters from their gradients.
  ClearGradients, ///< Forgets the gradients of the subject's parameters.
  Parameters,     ///< The parameters of the subject, as a list.
  Gradient,       ///< The gradient of the subject, shared with it.
  Overwrite,      ///< Replaces the values of the subject in place.
  Defined,        ///< Whether the subject holds anything.
  Detach,         ///< The values of the subject without their history.
  DetachInPlace,  ///< The subject loses its history.
  Differentiate,  ///< The gradients of the first argument, as a result.
  Create,         ///< A new tensor that depends on no other.
  CreateLike,     ///< A new tensor that has only shape, type and device of the subject.
  Move,           ///< To the device among the arguments: a tensor as a copy, a module in place.
  MoveToCpu,
  MoveToCuda,
  Train,              ///< The module gets the mode of the argument, training if there is none.
  Eval,               ///< The module gets into evaluation mode.
  SetGradMode,        ///< The recording of gradients is set by hand.
  SetAutocast,        ///< Autocast is set by hand.
  SetAutocastCache,   ///< Whether autocast keeps weights in 16 bits is set by hand.
  ClearAutocastCache, ///< Autocast forgets the weights that it keeps in 16 bits.
  RequireGrad,       ///< The subject (or tensors made with it) gets a gradient, or is to have none.
  NonDifferentiable, ///< The result has no gradient: comparisons, indices, samples.
  Reduce,            ///< The result may have no dimension left.
  AnyDevice,         ///< The arguments may be on several devices.
  Attribute,         ///< The shape, type or place of the subject, not its values.
  Register,          ///< The second argument becomes part of the subject, and is the result.
  Load,              ///< Replaces the values of the first argument by those of a file.
};

/// Where a constant of the framework says tensors are.
enum class DeviceRole : unsigned char { None, Cpu, Cuda };

/// The type of a tensor's elements. Flags and integers come first, in the order of their sizes.
enum class ElementType : unsigned char {
  Unknown,
  Bool,
  UInt8,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  BFloat16,
  Float32,
  Float64,
};

/// How the elements and the shape of a result follow from the operands: of a function, or of a
/// layer.
enum class ResultRule : unsigned char {
  None,
  Sizes,       ///< A new tensor of the sizes in the list, of floating-point numbers.
  Full,        ///< The same, of the kind of the number that it is filled with.
  Integers,    ///< The same, of integers.
  Range,       ///< One dimension, of the kind of the numbers between which it lies.
  Steps,       ///< One dimension, of floating-point numbers.
  Values,      ///< The elements that are listed.
  Memory,      ///< The memory that the first argument points to, as floating-point numbers.
  Like,        ///< Of the shape and elements of the subject.
  New,         ///< Of the sizes in the list and the elements of the subject.
  Same,        ///< The same: a result for each element of the subject.
  Update,      ///< The same, where the operands go over the subject, which they change.
  Elementwise, ///< Of each pair of elements.
  Filled,      ///< The same; a number before a tensor is taken for a tensor of the same kind.
  Choose,      ///< Of those behind the first, which tells which.
  Real,        ///< The same, and never integers.
  Compare,     ///< The same, as flags.
  Flags,       ///< A flag for each element of the subject.
  Numbers,     ///< An index for each.
  Accumulate,  ///< A sum for each: of flags and integers, integers.
  Masked,      ///< The elements of the subject, which the second goes over.
  Sum,         ///< Over the dimensions that are named, or all; of flags and integers, integers.
  Reduce,      ///< The same, in the elements of the subject.
  RealReduce,  ///< The same, and never integers.
  Test,        ///< The same, as flags.
  IndexReduce, ///< The same, as indices.
  Reshape,     ///< The sizes in the list.
  Expand,      ///< The same, where sizes below 0 are those of the subject.
  Unsqueeze,
  Squeeze,
  Flatten,
  Transpose,
  Permute,
  Select,    ///< Without the dimension that is named, or the first.
  Unbind,    ///< The same, of each part.
  Slice,     ///< A part of the dimension that is named.
  Gather,    ///< The shape of the indices, which have as many dimensions.
  Alike,     ///< The shape of the other tensor.
  Pick,      ///< Some of the elements, in any shape.
  Resize,    ///< The elements of the subject, in as many dimensions.
  Grown,     ///< The same, in as many or more.
  Elements,  ///< The same, in any shape.
  Gathered,  ///< The same of those of a list.
  Scalar,    ///< One element like those of the subject.
  Positions, ///< Indices, one row for each element.
  Stack,     ///< Those of a list, along a dimension of their own.
  Join,      ///< Those of a list, one behind the other.
  Matmul,
  Project,   ///< The last dimension is that of the rows of the second.
  LookUp,    ///< Rows of the first, one for each element of the second.
  Linear,    ///< As many features as the second number says in place of the last dimension.
  Weighted1, ///< Sums weighted by parameters: as many features as the second number says, before
  Weighted2, ///< one, two or three dimensions of space.
  Weighted3,
  Transposed1, ///< The same, of convolutions the other way round.
  Transposed2,
  Transposed3,
  Pool1, ///< A number for each place of a window over as many dimensions of space.
  Pool2,
  Pool3,
  Adaptive1, ///< The same, where the sizes of the result are given.
  Adaptive2,
  Adaptive3,
  Normalize1, ///< The same as the input, whose features, before the dimensions of space, it counts.
  Normalize2,
  Normalize3,
  Cast,         ///< The subject, in other elements.
  OneHot,       ///< One dimension more.
  Embed,        ///< The same, of floating-point numbers.
  Loss,         ///< Of each pair of elements, reduced.
  SqueezedLoss, ///< The same, of tensors without their dimensions of size 1.
  ClassLoss,    ///< Of each sample, reduced.
};

constexpr bool isLoss(ResultRule rule) {
  return rule == ResultRule::Loss || rule == ResultRule::SqueezedLoss ||
         rule == ResultRule::ClassLoss;
}

/// Whether pairs of elements meet.
constexpr bool isPairwise(ResultRule rule) {
  return rule == ResultRule::Elementwise || rule == ResultRule::Filled ||
         rule == ResultRule::Choose;
}

/// Whether the result has the shape and elements of the subject.
constexpr bool keepsShape(ResultRule rule) {
  return rule == ResultRule::Same || rule == ResultRule::Update ||
         (rule >= ResultRule::Normalize1 && rule <= ResultRule::Normalize3);
}

/// Whether a layer of the rule multiplies its input by weights.
constexpr bool isWeighted(ResultRule rule) {
  return rule >= ResultRule::Linear && rule <= ResultRule::Transposed3;
}

/// How many dimensions of space stand behind the features that a layer of the rule asks for; 0 for
/// others.
constexpr unsigned spatialAxesOf(ResultRule rule) {
  return rule >= ResultRule::Weighted1 && rule <= ResultRule::Normalize3
             ? (static_cast<unsigned>(rule) - static_cast<unsigned>(ResultRule::Weighted1)) % 3 + 1
             : 0;
}

/// What holds of a module class or function beyond its role. A module class without a trait has
/// parameters and no mode.
enum class Trait : unsigned char {
  None,
  Stateless,          ///< Neither parameters nor buffers nor a mode.
  StatelessByDefault, ///< So unless a mode or state option says otherwise.
  ModeDependent,      ///< train() and eval() make a difference unless a mode option says no.
  ModeByOption,       ///< They do only if a mode option says so.
  Container,          ///< Is what is put into it.
  Opaque,             ///< May be any module.
  ModeOption,         ///< An option's simple name: not zero means a mode.
  StateOption,        ///< An option's simple name: not zero means parameters.
  ThreadIndex,        ///< In a kernel: the number of a thread in its block.
  BlockIndex,         ///< In a kernel: the number of its block.
  KernelOption,       ///< An option's simple name: the size of a window, and so on.
  StrideOption,
  PaddingOption,
  DilationOption,
  AddedSizeOption, ///< What a transposed convolution adds to its result.
  CeilOption,
  GroupOption,
  ShapelessOption,    ///< One that changes no shape.
  RegistersModule,    ///< The subject owns the argument from now on.
  ReplacesModule,     ///< The same, in the place of another one.
  UnregistersModule,  ///< The subject no longer owns one.
  RegistersParameter, ///< The same, of a trained tensor.
  RegistersBuffer,    ///< The same, of a tensor that is not trained.
  ReachesModule,      ///< Does by hand what registration is for.
  MovesTensor,        ///< Makes a copy on another device.
  MakesIndices,       ///< Makes a tensor of indices.
  GivesIndices,       ///< Gives values and their indices; these have no gradient.
  MakesScalar,        ///< Makes a tensor of no dimension if it is given a number.
  MakesRandom,        ///< Makes a tensor of values that no other call makes again.
  IntegerType,        ///< A constant that makes tensors integers.
  FloatType,          ///< A constant that makes tensors floating-point numbers.
  Index,              ///< What a tensor becomes where it selects elements of another.
  RequiresGrad,       ///< Marks a tensor for training, unless it is given false.
  CastsWeights,    ///< Autocast keeps the casts of the parameters, which it is given as they are.
  AsksForGpu,      ///< Tells whether there is a GPU.
  AsksForErrors,   ///< Tells whether something on the GPU has failed, a launch included.
  ChoosesDevice,   ///< A function that makes a GPU the current one, or a class whose objects do.
  HoldsTensors,    ///< A class of the framework that passes tensors on.
  GradGuard,       ///< Its constructor switches autograd off as long as it lives.
  KeepsOrder,      ///< A sampler that gives the samples in the order in which they are stored.
  OwnsElements,    ///< A class whose objects hold the memory of their elements.
  TrainsByDefault, ///< Options of a mode-dependent function that mean training unless told.
  MakesMask,       ///< A tensor, never of one element only, that selects elements of another.
  NeedsClosure,    ///< An optimizer whose step calls a closure, several times.
  AdaptiveSteps,   ///< An optimizer whose steps are about as long as the learning rate.
  GradientSteps,   ///< One whose steps are as long as the gradients, times the learning rate.
  SchedulesRate,   ///< A class whose objects change the learning rate when they are stepped.
  MakesNew,        ///< The result lies in memory of its own.
  Packs,           ///< The subject itself, or a copy in the order of its dimensions.
  SharesHandle,    ///< The tensor that the subject holds.
  ViewsElements,   ///< A class whose objects look over elements that others hold.
  OwnGradients,    ///< The base of classes whose functions compute their own gradients.
  StepOptions,  ///< A class of options of an optimizer, of which copies are options of their own.
  KeepsStrides, ///< The result lies in memory in the order of the only tensor it is made of.
  GivesSamples, ///< A dataset that gives one sample after the other.
  GivesBatches, ///< A dataset that gives whole batches.
  KeepsSamples, ///< The same, of samples that lie in its memory: others see what becomes of them.
  MapsSamples,  ///< One that gives what it makes of the samples of another, its first argument.
  DrawsNumbers, ///< A class whose objects give one random number after the other.
  ChoosesDraws, ///< One whose objects decide which random numbers tensors are filled with.
  KeepsLosses,  ///< A constant that leaves a loss unreduced.
  SumsLosses,   ///< One that has a loss be the sum of those of all elements.
  SharedByWorkers,  ///< A dataset that the workers of a loader do not copy.
  SetsDefaultType,  ///< New tensors have other elements from now on.
  TensorOptions,    ///< A class of options for new tensors.
  BatchFirstOption, ///< An option's simple name: sequences have their samples first.
  StacksSamples,    ///< A transform that puts samples beside each other in a new first dimension.
  SplitsSamples,    ///< A sampler that gives each of several processes a part of the samples.
  GivesAllSamples,  ///< One that draws from all samples, whoever asks.
  GivesClass,       ///< Tells of which class a module is.
  CopiesBytes,      ///< Copies as many bytes as its third argument says.
  JoinsRanks,       ///< A class whose objects are groups of processes that work together.
  GivesStream,      ///< Gives a stream other than the one that work is on by default.
  SeedsDraws,       ///< The random numbers of tensors begin anew.
  GetsMemory,       ///< The driver allocates memory, to which the first argument leads then.
  CreatesHandle,    ///< The same of a library's handle, which computes on the stream it is given.
  CreatesResource,  ///< The same of what else takes long to create: streams, other handles.
  GetsCheaply,      ///< The same of what does not: memory of a pool, events.
  GivesBack,        ///< Releases or destroys what one of these has given.
  SetsStream,       ///< Gives a library's handle the stream on which it computes from now on.
};

/// Whether a function of that trait registers something.
constexpr bool registers(Trait trait) {
  return trait == Trait::RegistersModule || trait == Trait::ReplacesModule ||
         trait == Trait::RegistersParameter || trait == Trait::RegistersBuffer;
}

/// The same of modules.
constexpr bool registersModule(Trait trait) {
  return trait == Trait::RegistersModule || trait == Trait::ReplacesModule;
}

/// What a function or module computes, where checks speak of it. A loss is named by what it
/// expects.
enum class Operation : unsigned char {
  None,
  View,                 ///< The values of the subject in their own memory, in another shape.
  Permute,              ///< The same, with the dimensions in another order.
  Rearrange,            ///< The values of the subject, in another shape or order.
  Index,                ///< Some of its values: a view of them, or a copy where masks select.
  SelectElements,       ///< A copy of some of its values.
  WeightedSum,          ///< Any numbers: linear layers and convolutions.
  NormalizeBatch,       ///< Subtracts the mean of a batch and divides by its deviation.
  Softmax,              ///< Probabilities that sum to 1.
  LogSoftmax,           ///< Their logarithms.
  Sigmoid,              ///< Probabilities.
  LogSigmoid,           ///< Their logarithms.
  Logarithm,            ///< Of each element.
  TanhDerivative,       ///< 1 - tanh(x)^2.
  LogitsLoss,           ///< Of classes; does the softmax itself.
  LogProbabilitiesLoss, ///< Of classes, or of a distribution.
  ProbabilityLoss,      ///< Of yes or no.
  LogitLoss,            ///< Of yes or no; does the sigmoid itself.
  DistanceLoss,         ///< Of numbers that should be equal.
  ClipGradients,        ///< Makes the gradients of parameters smaller.
  EmptyCache,           ///< Gives the cached memory of the GPU back.
  WrapMemory,           ///< A tensor over memory that somebody else owns.
  ReadScalar,           ///< The value of a tensor of one element, on the host.
  AccessElements,       ///< Access to single elements, on the host.
  PointToMemory,        ///< A pointer to the first element.
  ReadClock,            ///< The time on the host.
  Synchronize,          ///< Waits for the GPU.
  Barrier,              ///< In a kernel: all threads of a block wait for each other.
  AddAtomically,        ///< In a kernel: changes memory that other threads change, too.
  PinMemory,            ///< A copy in page-locked memory, or options for tensors there.
  MakeLoader,           ///< A data loader, of a dataset, a sampler and options.
  CopyModule,           ///< A module of its own with the same parameters, mode and device.
  SetEpoch,             ///< Seeds the order of a sampler for the next epoch.
  Save,                 ///< Writes the values of its first argument to a file or archive.
  WriteArchive,         ///< Writes what was put into an archive to a file.
  LoadModule,           ///< A new module, read from a file.
  DetectAnomaly,        ///< Checks every operation of a backward, until it is told otherwise.
  Compare,              ///< How two tensors differ.
  Fill,                 ///< Gives all elements of the subject one value.
  Apply,                ///< Calls a function for the subject and all its parts.
  GiveDefaults,         ///< The options of an optimizer for parameters that it is yet to get.
  InterleaveChannels,   ///< Pixels, the channels of each side by side; an image of such.
  Recur,                ///< The steps of sequences, each after the one before it.
  Attend,               ///< Steps of sequences, the first dimension, to each other.
  Pad,                  ///< A batch of sequences of different lengths, filled up to the longest.
  SeparateChannels,     ///< Makes of these an image for each channel, or one after the other.
  Exchange,             ///< Brings tensors of several processes together.
  Allocate,             ///< A new tensor whose elements nobody has given a value.
  SpreadBatch,          ///< Has several GPUs of one process compute a batch, a part each.
  ChooseStream,         ///< Makes a stream of a GPU the current one; a class: while objects live.
  RecordStream,         ///< Tells the allocator that another stream uses the memory of a tensor.
  AwaitEvent,           ///< Has a stream wait for what was given to another one.
  CountElements,        ///< How many elements a tensor has, in all or along its dimensions.
  CountDimensions,      ///< How many dimensions a tensor has.
  FitsCount,            ///< Whether 32 bits are enough to count the elements of a tensor.
};

/// What a function, a data member, an option or a class is to those who read how code is written,
/// beside its role: several may hold of one name.
enum class Aspect : unsigned char {
  // --- what is told of a tensor
  TellsDevice,     ///< On which device the subject is, or options say that tensors are.
  TellsCuda,       ///< Whether that is a GPU.
  TellsCpu,        ///< Whether it is the CPU.
  TellsDeviceKind, ///< Of a device: which kind it is.
  TellsElements,   ///< The type of the elements that options say.
  TellsLayout,     ///< In which order the elements lie in memory.
  TellsOptions,    ///< The options with which a new tensor is like the subject.
  TellsKey,        ///< Under which name an entry is in a list.
  TellsRank,       ///< Which of several processes this one is.
  CountsEntries,   ///< How many entries a list of the framework has.
  // --- numbers
  TestsNan,       ///< Which elements are no number.
  TestsInfinite,  ///< Which are infinite.
  TestsFinite,    ///< Which are neither.
  ReadsScalar,    ///< The value of a tensor of one element, on the host.
  ConvertsScalar, ///< The number that a scalar holds.
  GivesReal,      ///< The same as a floating-point number.
  TakesMagnitude, ///< Numbers without their signs.
  Arithmetic,     ///< Sums, differences, products and quotients of each pair of elements.
  Exponential,
  HyperbolicTangent,
  Power,
  Square,
  Sum,
  Mean,
  ComparesEqual,
  // --- parameters
  TakesOnHost, ///< A tensor that is on the CPU, wherever the others are.
  // --- parts of tensors
  SelectsEntry,    ///< One entry of a dimension.
  SelectsRange,    ///< Entries of a dimension that follow each other.
  IndexRange,      ///< A class: a range among indices.
  Nothing,         ///< A class: no value; among indices a dimension that is not there yet.
  IndexRest,       ///< A class: all dimensions that no other index is for.
  GivesData,       ///< The values of the subject, in its memory, without its history.
  FillsByMask,     ///< Gives the elements that a mask selects one value.
  GivesZeros,      ///< A new tensor of zeros.
  CopiesMemory,    ///< The values of the subject in memory of their own.
  GivesAccessor,   ///< What knows memory, sizes and strides of the subject.
  DropsLayout,     ///< The subject lies in memory in the order of its dimensions from now on.
  RetainsGradient, ///< The gradient of the subject is kept, though it is no leaf.
  // --- random numbers
  DrawsOrder,   ///< A permutation.
  DrawsIndices, ///< Indices.
  DrawsNumber,  ///< A number, of a library without tensors.
  // --- modules
  AsksForMode,     ///< Whether the subject is in training mode.
  AsksForGradMode, ///< Whether gradients are recorded.
  SetsMode,        ///< The mode of the subject.
  BuildsParts,     ///< Makes the parts of the subject anew.
  SavesParts,      ///< Writes the parts of the subject to an archive.
  ListsParameters, ///< The parameters of the subject, perhaps with their names.
  ReachesValues,   ///< A way to the values of parameters, to what is in a module, or into a file.
  Weights,         ///< A member: the weights of a layer.
  DropsElements,   ///< Dropout.
  KeepsStatistics, ///< A normalization that may keep statistics of what it is given.
  Normalizes,      ///< A normalization of any kind.
  TellsModule,     ///< In a template: who has such a method is a module.
  TellsTensor,     ///< The same of a tensor.
  TellsOptimizer,  ///< The same of an optimizer.
  // --- options, by their simple names
  TrainingOption,
  DropoutOption,
  InnerDropoutOption, ///< Of a function that computes more than dropout.
  StatisticsOption,
  LearningRateOption,
  MomentumOption,
  IterationsOption,
  ParameterGroups, ///< The options of an optimizer for parts of its parameters.
  OneAverage,      ///< An optimizer that keeps one number more for each parameter.
  TwoAverages,     ///< One that keeps two.
  // --- data, processes and files
  GivesSample,      ///< A dataset gives one sample.
  GivesBatch,       ///< A dataset, or a transform, gives a whole batch.
  TransformsSample, ///< What a transform makes of a sample.
  MapsDataset,      ///< A dataset over the subject.
  ExchangesTensors, ///< Brings tensors of several processes together.
  SharesMachine,    ///< A class: processes meet in it that run on one machine.
  Scalar,           ///< A class: a number of any kind.
  ElementNames,     ///< A class or enumeration: types of elements.
  SmartPointer,     ///< A class: a pointer to its first argument.
  InputArchive,     ///< A class: a file that is read.
  OpensArchive,     ///< Reads a file into the subject.
  // --- functions with gradients of their own
  OwnForward,
  OwnBackward,
  MarksChanged, ///< Tells autograd which inputs are changed in place.
};

constexpr unsigned aspectCount = static_cast<unsigned>(Aspect::MarksChanged) + 1;

/// What holds of one name.
class Aspects {
public:
  constexpr Aspects() = default;
  constexpr Aspects(std::initializer_list<Aspect> aspects) {
    for (const Aspect aspect : aspects)
      add(aspect);
  }
  constexpr void add(Aspect aspect) {
    bits[static_cast<unsigned>(aspect) / 64] |= std::uint64_t(1)
                                                << (static_cast<unsigned>(aspect) % 64);
  }
  constexpr Aspects &operator|=(Aspects others) {
    bits[0] |= others.bits[0];
    bits[1] |= others.bits[1];
    return *this;
  }
  constexpr bool has(Aspect aspect) const { return hasAny({aspect}); }
  constexpr bool hasAny(Aspects others) const {
    return (bits[0] & others.bits[0]) || (bits[1] & others.bits[1]);
  }
  constexpr bool isEmpty() const { return !bits[0] && !bits[1]; }
  constexpr bool operator==(const Aspects &) const = default;

private:
  std::uint64_t bits[2] = {};
};

/// The tests for numbers that are none, or infinite.
constexpr Aspects numberTests = {Aspect::TestsNan, Aspect::TestsInfinite, Aspect::TestsFinite};

/// What fix-its write. The comments tell what stands in braces: for which something is put.
enum class Phrase : unsigned char {
  DisableGradients,   ///< A statement, gradients are off behind it in its block: {name}.
  InferenceGuard,     ///< The class of a guard that also spares what a graph would need.
  Detach,             ///< Behind a tensor: the same, cut off from its graph.
  MakeLeaf,           ///< Behind a tensor: a leaf with its values that collects gradients.
  Copy,               ///< Behind a tensor: one with memory of its own.
  Move,               ///< Behind a tensor: the same on {device}.
  MoveToHost,         ///< Behind a tensor: the same on the CPU.
  Pack,               ///< Behind a tensor: the same in the order of its dimensions in memory.
  MoveModule,         ///< A call of a module that moves it to {device}.
  Train,              ///< A call of a module: it is in training mode.
  Eval,               ///< A call of a module: it is in evaluation mode.
  AskMode,            ///< A call of a module: whether it is in training mode.
  GiveMode,           ///< Behind the options of a function: the mode that AskMode tells.
  Cast,               ///< Behind a tensor: the same with elements of {type}.
  Average,            ///< Behind a tensor: the mean of all elements.
  DropDimension,      ///< Behind a tensor: the same without {dimension}, of size 1.
  FindLargest,        ///< Behind a tensor: the index of the largest along the last dimension.
  Bound,              ///< Behind a tensor: no element is below {number}.
  Put,                ///< The name of the method that writes what a selection by masks reads.
  Synchronize,        ///< A statement: waits for the GPU.
  ClearAutocastCache, ///< A statement.
  ElementSize,        ///< The bytes of one element of {type}.
  NumberedDevice,     ///< The GPU {number}.
  TensorDevice,       ///< Where {tensor} is.
  ModuleDevice,       ///< In a method of a module: where its parameters are.
  DeviceOptions,      ///< The options of {type} on {device}.
  GuardDevice,        ///< A statement: kernels run where {tensor} is.
  CurrentStream,      ///< The stream in whose order tensors are computed.
  CheckLaunch,        ///< The macro that asks whether a kernel was launched.
  RandomSampler,      ///< The sampler that shuffles.
};

/// Whether it begins a file anew.
constexpr bool writesFile(Operation operation) {
  return operation == Operation::Save || operation == Operation::WriteArchive;
}

/// Whether the result has the values of the subject, or some of them.
constexpr bool keepsValues(Operation operation) {
  return operation == Operation::View || operation == Operation::Permute ||
         operation == Operation::Rearrange || operation == Operation::Index ||
         operation == Operation::SelectElements;
}

/// Whether the result lies in the memory of the subject.
constexpr bool sharesMemory(Operation operation) {
  return operation == Operation::View || operation == Operation::Permute;
}

llvm::StringRef roleName(TypeRole role);
llvm::StringRef roleName(FunctionRole role);
llvm::StringRef roleName(DeviceRole role);
llvm::StringRef traitName(Trait trait);
llvm::StringRef operationName(Operation operation);
llvm::StringRef elementName(ElementType element);
llvm::StringRef ruleName(ResultRule rule);
llvm::StringRef phraseName(Phrase phrase);
llvm::StringRef aspectName(Aspect aspect);
std::optional<TypeRole> typeRole(llvm::StringRef name);
std::optional<FunctionRole> functionRole(llvm::StringRef name);
std::optional<DeviceRole> deviceRole(llvm::StringRef name);
std::optional<Trait> traitOf(llvm::StringRef name);
std::optional<Operation> operationOf(llvm::StringRef name);
std::optional<ElementType> elementOf(llvm::StringRef name);
std::optional<ResultRule> ruleOf(llvm::StringRef name);
std::optional<Phrase> phraseOf(llvm::StringRef name);
std::optional<Aspect> aspectOf(llvm::StringRef name);

} // namespace gradtidy
