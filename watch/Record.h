// What the watching library tells `gradtidy watch`: JSON, one object a line. Each process has a
// file of its own.
//
//   {"finding": CHECK, "message": TEXT, "step": N, "place": PLACE, "stack": STACK,
//    "through": NAME, "ifAssigned": CHECK, "statement": NAME, "usedBy": STACK, "advice": true}
//                                      the last five if not empty
//   {"step": N, "loss": NUMBER, "gradient norm": NUMBER, "milliseconds": NUMBER, "bytes": NUMBER}
//   {"parameters": COUNT, "step": N, "norm": NUMBER, "sum": NUMBER, "stack": STACK}
//                                      of processes that train together, in some steps
//   {"reached": "forward", "backward", "step" or "clear", "stack": STACK}
//   {"end": N}                          the number of steps, when the program ends
#pragma once

#include "Stack.h"

#include <chrono>
#include <cstdio>
#include <set>
#include <string>

namespace gradtidy::watch {

/// Which frame of a stack is to blame.
enum class Place : unsigned char {
  Innermost,    ///< That of the call itself.
  Forward,      ///< That which calls the outermost forward().
  Construction, ///< That which has a module or optimizer made; behind its constructors.
  Constructor,  ///< The innermost, which must be in a constructor; else the finding is dropped.
};

struct Finding {
  const char *check;
  std::string message;
  Stack stack;
  Place place = Place::Innermost;
  /// If not empty, a function of this name must be in the stack, or the finding is dropped.
  std::string through;
  /// The check if the statement gives the result to a handle that there is already, or "none";
  /// results of declarations are no finding. Empty if that makes no difference.
  std::string ifAssigned;
  /// With \p ifAssigned: what does not assign must be a call of this function whose result is
  /// dropped, else there is no finding.
  std::string statement;
  /// If not empty, forward() of the class of \p stack's constructor must be in this stack, too.
  Stack usedBy;
  bool isAdvice = false; ///< Of level 2, whatever the level of the check.
};

/// \p number as messages show it.
std::string text(double number);

/// The file that `gradtidy watch` reads. Each line is written at once, so that none is lost when
/// the program crashes.
class Record {
public:
  explicit Record(std::FILE *file) : file(file) {}

  /// Once for a check and stack.
  void add(const Finding &finding, unsigned step);
  void addStep(unsigned step, double loss, double gradientNorm, double milliseconds, int64_t bytes);
  /// The parameters of an optimizer behind a step, in a process that adds up its gradients with
  /// others: their number, norm and weighted sum.
  void addParameters(unsigned step, int64_t count, double norm, double sum, const Stack &stack);
  /// Code that a check looks at, and that has been reached.
  void addReached(const char *what, const Stack &stack);
  void end(unsigned steps);

private:
  std::FILE *file;
  std::chrono::steady_clock::time_point flushed;
  std::set<std::pair<std::string, uint64_t>> known;
};

} // namespace gradtidy::watch
