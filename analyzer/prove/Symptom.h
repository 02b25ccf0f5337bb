// The run-time side of a fixture: what symptom.json demands of the numbers that the program with
// the bug and the repaired one print (fixtures/README.md describes the file).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace gradtidy {

/// What a program printed through fixtures/harness.h.
struct Recording {
  std::map<std::string, std::vector<double>> metrics; ///< What is not finite counts as infinite.
  std::string error; ///< The message of the exception that ended it; empty without one.

  /// Throws std::runtime_error if \p output is not what the harness prints.
  static Recording parse(llvm::StringRef output);
};

struct Recordings {
  Recording bug, fix;
};

/// One relation and what was measured.
struct Measurement {
  std::string what;     ///< "loss, last"
  std::string bug, fix; ///< A number or an error; empty where the relation does not ask for one.
  std::string relation; ///< "bug > 10 × fix"
  bool holds = false;
};

/// A number for people, to three digits.
std::string numberText(double number);

struct Relation;

class Symptom {
public:
  /// Throws std::runtime_error that names \p file if it cannot be read.
  explicit Symptom(const std::string &file);
  ~Symptom();
  Symptom(Symptom &&) noexcept;

  std::string words;        ///< What one sees.
  std::string metric, over; ///< What the plot shows, and what its values are counted by.
  bool logarithmic = false; ///< The scale of the plot.

  /// Why the pair does not run on \p backend; empty if it does.
  std::string whyLeftOut(const std::string &backend) const;

  /// Judges every relation that is meant for \p backend. An error that none asks for makes a
  /// relation more, which does not hold. Throws std::runtime_error if a metric is missing.
  std::vector<Measurement> judge(const Recordings &recordings, const std::string &backend) const;

private:
  std::map<std::string, std::string> leftOut;
  std::vector<Relation> relations;
};

} // namespace gradtidy
