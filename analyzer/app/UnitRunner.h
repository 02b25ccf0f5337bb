// Everything that happens to one unit, from its sources to its result.
#pragma once

#include "Linking.h"
#include "UnitResult.h"
#include "UnitStore.h"
#include "analyzer/flow/IrRequest.h"
#include "analyzer/frontend/Frontend.h"

#include <string>

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

class HeaderCache;
class Model;

/// A unit is parsed and lowered alone, and then analyzed together with those that it is linked to:
/// see docs/decisions/0039-linked-analysis.md.
class UnitRunner {
public:
  struct Options {
    const Overlay &overlay;
    const IrRequest *ir = nullptr; ///< Asks for texts in place of findings.
    bool traces = false, makesOwnHeaders = false;
  };

  /// All arguments must outlive this object. \p headers may be null.
  UnitRunner(const JobList &list, clang::tidy::ClangTidyContext &context, HeaderCache *headers,
             UnitStore &units, UnitInputs &inputs, const Options &options);

  /// Parses and lowers a unit, and puts its text into the store.
  UnitResult lower(const Job &job);

  /// Analyzes a unit that was lowered.
  /// \param links   what it is linked to, of \p linking; empty for the unit alone.
  UnitResult analyse(const Job &job, const Linking &linking, const Linking::Links &links);

private:
  void link(const Job &job, const Linking &linking, const Linking::Links &links, UnitResult &result,
            std::vector<std::string> &texts);
  void analyse(const Job &job, llvm::ArrayRef<std::string> texts, UnitResult &result);
  std::string textOf(const Job &job, const UnitResult &lowered);

  const JobList &list;
  clang::tidy::ClangTidyContext &context;
  Frontend frontend;
  UnitStore &units;
  UnitInputs &inputs;
  const IrRequest *ir;
  const bool traces;
};

} // namespace gradtidy
