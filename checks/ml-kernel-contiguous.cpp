// A kernel that gets a plain pointer goes through the memory of a tensor, whatever strides that
// has.

#include "Kernels.h"

namespace gradtidy {
namespace {

class KernelContiguous : public Check {
public:
  void onLauncher(const LauncherVisit &visit, Reporter &reporter) override {
    look(visit, reporter);
  }
  void onHanding(const LauncherVisit &visit, Reporter &reporter) override { look(visit, reporter); }

private:
  static void look(const LauncherVisit &visit, Reporter &reporter) {
    const Cared asked = caredByCallers(visit, &KernelCare::asksForLayout);
    llvm::SmallPtrSet<const ir::Symbol *, 4> seen;
    for (const KernelLaunch &launch : visit.care.launches)
      for (const RawPointer &raw : launch.pointers) {
        const bool isOfCaller = !raw.rearranged;
        if ((isOfCaller && asked == Cared::Yes) || (raw.tensor && !seen.insert(raw.tensor).second))
          continue;
        const bool mayBeAsked =
            isOfCaller && asked == Cared::Unknown && !packsOther(visit, raw.tensor);
        Finding finding(mayBeAsked ? Level::Advice : Level::Likely,
                        clang::SourceRange(writtenAt(visit, raw.pointer->begin()),
                                           writtenAt(visit, raw.pointer->end())));
        finding.message =
            "the kernel goes through the memory of " +
            (raw.tensor ? "'" + raw.tensor->spelling.str() + "'" : std::string("a tensor")) +
            (isOfCaller ? ", and nobody knows that it is contiguous" : ", which is not contiguous");
        if (raw.rearranged)
          finding.notes.push_back({writtenAt(visit, raw.rearranged->begin()), "rearranged here"});
        reporter.report(std::move(finding));
      }
  }

  /// Whether the function makes another one of its parameters contiguous than \p tensor, and takes
  /// both by constant references: it relies on its callers for neither, and writes to neither.
  static bool packsOther(const LauncherVisit &visit, const ir::Symbol *tensor) {
    const auto isInput = [](const ir::Symbol *each) {
      return each && each->kind == ir::SymbolKind::Parameter && each->type->isConst;
    };
    return isInput(tensor) && hasEvent(visit.function, [&](const Event &event) {
             const ir::Node *call = ir::asCall(event.site);
             const ir::Symbol *other =
                 call && call->object ? ir::variableIn(ir::stripped(call->object)) : nullptr;
             return isInput(other) && other != tensor && call->symbol &&
                    call->symbol->trait == Trait::Packs;
           });
  }
};

} // namespace

std::unique_ptr<Check> makeKernelContiguous() { return std::make_unique<KernelContiguous>(); }

} // namespace gradtidy
