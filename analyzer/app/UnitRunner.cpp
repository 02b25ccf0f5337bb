#include "UnitRunner.h"

#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/PhaseTimer.h"
#include "analyzer/frontend/Survival.h"
#include "analyzer/frontend/Trace.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/LevelLog.h"
#include "analyzer/plugin/LinkedAnalysis.h"
#include "analyzer/plugin/Plugin.h"
#include "checks/Catalogue.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "clang-tidy/GlobList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace fs = llvm::sys::fs;

namespace {

/// How many functions of a unit the analysis may crash on before the unit is lost.
constexpr size_t maxCrashes = 4;

bool isAskedForByHeader(const Job &job) {
  bool same = true;
  return !fs::equivalent(job.askedFor, job.file, same) && !same;
}

/// They were not asked for. Its errors stay, since the header may be to blame.
void dropFindingsOfMainFile(Unit &unit, const Job &job) {
  llvm::erase_if(unit.diagnostics, [&](const tidy::ClangTidyError &diagnostic) {
    return diagnostic.DiagLevel != tidy::ClangTidyError::Error &&
           diagnostic.Message.FilePath == job.file;
  });
}

bool enablesAnyCheck(const tidy::ClangTidyOptions &options) {
  const tidy::GlobList globs(options.Checks.value_or(""));
  return llvm::any_of(catalogue(),
                      [&](const CatalogueRow &row) { return globs.contains(row.name); });
}

/// What was noted while the parts of this process that keep logs were at work on one unit.
void addLogs(UnitResult &result) {
  for (const FunctionPlace &function : takeUnfollowed())
    result.coverage.cutShort.insert(function.describe());
  for (const auto &[phase, seconds] : takePhaseSeconds())
    result.seconds[phase] += seconds;
}

} // namespace

UnitRunner::UnitRunner(const JobList &list, tidy::ClangTidyContext &context, HeaderCache *headers,
                       UnitStore &units, UnitInputs &inputs, const Options &options)
    : list(list), context(context), frontend(context, list.projectFolder, headers), units(units),
      inputs(inputs), ir(options.ir), traces(options.traces) {
  frontend.setOverlay(options.overlay);
  if (traces)
    frontend.enableTrace();
  if (options.makesOwnHeaders)
    frontend.makeOwnHeaders();
}

UnitResult UnitRunner::lower(const Job &job) {
  UnitResult result;
  const tidy::ClangTidyOptions options = context.getOptionsForFile(job.file);
  llvm::Expected<const Model *> found = loadModels(options.CheckOptions.lookup(modelsOption).Value);
  if (!found) {
    result.error = llvm::toString(found.takeError());
    return result;
  }
  const Model &model = **found;
  Frontend::Look look;
  if (enablesAnyCheck(options))
    look = [&](clang::ASTContext &ast, const UserCode &userCode, Unit &unit) {
      writeText(ast, model, userCode, findProjectRoot(job.file, list.projectFolder), unit);
    };
  result.unit = frontend.run(job, model.headers(), model.renamed(), look);
  addLogs(result);
  result.levels.resize(result.unit.diagnostics.size());
  units.add(job, result);
  return result;
}

UnitResult UnitRunner::analyse(const Job &job, const Linking &linking,
                               const Linking::Links &links) {
  UnitResult result = *linking.find(job.file);
  std::vector<std::string> texts = {textOf(job, result)};
  result.unit.text.clear();
  result.ir.clear();
  link(job, linking, links, result, texts);
  if (!texts.front().empty())
    analyse(job, texts, result);
  if (isAskedForByHeader(job))
    dropFindingsOfMainFile(result.unit, job);
  addLogs(result);
  result.levels.clear();
  for (const tidy::ClangTidyError &diagnostic : result.unit.diagnostics)
    result.levels.push_back(levelOf(diagnostic));
  return result;
}

/// The text of a unit; made anew if somebody has removed it.
std::string UnitRunner::textOf(const Job &job, const UnitResult &lowered) {
  if (std::optional<std::string> known = units.textOf(lowered))
    return std::move(*known);
  UnitResult again = lower(job);
  return units.textOf(again).value_or(std::move(again.unit.text));
}

/// Adds the texts of \p links to \p texts, and to \p result what it depends on then.
void UnitRunner::link(const Job &job, const Linking &linking, const Linking::Links &links,
                      UnitResult &result, std::vector<std::string> &texts) {
  result.questions = links.questions;
  for (const Job *other : links.jobs) {
    result.links.emplace_back(other->file, inputs.keyOf(*other));
    const UnitResult *lowered = linking.find(other->file);
    result.isRepeatable &= lowered && lowered->isRepeatable;
    if (lowered)
      result.inputs.add(lowered->inputs);
    if (linking.isLinkable(job, *other))
      texts.push_back(textOf(*other, *lowered));
  }
}

void UnitRunner::analyse(const Job &job, llvm::ArrayRef<std::string> texts, UnitResult &result) {
  FunctionPlaces leftOut;
  LinkedUnit linked{
      job,
      *llvm::cantFail(
          loadModels(context.getOptionsForFile(job.file).CheckOptions.lookup(modelsOption).Value)),
      findProjectRoot(job.file, list.projectFolder),
      {texts.begin(), texts.end()},
      frontend.filesOf(job),
      frontend.diagnosticIds(),
      leftOut};
  for (;;) {
    Unit unit = result.unit;
    LinkedResult found;
    std::optional<FunctionPlace> blamed;
    const auto begin = std::chrono::steady_clock::now();
    std::string trace;
    if (survives(blamed, /*tellsWhy=*/false, [&] {
          const Trace recording(traces, trace);
          found = gradtidy::analyse(linked, context, ir, unit);
        })) {
      result.unit = std::move(unit);
      result.unit.traces.push_back(std::move(trace));
      result.text = std::move(found.text);
      result.error = std::move(found.error);
      result.coverage.functions += found.coverage.functions;
      result.coverage.cutShort.merge(found.coverage.cutShort);
      break;
    }
    addPhaseSeconds(
        inVainPhase,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (!blamed || leftOut.size() == maxCrashes || !leftOut.insert(*blamed).second) {
      result.unit.outcome = Unit::Outcome::Crashed;
      result.unit.diagnostics.clear();
      break;
    }
  }
  logUnfollowed(leftOut);
}

} // namespace gradtidy
