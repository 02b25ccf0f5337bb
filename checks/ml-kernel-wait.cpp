// What runs on a stream runs in order, and who reads a tensor on the host waits by himself. A
// function that waits for its kernel keeps the host from handing out the work that comes next.

#include "Kernels.h"

namespace gradtidy {
namespace {

class KernelWait : public Check {
public:
  void onLauncher(const LauncherVisit &visit, Reporter &reporter) override {
    if (visit.function.function->isMain ||
        !llvm::all_of(visit.care.launches,
                      [&](const KernelLaunch &launch) { return isInOrder(visit, launch); }))
      return;
    const KernelLaunch *launch = nullptr;
    std::vector<Finding> findings;
    for (const Block &block : visit.function.blocks)
      for (const Event &event : block.events) {
        if (const KernelLaunch *begun = launchAt(visit, event))
          launch = begun;
        else if (needsWait(event))
          findings.clear();
        else if (event.operation == Operation::Synchronize)
          if (const KernelLaunch *begun = launch ? launch : closureLaunchBefore(visit, event))
            findings.push_back(findingAt(event, *begun));
      }
    for (Finding &finding : findings)
      reporter.report(std::move(finding));
  }

private:
  static Finding findingAt(const Event &wait, const KernelLaunch &launch) {
    Finding finding(Level::Likely, wait,
                    "the host waits here for the kernel, each time: what is computed of its "
                    "tensors runs behind it anyway, in the order of the stream");
    finding.notes.push_back({*launch.call, "the kernel is launched here"});
    return finding;
  }

  static const KernelLaunch *launchAt(const LauncherVisit &visit, const Event &event) {
    for (const KernelLaunch &launch : visit.care.launches)
      if (launch.call == event.site)
        return &launch;
    return nullptr;
  }

  /// The last launch in a closure that is called before \p wait, as dispatchers of types do.
  static const KernelLaunch *closureLaunchBefore(const LauncherVisit &visit, const Event &wait) {
    const KernelLaunch *last = nullptr;
    for (const KernelLaunch &launch : visit.care.launches) {
      const ir::Node *around = launch.call;
      while (around && around->kind != ir::NodeKind::Lambda)
        around = around->parent;
      if (around && visit.source.isBefore(launch.call->begin(), wait.site->begin()))
        last = &launch;
    }
    return last;
  }

  /// Whether the launch is on the stream on which the framework computes, or on that of the device.
  static bool isInOrder(const LauncherVisit &visit, const KernelLaunch &launch) {
    if (launch.isOnDefaultStream)
      return true;
    if (launch.configuration->arguments.size() < 4)
      return false;
    const ir::Node *stream = ir::stripped(launch.configuration->arguments[3]);
    if (const ir::Symbol *variable = ir::variableIn(stream); variable && variable->init)
      stream = ir::stripped(variable->init);
    bool isCurrent = false;
    ir::forEach(stream, [&](const ir::Node &node) {
      const llvm::StringRef name = node.calledName();
      isCurrent |= !name.empty() &&
                   visit.unit.code().phrase(Phrase::CurrentStream).contains((name + "(").str());
    });
    return isCurrent;
  }

  /// Whether the program looks behind the wait at what the GPU has done, other than by what waits
  /// itself: the time, or memory that the host reads.
  static bool needsWait(const Event &event) {
    const ir::Symbol *callee = event.site->isCall() ? event.site->symbol : nullptr;
    return event.operation == Operation::ReadClock || event.readsOnHost() ||
           (event.kind == EventKind::Call && event.trait != Trait::AsksForErrors &&
            !(callee && (callee->isOfSystem || callee->isBuiltin)));
  }
};

} // namespace

std::unique_ptr<Check> makeKernelWait() { return std::make_unique<KernelWait>(); }

} // namespace gradtidy
