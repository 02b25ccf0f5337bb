// The framework keeps memory, streams and handles for whoever needs some again. A function that
// gets its own from the driver in each call pays for that in each call, and waits for the GPU when
// it gives them back; one that never does leaks.

#include "Resources.h"

#include "clang/Basic/SourceManager.h"

#include <set>

namespace gradtidy {
namespace {

class DriverResource : public Check {
public:
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    const ir::Symbol &function = *visit.function.function;
    if (function.isMain || function.kind == ir::SymbolKind::Constructor ||
        function.kind == ir::SymbolKind::Destructor || isClosure(visit.function))
      return;
    const std::vector<Acquisition> acquired = acquisitionsIn(visit.function);
    if (acquired.empty() || !worksOnTensors(visit.function, visit.unit))
      return;
    const bool isDamaged = lacksCode(visit.function);
    std::vector<Found> repeated, leaked;
    for (const Acquisition &each : acquired) {
      const ResourceUses uses = usesOf(each, visit.function, visit.unit);
      if (uses.escapes)
        continue;
      if (!uses.isReleased && !isDamaged)
        leaked.push_back({each, {}});
      if (uses.release.call && each.kind() != Trait::GetsCheaply)
        repeated.push_back({each, uses.release});
    }
    report(visit, repeated, reporter);
    report(visit, leaked, reporter);
  }

private:
  struct Found {
    Acquisition acquired;
    Release release; ///< By nothing if there is none.
  };

  /// Whether part of the function does not compile: it may give back what the rest gets.
  static bool lacksCode(const FunctionBody &function) {
    bool isFound = false;
    ir::forEach(function.body,
                [&](const ir::Node &node) { isFound |= node.kind == ir::NodeKind::Damaged; });
    return isFound;
  }

  /// Where \p code is written: in the file, also where it is an argument of a macro.
  static clang::SourceRange writtenAt(const FunctionVisit &visit, const ir::Node &code) {
    const clang::SourceManager &sources = visit.source.manager;
    return {sources.getFileLoc(code.begin()), sources.getFileLoc(code.end())};
  }

  /// All of \p found in one finding.
  static void report(const FunctionVisit &visit, llvm::ArrayRef<Found> found, Reporter &reporter) {
    if (found.empty())
      return;
    const auto &[acquired, release] = found.front();
    Finding finding(Level::Likely, writtenAt(visit, *acquired.call));
    finding.message = release.call ? repeatedMessage(acquired, release) : leakMessage(acquired);
    if (release.call)
      finding.notes.push_back({writtenAt(visit, *release.call), "it is given back here"});
    std::set<clang::SourceLocation> places; // Macros repeat code for each type of elements.
    for (const Found &each : found)
      places.insert(writtenAt(visit, *each.acquired.call).getBegin());
    if (places.size() > 1)
      finding.noteOthers(writtenAt(visit, *found.back().acquired.call), places.size() - 1);
    reporter.report(std::move(finding));
  }

  static std::string repeatedMessage(const Acquisition &acquired, const Release &release) {
    const std::string what = "every call gets '" + acquired.variable->name.str() + "' by " +
                             acquired.function->name.str() + "() and gives it back by " +
                             release.function->name.str() + "(), which ";
    return acquired.kind() == Trait::GetsMemory
               ? what + "waits for all work on the GPU; use the memory of a tensor"
               : what + "takes longer than many kernels; create it once and keep it";
  }

  static std::string leakMessage(const Acquisition &acquired) {
    const std::string what = "every call gets '" + acquired.variable->name.str() + "' by " +
                             acquired.function->name.str() + "() and never gives it back";
    const bool isMemory = acquired.kind() == Trait::GetsMemory;
    return isMemory ? what + ", until memory runs out; use the memory of a tensor" : what;
  }
};

} // namespace

std::unique_ptr<Check> makeDriverResource() { return std::make_unique<DriverResource>(); }

} // namespace gradtidy
