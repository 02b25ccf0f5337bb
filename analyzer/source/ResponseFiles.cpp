#include "ResponseFiles.h"
#include "BoundedFile.h"
#include "Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"

namespace gradtidy {
namespace {

using llvm::StringRef;

/// For one command line, whatever the number of files.
constexpr size_t maxFiles = 1000, maxWords = 1'000'000, maxBytes = size_t(64) << 20;

class Expansion {
public:
  explicit Expansion(StringRef directory) : directory(directory) {}

  /// Puts \p word into the result, or what it stands for.
  llvm::Error add(std::string word) {
    const std::string file = word.size() > 1 && word.front() == '@'
                                 ? absolutePath(StringRef(word).drop_front(), directory)
                                 : std::string();
    if (file.empty() || !llvm::sys::fs::exists(file)) {
      bytes += word.size();
      if (result.size() >= maxWords || bytes > maxBytes)
        return fail("the response files hold more than a million words, or 64 MB");
      result.push_back(std::move(word));
      return llvm::Error::success();
    }
    if (llvm::is_contained(open, file))
      return fail("the response file '" + file + "' includes itself");
    if (++files > maxFiles)
      return fail("more than " + llvm::Twine(maxFiles) + " response files are named");
    return addFile(file);
  }

  std::vector<std::string> result;

private:
  static llvm::Error fail(const llvm::Twine &why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
  }

  llvm::Error addFile(const std::string &file) {
    auto contents = readFile(file, maxBytes);
    if (!contents)
      return fail("cannot read the response file '" + file +
                  "': " + llvm::toString(contents.takeError()));
    StringRef text = (*contents)->getBuffer();
    std::string converted;
    if (llvm::hasUTF16ByteOrderMark({text.data(), text.size()})) {
      if (!llvm::convertUTF16ToUTF8String(llvm::ArrayRef(text.data(), text.size()), converted))
        return fail("the response file '" + file + "' is no valid UTF-16");
      text = converted;
    }
    text.consume_front("\xef\xbb\xbf");
    // Files of blanks would be read again and again for nothing.
    bytes += text.size();
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    llvm::SmallVector<const char *, 64> words;
    llvm::cl::TokenizeGNUCommandLine(text, saver, words);
    open.push_back(file);
    for (const char *word : words)
      if (llvm::Error error = add(word))
        return error;
    open.pop_back();
    return llvm::Error::success();
  }

  const StringRef directory;
  std::vector<std::string> open; ///< The files that are being read, each named by the one before.
  size_t files = 0, bytes = 0;
};

} // namespace

llvm::Expected<std::vector<std::string>> expandResponseFiles(std::vector<std::string> words,
                                                             StringRef directory) {
  if (llvm::none_of(words, [](StringRef word) { return word.starts_with("@"); }))
    return words;
  Expansion expansion(directory);
  for (std::string &word : words)
    if (llvm::Error error = expansion.add(std::move(word)))
      return error;
  return std::move(expansion.result);
}

} // namespace gradtidy
