#include "Progress.h"

#include "analyzer/report/Printable.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

std::string progressLine(size_t done, size_t total, double rate, llvm::StringRef what) {
  std::string line = llvm::formatv("[{0}/{1}]", done, total);
  if (rate > 0) {
    const auto left = static_cast<unsigned>(double(total - done) / rate + 0.5);
    line += llvm::formatv(" {0:F1}/s, {1}:{2,0+2} left", rate, left / 60, left % 60);
  }
  return line + ": " + printable(what);
}

Progress::Progress(size_t total, bool quiet)
    : total(total), visible(!quiet && total > 0 && llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::begin(llvm::StringRef file) {
  if (!visible)
    return;
  show(llvm::sys::path::filename(file));
  shown = true;
}

void Progress::tell(llvm::StringRef what) const {
  if (visible)
    show(what);
}

void Progress::add(llvm::StringRef file) {
  const auto now = Clock::now();
  if (++done == 1)
    firstDone = now;
  // More often than a reader can follow it would only cost time.
  if (!visible || (now - last < std::chrono::milliseconds(50) && done < total))
    return;
  last = now;
  show(llvm::sys::path::filename(file));
  shown = true;
}

void Progress::show(llvm::StringRef what) const {
  const double seconds = done ? std::chrono::duration<double>(Clock::now() - firstDone).count() : 0;
  const double rate = seconds > 0.5 ? double(done - 1) / seconds : 0;
  const unsigned columns = llvm::sys::Process::StandardErrColumns();
  const std::string line = progressLine(done, total, rate, what);
  llvm::errs() << "\r\x1b[K" << line.substr(0, columns ? columns - 1 : 79);
}

void Progress::clear() {
  if (shown)
    llvm::errs() << "\r\x1b[K";
  shown = false;
}

} // namespace gradtidy
