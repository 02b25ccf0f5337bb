// The analysis of one translation unit: the events of every function, with the states before them.
// Made once per ASTContext and shared by all checks.
#pragma once

#include "CalledModules.h"
#include "Effects.h"
#include "Lists.h"
#include "ProgramFacts.h"
#include "StoredGraphs.h"

namespace gradtidy {

class UnitAnalysis {
public:
  /// Analyses the functions of the context's traversal scope. All arguments must outlive this
  /// object.
  UnitAnalysis(clang::ASTContext &context, const Model &model, const UserCode &userCode);
  UnitAnalysis(const UnitAnalysis &) = delete;

  /// What is known whatever the flow.
  const CallGraph &callGraph() const { return graph; }
  const Effects &effects() const { return sideEffects; }
  const CalledModules &modules() const { return ofModules; }
  const ProgramFacts &program() const { return ofProgram; }

  /// What checks may want to see, in the order of the flow: once per event, calling context and
  /// partition.
  const std::vector<Observation> &observations() const { return interpreter.observations(); }

  /// What becomes of forwards, stores and retained graphs in the unit.
  const Uses &uses() const { return interpreter.uses(); }

  /// The interned paths, sets and sites in observations.
  const Tables &tables() const { return interned; }

  /// What computes the values of a tensor.
  struct Producer {
    const Event *event = nullptr; ///< Null if nobody knows.
    Operation operation = Operation::None;
  };

  /// The same, seen through the forward passes of the user's modules and of containers of layers.
  Producer producerOf(const Value &value) const;

  /// See Interpreter.
  Interpreter::Receiver receiverOf(const Event &forward, unsigned operand) const {
    return interpreter.receiverOf(forward, operand);
  }
  std::optional<bool> takesSecond(const Event &forward) const {
    return interpreter.takesSecond(forward);
  }
  const Event *endTakenBy(const Event &forward) const { return interpreter.endTakenBy(forward); }

  /// Functions that are too large, or call too deep, to be followed to the end.
  llvm::ArrayRef<const FunctionBody *> cutShort() const { return interpreter.cutShort(); }

  /// Whether a class is \p base, or derives from it.
  bool isOrDerives(const ir::Symbol &record, const ir::Symbol &base) const;

  /// What is known of a class that code names.
  const ir::Class &classOf(const ir::Symbol &record) const {
    return vocabulary.code().classOf(record);
  }

  /// The declaration of a function that has its body, or null.
  const ir::Symbol *definitionOf(const ir::Symbol &function) const;

  /// The body of a function, whoever it is from, or null.
  const ir::Node *bodyOf(const ir::Symbol &function) const;

  /// The learning rate that \p number in \p function is (see values/LearningRates.h).
  LearningRate rateIn(const ir::Node &number, const FunctionBody &function) const;

  /// Whether the unit uses \p name anywhere.
  bool knowsName(llvm::StringRef name) const;
  bool definesMacro(llvm::StringRef name) const;

  /// Whether the unit declares \p name in the namespace \p inner of the namespace \p outer.
  bool declares(llvm::StringRef outer, llvm::StringRef inner, llvm::StringRef name) const;

  /// Whether only the source of a program with its main function can call \p function, which is
  /// no method.
  bool isOnlyOfMain(const FunctionBody &function) const;

  /// Whether a declaration of its function gives \p parameter a default argument.
  bool hasDefault(const ir::Symbol &parameter) const;

  clang::ASTContext &context() const { return ast; }
  const clang::SourceManager &sources() const { return ast.getSourceManager(); }
  const clang::LangOptions &language() const { return ast.getLangOpts(); }

private:
  clang::ASTContext &ast;
  Vocabulary vocabulary;
  Tables interned;
  CalledModules ofModules;
  CallGraph graph;
  Effects sideEffects;
  StoredGraphs storedGraphs;
  ProgramFacts ofProgram;
  MemberLists memberLists;
  Interpreter interpreter;
};

} // namespace gradtidy
