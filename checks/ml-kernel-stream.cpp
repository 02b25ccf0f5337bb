// The tensors of a kernel are computed in the order of the framework's current stream. A kernel on
// another stream waits for nothing of it, and nothing waits for the kernel.

#include "Fixes.h"
#include "Kernels.h"
#include "Resources.h"

#include "analyzer/idioms/CodeForms.h"
#include "analyzer/idioms/KernelLaunches.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <set>

namespace gradtidy {
namespace {

class KernelStream : public Check {
public:
  void onLauncher(const LauncherVisit &visit, Reporter &reporter) override {
    const auto isOnDefault = [](const KernelLaunch &launch) { return launch.isOnDefaultStream; };
    const auto first = llvm::find_if(visit.care.launches, isOnDefault);
    if (first == visit.care.launches.end())
      return onPool(visit, reporter);
    Finding finding = findingAt(visit, *first);
    finding.level = levelIn(visit.unit, visit.function);
    finding.message =
        "this kernel runs on the default stream, whatever the current one is, in whose "
        "order its tensors are computed";
    std::set<clang::SourceLocation> repaired; // Macros repeat a launch for each type of elements.
    for (const KernelLaunch &launch : visit.care.launches)
      if (isOnDefault(launch) && repaired.insert(writtenAt(visit, launch.call->begin())).second)
        finding.fixes.append(passStream(visit, *launch.configuration));
    if (repaired.size() > 1)
      finding.noteOthers(writtenAt(visit, visit.care.launches.back().call->begin()),
                         repaired.size() - 1);
    reporter.report(std::move(finding));
  }

  /// The same of a stream that a function gets which launches kernels on it.
  void onHanding(const LauncherVisit &visit, Reporter &reporter) override {
    for (const KernelLaunch &call : visit.care.launches) {
      const FunctionBody *callee = visit.unit.callGraph().bodyOf(*call.call->symbol);
      const std::optional<size_t> stream = callee ? streamAmong(*callee) : std::nullopt;
      if (!stream || *stream >= call.call->arguments.size())
        continue;
      const ir::Node &given = *call.call->arguments[*stream];
      if (isUnawaited(given, *call.call, visit.function))
        return reportPool(visit, call, reporter);
      if (!isDefaultStream(given, visit.function))
        continue;
      Finding finding = findingAt(visit, call);
      finding.level = levelIn(visit.unit, visit.function);
      finding.message = "the kernels of this function are given the default stream, whatever the "
                        "current one is, in whose order their tensors are computed";
      return reporter.report(std::move(finding));
    }
  }

  /// The same of a handle of a library that the function creates.
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    if (isClosure(visit.function))
      return; // Said of the function around it.
    for (const Acquisition &created : acquisitionsIn(visit.function)) {
      if (created.kind() != Trait::CreatesHandle || !worksOnTensors(visit.function, visit.unit))
        continue;
      const ResourceUses uses = usesOf(created, visit.function, visit.unit);
      if (!uses.isComputedWith || uses.isGivenStream || uses.escapes)
        continue;
      const clang::SourceManager &sources = visit.source.manager;
      Finding finding(levelIn(visit.unit, visit.function),
                      clang::SourceRange(sources.getFileLoc(created.call->begin()),
                                         sources.getFileLoc(created.call->end())));
      finding.message = "'" + created.variable->name.str() +
                        "' is given no stream and computes on the default one, whatever the "
                        "current one is, in whose order its tensors are computed";
      reporter.report(std::move(finding));
    }
  }

private:
  /// A launch on a stream of a pool, for which nothing waits.
  static void onPool(const LauncherVisit &visit, Reporter &reporter) {
    for (const KernelLaunch &launch : visit.care.launches)
      if (const auto given = launch.configuration->arguments;
          given.size() > 3 && isUnawaited(*given[3], *launch.call, visit.function))
        return reportPool(visit, launch, reporter);
  }

  /// Whether \p stream, for what \p launch runs, is one that the function takes from a pool and has
  /// no other use for: neither makes it the current one nor has anything wait.
  static bool isUnawaited(const ir::Node &stream, const ir::Node &launch,
                          const FunctionBody &function) {
    const ir::Symbol *variable = ir::variableIn(ir::stripped(&stream.spelled()));
    const ir::Node *taken = variable && variable->isLocal && variable->init
                                ? ir::asCall(&variable->init->spelled())
                                : nullptr;
    if (!taken || !taken->symbol || taken->symbol->trait != Trait::GivesStream)
      return false;
    bool isUsed = hasEvent(
        function, [](const Event &event) { return event.operation == Operation::Synchronize; });
    ir::forEach(function.body, [&](const ir::Node &node) {
      isUsed |= ir::variableIn(&node) == variable && !isWithin(&node, launch);
    });
    return !isUsed;
  }

  static void reportPool(const LauncherVisit &visit, const KernelLaunch &launch,
                         Reporter &reporter) {
    Finding finding = findingAt(visit, launch);
    finding.level = Level::Likely;
    finding.message =
        "this kernel runs on a stream of the pool, which does not wait for the current "
        "one: its inputs may not be ready, and nothing waits for its result";
    reporter.report(std::move(finding));
  }

  /// The parameter on whose stream \p launcher has a kernel run, by its index.
  static std::optional<size_t> streamAmong(const FunctionBody &launcher) {
    for (const KernelLaunch &launch : launcher.kernelCare.launches) {
      const auto given = launch.configuration->arguments;
      const ir::Symbol *stream =
          given.size() > 3 ? ir::variableIn(ir::stripped(given[3])) : nullptr;
      const auto &parameters = launcher.function->parameters;
      if (const auto found = llvm::find(parameters, stream); stream && found != parameters.end())
        return found - parameters.begin();
    }
    return std::nullopt;
  }

  /// A program knows whether it uses any other stream; but not what another language uses that
  /// calls the function.
  static Level levelIn(const UnitAnalysis &unit, const FunctionBody &function) {
    const ProgramFacts &program = unit.program();
    return program.isProgram() && !choosesStreams(unit) && !program.isForOthers(function)
               ? Level::Advice
               : Level::Likely;
  }

  /// Whether the program makes any stream the current one.
  static bool choosesStreams(const UnitAnalysis &unit) {
    return llvm::any_of(unit.callGraph().functions(), [](const FunctionBody *body) {
      return hasEvent(
          *body, [](const Event &event) { return event.operation == Operation::ChooseStream; });
    });
  }

  static llvm::SmallVector<clang::FixItHint, 2> passStream(const LauncherVisit &visit,
                                                           const ir::Node &configuration) {
    const unsigned written = configuration.writtenArguments();
    if (!visit.unit.code().knows(Phrase::CurrentStream) || written < 2)
      return {};
    const ir::Node &last = *configuration.arguments[written - 1];
    const std::string stream = phrase(visit.unit.code(), Phrase::CurrentStream);
    if (written == 4)
      return {clang::FixItHint::CreateReplacement(
          {writtenAt(visit, last.begin()), writtenAt(visit, last.end())}, stream)};
    const clang::SourceLocation end = visit.source.behind(writtenAt(visit, last.end()));
    return {clang::FixItHint::CreateInsertion(end, (written == 2 ? ", 0, " : ", ") + stream)};
  }
};

} // namespace

std::unique_ptr<Check> makeKernelStream() { return std::make_unique<KernelStream>(); }

} // namespace gradtidy
