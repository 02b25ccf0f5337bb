// Which folder may include which: knowledge flows one way (docs/architecture.md).
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// A folder and those that its sources may include. A row names only rows above it.
struct Layer {
  std::string folder;
  std::set<std::string> below;
};

const std::vector<Layer> &layers() {
  static const std::vector<Layer> all = {
      {"analyzer/source", {}},
      {"analyzer/model", {"analyzer/source"}},
      {"analyzer/frontend", {"analyzer/source"}},
      {"analyzer/ir", {"analyzer/model"}},
      {"analyzer/modules", {"analyzer/model", "analyzer/ir"}},
      {"analyzer/idioms", {"analyzer/model", "analyzer/ir", "analyzer/modules"}},
      {"analyzer/lowering/ast", {"analyzer/model", "analyzer/ir"}},
      {"analyzer/lowering",
       {"analyzer/source", "analyzer/model", "analyzer/frontend", "analyzer/ir", "analyzer/modules",
        "analyzer/idioms", "analyzer/lowering/ast"}},
      {"analyzer/flow", {"analyzer/model", "analyzer/ir"}},
      {"checks", {"analyzer/model", "analyzer/ir", "analyzer/idioms", "analyzer/flow"}},
      {"analyzer/report", {"analyzer/source", "checks"}},
      {"analyzer/lsp", {"analyzer/source", "checks", "analyzer/report"}},
      {"analyzer/plugin",
       {"analyzer/source", "analyzer/frontend", "analyzer/model", "analyzer/ir", "analyzer/modules",
        "analyzer/lowering", "analyzer/flow", "checks"}},
      {"analyzer/prove", {"analyzer/frontend"}},
      {"analyzer/watch",
       {"analyzer/source", "analyzer/frontend", "checks", "analyzer/report", "analyzer/prove"}},
      {"analyzer/app",
       {"analyzer/source", "analyzer/model", "analyzer/frontend", "analyzer/lowering/ast",
        "analyzer/flow", "checks", "analyzer/report", "analyzer/lsp", "analyzer/plugin",
        "analyzer/prove", "analyzer/watch"}},
  };
  return all;
}

/// The files that \p source includes and that are the project's own, relative to its root.
std::vector<std::string> includesOf(const fs::path &source) {
  static const std::regex pattern("^#include \"([^\"]+)\"");
  std::vector<std::string> result;
  std::ifstream in(source);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, pattern))
      continue;
    const fs::path root = PROJECT_ROOT;
    for (const fs::path &candidate : {source.parent_path() / match[1].str(), root / match[1].str()})
      if (fs::exists(candidate)) {
        result.push_back(fs::relative(candidate, root).lexically_normal().generic_string());
        break;
      }
  }
  return result;
}

/// The sources and headers of analyzer/ and checks/, relative to the root.
std::vector<std::string> files() {
  std::vector<std::string> result;
  for (const char *top : {"analyzer", "checks"})
    for (const auto &entry : fs::recursive_directory_iterator(fs::path(PROJECT_ROOT) / top))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
        result.push_back(fs::relative(entry.path(), PROJECT_ROOT).generic_string());
  std::sort(result.begin(), result.end());
  return result;
}

/// The folder of a layer. The domains of the flow are in one of their own, with what events do to
/// them, for which they need the state that is made of them.
std::string folderOf(const std::string &file) {
  const std::string folder = fs::path(file).parent_path().generic_string();
  return folder == "analyzer/flow/domains" ? "analyzer/flow" : folder;
}

} // namespace

TEST_CASE("A layer names only layers before it") {
  std::set<std::string> before;
  for (const Layer &layer : layers()) {
    for (const std::string &other : layer.below) {
      INFO(layer.folder << " names " << other);
      CHECK(before.count(other));
    }
    before.insert(layer.folder);
  }
}

TEST_CASE("Sources include their own folder and those that it may know") {
  const std::vector<std::string> all = files();
  REQUIRE(all.size() > 200);
  for (const std::string &file : all) {
    const std::string folder = folderOf(file);
    const auto layer = std::find_if(layers().begin(), layers().end(),
                                    [&](const Layer &each) { return each.folder == folder; });
    INFO(file);
    REQUIRE(layer != layers().end()); // A new folder gets a row.
    for (const std::string &included : includesOf(fs::path(PROJECT_ROOT) / file)) {
      const std::string other = folderOf(included);
      INFO("includes " << included);
      CHECK((other == folder || layer->below.count(other)));
    }
  }
}

/// Adds what \p file includes, and what that includes.
static void addIncluded(const std::string &file, std::set<std::string> &all) {
  for (const std::string &included : includesOf(fs::path(PROJECT_ROOT) / file))
    if (all.insert(included).second)
      addIncluded(included, all);
}

TEST_CASE("Behind the lowering, and in the source map, nothing knows an AST") {
  // Places, their order and their text; what a repair is made of.
  static const std::set<std::string> allowed = {"CharSourceRange",
                                                "DiagnosticIDs",
                                                "DiagnosticOptions",
                                                "DiagnosticsEngine",
                                                "FileID",
                                                "FileManager",
                                                "FileSystemOptions",
                                                "FixItHint",
                                                "LangOptions",
                                                "Lexer",
                                                "SourceLocation",
                                                "SourceManager",
                                                "SourceRange",
                                                "SrcMgr",
                                                "Token",
                                                "isAsciiIdentifierContinue",
                                                "tok"};
  static const std::regex include("#include \"clang/(?!Basic/|Lex/)"), name("clang::(\\w+)"),
      forward("^namespace clang");
  const auto forLines = [](const std::string &file, const auto &visit) {
    std::ifstream in(fs::path(PROJECT_ROOT) / file);
    for (std::string line; std::getline(in, line);) {
      INFO(file << ": " << line);
      visit(line);
    }
  };
  std::set<std::string> included;
  for (const std::string &file : files()) {
    const std::string folder = folderOf(file);
    if (folder != "checks" && folder != "analyzer/flow" && folder != "analyzer/ir" &&
        folder != "analyzer/modules" && folder != "analyzer/idioms")
      continue;
    addIncluded(file, included);
    forLines(file, [&](const std::string &line) {
      CHECK_FALSE(std::regex_search(line, include));
      CHECK_FALSE(std::regex_search(line, forward));
      for (std::sregex_iterator each(line.begin(), line.end(), name), end; each != end; ++each)
        CHECK(allowed.count((*each)[1].str()));
    });
  }
  for (const std::string &file : included)
    forLines(file, [&](const std::string &line) { CHECK_FALSE(std::regex_search(line, include)); });
}

TEST_CASE("Only what parses, lowers or adapts includes clang's AST") {
  static const std::set<std::string> parsing = {"analyzer/frontend", "analyzer/lowering",
                                                "analyzer/lowering/ast", "analyzer/plugin"};
  static const std::regex include("#include \"clang/AST/");
  size_t count = 0;
  for (const std::string &file : files()) {
    std::ifstream in(fs::path(PROJECT_ROOT) / file);
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, include)) {
        INFO(file << ": " << line);
        CHECK(parsing.count(folderOf(file)));
        ++count;
      }
  }
  CHECK(count > 40);
}

/// The names of functions, classes, constants and options in the model of LibTorch, without what
/// they stand in.
static std::set<std::string> frameworkNames() {
  static const std::regex qualified("\"(?:\\w+::)+(\\w+)\""),
      option("\"[\\w-]+-option\": \\[([^\\]]*)\\]"), word("\"(\\w+)\"");
  std::ifstream in(fs::path(PROJECT_ROOT) / "analyzer/model/libtorch.json");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  std::set<std::string> names;
  const auto add = [&](const std::string &part, const std::regex &pattern) {
    for (std::sregex_iterator each(part.begin(), part.end(), pattern), end; each != end; ++each)
      names.insert((*each)[1].str());
  };
  add(text, qualified);
  for (std::sregex_iterator each(text.begin(), text.end(), option), end; each != end; ++each)
    add((*each)[1].str(), word);
  return names;
}

TEST_CASE("No name of the framework stands in the analysis: its model says what names mean") {
  static const std::set<std::string> folders = {"analyzer/modules",      "analyzer/idioms",
                                                "analyzer/lowering",     "analyzer/flow",
                                                "analyzer/lowering/ast", "checks"};
  // The standard library has these, too.
  static const std::set<std::string> standard = {
      "any",   "append", "array",  "basic_string", "ceil", "copy",   "data",    "empty",
      "floor", "get",    "insert", "map",          "max",  "memcpy", "memmove", "min",
      "range", "reset",  "size",   "sort",         "std",  "vector"};
  // Words of gradtidy's own: what stands in braces in phrases, in messages, in IR.
  static const std::set<std::string> own = {"backward", "cpu",      "cuda", "device",
                                            "index",    "mode",     "name", "step",
                                            "tensor",   "training", "type"};
  // Messages that name what to call, and texts of repairs.
  static const std::set<std::pair<std::string, std::string>> allowed = {
      {"analyzer/lowering/ast/Values.cpp", "forward"}, // That of the standard library.
      {"checks/ml-loss-activation.cpp", "log_softmax"},
      {"checks/ml-loss-activation.cpp", "sigmoid"},
      {"checks/ml-loss-activation.cpp", "softmax"},
      {"checks/ml-dangling-data-ptr.cpp", "Tensor"},
      {"checks/ml-rnn-batch-first.cpp", "batch_first"},
      {"checks/ml-sync-in-loop.cpp", "round"},
      {"checks/ml-unregistered-module.cpp", "register_module"},
      {"checks/ml-unregistered-tensor.cpp", "register_buffer"},
      {"checks/ml-unregistered-tensor.cpp", "register_parameter"},
  };
  static const std::regex literal("\"((?:[^\"\\\\]|\\\\.)*)\""), comment("^ *//|^#include");
  const std::set<std::string> names = frameworkNames();
  REQUIRE(names.size() > 500);
  REQUIRE(names.count("is_training"));
  REQUIRE(names.count("momentum"));
  std::set<std::pair<std::string, std::string>> used;
  for (const std::string &file : files()) {
    if (!folders.count(folderOf(file)))
      continue;
    std::ifstream in(fs::path(PROJECT_ROOT) / file);
    for (std::string line; std::getline(in, line);) {
      if (std::regex_search(line, comment))
        continue;
      for (std::sregex_iterator each(line.begin(), line.end(), literal), end; each != end; ++each) {
        const std::string text = (*each)[1];
        if (!names.count(text) || standard.count(text) || own.count(text))
          continue;
        used.insert({file, text});
        INFO(file << ": " << line);
        CHECK(allowed.count({file, text}));
      }
    }
  }
  for (const auto &each : allowed) {
    INFO(each.first << " has no \"" << each.second << "\" any more");
    CHECK(used.count(each));
  }
}

TEST_CASE("Headers do not include one another in a circle") {
  std::map<std::string, std::vector<std::string>> includes;
  for (const std::string &file : files())
    if (fs::path(file).extension() == ".h")
      includes[file] = includesOf(fs::path(PROJECT_ROOT) / file);
  // A header goes once all that it includes has gone; what is left is a circle.
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (auto each = includes.begin(); each != includes.end();) {
      const bool isFree =
          std::none_of(each->second.begin(), each->second.end(),
                       [&](const std::string &other) { return includes.count(other); });
      goesOn |= isFree;
      each = isFree ? includes.erase(each) : std::next(each);
    }
  }
  for (const auto &[file, others] : includes)
    FAIL_CHECK(file << " is part of a circle of includes");
}

TEST_CASE("Every field of the IR is in its text") {
  static const std::regex begin("^(?:struct|class) (\\w+)(?: : .*)? \\{$"),
      field("^ +[\\w:].*?[ *&](\\w+)(?: = [^;]*)?;(?: *///?<?.*)?$"),
      none("^ +(?:using|friend|static|return|enum|mutable|bool operator)\\b|\\) "
           "const;|\\(.*\\);|operator");
  // What owns others' parts, and what is no part of the IR.
  static const std::set<std::string> allowed = {"typings", "texts", "modules", "function"};
  const auto textOf = [](const std::string &file) {
    std::ifstream in(fs::path(PROJECT_ROOT) / file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string text = textOf("analyzer/ir/Fields.h") + textOf("analyzer/ir/Print.cpp");
  size_t count = 0;
  for (const char *file :
       {"analyzer/ir/Node.h", "analyzer/ir/Symbol.h", "analyzer/ir/Event.h", "analyzer/ir/Typing.h",
        "analyzer/ir/ModuleClass.h", "analyzer/ir/Layer.h", "analyzer/ir/CalledModule.h",
        "analyzer/ir/KernelCare.h"}) {
    std::ifstream in(fs::path(PROJECT_ROOT) / file);
    std::string owner;
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (line == "};")
        owner.clear();
      else if (std::regex_search(line, match, begin))
        owner = match[1];
      else if (!owner.empty() && !std::regex_search(line, none) &&
               std::regex_search(line, match, field)) {
        const std::string name = match[1];
        INFO(file << ": " << owner << "::" << name);
        CHECK((allowed.count(name) || text.find("." + name) != std::string::npos ||
               text.find("->" + name) != std::string::npos));
        ++count;
      }
    }
  }
  CHECK(count > 200);
}
