#include "MessageStream.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
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
  if (count <= 0)
    return false;
  StringRef read(bytes.data(), static_cast<size_t>(count));
  const size_t left = std::min(skipped, read.size());
  skipped -= left;
  buffer += read.drop_front(left);
  return true;
}

std::optional<std::string> MessageStream::next() {
  static constexpr StringRef blank = "\r\n\r\n";
  for (size_t end = 0; (end = StringRef(buffer).find(blank)) != StringRef::npos;) {
    std::optional<size_t> length;
    for (StringRef line : llvm::split(StringRef(buffer).take_front(end), "\r\n"))
      if (size_t given = 0;
          line.consume_front_insensitive("content-length:") && !line.trim().getAsInteger(10, given))
        length = given;
    const size_t begin = end + blank.size();
    if (!length) {
      buffer.erase(0, begin);
      continue;
    }
    if (*length > maxMessage) {
      const size_t here = std::min(*length, buffer.size() - begin);
      buffer.erase(0, begin + here);
      skipped = *length - here;
      continue;
    }
    if (buffer.size() - begin < *length)
      return std::nullopt;
    std::string message = buffer.substr(begin, *length);
    buffer.erase(0, begin + *length);
    return message;
  }
  // What has no blank line for so long is no header.
  constexpr size_t maxHeader = 1 << 16;
  if (buffer.size() > maxHeader)
    buffer.erase(0, buffer.size() - blank.size());
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
