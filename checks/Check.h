// The base of every check. A check reads events and the states before them; it never walks the AST.
#pragma once

#include "Finding.h"

#include "analyzer/events/ModuleClass.h"
#include "analyzer/flow/State.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

/// One event on one way through the program.
struct Visit {
  const Event &event;
  const State &before;
  llvm::ArrayRef<const Event *> callers; ///< The calls that lead there, outermost first.
  const clang::ASTContext &context;      ///< For the text of the source, never to look for code.
};

/// One module class of the user.
struct ClassVisit {
  const ModuleClass &view;
  const clang::ASTContext &context; ///< For the text of the source, never to look for code.
};

class Check {
public:
  virtual ~Check() = default;

  /// Called in the order of the flow, once per event, calling context and partition, with the
  /// fixpoint state before the event. A finding made several times is shown once.
  virtual void on(const Visit &visit, Reporter &reporter) {}

  /// Called once for every module class.
  virtual void onClass(const ClassVisit &visit, Reporter &reporter) {}
};

} // namespace gradtidy
