#include "Database.h"
#include "Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <nlohmann/json.hpp>

namespace gradtidy {

using llvm::StringRef;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace {

/// Whether build systems and editors call their folder so.
bool isBuildFolder(StringRef name) {
  return name == "build" || name == "out" || name == "_build" || name.starts_with("build-") ||
         name.starts_with("build_") || name.starts_with("cmake-build-");
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

/// What is wrong with the JSON text, with line and column; empty if it is well-formed. Paths that
/// are not UTF-8 are no error: they are legal file names.
std::string syntaxError(StringRef text) {
  // The callback discards every value as soon as it is read.
  auto discard = [](int, nlohmann::json::parse_event_t, nlohmann::json &) { return false; };
  try {
    const auto nothing = nlohmann::json::parse(text.begin(), text.end(), discard);
    return {};
  } catch (const nlohmann::json::parse_error &error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
    StringRef what = StringRef(error.what()).split("parse error at ").second;
    return what.contains("ill-formed UTF-8") ? "" : what.str();
  }
}

/// A path that names the same file whatever links it was reached by.
std::string realPath(StringRef file) {
  llvm::SmallString<256> real;
  return fs::real_path(file, real) ? file.str() : std::string(real);
}

} // namespace

llvm::Expected<std::unique_ptr<Database>> Database::load(StringRef location) {
  std::unique_ptr<Database> database(new Database);
  database->file = fs::is_directory(location)
                       ? absolutePath("compile_commands.json", folderPath(location))
                       : absolutePath(location);
  StringRef name = database->file;

  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/true);
  if (!buffer)
    return failure("cannot read the compilation database '" + name +
                   "': " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  if (text.trim().empty())
    return failure("the compilation database '" + name +
                   "' is empty; configure the project again to write it");
  if (std::string what = syntaxError(text); !what.empty())
    return failure("the compilation database '" + name + "' is not valid JSON: " + what);

  std::string what;
  auto json = clang::tooling::JSONCompilationDatabase::loadFromBuffer(
      text, what, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!json)
    return failure("the compilation database '" + name + "' is malformed: " + what);

  for (clang::tooling::CompileCommand &command : json->getAllCompileCommands()) {
    // A relative folder (some generators write ".") starts at the database.
    command.Directory = folderPath(command.Directory, path::parent_path(name));
    command.Filename = absolutePath(command.Filename, command.Directory);
    if (!database->indexOf.try_emplace(command.Filename, database->files.size()).second)
      continue;
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

const clang::tooling::CompileCommand *Database::find(StringRef source) const {
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
    for (const std::string &preset : subfolders(build, isPreset))
      add(preset);
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
