// What holds of a linked unit, as the program that it is or is part of, whatever the
// flow.
#pragma once

#include "CallGraph.h"
#include "DeviceOrigins.h"
#include "MovedModules.h"
#include "State.h"

#include <optional>

namespace gradtidy {

class ProgramFacts {
public:
  /// All arguments must outlive this object.
  ProgramFacts(const LoweredUnit &unit, const CallGraph &graph, const PathTable &paths);

  /// Whether the unit has the main function of a program.
  bool isProgram() const { return hasMain; }

  /// Whether the unit is of a program, seen as far as functions are shared, in which nothing
  /// trains: no optimizer, no backward, no tensor that is to have a gradient.
  bool onlyInfers() const;

  /// Whether the unit is of a program, seen as far as functions are shared, in which nothing may
  /// put a module into evaluation mode.
  bool neverEvaluates() const;

  /// Whether a function changes a tensor in place, other than \p except if that is not null.
  bool changesTensors(const FunctionBody *except) const;

  /// Whether code of the unit may clear the gradients of the optimizer that the member \p field
  /// holds, or hands it to code that may.
  bool mayClear(const ir::Symbol &field) const;

  /// Whether new tensors and parameters are of float32 where nothing else is said, as far as the
  /// unit shows.
  bool assumesFloats() const { return !changesElements; }

  /// The same, and the unit is part of a program that shows what is done to its modules.
  bool keepsElements() const { return !changesElements && hasMain; }

  /// Whether nothing in the unit says what elements new tensors have.
  bool keepsDefaultType() const { return !setsDefaultType; }

  /// Whether layers keep the order of dimensions that they are made with.
  bool keepsOrders() const { return !changesOrder; }

  /// Whether a guard of recording lives as long as the program, or the unit's part of it: nobody
  /// knows what it records.
  bool isGuarded() const { return unit.isGuarded(); }

  /// Whether the unit uses a GPU and modules may get there: it puts them where a variable says, or
  /// is not the whole program.
  bool movesModules() const { return usesGpuItself && (!hasMain || moved.any()); }

  /// The same of those of the class whose method \p function is; of any if it is none.
  bool movesModuleOf(const FunctionBody &function) const;

  /// Whether the unit is part of a program that names no GPU: nothing is ever brought to one.
  bool namesNoGpu() const { return hasMain && !usesGpu; }

  /// Whether \p device is a GPU, or something that may be one.
  bool mayBeGpu(Device device) const { return mayBe(Device::Cuda, device); }

  /// The same of the CPU.
  bool mayBeCpu(Device device) const { return mayBe(Device::Cpu, device); }

  /// What has made the data loader \p loader, as \p state knows it, or as the only one that the
  /// unit puts into the member that holds it. Null if nobody knows.
  const Event *makerOf(const Operand &loader, const State &state) const;

  /// Whether the batches of \p loader come in the same order each time, as the samples are stored:
  /// nothing shuffles them, as far as can be seen.
  bool keepsOrder(const ir::Symbol &loader) const { return orderedLoaders.contains(&loader); }

  /// The functions of the unit that launch kernels on memory of tensors.
  llvm::ArrayRef<const FunctionBody *> launchers() const { return launching; }

  /// A function that gives plain pointers to the memory of its tensors to others, which launch
  /// kernels on it.
  struct Handing {
    const FunctionBody *function;
    KernelCare care; ///< Its calls are those that lead to launches, and these its launches.
  };
  llvm::ArrayRef<Handing> handings() const { return handing; }

  /// Whether the unit, or a source that is linked to it, hands \p function on without calling it:
  /// to Python, to a dispatcher, as a callback.
  bool isHandedOn(const FunctionBody &function) const;

  /// Whether tensors of \p function come from programs in other languages: a library hands it on,
  /// or a program does, under a name, as bindings do.
  bool isForOthers(const FunctionBody &function) const;

private:
  void addHandedOn(const FunctionBody &function);
  bool launchesOnTensors(const FunctionBody &function) const;
  void addHanding(const FunctionBody &function);
  /// Whether \p function launches a kernel on memory that its caller gives it, or gives it to a
  /// function that does, on a device that the caller has chosen.
  bool launchesForCaller(const FunctionBody &function) const;
  /// Whether a caller gives \p function memory of a tensor for \p parameter, a pointer.
  bool getsMemoryOfTensor(const FunctionBody &function, const ir::Symbol &parameter,
                          unsigned depth) const;
  bool mayBe(Device::Kind kind, Device device) const;
  /// What makes the only data loader that gets into the member \p field, or null.
  const Event *onlyMakerFor(const void *field) const;

  const LoweredUnit &unit;
  const CallGraph &graph;
  const PathTable &paths;
  bool hasMain, usesGpu, changesElements, setsDefaultType, changesOrder;
  bool usesGpuItself; ///< Not only in sources that lead to no function of the unit.
  MovedModules moved;
  std::vector<const FunctionBody *> launching;
  std::vector<Handing> handing;
  llvm::DenseSet<const ir::Symbol *> orderedLoaders;
  llvm::DenseSet<const ir::Symbol *> handedOn;  ///< Their first declarations.
  llvm::DenseSet<const ir::Symbol *> named;     ///< Of these, those that are handed on with a name.
  mutable std::optional<DeviceOrigins> origins; ///< Made when a finding first asks for it.
};

} // namespace gradtidy
