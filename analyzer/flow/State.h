// What is known at one point of the program, for all runs that reach it.
//
// A state is keyed by access paths. Join is union where a fact is a set of possibilities
// (gradients), and "unknown" where two runs disagree about what a name denotes.
#pragma once

#include "SharedMap.h"
#include "Value.h"
#include "domains/Gradients.h"
#include "domains/Lists.h"
#include "domains/Modules.h"
#include "domains/Recording.h"
#include "domains/Registry.h"

namespace gradtidy {

/// What was last saved in a file.
struct SavedFile {
  const Event *save = nullptr;
  const Event *named = nullptr; ///< What has given it its name (see namingOf()).
  PathId object = noPath;       ///< Of which the values are.

  bool operator==(const SavedFile &) const = default;
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
  TensorType typeOf(const Operand &operand) const {
    return tables->types[valueOf(operand).layout.type];
  }

  /// The same of what the elements of a list have in common.
  TypeId typeOfElements(const Operand &list) const;
  Shape shapeOfElements(const Operand &list) const {
    return tables->types[typeOfElements(list)].shape;
  }

  /// The possible Graph of tensors made with \p options, if these say that they are to have
  /// gradients, or may: they themselves, not what an object has of which they are a part. Else 0.
  std::uint8_t gradientsAskedBy(const Operand &options) const;

  /// Whether the path leads to a module, or below one.
  bool isModuleAt(PathId path) const;
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
  /// What is done to the tensor at \p object, which was \p before, is done to what other handles of
  /// it hold; what only may be another handle, may have been changed.
  /// If \p isEach, the tensor is one of those that a list holds, and each of them has its turn.
  void changeHandles(PathId object, const Value &before, llvm::function_ref<void(Value &)> change,
                     bool isEach = false);
  /// From now on the tensor, in whatever hands, has the type and the shape that \p changed has.
  void changeType(const Operand &tensor, const Value &changed);
  /// Whether \p name is, or is a part of, the variable of a loop that sees all elements of a list:
  /// what is done to it is done to each of them.
  bool isEach(PathId name) const;
  /// The same of a loop that may be left before: what is done to it is done to one of them, or
  /// more.
  bool isOneOfAll(PathId name) const;
  /// The tensor at \p object has taken up a graph: so have its other handles, and perhaps what lies
  /// in its memory.
  void recordInMemory(PathId object);
  /// The graphs in that of the value at \p path, which is known.
  void setLatest(PathId path, const LastGraphs &known) { values[path].autograd.latest = known; }
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

  /// A value is either of two: what holds it holds what these hold on one of two ways only.
  void doubtHolders(const Value &one, const Value &other);
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
  /// \p list is made of \p elements: of any of them holds, for each of their fields, what either
  /// may be.
  void listParts(PathId list, llvm::ArrayRef<Operand> elements);
  /// What is known of the elements and fields of \p from is known of those of \p to.
  void copyParts(PathId from, PathId to);
  /// All elements of a container, if \p element may be any of them, or these parts of them, are now
  /// \p value.
  void replaceElements(PathId element, const Value &value);
  /// What \p name denotes, or each of the elements that it goes over, is now \p value.
  void changeValue(PathId name, const Value &value);
  /// Storage::elements of the list.
  void setElements(PathId list, SourcesId tensors);
  void setDevice(PathId path, Device device) { devices[path] = device; }
  /// The program asks where the tensor is: if it was on the CPU, or in memory of the host, that is
  /// no longer certain.
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
  /// A thread begins: while it runs, others set the modes of what does not belong to its starter.
  void doubtSharedModes(const FunctionBody &starter);
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
  /// Somebody else has the module, too.
  void shareModule(PathId module);
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
    values.changeIf([](const auto &entry) { return entry.second.placement.copying; },
                    [](PathId, Value &value) { value.placement.copying = nullptr; });
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
  /// What \p isMeant names is another module: no list is known to have its parameters.
  void forgetLists(llvm::function_ref<bool(PathId)> isMeant);

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

  const Registry &registry() const { return registered; }
  /// The path of the module, if it certainly is one and no other; else none.
  PathId certainModule(const Operand &module) const;
  /// The event makes the module \p part a part of \p whole.
  void registerPart(PathId whole, const Operand &part, const Event &event);
  /// The event registers what it is given in the module that is its subject.
  void registerPart(const Event &event, FileId name);
  /// The module loses parts, or gets others for them.
  void forgetParts(PathId whole) { registered.forgetParts(whole); }

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
  /// A value that is either of two (see doubtHolders()).
  Value eitherOf(const Value &one, const Value &other);
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
  /// Whether the variable holds a module which is known by no name but that of the variable, or
  /// that of the temporary that made it.
  bool holdsOwn(PathId name) const;
  /// Such a module gets the name of the variable.
  void nameHeld(PathId name);
  /// The same as join() where objects that are joined have the same names; \p names are those of
  /// which the two states differ in what they denote.
  void joinNamed(const State &other, Junction junction, llvm::ArrayRef<PathId> names);
  /// What a value of this state or of \p other may be.
  Value joinedWith(const State &other, const Value &here, const Value &there);
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
  /// Whether the path denotes an element of a list that has none, or a part of it.
  bool isOfNone(PathId path) const;
  PathId rebase(PathId path, PathId from, PathId to) const;
  /// Whether \p path, which is within \p from, is not to be known within \p to as well.
  bool isTooDeep(PathId path, PathId from, PathId to) const;
  void copy(PathId from, PathId to);

  SharedMap<PathId, Alias> aliases;
  SharedMap<PathId, Value> values;
  SharedMap<PathId, OptimizerFacts> optimizers;
  SharedMap<PathId, ModuleFacts> modules;
  SharedMap<PathId, GradMode> kept;          ///< By variables, to be restored.
  SharedMap<PathId, std::uint8_t> keptModes; ///< The same of ModuleFacts::mode.
  SharedMap<PathId, Device> devices;         ///< What variables that name devices stand for.
  SharedMap<PathId, Device> settled; ///< What symbols stand for on this way, temporaries too.
  /// Modules, and what they may have become a part of.
  SharedMap<std::pair<PathId, PathId>, bool> parts;
  Registry registered;
  SharedMap<PathId, ListFacts> lists; ///< Of lists, and of variables of loops over their elements.
  SharedMap<FileId, SavedFile> saved;
  SharedMap<PathId, GradMode> guards; ///< What was before each living guard.
  GradMode mode;
  SharedMap<PathId, std::uint8_t> casters; ///< Whether autocast was on before each living guard.
  Autocast casting;
  GpuWork work;
  SharedMap<PathId, const Event *> unfinished; ///< By loaders: what began a loop over the batches.
  OpenGraphs graphs;
  SourcesId heldOnOneWay = noSources; ///< What variables hold on one of two ways that have met.
};

} // namespace gradtidy
