// What is known at one point of the program, for all runs that reach it.
//
// A state is keyed by access paths. Join is union where a fact is a set of possibilities
// (gradients), and "unknown" where two runs disagree about what a name denotes.
#pragma once

#include "SharedMap.h"
#include "Uses.h"

#include "analyzer/events/TensorType.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace gradtidy {

/// An interned name of a file; 0 is a name that is not known.
using FileId = unsigned;
inline constexpr FileId noFile = 0;

/// Names of files, as they are put together from literals and what variables hold: equal names have
/// equal ids.
class FileNames {
public:
  /// \p places are those of the variables in it.
  FileId of(llvm::StringRef name, llvm::ArrayRef<PathId> places);

  llvm::StringRef nameOf(FileId file) const { return names[file - 1].text; }
  llvm::ArrayRef<PathId> placesOf(FileId file) const { return names[file - 1].places; }

private:
  struct Name {
    std::string text;
    std::vector<PathId> places;
  };
  std::vector<Name> names;
  llvm::StringMap<FileId> ids;
};

/// The interned paths and sets of one translation unit.
struct Tables {
  PathTable paths;
  SourcesTable sources{paths, 100};
  SiteTable sites;
  SourcesTable histories{paths, 200}; ///< Sets of sites.
  TensorTypes types;
  FileNames files;
  llvm::DenseSet<PathId> lenders; ///< Roots in whose memory tensors may lie that have other names.
  llvm::DenseSet<PathId> allocations;           ///< What names memory (see Storage).
  llvm::DenseMap<PathId, const Event *> savers; ///< By memory, what needs it in a backward.
  bool hasUnwritten = false;                    ///< Some factory leaves elements without a value.
  bool hasReleased = false;                     ///< Memory in which tensors lie is freed somewhere.
  llvm::SmallSetVector<PathId, 8> looked;       ///< What pointers and views lead into.
  llvm::DenseSet<PathId> targets; ///< Roots of what names denote that are not names of themselves.
  bool hasLost = false;               ///< Something has ended that pointers or views lead into.
  llvm::DenseSet<PathId> mayBeShared; ///< What others may hold, too, of what has such a name.
  llvm::DenseSet<PathId> heldOnOneWay; ///< What variables hold on one of two ways that have met.

  /// The same owners, in whose memory a tensor now lies.
  SourcesId lent(SourcesId owners) {
    for (PathId owner : sources.members(owners))
      lenders.insert(paths.rootOf(owner));
    return owners;
  }
};

/// What explains a finding and makes no difference to what is known: any two are equal. Compare
/// event() where it matters which one it is.
class Witness {
public:
  Witness(const Event *event = nullptr) : witness(event) {}

  const Event *event() const { return witness; }
  operator const Event *() const { return witness; }
  const Event *operator->() const { return witness; }

  bool operator==(const Witness &) const { return true; }

private:
  const Event *witness;
};

/// Where two states meet, of which one is joined into the other.
enum class Junction : unsigned char {
  Branches,  ///< Behind two branches.
  LoopEntry, ///< A loop head, coming from before the loop.
  LoopBack,  ///< A loop head, coming round.
};

/// Where the gradients of an optimizer's parameters may be in their life. A set of bits: one for
/// every possibility.
struct Gradients {
  enum : std::uint8_t {
    Untouched = 1 << 0, ///< As the function found them.
    Clean = 1 << 1,     ///< Cleared.
    Fresh = 1 << 2,     ///< Hold contributions no step has used yet.
    Used = 1 << 3,      ///< A step has used them; nothing was added since.
    Stale = 1 << 4,     ///< Added to what a step has used already.
    Unknown = 1 << 5,   ///< Code that cannot be seen may have cleared them.
    Lost = 1 << 6,      ///< Cleared while they held contributions that no step has used.
  };
  std::uint8_t possible = Untouched;
  Witness step = {};     ///< The step that used them, for Used and Stale.
  Witness backward = {}; ///< What was added: to used gradients, for Stale; or at all.
  Witness cleared = {};  ///< What cleared them, for Lost.

  void clear(const Event *event = nullptr);
  void mayBeCleared();
  /// Code that cannot be followed gets hold of the gradients only. It will not clear what a
  /// backward has just added: the step that follows would be in vain.
  void mayBeRewritten();
  void contribute(const Event &backward);
  void use(const Event &step);

  void join(const Gradients &other, Junction junction);

  bool operator==(const Gradients &) const = default;
};

/// What is known of an optimizer.
struct OptimizerFacts {
  SourcesId owned = noSources; ///< The modules and tensors whose parameters it updates.
  Gradients gradients;
  bool needsClosure = false; ///< A step of it calls a closure, several times.
  /// What has put another module into the place of one that it owns, or another layer into it.
  const Event *outdated = nullptr;
  PathId outdatedPart = noPath; ///< That module.
  bool operator==(const OptimizerFacts &) const = default;
};

/// Whether a backward through a value finds a graph. A set of bits: one for every possibility.
struct Graph {
  enum : std::uint8_t {
    Unknown = 1 << 0,
    Detached = 1 << 1,   ///< There is none, and none was wanted.
    Attached = 1 << 2,   ///< There is one.
    Unrecorded = 1 << 3, ///< There would be one, but recording was disabled.
  };
};

/// Which of the first two dimensions of a tensor counts the samples of a batch; the other one
/// counts the steps of sequences, if it has any.
struct SampleOrder {
  const Event *told = nullptr; ///< What tells it; null if nothing does.
  /// Where nothing does: what the function is given, as which or the other way round it is.
  const ir::Symbol *parameter = nullptr;
  bool isSecond = false;   ///< It is the second, or that which is the second of the parameter.
  bool isSequence = false; ///< A layer has made it, step by step.
  bool isState = false;    ///< A layer, and it is what is left behind the last step.
  bool isBatch = false;    ///< The same: certainly of a batch, not of one sequence.

  bool isKnown() const { return told || parameter; }
  bool operator==(const SampleOrder &) const = default;
};

/// Where the elements of a tensor lie, and who needs them as they are (Storage.cpp).
struct Storage {
  /// Names the memory: the temporary that was new when it was allocated. None where that is not
  /// known, or for what is no tensor.
  PathId memory = noPath;
  SourcesId saved = noSources; ///< Memory of which a backward through the value needs the elements.
  const Event *overwritten = nullptr; ///< What has changed such memory since it was needed.
  /// What has allocated the memory, of which nobody has given all elements a value since; and what
  /// has written some of them.
  const Event *unwritten = nullptr;
  const Event *partly = nullptr;
  const Event *wrapped = nullptr;  ///< What has made the tensor, over memory that others free.
  const Event *released = nullptr; ///< What has freed or moved that memory since.
  /// The guard under which the tensor was made, or that of which it is a view: no operation that is
  /// recorded can keep it for a backward.
  const Event *inference = nullptr;
  bool anyStrides = false; ///< Autograd gives it, in whatever order the memory is.
  /// Names who holds the memory, and who the object that has the shape, in whatever hands (see
  /// Holders.cpp): what was new when it came to be, or the member that has held it since before.
  /// None where nobody knows; PathTable::unknown() where others may hold it, too.
  PathId origin = noPath;
  PathId object = noPath;

  bool operator==(const Storage &) const = default;
};

/// Where a pointer leads, or a view, or an object that keeps one of them.
struct Look {
  const Event *taken = nullptr; ///< What has taken it; null where it leads nowhere that is known.
  PathId into = noPath;         ///< Storage::origin or Storage::object of a tensor, or a list.
  const Event *ended = nullptr; ///< What has ended that.

  bool operator==(const Look &) const = default;
};

/// What a tensor, a list of tensors or a struct of them is made of.
struct Value {
  SourcesId sources = noSources; ///< The modules and leaf tensors a backward through it reaches.
  SourcesId history = noSources; ///< The forwards and stores it went through, even if detached.
  SourcesId graphs = noSources;  ///< Those of them whose graphs are part of its own.
  std::uint8_t graph = Graph::Unknown;
  bool hasDimensions = false;    ///< Certainly more than a scalar.
  bool isNoise = false;          ///< Several random samples, perhaps on another device.
  bool isMadeUp = false;         ///< Computed from nothing but what factories make of no data.
  TypeId type = unknownType;     ///< Its elements and shape.
  SampleOrder order;             ///< Of its dimensions.
  const Event *padded = nullptr; ///< What has filled up the shorter of its sequences.
  Device device;
  Witness placed = {};   ///< What put it on its device.
  Witness disabled = {}; ///< What kept its graph from being recorded.
  /// Where the other ways bring a tensor from the device of the module whose method runs, what
  /// makes one on the CPU.
  const Event *madeOnHost = nullptr;
  /// What computed it, but for what only rearranges the values of others.
  const Event *made = nullptr;
  /// A factory that made it on the CPU, or made one of those tensors from which alone it is
  /// computed, all made there.
  const Event *freshOnHost = nullptr;
  /// What made it, or a part of it, in the memory of a variable (see Event::memory).
  const Event *borrowed = nullptr;
  /// What has put its dimensions in another order than that of its memory.
  const Event *permuted = nullptr;
  /// What copies it to the host, for which nobody has waited yet, and from where.
  const Event *copying = nullptr;
  Device copiedFrom = {};
  /// The graphs that are certainly part of its own.
  struct Parts {
    SourcesId last = noSources;   ///< The forwards of which it is what their last run recorded.
    const Event *again = nullptr; ///< One that took up a graph through which a backward had gone.
    const Event *freed = nullptr; ///< One of which it is what an earlier run recorded, freed since.
    bool operator==(const Parts &) const = default;
  };
  Parts parts;
  /// What has computed it of a leaf, so that it is none.
  const Event *derived = nullptr;
  bool isRecorded = false; ///< An operation that was recorded has given it: perhaps no leaf itself.
  bool isParameter = false; ///< A module has registered it, to be trained.
  /// What has taken it, or a part of it, from parameters, in whose memory it lies.
  const Event *taken = nullptr;
  SourcesId shared = noSources;   ///< Their modules, or the leaf tensors themselves.
  const Event *changed = nullptr; ///< The step that has changed them since.
  SourcesId copied = noSources;   ///< The same of what has, or holds, copies of their values.
  Storage storage = {};           ///< Of its elements.
  Look look = {};                 ///< Of what is no tensor.
  /// An operation without a gradient, of what may have one: it is computed of its result, and of
  /// nothing else that has a graph.
  const Event *cut = nullptr;
  /// The same of a term of one element that was added to it.
  const Event *idleTerm = nullptr;

  /// It lies in the memory that \p other lies in.
  void shareMemory(const Value &other) {
    borrowed = other.borrowed;
    taken = other.taken;
    shared = other.shared;
    changed = other.changed;
  }

  /// Other values in the place of \p before: its shape and device stay.
  void stayOn(const Value &before) {
    device = before.device;
    placed = before.placed;
    hasDimensions = before.hasDimensions;
    madeOnHost = before.madeOnHost;
    permuted = before.permuted;
    type = before.type;
    order = before.order;
    padded = before.padded;
  }

  bool operator==(const Value &) const = default;
};

/// What holds of each of two values; what holds of one that is made of both.
Value::Parts commonParts(const Value::Parts &a, const Value::Parts &b, Tables &tables);
Value::Parts unitedParts(const Value::Parts &a, const Value::Parts &b, Tables &tables);

/// The storage of either of two tensors; of one whose graph has those of both.
Storage commonStorage(const Storage &a, const Storage &b, Tables &tables);
Storage unitedStorage(const Storage &a, const Storage &b, Tables &tables);

/// What cuts the gradient of either of two values.
const Event *commonCut(const Value &a, const Value &b);

/// Whether the tensor is certainly one that a factory has made for training, unchanged since:
/// autograd computes its gradient.
inline bool isLeaf(const Value &value) {
  return value.graph == Graph::Attached && !value.isRecorded && value.made &&
         value.made->kind == EventKind::Create;
}

/// Whether autograd refuses to record a change of the tensor in place.
inline bool refusesChange(const Value &value) { return isLeaf(value) || value.isParameter; }

/// What is known of a module.
struct ModuleFacts {
  enum : std::uint8_t {
    Entry = 1 << 0, ///< As the function found it.
    Training = 1 << 1,
    Evaluation = 1 << 2,
    LeftTraining = 1 << 3, ///< In evaluation mode, and was trained before.
    Unknown = 1 << 4,      ///< Computed, or set by code that cannot be seen.
  };
  std::uint8_t mode = Entry;
  bool isTrained = false;         ///< A backward has gone through it.
  bool isTrainedSinceSet = false; ///< The same, since its mode was set.
  bool isFrozen = false;          ///< Its parameters get no gradients.
  bool isNew = false;             ///< Its parameters are what they were made with.
  bool isOwn = false; ///< The program makes it, trains it and does nothing else to its parameters.
  bool isWeighted = false; ///< It was made with tensors, such as the weights of a loss.
  Device device;
  ElementType element = ElementType::Unknown; ///< Of its parameters.
  const Event *cast = nullptr;   ///< The call that made them so; null if they were made so.
  const Event *undone = nullptr; ///< The load that has given them those of a file since.
  const Event *loaded =
      nullptr;         ///< What has read all its parameters from a file, or made it of one.
  Witness set = {};    ///< The call that set the mode last.
  Witness placed = {}; ///< What put it on its device.
  /// A load that may have taken it from the device of the program's choice, \c left, to that of a
  /// file; nothing has moved it since. Without one: constructors have put it there, and nothing but
  /// loads takes it away.
  const Event *reloaded = nullptr;
  Device left;

  bool operator==(const ModuleFacts &) const = default;
};

/// What is known of the elements of a list of tensors, or of pointers to modules.
struct ListFacts {
  bool isEmpty = false;         ///< It certainly has none.
  const Event *sized = nullptr; ///< What has given it elements that hold nothing, and still do.
  bool isGrown = false;         ///< Others may have been added to these.
  Witness grown = {};           ///< What has added them.

  bool operator==(const ListFacts &) const = default;
};

/// What was last saved in a file.
struct SavedFile {
  const Event *save = nullptr;
  PathId object = noPath; ///< Of which the values are.

  bool operator==(const SavedFile &) const = default;
};

/// Whether operations are recorded for a backward.
struct GradMode {
  enum : std::uint8_t {
    On = 1 << 0,
    Off = 1 << 1,
    Depends = 1 << 2, ///< On values, or on the way taken: which of the two may be known to others.
  };
  std::uint8_t possible = On;
  Witness set = {}; ///< What disabled it.

  bool operator==(const GradMode &) const = default;
};

/// Autocast, and the weights it has made in 16 bits, which it keeps until its cache is cleared
/// (ATen/autocast_mode.h).
struct Autocast {
  enum : std::uint8_t { Off = 1 << 0, On = 1 << 1 };
  std::uint8_t possible = Off;
  bool keeps = true;           ///< The weights.
  SourcesId kept = noSources;  ///< The modules whose weights it has kept.
  SourcesId stale = noSources; ///< Those of them that a step has changed since.
  Witness set = {};            ///< What enabled it.
  Witness step = {};           ///< The step, for `stale`.

  bool operator==(const Autocast &) const = default;
};

/// The forwards of whose last graphs nobody knows for certain that a backward has gone through, and
/// those of which that may have kept the graph.
struct OpenGraphs {
  SourcesId untouched = noSources, kept = noSources;
  SharedMap<SiteId, const Event *> backwards; ///< The last through each: a witness.
  bool operator==(const OpenGraphs &other) const {
    return untouched == other.untouched && kept == other.kept;
  }
};

/// What the GPU was given to do since the program last waited for it or looked at the clock.
struct GpuWork {
  const Event *launched = nullptr; ///< The last of it; null if there is none, or nobody knows.
  Device device;                   ///< Where.
  const Event *clock = nullptr;    ///< The last look at the clock, if that is always the same.
  bool operator==(const GpuWork &) const = default;
};

/// Two values on different devices that meet in one operation.
struct Clash {
  const Operand *host; ///< On the CPU, or on the first of two devices.
  const Operand *other;
  Device hostDevice, otherDevice;
  const Event *hostPlaced, *otherPlaced; ///< What put them there; may be null.
};

/// What a name denotes, if not itself.
struct Alias {
  PathId target = noPath;
  bool isReference = false; ///< Assigning to the name assigns to the target.
  bool operator==(const Alias &) const = default;
};

class State {
public:
  explicit State(Tables &tables) : tables(&tables) {}

  /// The object a path denotes.
  PathId resolve(PathId path) const;

  /// The place an assignment to \p path writes to.
  PathId place(PathId path) const;

  /// Whether a member or an element of something denotes an object that is \p one.
  bool anyPartIs(llvm::function_ref<bool(PathId object)> one) const;

  /// What a backward through the value reaches.
  SourcesId sourcesOf(const Operand &operand) const;

  /// What the value is made of.
  Value valueOf(const Operand &operand) const;

  /// The elements and the shape of the value.
  TensorType typeOf(const Operand &operand) const { return tables->types[valueOf(operand).type]; }

  /// Whether \p options say that tensors made with them are to have gradients: they themselves, not
  /// what an object has of which they are a part.
  bool askForGradients(const Operand &options) const;

  /// What either of two values may be.
  Value joined(const Value &a, const Value &b) const;

  /// What is known of the module \p object, by itself or as a part of another.
  ModuleFacts moduleAt(PathId object) const;
  ModuleFacts module(const Operand &operand) const { return moduleAt(resolve(operand.path)); }

  /// The device that a value is on, or that a device, options and the like name.
  Device deviceOf(const Operand &operand) const;

  /// The operands of the event that are not where it needs them: all on one device.
  llvm::SmallVector<Clash, 1> clashes(const Event &event) const;

  const GradMode &gradMode() const { return mode; }
  const Autocast &autocast() const { return casting; }
  const GpuWork &gpuWork() const { return work; }

  /// What is known of the optimizer, or null.
  const OptimizerFacts *optimizer(const Operand &operand) const;

  /// How much is known: what a look at all of it takes, in parts of a map.
  size_t size() const { return aliases.parts() + values.parts() + modules.parts(); }

  bool hasOptimizers() const { return !optimizers.empty(); }

  /// The optimizers that update parameters of \p owners.
  llvm::SmallVector<const OptimizerFacts *, 2> optimizersOf(SourcesId owners) const;

  /// What may have its values in the memory of the variable \p owner.
  struct Borrower {
    PathId place;
    const Value *value;
  };
  llvm::SmallVector<Borrower, 2> borrowersOf(PathId owner) const;

  /// What \p object names that holds the tensor: of its memory, or of the object with its shape.
  /// None where that is not known.
  PathId holderOf(const Operand &tensor, bool isOfMemory) const;
  /// What pointers and views lead into, of what the place or parts of it hold.
  llvm::SmallVector<PathId, 2> lookedAtWithin(PathId place) const;
  /// Whether anything but temporaries holds \p holder.
  bool isHeld(PathId holder) const;
  /// What is known of where the pointer, view, or list of such at \p path leads.
  Look lookOf(PathId path) const;
  /// The first of these of the object at \p path and its parts that \p isOne; none if none is.
  Look lookWithin(PathId path, llvm::function_ref<bool(const Look &)> isOne) const;
  /// The same of what leads into what has ended.
  Look lostWithin(PathId path) const;

  /// A pointer or view into what an event has ended, and a name for it.
  struct Ended {
    PathId place;
    Look look;
  };
  llvm::SmallVector<Ended, 2> endedBy(const Event &event) const;

  /// Whether a variable, or a part of one, keeps the graph of the forward \p site alive.
  bool keepsGraph(SiteId site) const;

  /// The same, to be changed; made if it was not known yet.
  OptimizerFacts &optimizerAt(PathId object);

  /// Changes the gradients of the optimizers that may update parameters of \p owners.
  void changeOptimizersOf(SourcesId owners, llvm::function_ref<void(Gradients &)> change);

  /// \p place now denotes \p value.
  void bind(PathId place, BindKind kind, TypeRole role, const Operand *value);

  /// Everything about \p path and below is forgotten; other names of it become unknown, but for
  /// references to an object that is only \p isOverwritten.
  void forget(PathId path, bool isOverwritten = false);

  /// The variable \p path ends. An object that another handle shares lives on by its name.
  void endLifetime(PathId path);

  /// \p name denotes itself again.
  void unbind(PathId name);

  /// What was known as \p from is now known as \p to.
  void rename(PathId from, PathId to);

  /// Forgets the temporaries that nothing else refers to.
  void dropTemporaries(llvm::ArrayRef<PathId> roots);

  void setValue(PathId path, const Value &value);
  /// The graphs in that of the value at \p path, which is known.
  void setParts(PathId path, const Value::Parts &known) { values[path].parts = known; }
  /// The tensor at \p path, which is known, has taken up the graph of \p written.
  void addStorage(PathId path, const Storage &before, const Storage &written);
  /// The tensor at \p path, which is known, has taken up \p added.
  void addCuts(PathId path, const Value &added);
  /// What \p memory names is allocated, again perhaps: what is known of the last one is that of
  /// another.
  void allocate(PathId memory);
  /// Elements in \p memory change.
  void changeMemory(PathId memory, const Event &event);
  /// Elements in \p memory get their first values: all, or those of \p partly.
  void writeMemory(PathId memory, const Event *partly = nullptr);
  /// The memory that the variable \p holder holds is gone.
  void releaseMemory(PathId holder, const Event &event);
  /// Others may hold what the operand or its parts hold: nobody knows when it ends.
  void shareHolders(const Operand &operand);
  void shareAllHolders();
  /// The place, which has got a tensor, holds what \p value has held.
  void holdAs(PathId place, const Operand &value);
  void setLook(PathId path, const Look &look);
  /// What \p holder names has ended; what leads into it is lost.
  void loseLooks(PathId holder, const Event &event);
  /// writeMemory() of all memory: who knows what has been written.
  void writeAllMemory();
  /// The value at \p path may also be made of \p value.
  void addValue(PathId path, const Value &value);
  /// The struct \p part gets into \p container: what is known of its fields may be so of those of
  /// any element. Its graphs are kept by the store \p storedAt, too.
  void addParts(PathId container, PathId part, SourcesId storedAt);
  /// All elements of a container, if \p element may be any of them, are now \p value.
  void replaceElements(PathId element, const Value &value);
  void setDevice(PathId path, Device device) { devices[path] = device; }
  /// The program asks where the tensor is: if it was on the CPU, that is no longer certain.
  void doubtDevice(PathId tensor);
  /// What the symbol \p symbol stands for on this way, if that is known.
  void settleDevice(PathId symbol, Device device);
  bool hasModules() const { return !modules.empty(); }
  void setModule(PathId path, const ModuleFacts &facts) { modules[path] = facts; }

  /// The module \p part, which has a name of its own, may have become a part of \p whole, another
  /// module or a list: what is done to that may be done to it. Of a list its parts have.
  void addPart(PathId whole, const Operand &part);
  /// What may be a part of \p whole, or what it is an element of, by another name.
  llvm::SmallVector<PathId, 4> partsOf(PathId whole) const;
  /// `train()` and `eval()` of \p object; without \p training, nobody knows which.
  void setMode(PathId object, std::optional<bool> training, const Event &event);
  /// Whether a call has put modules into evaluation mode, as it may have since \p before, is told
  /// by its result.
  void doubtModes(const State &before);
  /// The variable \p name keeps the mode of a module.
  void keepMode(PathId name, const Operand &module) { keptModes[name] = this->module(module).mode; }
  /// The mode of \p object is what the variable \p name has kept; false if that is none.
  bool restoreMode(PathId object, PathId name, const Event &event);
  /// `to()` of a module.
  void moveModule(PathId object, Device device, const Event *event);
  /// `to()` of a module makes its parameters \p element, which is unknown if nobody knows.
  void castModule(PathId object, ElementType element, const Event &event);
  /// A load gives it parameters as a file has them.
  void loadElements(PathId object, const Event &load);
  /// A member of the object, if that is a module, becomes a tensor on \p device.
  void replaceTensor(PathId object, Device device);
  /// Parameters or parts of \p owners move; the others may follow.
  void moveParameters(SourcesId owners, Device device);
  /// Code that cannot be seen gets hold of the module; if it moves it, then to one of \p devices.
  void moduleMayChange(PathId object, llvm::ArrayRef<Device> devices);
  void freeze(SourcesId parameters);
  /// A module registers the tensor at \p object to train it.
  void makeParameter(PathId object);
  /// Nobody knows of any tensor whether it is trained.
  void forgetParameters();
  /// Whether an optimizer may step the module's parameters: not if there are optimizers, and all
  /// are known to have others.
  bool mayBeStepped(const Operand &module) const;
  /// A backward goes through these.
  void markTrained(SourcesId reached);
  /// Parameters of these get other values.
  void markChanged(SourcesId parameters);
  /// The same, by training; what shares their memory changes, too.
  void markStepped(SourcesId parameters, const Event &step);
  /// Somebody gets hold of the parameters of \p module, or changes them.
  void disown(PathId module);
  /// The parameters in whose memory the tensor \p operand lies, if it is one of them.
  SourcesId memoryOf(const Operand &operand) const;
  /// The module at \p part is another one, or has got another layer: those that optimizers own are
  /// not all that it has now.
  void outdateOptimizers(PathId part, const Event &event);

  void enterGradMode(PathId guard, std::optional<bool> enabled, const Event &event);
  void setGradMode(std::optional<bool> enabled, const Event &event);
  void restoreGradMode(const GradMode &before) { mode = before; }
  /// The variable \p name keeps the mode.
  void keepGradMode(PathId name) { kept[name] = mode; }
  /// The mode is what the variable \p name has kept; false if that is none.
  bool restoreGradMode(PathId name);
  void enterAutocast(PathId guard, const Event &event);
  /// Without \p enabled, nobody knows.
  void setAutocast(std::optional<bool> enabled, const Event &event);
  void setAutocastCache(std::optional<bool> enabled);
  void clearAutocastCache();
  /// Code that cannot be seen may switch it off, and clear its cache.
  void autocastMayChange();
  /// The module \p forwarded multiplies by its weights.
  void castWeights(SourcesId forwarded);
  /// A step changes weights that belong to \p owned.
  void outdateWeights(SourcesId owned, const Event &step);
  /// Ends what the guard \p guard has set, if it is one.
  void leaveGuard(PathId guard);

  /// The forward \p site, which is \p event, records a graph anew, into \p value if that
  /// \p isCertain. It \p isFirst if it has done so on no way that leads here.
  void recordGraph(SiteId site, const Event &event, Value &value, bool isCertain, bool isFirst);
  /// A backward goes through the graph of \p value; \p isKept tells whether it keeps it, if known.
  void passGraph(const Value &value, const Event &backward, std::optional<bool> isKept);
  /// The backward that has freed the last graph of the forward \p site, or null.
  const Event *freedBy(SiteId site) const;
  /// The same where it may have kept it.
  const Event *passedBy(SiteId site) const;
  /// At the head of a loop from which the states \p rounds come back: what holds of graphs in all
  /// rounds but the first.
  void takeGraphsOf(llvm::ArrayRef<const State *> rounds);

  /// The event gives work to \p device, if that is no CPU.
  void launch(const Event &event, Device device);
  /// All that the GPU was given is done.
  void synchronize() {
    work.launched = nullptr;
    finishCopies();
  }
  /// All copies to the host may be done.
  void finishCopies() {
    values.changeIf([](const auto &entry) { return entry.second.copying; },
                    [](PathId, Value &value) { value.copying = nullptr; });
  }

  /// \p begin starts a loop over the batches of \p loader.
  void beginBatches(PathId loader, const Event &begin);
  /// \p loader has given its last batch, or is a new one.
  void endBatches(PathId loader);
  /// The loop over the batches of \p loader that was begun and may not have come to the last, or
  /// null.
  const Event *unfinishedLoop(const Operand &loader) const {
    const Event *const *begin = unfinished.find(resolve(loader.path));
    return begin ? *begin : nullptr;
  }
  /// The event reads the clock.
  void readClock(const Event &event) { work = {nullptr, {}, &event}; }

  /// Backwards that retain their graphs, by the forwards in them.
  SharedMap<SiteId, SiteId> retained;

  /// What disables gradients in the thread that has started this one; null if there is none.
  const Event *guardElsewhere = nullptr;

  /// The machine has no GPU: the program has asked.
  bool lacksGpu = false;

  /// The graphs that gradients may be part of (create_graph).
  SourcesId gradientGraphs = noSources;

  /// What is known of the list at \p path, or null.
  const ListFacts *list(PathId path) const { return lists.find(resolve(path)); }
  /// The list that the value at \p path is an element of, if it holds elements of which nothing
  /// tells one from another; or null.
  const ListFacts *listAround(PathId path) const;
  /// Nothing is known where \p facts are none.
  void setList(PathId path, const ListFacts &facts);
  /// Something at \p path, or in it, may get another value.
  void fillList(PathId path);

  /// What the file was last saved with, on every way that leads here; or null.
  const SavedFile *savedIn(FileId file) const { return saved.find(file); }
  void save(FileId file, const SavedFile &contents) { saved[file] = contents; }
  /// Something else is done to the files for which \p are holds.
  void touchFiles(llvm::function_ref<bool(FileId)> are) {
    saved.eraseIf([&](const auto &entry) { return are(entry.first); });
  }
  /// What is at \p place may change: a name that was made of it becomes another one.
  void changeText(PathId place);
  bool hasSaved() const { return !saved.empty(); }

  /// Another name for the elements of a container's object.
  void shareElements(PathId container);

  /// Code that cannot be seen gets hold of the object. If it \p computes, what it is called for are
  /// tensors: it leaves gradients alone, but for those of an optimizer in the object.
  void escape(const Operand &operand, bool computes = false);

  /// A clear of everything in \p cleared, which is \p target itself if that is an optimizer.
  void clearGradients(PathId target, SourcesId cleared, const Event *event = nullptr);
  /// Whether \p path denotes the gradient of a tensor.
  bool isGradient(PathId path) const;

  /// Forgets a gradient, if \p path denotes one; false if not.
  bool clearGradient(PathId path, const Event *event = nullptr);
  /// The same where the gradient gets values that the program computes itself.
  bool replaceGradient(PathId path);
  /// Somebody gets hold of a gradient, if \p path denotes one, and may change it.
  void handOutGradient(PathId path);

  void contribute(SourcesId reached, const Event &backward);

  void join(const State &other, Junction junction);
  bool operator==(const State &) const = default;

  Tables *tables;

private:
  const Alias *aliasOf(PathId path) const;
  /// Whether members of an object that was handed in, which are \p some, may be \p others, which
  /// were handed in by another name.
  bool mayBeSame(SourcesId some, SourcesId others) const;
  /// Whether the path leads into a container of the function's own in which no module is known.
  bool isUnfilled(PathId element) const;
  /// Whether a path begins with what the function itself has made.
  bool isLocal(PathId root) const;
  /// Whether \p device is that of the object whose method runs.
  bool isOwn(Device device) const {
    return device.kind == Device::Symbol && tables->paths.last(device.id).kind == PathStep::This;
  }
  /// resolve() and place(), after so many \p hops from name to name.
  PathId follow(PathId path, bool throughPointers, unsigned &hops) const;
  const Value *findValue(PathId path) const;
  /// Whether \p object is a new module that a function has just given back.
  bool isOnlyTemporary(PathId object) const;
  /// What is known of the graphs of a list or struct is that of its parts from now on.
  void divide(PathId part);
  /// Something on \p device gets into \p place, which may be one of several: any element, say.
  void mayBeMoved(PathId place, Device device);
  template <typename Visit> void forEachMap(Visit visit);
  /// Whether the path leads to a module, or below one.
  bool isModuleAt(PathId path) const;
  /// A new module gets into a container.
  void addElement(PathId container, const ModuleFacts &facts);
  /// Changes what is known of the modules that \p object may be, or be a part of, or have as parts.
  void changeModulesAt(PathId object, llvm::function_ref<void(PathId path, ModuleFacts &)> change);
  /// Parameters of these are not what they were made with any more.
  void ageModules(SourcesId changed);
  /// Facts of a part of a module are its own from now on.
  void own(PathId object);
  /// Whether only one of the two is of machines without a GPU. Behind both, what holds of the
  /// others counts: what is wrong with a GPU is wrong.
  bool isAboutGpu(const State &other) const { return lacksGpu != other.lacksGpu; }
  /// What a value of this state or of \p other may be.
  Value joinedWith(const State &other, const Value &here, const Value &there) const;
  void joinValues(const State &other, Junction junction);
  void joinModules(const State &other, Junction junction);
  void joinGradMode(const State &other, Junction junction);
  void joinAutocast(const State &other, Junction junction);
  void joinGraphs(const State &other);
  void joinLists(const State &other);
  Device settledDevice(Device device) const;
  /// \p name denotes what \p alias says.
  void setAlias(PathId name, Alias alias) {
    tables->targets.insert(tables->paths.rootOf(alias.target));
    aliases[name] = alias;
  }
  /// Whether a name may denote what has the root of \p path: other names need not be looked at.
  bool mayBeTarget(PathId path) const {
    return tables->targets.contains(tables->paths.rootOf(path));
  }
  PathId rebase(PathId path, PathId from, PathId to) const;
  /// Whether \p path, which is within \p from, is not to be known within \p to as well.
  bool isTooDeep(PathId path, PathId from, PathId to) const;
  void copy(PathId from, PathId to);

  SharedMap<PathId, Alias> aliases;
  SharedMap<PathId, Value> values;
  SharedMap<PathId, OptimizerFacts> optimizers;
  SharedMap<PathId, ModuleFacts> modules;
  SharedMap<PathId, GradMode> kept;  ///< By variables, to be restored.
  SharedMap<PathId, std::uint8_t> keptModes; ///< The same of ModuleFacts::mode.
  SharedMap<PathId, Device> devices; ///< What variables that name devices stand for.
  SharedMap<PathId, Device> settled; ///< What symbols stand for on this way, temporaries too.
  /// Modules, and what they may have become a part of.
  SharedMap<std::pair<PathId, PathId>, bool> parts;
  SharedMap<PathId, ListFacts> lists; ///< Of lists, and of variables of loops over their elements.
  SharedMap<FileId, SavedFile> saved;
  SharedMap<PathId, GradMode> guards; ///< What was before each living guard.
  GradMode mode;
  SharedMap<PathId, std::uint8_t> casters; ///< Whether autocast was on before each living guard.
  Autocast casting;
  GpuWork work;
  SharedMap<PathId, const Event *> unfinished; ///< By loaders: what began a loop over the batches.
  OpenGraphs graphs;
};

} // namespace gradtidy
