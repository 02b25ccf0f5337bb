// Text that somebody else wrote, made fit for a terminal and for logs that programs read.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace gradtidy {

/// \p text in one line, of which every byte is visible: control characters, line ends, letters that
/// change the direction of text or have no shape, and bytes that are no UTF-8 become \n, \t, \x1b
/// or
/// \u202e. Everything else, non-ASCII letters among it, stays.
std::string printable(llvm::StringRef text);

/// \p line without what build servers take for a command: "::" at its start (GitHub Actions), and
/// "##[", "##vso[" or "##teamcity[" anywhere (GitHub Actions, Azure Pipelines, TeamCity). \p colon
/// and
/// \p hash take the place of one letter of these.
std::string withoutCommands(llvm::StringRef line, llvm::StringRef colon = "\\x3a",
                            llvm::StringRef hash = "\\x23");

/// printable() and withoutCommands() in one: for lines of plain text.
std::string printableLine(llvm::StringRef text);

/// A line of text for a stream, put together with << and written when this object ends: as
/// printableLine() makes it, behind \p prefix, which is written as it is.
class PrintableLine {
public:
  explicit PrintableLine(llvm::raw_ostream &out, std::string prefix = {})
      : out(out), prefix(std::move(prefix)) {}
  PrintableLine(PrintableLine &&) = delete;
  ~PrintableLine() { out << prefix << printableLine(llvm::StringRef(text).rtrim('\n')) << '\n'; }

  template <typename T> PrintableLine &operator<<(const T &part) {
    llvm::raw_string_ostream(text) << part;
    return *this;
  }

private:
  llvm::raw_ostream &out;
  const std::string prefix;
  std::string text;
};

/// "gradtidy: error: " and what is put into it, on standard error.
class ErrorLine : public PrintableLine {
public:
  ErrorLine();
};

/// A line on standard error that is no error.
class StatusLine : public PrintableLine {
public:
  StatusLine() : PrintableLine(llvm::errs()) {}
};

} // namespace gradtidy
