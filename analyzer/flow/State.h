// What is known at one point of the program, for all runs that reach it.
//
// A state is keyed by access paths. Join is union where a fact is a set of possibilities
// (gradients), and "unknown" where two runs disagree about what a name denotes.
#pragma once

#include "FlatMap.h"
#include "Sources.h"

#include "analyzer/events/Event.h"

namespace gradtidy {

/// The interned paths and sets of one translation unit.
struct Tables {
  PathTable paths;
  SourcesTable sources{paths};
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
  };
  std::uint8_t possible = Untouched;
  const Event *step = nullptr;     ///< The step that used them, for Used and Stale.
  const Event *backward = nullptr; ///< What was added to used gradients, for Stale.

  void clear();
  void mayBeCleared();
  /// Code that cannot be seen gets hold of the gradients only. It will not clear what a backward
  /// has just added: the step that follows would be in vain.
  void mayBeRewritten();
  void contribute(const Event &backward);
  void use(const Event &step);

  void join(const Gradients &other, Junction junction);

  /// Witnesses explain a finding; they make no difference to what is known.
  bool operator==(const Gradients &other) const { return possible == other.possible; }
};

/// What is known of an optimizer.
struct OptimizerFacts {
  SourcesId owned = noSources; ///< The modules and tensors whose parameters it updates.
  Gradients gradients;
  bool operator==(const OptimizerFacts &) const = default;
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

  /// What a backward through the value reaches.
  SourcesId sourcesOf(const Operand &operand) const;

  /// What is known of the optimizer, or null.
  const OptimizerFacts *optimizer(const Operand &operand) const;

  /// The same, to be changed; made if it was not known yet.
  OptimizerFacts &optimizerAt(PathId object);

  /// \p place now denotes \p value.
  void bind(PathId place, BindKind kind, TypeRole role, const Operand *value);

  /// Everything about \p path and below is forgotten; other names of it become unknown.
  void forget(PathId path);

  /// \p name denotes itself again.
  void unbind(PathId name);

  /// What was known as \p from is now known as \p to.
  void rename(PathId from, PathId to);

  /// Forgets the temporaries that nothing else refers to.
  void dropTemporaries(llvm::ArrayRef<PathId> roots);

  void setSources(PathId path, SourcesId set) { sources[path] = set; }
  void addSources(PathId path, SourcesId set);

  /// Another name for the elements of a container's object.
  void shareElements(PathId container);

  /// Code that cannot be seen gets hold of the object.
  void escape(const Operand &operand);

  /// A clear of everything in \p cleared, which is \p target itself if that is an optimizer.
  void clearGradients(PathId target, SourcesId cleared);
  /// Whether \p path denotes the gradient of a tensor.
  bool isGradient(PathId path) const;

  /// Forgets a gradient, if \p path denotes one; false if not.
  bool clearGradient(PathId path);

  void contribute(SourcesId reached, const Event &backward);

  void join(const State &other, Junction junction);
  bool operator==(const State &other) const {
    return aliases == other.aliases && sources == other.sources && optimizers == other.optimizers;
  }

  Tables *tables;

private:
  const Alias *aliasOf(PathId path) const;
  const SourcesId *findSources(PathId path) const;
  PathId rebase(PathId path, PathId from, PathId to) const;
  void copy(PathId from, PathId to);

  FlatMap<PathId, Alias> aliases;
  FlatMap<PathId, SourcesId> sources;
  FlatMap<PathId, OptimizerFacts> optimizers;
};

} // namespace gradtidy
