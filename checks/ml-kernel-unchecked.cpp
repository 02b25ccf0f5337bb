// A launch gives nothing back. One that fails, for too many threads or for machine code of another
// GPU, leaves its tensors as they were, and the program goes on with them.

#include "Fixes.h"
#include "Kernels.h"

#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class KernelUnchecked : public Check {
public:
  void onLauncher(const LauncherVisit &visit, Reporter &reporter) override {
    if (visit.care.asksLast || asksInCallers(visit) || asksInHelper(visit))
      return;
    const std::vector<KernelLaunch> &launches = visit.care.launches;
    // One question behind the last would do for all.
    const KernelLaunch &last = launches.back();
    Finding finding = findingAt(visit, visit.care.asksForErrors ? last : launches.front());
    finding.level = Level::Likely;
    finding.message =
        "nobody asks whether this launch has failed, which leaves its tensors as they "
        "were";
    finding.fixes = check(visit, *last.call);
    reporter.report(std::move(finding));
  }

private:
  static bool asksInCallers(const LauncherVisit &visit) {
    llvm::SmallPtrSet<const FunctionBody *, 8> seen;
    return asksInCallers(visit.function, visit.unit.callGraph(), seen);
  }

  /// What calls from a closure may leave it to the function in which that stands.
  static bool asksInCallers(const FunctionBody &function, const CallGraph &graph,
                            llvm::SmallPtrSetImpl<const FunctionBody *> &seen) {
    const auto callers = graph.callersOf(function);
    return !seen.insert(&function).second ||
           (!callers.empty() && llvm::all_of(callers, [&](const FunctionBody *caller) {
             return caller->kernelCare.asksForErrors ||
                    (isClosure(*caller) && asksInCallers(*caller, graph, seen));
           }));
  }

  /// Whether a function that is called behind the last launch asks.
  static bool asksInHelper(const LauncherVisit &visit) {
    bool asks = false;
    ir::forEach(visit.function.body, [&](const ir::Node &node) {
      const FunctionBody *callee =
          node.isCall() && node.symbol ? visit.unit.callGraph().bodyOf(*node.symbol) : nullptr;
      asks = node.kind != ir::NodeKind::KernelCall &&
             (asks || (callee && callee->kernelCare.asksForErrors));
    });
    return asks;
  }

  /// The framework's own check, where its header is included, behind the statement of the launch.
  static llvm::SmallVector<clang::FixItHint, 2> check(const LauncherVisit &visit,
                                                      const ir::Node &call) {
    const llvm::StringRef macro = visit.unit.code().phrase(Phrase::CheckLaunch);
    const Source &sources = visit.source;
    const clang::SourceLocation end = sources.behindSemicolon(writtenAt(visit, call.end()));
    if (end.isInvalid() || !visit.unit.code().knows(Phrase::CheckLaunch))
      return {};
    const unsigned column = sources.manager.getSpellingColumnNumber(writtenAt(visit, call.begin()));
    return {clang::FixItHint::CreateInsertion(end, "\n" + std::string(column - 1, ' ') +
                                                       macro.str() + "();")};
  }
};

} // namespace

std::unique_ptr<Check> makeKernelUnchecked() { return std::make_unique<KernelUnchecked>(); }

} // namespace gradtidy
