#include "MessageStream.h"

#include "llvm/ADT/StringExtras.h"

#include <array>
#include <cerrno>

#include <unistd.h>

namespace gradtidy {

using llvm::StringRef;

bool MessageStream::fill() {
  std::array<char, 1 << 16> bytes;
  ssize_t count = 0;
  do
    count = ::read(in, bytes.data(), bytes.size());
  while (count < 0 && errno == EINTR);
  if (count > 0)
    buffer.append(bytes.data(), static_cast<size_t>(count));
  return count > 0;
}

std::optional<std::string> MessageStream::next() {
  static constexpr StringRef blank = "\r\n\r\n", name = "content-length:";
  for (size_t end = 0; (end = StringRef(buffer).find(blank)) != StringRef::npos;) {
    std::optional<size_t> length;
    for (StringRef line : llvm::split(StringRef(buffer).take_front(end), "\r\n")) {
      // The rest of a message that was too long may stand before the next header.
      line = line.substr(line.find_insensitive(name));
      if (size_t given = 0;
          line.consume_front_insensitive(name) && !line.trim().getAsInteger(10, given))
        length = given;
    }
    const size_t begin = end + blank.size();
    if (length && *length > maxMessage)
      write(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"
            R"("message":"a message is longer than 128 MB and was skipped"}})");
    if (!length || *length > maxMessage) {
      buffer.erase(0, begin);
      continue;
    }
    if (buffer.size() - begin < *length)
      return std::nullopt;
    std::string message = buffer.substr(begin, *length);
    buffer.erase(0, begin + *length);
    return message;
  }
  // What has no blank line for so long is no header. Its end may be the beginning of one.
  constexpr size_t maxHeader = 1 << 16, kept = 1 << 10;
  if (buffer.size() > maxHeader)
    buffer.erase(0, buffer.size() - kept);
  return std::nullopt;
}

void MessageStream::write(StringRef text) const {
  const std::string all =
      "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text.str();
  for (StringRef rest = all; !rest.empty();) {
    const ssize_t written = ::write(out, rest.data(), rest.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return;
    rest = rest.drop_front(static_cast<size_t>(written));
  }
}

} // namespace gradtidy
