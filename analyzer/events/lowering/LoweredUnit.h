// A unit, lowered: its functions as events, its classes and its names, for those that know no AST.
#pragma once

#include "analyzer/events/Event.h"
#include "analyzer/events/KernelCare.h"
#include "analyzer/events/modules/CalledModules.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace clang {
class CXXMethodDecl;
class FunctionDecl;
class LangOptions;
class SourceManager;
} // namespace clang

namespace gradtidy {

class Analyzing;
class Model;
class PathTable;
class UserCode;

class LoweredUnit {
public:
  /// Of the functions of the context's traversal scope. All arguments must outlive this object.
  LoweredUnit(clang::ASTContext &context, const Model &model, const UserCode &userCode,
              PathTable &paths);
  ~LoweredUnit();
  LoweredUnit(const LoweredUnit &) = delete;

  const clang::SourceManager &sources() const;
  const clang::LangOptions &language() const;

  // --- functions

  /// The functions of the user, as they stand: template instantiations and closures, and templates
  /// that nothing instantiates.
  llvm::ArrayRef<const FunctionBody *> functions() const { return all; }

  /// The events of a function of the user, or null where it has no body.
  const FunctionBody *bodyOf(const ir::Symbol &function) const;

  /// What overrides the method \p first, a first declaration, as the unit shows: the methods that
  /// have a body, by their first declarations.
  llvm::ArrayRef<const ir::Symbol *> overridersOf(const ir::Symbol &first) const;

  /// Whether \p function is of the unit itself, and no partner's.
  bool isOwn(const FunctionBody &function) const;

  /// Whether only the source of a program with its main function can call \p function, which is
  /// no method.
  bool isOnlyOfMain(const FunctionBody &function) const;

  /// The declaration of a function that has its body, or null.
  const ir::Symbol *definitionOf(const ir::Symbol &function) const;

  /// The body of a function, whoever it is from, or null.
  const ir::Node *codeOf(const ir::Symbol &function) const;

  /// Whether a declaration of its function gives \p parameter a default argument.
  bool hasDefault(const ir::Symbol &parameter) const;

  /// Whether all that \p function takes are tensors and numbers.
  bool takesTensors(const ir::Symbol &function) const;

  /// Whether \p function can be told a device, by itself or with other options.
  bool takesDevice(const ir::Symbol &function) const;

  /// Whether a name belongs to a framework of the model.
  bool isFramework(const ir::Symbol &symbol) const;

  /// What the model says of a function besides its role.
  Trait traitOf(const ir::Symbol &function) const;

  /// What \p function does about kernels.
  KernelCare kernelCareOf(const FunctionBody &function) const;

  /// The learning rate that \p number in \p function is (see values/LearningRates.h).
  LearningRate rateIn(const ir::Node &number, const FunctionBody &function) const;

  // --- values

  /// Whether the batches of \p loader come in the same order each time, as the samples are stored:
  /// nothing shuffles them, as far as can be seen.
  bool keepsOrder(const ir::Symbol &loader) const;

  /// What gives the variable or member \p entity its value where no function does and no other
  /// source can: the initializer of what is global or a member; else null.
  const ir::Node *outerInitializerOf(const ir::Symbol &entity) const;

  /// Whether \p code names a device.
  bool namesDevice(const ir::Node &code) const;

  // --- classes

  const CalledModules &modules() const { return called; }

  /// What is known of a class that code names.
  const ir::Class &classOf(const ir::Symbol &record) const;

  /// Whether a class is \p base, or derives from it.
  bool isOrDerives(const ir::Symbol &record, const ir::Symbol &base) const;

  // --- names

  /// What a fix-it writes in this unit, see Model::phrase() and Model::constant().
  llvm::StringRef phrase(Phrase phrase) const;
  llvm::StringRef constant(ElementType element) const;
  llvm::StringRef constant(DeviceRole device) const;

  /// Whether the unit uses \p name anywhere.
  bool knowsName(llvm::StringRef name) const;
  bool definesMacro(llvm::StringRef name) const;

  /// Whether the unit declares \p name in the namespace \p inner of the namespace \p outer.
  bool declares(llvm::StringRef outer, llvm::StringRef inner, llvm::StringRef name) const;

private:
  const FunctionBody *bodyOf(const clang::FunctionDecl &function) const;
  void addOverrider(const clang::CXXMethodDecl &overridden, const clang::CXXMethodDecl &method);

  clang::ASTContext &context;
  const UserCode &userCode;
  PathTable &paths;
  const std::unique_ptr<Vocabulary> vocabulary;
  CalledModules called;
  mutable llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<FunctionBody>> bodies;
  llvm::DenseMap<const ir::Symbol *, llvm::SetVector<const ir::Symbol *>> overriders;
  std::vector<const FunctionBody *> all;
};

/// While it lives, this thread analyzes \p function: if it does not survive that, the unit is
/// analyzed without it.
class UnderAnalysis {
public:
  explicit UnderAnalysis(const FunctionBody &function);
  ~UnderAnalysis();
  UnderAnalysis(const UnderAnalysis &) = delete;

private:
  const std::unique_ptr<Analyzing> analyzing;
};

} // namespace gradtidy
