#include "HeaderEntry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <chrono>

namespace gradtidy {

using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {

/// What could not be made is not tried again for as long.
constexpr std::chrono::hours timeOfFailure(12);

int64_t secondsNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Takes an identity and the space behind it away from \p line.
bool readIdentity(StringRef &line, FileIdentity &identity) {
  bool wrong = false;
  const auto number = [&](auto &value) {
    wrong |= line.consumeInteger(10, value);
    line.consume_front(" ");
  };
  number(identity.size);
  number(identity.time);
  number(identity.content);
  return !wrong;
}

} // namespace

std::unique_ptr<HeaderEntry> HeaderEntry::load(const CacheFolder &folder, const std::string &key) {
  auto text = llvm::MemoryBuffer::getFile(folder.file(key, "txt"));
  // Clang looks at the source of a header, too.
  if (!text || !fs::exists(folder.file(key, "h")) ||
      !(*text)->getBuffer().starts_with((format + "\n").str()) ||
      !(*text)->getBuffer().ends_with("\nend\n"))
    return nullptr;
  std::unique_ptr<HeaderEntry> entry(new HeaderEntry(std::move(*text), folder.file(key, "pch")));
  return entry->read() ? std::move(entry) : nullptr;
}

std::string HeaderEntry::write(const std::string &header, const HeaderRecord &record) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const auto identity = [&](const FileIdentity &file) {
    out << file.size << ' ' << file.time << ' ' << file.content;
  };
  out << format << '\n';
  if (const auto made = llvm::MemoryBuffer::getFile(header, false, false);
      !header.empty() && made) {
    out << "made ";
    identity(FileIdentity::of((*made)->getBuffer(), header,
                              std::chrono::system_clock::time_point::max()));
    out << '\n';
  } else {
    out << "failed " << secondsNow() << '\n';
  }
  for (const auto &[path, file] : record.files) {
    out << "file ";
    identity(file);
    out << ' ' << path << '\n';
  }
  for (const auto &[kind, facts] : record.facts)
    for (const std::string &fact : facts)
      out << kind << ' ' << fact << '\n';
  out << "end\n";
  return text;
}

std::string HeaderEntry::stamp() const {
  const StringRef contents = text->getBuffer().split('\n').second.split('\n').second;
  return llvm::sys::path::stem(header).str() + " " + llvm::utohexstr(llvm::xxh3_64bits(contents));
}

bool HeaderEntry::has(StringRef kind, StringRef fact) const {
  return text->getBuffer().contains(("\n" + kind + " " + fact + "\n").str());
}

std::vector<StringRef> HeaderEntry::facts(StringRef kind) const {
  std::vector<StringRef> found;
  const std::string start = ("\n" + kind + " ").str();
  // Those of a kind follow each other.
  StringRef rest = text->getBuffer();
  for (rest = rest.substr(rest.find(start)); rest.consume_front(start);) {
    const size_t end = rest.find('\n');
    found.push_back(rest.take_front(end));
    rest = rest.substr(end);
  }
  return found;
}

bool HeaderEntry::isShadowedBy(const std::string &folder) {
  const auto [known, added] = shadows.try_emplace(folder, false);
  if (added)
    for (const auto &[first, names] : includes)
      if (fs::exists(folder + "/" + first) && llvm::any_of(names, [&](StringRef name) {
            return fs::is_regular_file(folder + "/" + name);
          }))
        known->second = true;
  return known->second;
}

bool HeaderEntry::read() {
  StringRef rest = text->getBuffer().split('\n').second;
  StringRef first, line;
  std::tie(first, rest) = rest.split('\n');
  FileIdentity identity;
  int64_t since = 0;
  if (first.consume_front("made ")) {
    made = readIdentity(first, identity) && identity.holdsFor(header);
    if (!made)
      return false;
  } else if (!first.consume_front("failed ") || first.getAsInteger(10, since) ||
             secondsNow() - since > std::chrono::seconds(timeOfFailure).count()) {
    return false;
  }
  for (std::tie(line, rest) = rest.split('\n'); line.consume_front("file ");
       std::tie(line, rest) = rest.split('\n'))
    if (!readIdentity(line, identity) || !identity.holdsFor(line.str()))
      return false;
  for (const StringRef name : facts("include"))
    includes[name.split('/').first].push_back(name);
  return true;
}

} // namespace gradtidy
