#include "AnomalyMode.h"
#include "Node.h"

#include <cstdio>
#include <cstdlib>
#include <execinfo.h>

namespace gradtidy::runtime::autograd {
namespace {

std::string textOf(const std::vector<void *> &frames) {
  auto size = static_cast<int>(frames.size());
  std::unique_ptr<char *, void (*)(void *)> lines(backtrace_symbols(frames.data(), size),
                                                  std::free);
  std::string text;
  for (int i = 0; lines && i < size; ++i)
    text += concat("  frame #", i, ": ", lines.get()[i], '\n');
  return text;
}

} // namespace

DetectAnomalyGuard::DetectAnomalyGuard(bool checkNan)
    : checkNanBefore(AnomalyMode::should_check_nan()) {
  static std::atomic<bool> warned = false;
  if (!warned.exchange(true))
    std::fputs("Warning: This mode should be enabled only for debugging as the different tests "
               "will slow down your program execution.\n",
               stderr);
  AnomalyMode::set_enabled(true, checkNan);
}

AnomalyMetadata::AnomalyMetadata(std::shared_ptr<Node> parent)
    : frames(64), parent(std::move(parent)) {
  frames.resize(static_cast<std::size_t>(backtrace(frames.data(), 64)));
}

void AnomalyMetadata::print_stack(const std::string &nodeName) const {
  std::fprintf(stderr,
               "Warning: Error detected in %s. Traceback of forward call that caused the error:\n"
               "%s",
               nodeName.c_str(), textOf(frames).c_str());
  for (const Node *node = parent.get(); node;) {
    const AnomalyMetadata *origin = node->anomaly.get();
    std::fprintf(stderr,
                 "\n\nPrevious calculation was induced by %s. Traceback of forward call that "
                 "induced the previous calculation:\n%s",
                 node->name().c_str(),
                 origin ? textOf(origin->frames).c_str()
                        : "No forward pass information available. Enable detect anomaly during "
                          "forward pass for more information.\n");
    node = origin ? origin->parent.get() : nullptr;
  }
}

} // namespace gradtidy::runtime::autograd
