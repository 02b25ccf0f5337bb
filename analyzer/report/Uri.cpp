#include "Uri.h"

#include "llvm/ADT/StringExtras.h"

namespace gradtidy {

using llvm::StringRef;

std::string uriPath(StringRef file) {
  std::string uri;
  for (const unsigned char byte : file.bytes())
    if (llvm::isAlnum(byte) || StringRef("/-._~").contains(byte))
      uri += byte;
    else
      uri += "%" + llvm::utohexstr(byte, /*LowerCase=*/false, /*Width=*/2);
  return uri;
}

std::string uriOf(StringRef file) { return "file://" + uriPath(file); }

std::string fileOf(StringRef uri) {
  // What may stand between the slashes is the name of this machine.
  if (!uri.consume_front("file://") || uri.find('/') == StringRef::npos)
    return {};
  uri = uri.drop_front(uri.find('/'));
  std::string file;
  while (!uri.empty()) {
    unsigned byte = 0;
    if (uri.front() == '%' && uri.size() > 2 && !uri.substr(1, 2).getAsInteger(16, byte)) {
      file += static_cast<char>(byte);
      uri = uri.drop_front(3);
    } else {
      file += uri.front();
      uri = uri.drop_front();
    }
  }
  return file;
}

} // namespace gradtidy
