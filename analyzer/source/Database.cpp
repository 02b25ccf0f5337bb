#include "Database.h"
#include "BoundedFile.h"
#include "BoundedText.h"
#include "Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace gradtidy {

using llvm::StringRef;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace {

/// Whether build systems and editors call their folder so.
bool isBuildFolder(StringRef name) {
  name.consume_front("."); // Swift's and others' .build
  return name == "build" || name == "builddir" || name == "out" || name == "_build" ||
         name.starts_with("build-") || name.starts_with("build_") ||
         name.starts_with("cmake-build-");
}

/// The folder of a project whose database lies in \p folder: the folder that holds the build
/// folder.
StringRef projectOf(StringRef folder) {
  for (StringRef at = folder; at != path::root_path(at); at = path::parent_path(at))
    if (isBuildFolder(path::filename(at)))
      return path::parent_path(at);
  return folder;
}

llvm::Error failure(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Bytes that are no UTF-8 are legal in file names, but not in JSON. They are written as letters of
/// a private plane of Unicode while the text is parsed.
constexpr unsigned firstStandIn = 0x10FF00;

std::string withStandIns(StringRef text) {
  std::string result;
  const auto *at = text.bytes_begin(), *const end = text.bytes_end();
  while (at != end) {
    const unsigned length = llvm::getNumBytesForUTF8(*at);
    if (at + length <= end && llvm::isLegalUTF8Sequence(at, at + length)) {
      result.append(at, at + length);
      at += length;
    } else {
      char letter[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
      char *letterEnd = letter;
      llvm::ConvertCodePointToUTF8(firstStandIn + *at++, letterEnd);
      result.append(letter, letterEnd);
    }
  }
  return result;
}

std::string withoutStandIns(StringRef text) {
  std::string result;
  while (!text.empty()) {
    // F4 8F BC 80 to F4 8F BF BF are U+10FF00 to U+10FFFF.
    if (text.size() >= 4 && text.starts_with("\xF4\x8F")) {
      const unsigned byte = (text[2] & 3U) << 6 | (text[3] & 0x3FU);
      if ((text[2] & 0xFCU) == 0xBC) {
        result += static_cast<char>(byte);
        text = text.drop_front(4);
        continue;
      }
    }
    result += text.front();
    text = text.drop_front();
  }
  return result;
}

using Json = nlohmann::json;
using clang::tooling::CompileCommand;

/// Says what is wrong with an entry.
using Failed = llvm::function_ref<void(const std::string &)>;

std::optional<std::string> stringOf(const Json &entry, const char *key, Failed fail) {
  const auto found = entry.find(key);
  if (found == entry.end()) {
    fail(std::string("it has no \"") + key + "\"");
  } else if (!found->is_string()) {
    fail(std::string("its \"") + key + "\" is not a string");
  } else if (std::string text = withoutStandIns(found->get_ref<const std::string &>());
             text.find('\0') != text.npos) {
    fail(std::string("its \"") + key + "\" has a zero byte");
  } else {
    return text;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> wordsOf(const Json &entry, Failed fail) {
  std::vector<std::string> words;
  if (const auto arguments = entry.find("arguments"); arguments != entry.end()) {
    if (!arguments->is_array()) {
      fail("its \"arguments\" are not a list");
      return std::nullopt;
    }
    for (const Json &argument : *arguments) {
      if (!argument.is_string()) {
        fail("its \"arguments\" are not all strings");
        return std::nullopt;
      }
      words.push_back(withoutStandIns(argument.get_ref<const std::string &>()));
    }
  } else if (!entry.contains("command")) {
    fail("it has neither \"command\" nor \"arguments\"");
    return std::nullopt;
  } else if (const auto command = stringOf(entry, "command", fail)) {
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    llvm::SmallVector<const char *, 32> split;
    llvm::cl::TokenizeGNUCommandLine(*command, saver, split);
    words.assign(split.begin(), split.end());
  } else {
    return std::nullopt;
  }
  // Some generators write entries without a command, for files that nothing compiles.
  if (words.empty())
    words.emplace_back("clang-tool");
  return words;
}

std::optional<CompileCommand> toCommand(const Json &entry, Failed fail) {
  if (!entry.is_object()) {
    fail("it is not an object");
    return std::nullopt;
  }
  const auto directory = stringOf(entry, "directory", fail);
  const auto file = directory ? stringOf(entry, "file", fail) : std::nullopt;
  auto words = file ? wordsOf(entry, fail) : std::nullopt;
  if (!words)
    return std::nullopt;
  return CompileCommand(*directory, *file, std::move(*words), "");
}

/// The folder and the words of \p command but for the object file, which each target has its own
/// of.
std::vector<std::string> withoutOutput(const CompileCommand &command) {
  std::vector<std::string> words = {command.Directory};
  for (auto word = command.CommandLine.begin(); word != command.CommandLine.end(); ++word)
    if (*word != "-o")
      words.push_back(*word);
    else if (++word == command.CommandLine.end())
      break;
  return words;
}

} // namespace

llvm::Expected<std::unique_ptr<Database>> Database::load(StringRef location) {
  std::unique_ptr<Database> database(new Database);
  database->file = fs::is_directory(location)
                       ? absolutePath("compile_commands.json", folderPath(location))
                       : absolutePath(location);
  StringRef name = database->file;

  auto buffer = readFile(name, limits::database);
  if (!buffer)
    return failure("cannot read the compilation database '" + name +
                   "': " + llvm::toString(buffer.takeError()));
  StringRef text = (*buffer)->getBuffer();
  text.consume_front("\xEF\xBB\xBF");
  if (text.trim().empty())
    return failure("the compilation database '" + name +
                   "' is empty; configure the project again to write it");
  std::string readable;
  if (!llvm::json::isUTF8(text)) {
    readable = withStandIns(text);
    text = readable;
  }

  llvm::Error wrong = llvm::Error::success();
  std::vector<CompileCommand> commands = database->read(text, wrong);
  if (wrong)
    return wrong;
  for (CompileCommand &command : commands) {
    // A relative folder (some generators write ".") starts at the database.
    command.Directory = folderPath(command.Directory, path::parent_path(name));
    command.Filename = absolutePath(command.Filename, command.Directory);
    const auto [known, added] =
        database->indexOf.try_emplace(command.Filename, database->files.size());
    if (!added) {
      const CompileCommand &first = database->commands[known->second];
      if (withoutOutput(first) != withoutOutput(command))
        database->several.insert(command.Filename);
      continue;
    }
    database->folder = database->files.empty()
                           ? path::parent_path(command.Filename).str()
                           : gradtidy::commonFolder(database->folder, command.Filename).str();
    database->files.push_back(command.Filename);
    database->commands.push_back(std::move(command));
  }
  // Sources in src/ have their headers in include/, beside it.
  StringRef project = projectOf(path::parent_path(name));
  if (project != path::root_path(project) && liesIn(database->folder, project))
    database->folder = project.str();
  return database;
}

std::vector<CompileCommand> Database::read(StringRef text, llvm::Error &wrong) {
  std::vector<CompileCommand> commands;
  size_t number = 0, broken = 0;
  std::string firstBroken;
  const auto fail = [&](const std::string &why) {
    if (broken++ == 0)
      firstBroken = "entry " + std::to_string(number) + " of the compilation database '" + file +
                    "' is left out: " + why;
  };
  const auto take = [&](const Json &entry) {
    ++number;
    if (std::optional<CompileCommand> command = toCommand(entry, fail))
      commands.push_back(std::move(*command));
  };

  llvm::Expected<Json> whole = parseJson(text);
  if (whole) {
    if (!whole->is_array()) {
      wrong = failure("the compilation database '" + file + "' is malformed: it is not a list");
      return {};
    }
    for (const Json &entry : *whole)
      take(entry);
  } else {
    std::string why;
    llvm::handleAllErrors(whole.takeError(), [&](const TextError &error) {
      why = placeIn(text, error.offset) + ": " + error.reason;
    });
    // What is wrong within one entry concerns no other.
    llvm::Expected<std::vector<StringRef>> entries = splitList(text);
    if (!entries) {
      llvm::consumeError(entries.takeError());
      wrong = failure("the compilation database '" + file + "' is not valid JSON: " + why);
      return {};
    }
    for (const StringRef entry : *entries) {
      llvm::Expected<Json> json = parseJson(entry);
      if (json) {
        take(*json);
        continue;
      }
      ++number;
      llvm::handleAllErrors(json.takeError(), [&](const TextError &error) {
        fail(placeIn(text, size_t(entry.data() - text.data()) + error.offset) + ": " +
             error.reason);
      });
    }
  }
  if (broken > 1)
    firstBroken += "; so are " + std::to_string(broken - 1) + " other entries";
  if (broken)
    warnings.push_back(std::move(firstBroken));
  return commands;
}

const CompileCommand *Database::find(StringRef source) const {
  auto found = indexOf.find(source);
  if (found != indexOf.end())
    return &commands[found->second];
  // The user may name a link to the file that the database names, or the file that it links to.
  const std::string real = realPath(source);
  for (size_t i = 0; i < files.size(); ++i)
    if (path::filename(files[i]) == path::filename(source) && realPath(files[i]) == real)
      return &commands[i];
  return nullptr;
}

namespace {

constexpr StringRef databaseName = "compile_commands.json";

bool holdsDatabase(const llvm::Twine &folder) { return fs::exists(folder + "/" + databaseName); }

/// The folders in \p folder whose name pleases \p filter, sorted.
std::vector<std::string> subfolders(StringRef folder, bool (*filter)(StringRef)) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (filter(path::filename(entry->path())) && fs::is_directory(entry->path()))
      found.push_back(entry->path());
  llvm::sort(found);
  return found;
}

/// The databases of the project whose root is \p folder.
std::vector<std::string> databasesOf(const std::string &folder) {
  std::vector<std::string> found;
  auto add = [&](const std::string &candidate) {
    if (holdsDatabase(candidate))
      found.push_back(absolutePath(databaseName, candidate));
  };
  add(folder);
  for (const std::string &build : subfolders(folder, isBuildFolder)) {
    add(build);
    // build/release, out/Debug; what else a build makes is of no interest.
    auto isPreset = [](StringRef name) { return name != "CMakeFiles" && !name.starts_with("."); };
    for (const std::string &preset : subfolders(build, isPreset)) {
      add(preset);
      if (isBuildFolder(path::filename(preset))) // out/build/linux-debug
        for (const std::string &inner : subfolders(preset, isPreset))
          add(inner);
    }
  }
  return found;
}

} // namespace

std::vector<std::string> DatabaseSearch::around(StringRef source) {
  std::vector<std::string> found;
  StringRef folder = source;
  if (fs::is_regular_file(source))
    folder = path::parent_path(source);
  for (; !folder.empty(); folder = path::parent_path(folder)) {
    const auto [known, added] = databases.try_emplace(folder);
    if (added)
      known->second = databasesOf(folder.str());
    llvm::append_range(found, known->second);
  }
  return found;
}

} // namespace gradtidy
