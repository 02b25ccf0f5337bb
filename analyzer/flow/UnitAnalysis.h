// The analysis of one translation unit: the events of every function, with the states before them.
// Made once per ASTContext and shared by all checks.
#pragma once

#include "Interpreter.h"

#include "analyzer/events/marks/KernelLaunches.h"
#include "analyzer/events/modules/ModuleClass.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

class Model;
class UserCode;

class UnitAnalysis {
public:
  /// Analyses the functions of the context's traversal scope. All arguments must outlive this
  /// object.
  UnitAnalysis(clang::ASTContext &context, const Model &model, const UserCode &userCode);
  ~UnitAnalysis();

  /// What checks may want to see, in the order of the flow: once per event, calling context and
  /// partition.
  const std::vector<Observation> &observations() const;

  /// Whether the module that \p event calls is of a user's class with neither layers nor
  /// parameters.
  bool isStateless(const Event &event) const;

  /// Whether the forward pass \p event needs the graph that it records, for derivatives. Unknown
  /// where it cannot be seen, and takes more than tensors and numbers.
  Answer differentiates(const Event &event) const;

  /// Whether a function that runs no forward pass of the member \p field sets its mode: set-up for
  /// those that do.
  bool isModeSetUp(const clang::FieldDecl *field) const;

  /// Whether nothing but constructors decides what the member \p field holds, as far as is seen.
  bool isSetUpOnly(const clang::FieldDecl &field) const;

  /// Whether \p event calls a single layer of the framework.
  bool isLayer(const Event &event) const;

  /// The events of a function of the user, or null where it has no body.
  const FunctionBody *bodyOf(const clang::FunctionDecl &function) const;

  /// Whether \p function, or what it calls, runs an event that is \p one, or a call that cannot be
  /// seen and is \p unseen.
  bool runs(const FunctionBody &function, llvm::function_ref<bool(const Event &)> one,
            llvm::function_ref<bool(const Event &)> unseen) const;

  /// Whether the unit or one of its partners calls \p function.
  bool isCalled(const FunctionBody &function) const;

  /// The functions of the unit and its partners that call \p function, or in which it is a closure.
  llvm::ArrayRef<const FunctionBody *> callersOf(const FunctionBody &function) const;

  /// The functions of the unit that launch kernels on memory of tensors.
  llvm::ArrayRef<const FunctionBody *> launchers() const;

  /// What \p function does about kernels; nothing where the unit is not of CUDA.
  const KernelCare &kernelCareOf(const FunctionBody &function) const;

  /// Whether the unit, which is of CUDA, or one of its partners hands \p function on without
  /// calling it: to Python, to a dispatcher, as a callback.
  bool isHandedOn(const FunctionBody &function) const;

  /// Whether the unit or one of its partners has the main function of a program.
  bool isProgram() const;

  /// Whether \p event calls a function of the unit that runs a backward or a step.
  bool callsTraining(const Event &event) const;

  /// Whether code of the unit may clear the gradients of the optimizer that the member \p field
  /// holds, or hands it to code that may.
  bool mayClear(const clang::FieldDecl &field) const;

  /// What computes the values of a tensor.
  struct Producer {
    const Event *event = nullptr; ///< Null if nobody knows.
    Operation operation = Operation::None;
  };

  /// The same, seen through the forward passes of the user's modules and of containers of layers.
  Producer producerOf(const Value &value) const;

  /// See Interpreter.
  Interpreter::Receiver receiverOf(const Event &forward, unsigned operand) const;
  std::optional<bool> takesSecond(const Event &forward) const;
  const Event *endTakenBy(const Event &forward) const;

  /// Whether \p event is a loss of classes that counts all it is given, and each the same.
  bool isPlainLoss(const Event &event) const;

  /// Whether the batches of \p loader come in the same order each time, as the samples are stored:
  /// nothing shuffles them, as far as can be seen.
  bool keepsOrder(const clang::VarDecl &loader) const;

  /// What has made the data loader \p loader, as \p state knows it, or as the only one that the
  /// unit puts into the member that holds it. Null if nobody knows.
  const Event *makerOf(const Operand &loader, const State &state) const;

  /// What becomes of forwards, stores and retained graphs in the unit.
  const Uses &uses() const;

  /// The interned paths, sets and sites in observations.
  const Tables &tables() const;

  /// Whether \p function, or what it calls, switches the recording of gradients on by hand.
  bool enablesGradients(const FunctionBody &function) const;

  /// Whether the unit uses a GPU and modules may get there: it puts them where a variable says, or
  /// is not the whole program.
  bool movesModules() const;

  /// Whether new tensors and parameters are of float32 where nothing else is said, as far as the
  /// unit shows.
  bool assumesFloats() const;

  /// The same, and the unit is part of a program that shows what is done to its modules.
  bool keepsElements() const;

  /// Whether nothing in the unit says what elements new tensors have.
  bool keepsDefaultType() const;

  /// Whether \p device is a GPU, or something that may be one.
  bool mayBeGpu(Device device) const;

  /// The module classes of the user.
  const std::vector<ModuleClass> &classes() const;

  /// The view of the class of the module that \p event calls, or null.
  const ModuleClass *classOf(const Event &event) const;

  /// Whether it makes a difference in which mode the module is that \p event calls.
  Answer dependsOnMode(const Event &event) const;

  /// Whether a part of the module that \p event calls normalises by what is in the batch.
  bool normalizesBatches(const Event &event) const;

  /// What is known of the sizes of the module that \p event calls.
  ModuleSize sizeOf(const Event &event) const;

  /// Whether the unit is of a program, seen as far as functions are shared, in which nothing
  /// trains: no optimizer, no backward, no tensor that is to have a gradient.
  bool onlyInfers() const;

  /// Whether a function changes a tensor in place, other than \p except if that is not null.
  bool changesTensors(const FunctionBody *except) const;

  /// How many functions were analysed, partners' among them.
  size_t functionCount() const;

  /// Functions that are too large, or call too deep, to be followed to the end.
  llvm::ArrayRef<const FunctionBody *> cutShort() const;

  clang::ASTContext &context() const;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace gradtidy
