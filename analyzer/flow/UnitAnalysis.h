// The analysis of one translation unit: events of every function, states at every event.
// Made once per ASTContext and shared by all checks.
#pragma once

#include "checks/Finding.h"

#include <memory>

namespace clang {
class ASTContext;
} // namespace clang

namespace gradtidy {

class Check;
class Model;
class UserCode;

class UnitAnalysis {
public:
  /// All arguments must outlive this object.
  UnitAnalysis(clang::ASTContext &context, const Model &model, const UserCode &userCode);
  ~UnitAnalysis();

  /// Runs \p check over all events with the states before them. The analysis itself is made at the
  /// first call. Findings come in source order, each once.
  void run(Check &check, Reporter &reporter);

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace gradtidy
