// The base of every check. A check says which events it wants to see, and reads these and the
// states before them; it never looks at an AST: what code says is in events, nodes and symbols.
#pragma once

#include "Finding.h"
#include "Source.h"

#include "analyzer/flow/UnitAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

/// All of the unit.
struct UnitVisit {
  const UnitAnalysis &unit;                 ///< What is known when all is seen.
  const Source &source;                     ///< For the text of what is reported.
  llvm::ArrayRef<const Observation *> seen; ///< See observations().

  /// The events that the check wants to see, in the order of the flow.
  auto observations() const { return llvm::make_pointee_range(seen); }
};

/// One event on one way through the program.
struct Visit : UnitVisit {
  const Event &event;
  const State &before;
  llvm::ArrayRef<const Event *> callers; ///< The calls that lead there, outermost first.
  SiteId site;                           ///< Of the event (see Observation).

  /// The event to speak of: what a module does within is said of the call of the module.
  const Event &shown() const { return unit.tables().sites.event(site); }
};

/// The visit of another of the events that the check wants to see.
inline Visit visitOf(const UnitVisit &visit, const Observation &other) {
  return {visit, *other.event, other.before, other.callers, other.site};
}

/// One module class of the user.
struct ClassVisit {
  const ModuleClass &view;
  const UnitAnalysis &unit;
  const Source &source; ///< For the text of what is reported.
};

/// One function of the user, as it stands in the unit.
struct FunctionVisit {
  const FunctionBody &function;
  const UnitAnalysis &unit;
  const Source &source; ///< For the text of what is reported.
};

/// One function of the user that launches CUDA kernels on memory of tensors.
struct LauncherVisit {
  const FunctionBody &function;
  const KernelCare &care;
  const UnitAnalysis &unit;
  const Source &source; ///< For the text of what is reported.
};

/// An option that a check has beside its level.
struct CheckOption {
  llvm::StringRef name;
  std::string value;
};

class Check {
public:
  virtual ~Check() = default;

  /// The option with its default, or null if there is none.
  virtual const CheckOption *option() const { return nullptr; }

  /// What the user gives for it. Returns what is wrong with that, or an empty string.
  virtual std::string setOption(llvm::StringRef value) { return {}; }

  /// Whether the check wants to see the event: to report it, or to find it among observations()
  /// when it reports another one. Asked once per event, calling context and partition, so the kind
  /// or operation of the event comes first, and what asks the state last. The answer depends on the
  /// moment alone.
  virtual bool wants(const Moment &moment) const { return false; }

  /// The same of the moment behind an event that has ended what pointers lead into: see
  /// Moment::isBehind.
  virtual bool wantsBehind(const Moment &moment) const { return false; }

  /// The same of a moment in a forward pass that runs for what one caller gives it: see
  /// Moment::isOfInputs. The types of tensors are known there, and whether they have a graph.
  virtual bool wantsForInputs(const Moment &moment) const { return false; }

  /// Called for the events that the check wants to see, in the order of the flow, once per event,
  /// calling context and partition, with the fixpoint state before the event. Of several findings
  /// in one place the worst is shown.
  virtual void on(const Visit &visit, Reporter &reporter) {}

  /// Called once for the unit, behind all events.
  virtual void onUnit(const UnitVisit &visit, Reporter &reporter) {}

  /// Called once for every module class.
  virtual void onClass(const ClassVisit &visit, Reporter &reporter) {}

  /// Called once for every function of the unit itself, and for each instance of a template.
  virtual void onFunction(const FunctionVisit &visit, Reporter &reporter) {}

  /// Called once for every function that launches kernels.
  virtual void onLauncher(const LauncherVisit &visit, Reporter &reporter) {}

  /// Called once for every function that has others launch kernels on the memory of its tensors:
  /// these calls are its launches.
  virtual void onHanding(const LauncherVisit &visit, Reporter &reporter) {}
};

} // namespace gradtidy
