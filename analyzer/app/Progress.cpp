#include "Progress.h"

#include "analyzer/report/Printable.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

std::string progressLine(size_t done, size_t total, double rate, llvm::StringRef file) {
  std::string line = llvm::formatv("[{0}/{1}]", done, total);
  if (rate > 0) {
    const auto left = static_cast<unsigned>(double(total - done) / rate + 0.5);
    line += llvm::formatv(" {0:F1}/s, {1}:{2,0+2} left", rate, left / 60, left % 60);
  }
  return line + ": " + printable(llvm::sys::path::filename(file));
}

Progress::Progress(size_t total, bool quiet)
    : total(total), visible(!quiet && total > 1 && llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::begin(llvm::StringRef file) {
  if (visible)
    show(file);
}

void Progress::add(llvm::StringRef file) {
  ++done;
  const auto now = std::chrono::steady_clock::now();
  // More often than a reader can follow it would only cost time.
  if (!visible || (now - last < std::chrono::milliseconds(50) && done < total))
    return;
  last = now;
  show(file);
}

void Progress::show(llvm::StringRef file) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // The first files say little: the header is made for them.
  const double rate = seconds > 0.5 ? double(done) / seconds : 0;
  const unsigned columns = llvm::sys::Process::StandardErrColumns();
  const std::string line = progressLine(done, total, rate, file);
  llvm::errs() << "\r\x1b[K" << line.substr(0, columns ? columns - 1 : 79);
  shown = true;
}

void Progress::clear() {
  if (shown)
    llvm::errs() << "\r\x1b[K";
  shown = false;
}

} // namespace gradtidy
