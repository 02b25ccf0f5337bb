// A kernel runs on the current GPU, which need not be that of its tensors: their memory is then out
// of reach, or is reached over the bus and in no order.

#include "Fixes.h"
#include "Kernels.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace gradtidy {
namespace {

class KernelGuard : public Check {
public:
  void onLauncher(const LauncherVisit &visit, Reporter &reporter) override {
    const Cared guarded = caredByCallers(visit, &KernelCare::choosesDevice);
    if (visit.care.choosesDevice || guarded == Cared::Yes)
      return;
    Finding finding = findingAt(visit, visit.care.launches.front());
    finding.level = guarded == Cared::No || namesOtherGpu(visit) ? Level::Likely : Level::Advice;
    finding.message = "this kernel runs on the current GPU, which nobody has made that of its "
                      "tensors";
    finding.fixes = guard(visit, visit.function);
    const auto hasTensors = [](const KernelLaunch &launch) { return launch.isOnTensors; };
    if (llvm::none_of(visit.care.launches, hasTensors)) { // Its callers have them.
      const Event *only = onlyCallOf(visit);
      if (only)
        finding.notes.push_back({*only, "it gets the memory of tensors here"});
      finding.fixes = only && only->function->linkedFrom.empty() ? guard(visit, *only->function)
                                                                 : decltype(finding.fixes)();
    }
    reporter.report(std::move(finding));
  }

private:
  /// Whether the program names a GPU that is not the first: which is current, unless it is told
  /// otherwise.
  static bool namesOtherGpu(const LauncherVisit &visit) {
    const auto isOther = [](const Operand &operand) { // An index may stand for itself.
      const bool isIndex =
          operand.device.kind == Device::Cuda || operand.device.kind == Device::Unknown;
      return isIndex && operand.device.id > 0;
    };
    return llvm::any_of(visit.unit.callGraph().functions(), [&](const FunctionBody *body) {
      return hasEvent(*body, [&](const Event &event) {
        return isOther(event.subject) || llvm::any_of(event.operands, isOther);
      });
    });
  }

  /// The call of the visited function, if there is but one.
  static const Event *onlyCallOf(const LauncherVisit &visit) {
    unsigned calls = 0;
    const Event *only = nullptr;
    visit.unit.callGraph().forEachCall(visit.function, [&](const Event &call) {
      ++calls;
      only = &call;
    });
    return calls == 1 ? only : nullptr;
  }

  /// A guard for the device of the first tensor that \p function gets.
  static llvm::SmallVector<clang::FixItHint, 2> guard(const LauncherVisit &visit,
                                                      const FunctionBody &function) {
    const ir::Node *body = ir::as(ir::NodeKind::Compound, function.body);
    const auto tensor = llvm::find_if(function.parameters, [](const auto &parameter) {
      return parameter.place.role == TypeRole::Tensor && !parameter.declaration->name.empty();
    });
    if (!body || body->children.empty() || body->brackets.getBegin().isMacroID() ||
        tensor == function.parameters.end() || !visit.unit.code().knows(Phrase::GuardDevice))
      return {};
    const llvm::StringRef text = visit.source.text(body->range);
    if (text.contains("deviceGuard"))
      return {};
    const clang::SourceLocation first = writtenAt(visit, body->children.front()->begin());
    const unsigned column = visit.source.manager.getSpellingColumnNumber(first);
    return {clang::FixItHint::CreateInsertion(first,
                                              phrase(visit.unit.code(), Phrase::GuardDevice,
                                                     {{"tensor", tensor->declaration->spelling}}) +
                                                  "\n" + std::string(column - 1, ' '))};
  }
};

} // namespace

std::unique_ptr<Check> makeKernelGuard() { return std::make_unique<KernelGuard>(); }

} // namespace gradtidy
