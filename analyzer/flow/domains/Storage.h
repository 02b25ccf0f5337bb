// Where the elements of a tensor lie: the memory, who holds it, what has written, needs and frees
// it; and where pointers and views lead. Transfer: Storage.cpp, Holders.cpp.
#pragma once

#include "analyzer/flow/Tables.h"

namespace gradtidy {

class State;
class Words;
struct Operand;

/// Where the elements of a tensor lie, and who needs them as they are.
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
  bool anyStrides = false; ///< Autograd gives it, or another language, in whatever order the
                           ///< memory is.
  /// Names who holds the memory, and who the object that has the shape, in whatever hands (see
  /// Holders.cpp): what was new when it came to be, or the member that has held it since before.
  /// None where nobody knows; PathTable::unknown() where others may hold it, too.
  PathId origin = noPath;
  PathId object = noPath;
  /// Names the tensor: the object that has shape and graph, whoever holds it. None where that is
  /// not known.
  PathId tensor = noPath;
  /// The tensors that a list holds, all of them and no others. None where one is not known.
  SourcesId elements = noSources;

  bool operator==(const Storage &) const = default;
};

/// The storage of either of two tensors; of one whose graph has those of both.
Storage commonStorage(const Storage &a, const Storage &b, Tables &tables);
Storage unitedStorage(const Storage &a, const Storage &b, Tables &tables);

void describe(Words &words, const Storage &storage);

/// Storage::elements of a list of these tensors, and of what these lists hold.
SourcesId elementsOf(llvm::ArrayRef<Operand> operands, const State &state);

/// In whose memory a tensor lies that has another name.
struct Lending {
  /// What made it, or a part of it, in the memory of a variable (see Event::memory).
  const Event *borrowed = nullptr;
  /// What has taken it, or a part of it, from parameters, in whose memory it lies.
  const Event *taken = nullptr;
  SourcesId shared = noSources;   ///< Their modules, or the leaf tensors themselves.
  const Event *changed = nullptr; ///< The step that has changed them since.

  bool operator==(const Lending &) const = default;
};

/// That of either of two tensors.
Lending joined(const Lending &a, const Lending &b, Tables &tables);

void describe(Words &words, const Lending &lending);

/// Where a pointer leads, or a view, or an object that keeps one of them.
struct Look {
  const Event *taken = nullptr; ///< What has taken it; null where it leads nowhere that is known.
  PathId into = noPath;         ///< Storage::origin or Storage::object of a tensor, or a list.
  const Event *ended = nullptr; ///< What has ended that.

  /// Whether it is a pointer to what an array or container of C++ holds.
  bool isIntoContainer() const;

  bool operator==(const Look &) const = default;
};

/// That of either of two pointers.
Look joined(const Look &a, const Look &b);

void describe(Words &words, const Look &look);

} // namespace gradtidy
