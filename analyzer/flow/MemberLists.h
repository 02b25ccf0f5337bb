// Lists that constructors leave in members, of which the first elements may hold nothing.
#pragma once

#include "CallGraph.h"
#include "State.h"

namespace gradtidy {

/// What constructors leave in members that are lists, and what methods then do.
class MemberLists {
public:
  MemberLists(const CallGraph &graph, const PathTable &paths);

  /// What is known of the list \p member of an object of the class \p owner when a method is
  /// called, whichever it is: it has elements that hold nothing, and others may have been added to
  /// these.
  ListFacts of(const ir::Symbol &member, const ir::Class &owner) const;

private:
  struct Member {
    const Event *sized = nullptr;
    const Event *grown = nullptr;
    unsigned constructors = 0; ///< That leave such elements.
    bool isFilled = false;     ///< Something may fill it, or take elements away.
  };

  void addConstructor(const FunctionBody &constructor, const PathTable &paths);
  void addUses(const FunctionBody &function, const PathTable &paths);

  llvm::DenseMap<const ir::Symbol *, Member> members;
};

} // namespace gradtidy
