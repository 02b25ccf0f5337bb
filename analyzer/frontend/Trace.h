// For --time-trace.
#pragma once

#include <string>

namespace gradtidy {

/// Writes what happens on this thread during its life into a text, in Chrome's format.
class Trace {
public:
  /// \p text must outlive this object; nothing is written into it if not \p enabled.
  Trace(bool enabled, std::string &text);
  ~Trace();
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

private:
  bool enabled;
  std::string &text;
};

} // namespace gradtidy
