#include "HeaderEntry.h"
#include "Ownership.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

#include <sys/stat.h>

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

// ---- lines -------------------------------------------------------------------------------------

constexpr StringRef special = "%\n\t";

std::string encoded(StringRef text) {
  if (text.find_first_of(special) == StringRef::npos)
    return text.str();
  std::string line;
  for (const char letter : text)
    if (const size_t place = special.find(letter); place != StringRef::npos)
      line += {'%', char('0' + place)};
    else
      line += letter;
  return line;
}

std::string decoded(StringRef line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i)
    if (line[i] == '%' && i + 1 < line.size() && size_t(line[i + 1] - '0') < special.size())
      text += special[size_t(line[++i] - '0')];
    else
      text += line[i];
  return text;
}

void writeIdentity(llvm::raw_ostream &out, const FileIdentity &file) {
  out << file.size << ' ' << file.inode << ' ' << file.modified << ' ' << file.changed << ' '
      << file.content << ' ' << encoded(file.target) << '\t';
}

/// Takes an identity away from the beginning of \p line.
bool readIdentity(StringRef &line, FileIdentity &identity) {
  bool wrong = false;
  const auto number = [&](auto &value) {
    wrong |= line.consumeInteger(10, value) || !line.consume_front(" ");
  };
  number(identity.size);
  number(identity.inode);
  number(identity.modified);
  number(identity.changed);
  StringRef content, target;
  std::tie(content, line) = line.split(' ');
  std::tie(target, line) = line.split('\t');
  identity.content = content.str();
  identity.target = decoded(target);
  return !wrong;
}

} // namespace

std::unique_ptr<HeaderEntry> HeaderEntry::load(const CacheFolder &folder, const std::string &key) {
  std::optional<std::string> text = CacheFolder::read(folder.file(key, "txt"));
  if (!text || !StringRef(*text).starts_with((format + "\n").str()) ||
      !StringRef(*text).ends_with("\nend\n"))
    return nullptr;
  std::unique_ptr<HeaderEntry> entry(new HeaderEntry(std::move(*text), folder.file(key, "pch")));
  // Clang looks at the source of a header, too.
  if (!entry->read() ||
      (entry->usable() && !(isKept(entry->header) && isKept(folder.file(key, "h")))))
    return nullptr;
  return entry;
}

std::string HeaderEntry::write(const std::optional<FileIdentity> &header,
                               const HeaderRecord &record) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << format << '\n';
  if (header) {
    out << "made ";
    writeIdentity(out, *header);
    out << '\n';
  } else {
    out << "failed " << secondsNow() << '\n';
  }
  for (const auto &[path, file] : record.files) {
    out << "file ";
    writeIdentity(out, file);
    out << encoded(path) << '\n';
  }
  for (const Lookup &lookup : record.lookups) {
    for (const std::string &folder : lookup.folders)
      out << "in " << encoded(folder) << '\n';
    for (const std::string &name : lookup.names)
      out << "absent " << encoded(name) << '\n';
  }
  for (const auto &[kind, facts] : record.facts)
    for (const std::string &fact : facts)
      out << kind << ' ' << encoded(fact) << '\n';
  out << "end\n";
  return text;
}

std::string HeaderEntry::stamp() const {
  const StringRef contents = StringRef(text).split('\n').second.split('\n').second;
  return llvm::sys::path::stem(header).str() + " " + checksum(contents);
}

bool HeaderEntry::has(StringRef kind, StringRef fact) const {
  return StringRef(text).contains("\n" + kind.str() + " " + encoded(fact) + "\n");
}

std::vector<std::string> HeaderEntry::facts(StringRef kind) const {
  std::vector<std::string> found;
  const std::string start = ("\n" + kind + " ").str();
  // Those of a kind follow each other.
  StringRef rest = text;
  for (rest = rest.substr(rest.find(start)); rest.consume_front(start);) {
    const size_t end = rest.find('\n');
    found.push_back(decoded(rest.take_front(end)));
    rest = rest.substr(end);
  }
  return found;
}

bool HeaderEntry::isShadowedBy(const std::vector<std::string> &folders) {
  return llvm::any_of(folders, [&](const std::string &folder) {
    const auto [known, added] = shadows.try_emplace(folder, false);
    if (added)
      for (const auto &[first, names] : includes)
        if (fs::exists(folder + "/" + first) && llvm::any_of(names, [&](const std::string &name) {
              return fs::is_regular_file(folder + "/" + name);
            }))
          known->second = true;
    return known->second;
  });
}

bool HeaderEntry::read() {
  StringRef rest = StringRef(text).split('\n').second;
  StringRef line;
  const auto next = [&] { std::tie(line, rest) = rest.split('\n'); };
  next();
  FileIdentity identity;
  RealPaths paths;
  int64_t since = 0;
  if (line.consume_front("made ")) {
    made = readIdentity(line, identity) && identity.holdsFor(header, paths);
    if (!made)
      return false;
  } else if (!line.consume_front("failed ") || line.getAsInteger(10, since) ||
             secondsNow() - since > std::chrono::seconds(timeOfFailure).count()) {
    return false;
  }
  for (next(); line.consume_front("file "); next())
    if (!readIdentity(line, identity) || !identity.holdsFor(decoded(line), paths))
      return false;
  std::vector<Lookup> lookups;
  while (line.starts_with("in ")) {
    Lookup &lookup = lookups.emplace_back();
    for (; line.consume_front("in "); next())
      lookup.folders.push_back(decoded(line));
    for (; line.consume_front("absent "); next())
      lookup.names.push_back(decoded(line));
  }
  if (!LookupChecker().holds(lookups))
    return false;
  for (const std::string &name : facts("include"))
    includes[StringRef(name).split('/').first].push_back(name);
  return true;
}

} // namespace gradtidy
