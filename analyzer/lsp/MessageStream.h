// Messages of the Language Server Protocol over file descriptors: a header with the length, an
// empty line, and JSON. https://microsoft.github.io/language-server-protocol, "Base Protocol".
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace gradtidy {

class MessageStream {
public:
  /// Neither descriptor is closed in the end.
  MessageStream(int in, int out) : in(in), out(out) {}

  /// Takes what there is to read; waits for it if there is nothing. False at the end of the input.
  bool fill();

  /// The longest message, in bytes, that is taken; one that is longer is answered with an error.
  static constexpr size_t maxMessage = size_t(128) << 20;

  /// The next message that has been read as a whole. Headers other than the length do not matter;
  /// what is no header is skipped.
  std::optional<std::string> next();

  /// Writes one message. A client that is gone does not matter: the input ends then.
  void write(llvm::StringRef text) const;

private:
  const int in, out;
  std::string buffer; ///< What was read and not taken yet.
};

} // namespace gradtidy
