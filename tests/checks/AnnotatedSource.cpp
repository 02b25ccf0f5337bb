// Runs one check on sources that say in comments what it must find there, and compares. Whatever is
// found and not announced is a failure; a source without comments must stay silent.
//
//   optimizer.step(); // expect: ml-missing-zero-grad: part of the message
//   optimizer.step(); // expect: ml-missing-zero-grad (no fix)
//   optimizer.step(); // expect: ml-missing-zero-grad (level 2)
//   loss.backward();  // note: part of the note
//   optimizer.step(); // miss: ml-missing-zero-grad: why it is not found although it is a bug
//   optimizer.step(); // false: ml-missing-zero-grad: why it is found although it is right
//
// Several comments may stand on one line. Parts of messages may be left out. The notes of a source
// are compared when at least one of them is announced. A miss that is found and a false finding
// that is gone are failures too: time to change the comment.
//
// annotated-source [--fix | --together | --silent] --gradtidy=PROGRAM --check=NAME [--has-fixes]
// [OPTION...]
//                  SOURCE... -- COMPILER-FLAG...
//   (neither)   Compares what is found in each SOURCE with its comments.
//   --fix       Repairs copies, which must then compile and keep only the findings without a fix.
//   If
//               SOURCE.fixed exists, the repaired SOURCE must be equal to it.
//   --together  Compares after all sources were analysed as one unit, each in a namespace of its
//               own, so that an expensive framework header is parsed once.
//   --silent    Nothing at all must be found, whatever the comments say.
//   --libtorch=VERSION
//               Adds the flags for the headers in libtorch-VERSION of $GRADTIDY_LIBTORCH_CACHE,
//               where script/bootstrap unpacks them. Exits with 77 (skipped) if they are not there.
//   --has-fixes Every finding must have a fix, but for those announced with (no fix).
// Other options are passed on to gradtidy.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace fs = std::filesystem;

namespace {

struct Options {
  enum class Mode { Compare, Fix, Together, Silent } mode = Mode::Compare;
  std::string gradtidy, check, libtorch;
  bool hasFixes = false;
  std::vector<std::string> passedOn, flags;
  std::vector<fs::path> sources;
};

Options parseOptions(int count, char **arguments) {
  Options options;
  bool behindDashes = false;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto valueOf = [&](const std::string &name) {
      return argument.starts_with(name + "=") ? argument.substr(name.size() + 1) : std::string();
    };
    if (behindDashes)
      options.flags.push_back(argument);
    else if (argument == "--")
      behindDashes = true;
    else if (argument == "--fix")
      options.mode = Options::Mode::Fix;
    else if (argument == "--together")
      options.mode = Options::Mode::Together;
    else if (argument == "--silent")
      options.mode = Options::Mode::Silent;
    else if (argument == "--has-fixes")
      options.hasFixes = true;
    else if (const std::string program = valueOf("--gradtidy"); !program.empty())
      options.gradtidy = program;
    else if (const std::string name = valueOf("--check"); !name.empty())
      options.check = name;
    else if (const std::string version = valueOf("--libtorch"); !version.empty())
      options.libtorch = version;
    else if (argument.starts_with("--"))
      options.passedOn.push_back(argument);
    else
      options.sources.emplace_back(argument);
  }
  if (options.gradtidy.empty() || options.check.empty() || options.sources.empty())
    throw std::runtime_error("usage: annotated-source [--fix | --together | --silent] "
                             "--gradtidy=PROGRAM --check=NAME [--has-fixes] [OPTION...] "
                             "SOURCE... -- FLAG...");
  return options;
}

/// The folder in which script/bootstrap unpacks that LibTorch.
fs::path libtorchFolder(const std::string &version) {
  if (const char *cache = std::getenv("GRADTIDY_LIBTORCH_CACHE"))
    return fs::path(cache) / ("libtorch-" + version);
  const char *home = std::getenv("HOME");
  return fs::path(home ? home : "") / ".cache/gradtidy" / ("libtorch-" + version);
}

std::string readFile(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A folder of its own, removed at the end. Not below a project: its files are user code, and no
/// configuration file is above them.
class Workspace {
public:
  Workspace() {
    std::string pattern = fs::canonical("/var/tmp") / "gradtidy-annotated-XXXXXX";
    if (!::mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make a folder in /var/tmp");
    folder = pattern;
  }
  ~Workspace() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  fs::path copy(const fs::path &source) const {
    fs::copy_file(source, folder / source.filename());
    return folder / source.filename();
  }

  fs::path folder;
};

// ---- what is expected
// ----------------------------------------------------------------------------

/// One comment of a source.
struct Expectation {
  enum class Kind { Finding, Note, Miss, False } kind;
  unsigned line;
  std::string check, part;
  bool noFix = false;
  std::optional<unsigned> level = {};
  bool met = false;
};

std::vector<Expectation> expectationsOf(const fs::path &source) {
  static const std::regex comment("// *(expect|note|miss|false): *");
  static const std::regex finding(
      "(ml-[a-z0-9-]+)( \\(no fix\\))?( \\(level ([012])\\))?(: *(.*))?");
  std::vector<Expectation> expectations;
  std::istringstream text(readFile(source));
  unsigned number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    for (std::sregex_iterator next(line.begin(), line.end(), comment), end; next != end;) {
      const std::smatch match = *next++;
      const auto begin = static_cast<size_t>(match.position() + match.length());
      const size_t stop = next == end ? line.size() : static_cast<size_t>(next->position());
      std::string content = line.substr(begin, stop - begin);
      content.erase(content.find_last_not_of(' ') + 1);
      Expectation expectation{Expectation::Kind::Note, number, {}, content};
      if (match[1] != "note") {
        std::smatch parts;
        if (!std::regex_match(content, parts, finding))
          throw std::runtime_error(source.string() + ":" + std::to_string(number) +
                                   ": expected the name of a check behind '" + match[1].str() +
                                   ":', found '" + content + "'");
        expectation.kind = match[1] == "expect" ? Expectation::Kind::Finding
                           : match[1] == "miss" ? Expectation::Kind::Miss
                                                : Expectation::Kind::False;
        expectation.check = parts[1];
        expectation.noFix = parts[2].matched;
        if (parts[3].matched)
          expectation.level = std::stoul(parts[4]);
        // Behind the others stands a reason.
        expectation.part = match[1] == "expect" ? parts[6].str() : "";
        if (match[1] != "expect" && parts[6].length() == 0)
          throw std::runtime_error(source.string() + ":" + std::to_string(number) + ": '" +
                                   match[1].str() + ": " + expectation.check +
                                   "' needs a reason behind a colon");
      }
      expectations.push_back(std::move(expectation));
    }
  }
  return expectations;
}

// ---- what is found
// -------------------------------------------------------------------------------

std::string inQuotes(const std::string &argument) {
  std::string result = "'";
  for (const char letter : argument)
    result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

/// The findings of gradtidy in \p source. Throws if it cannot be run or lost something.
nlohmann::json findingsIn(const fs::path &source, const Options &options, const Workspace &space,
                          const std::vector<std::string> &more = {}) {
  const std::string output = space.folder / "findings.json";
  std::string command = inQuotes(options.gradtidy) + " --quiet --format=json " +
                        inQuotes("--config={Checks: '-*," + options.check + "'}");
  for (const auto *arguments : {&options.passedOn, &more})
    for (const std::string &argument : *arguments)
      command += " " + inQuotes(argument);
  command += " " + inQuotes(source.string()) + " --";
  for (const std::string &flag : options.flags)
    command += " " + inQuotes(flag);
  const std::string complaints = space.folder / "complaints.txt";
  const int status =
      std::system((command + " >" + inQuotes(output) + " 2>" + inQuotes(complaints)).c_str());
  const std::string text = readFile(output);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1 || text.empty())
    throw std::runtime_error("failed: " + command + "\n" + readFile(complaints));
  return nlohmann::json::parse(text).at("findings");
}

/// Whether the finding lies in \p source or a copy of it.
bool liesIn(const nlohmann::json &finding, const fs::path &source) {
  return fs::path(finding.at("file").get<std::string>()).filename() == source.filename();
}

// ---- comparison
// ----------------------------------------------------------------------------------

/// Says every difference, and how many there were.
class Comparison {
public:
  Comparison(const fs::path &source, const Options &options)
      : source(source), options(options), expectations(expectationsOf(source)) {
    comparesNotes = std::any_of(expectations.begin(), expectations.end(),
                                [](const auto &e) { return e.kind == Expectation::Kind::Note; });
  }

  /// Compares with those of \p findings that lie in the source or a copy of it.
  unsigned compare(const nlohmann::json &findings) {
    for (const nlohmann::json &finding : findings)
      if (liesIn(finding, source))
        take(finding);
    for (const Expectation &expectation : expectations)
      if (!expectation.met)
        complainAboutMissing(expectation);
    return differences;
  }

private:
  void take(const nlohmann::json &finding) {
    const std::string check = finding.at("check"), message = finding.at("message");
    const unsigned line = finding.at("line");
    const auto expectation =
        std::find_if(expectations.begin(), expectations.end(), [&](const Expectation &e) {
          return e.kind != Expectation::Kind::Note && !e.met && e.line == line &&
                 e.check == check && message.find(e.part) != std::string::npos;
        });
    if (expectation == expectations.end()) {
      complain(line, "not announced: " + message + " [" + check + "]");
    } else if (expectation->kind == Expectation::Kind::Miss) {
      expectation->met = true;
      complain(line, "found at last: replace 'miss' by 'expect'");
    } else {
      expectation->met = true;
      if (options.hasFixes && finding.at("fixes").empty() != expectation->noFix)
        complain(line, expectation->noFix ? "has a fix: remove '(no fix)'" : "has no fix");
      if (const unsigned level = finding.at("level"); expectation->level.value_or(level) != level)
        complain(line, "is of level " + std::to_string(level));
    }
    if (comparesNotes)
      for (const nlohmann::json &note : finding.at("notes"))
        takeNote(note.at("line"), note.at("message"));
  }

  /// Several findings may share a note.
  void takeNote(unsigned line, const std::string &message) {
    for (Expectation &e : expectations)
      if (e.kind == Expectation::Kind::Note && e.line == line &&
          message.find(e.part) != std::string::npos) {
        e.met = true;
        return;
      }
    complain(line, "note not announced: " + message);
  }

  void complainAboutMissing(const Expectation &expectation) {
    switch (expectation.kind) {
    case Expectation::Kind::Finding:
      return complain(expectation.line, "not found: " + expectation.check +
                                            (expectation.part.empty() ? "" : ": ") +
                                            expectation.part);
    case Expectation::Kind::Note:
      return complain(expectation.line, "note not found: " + expectation.part);
    case Expectation::Kind::False:
      return complain(expectation.line, "no longer found: remove 'false'");
    case Expectation::Kind::Miss:
      return; // As announced.
    }
  }

  void complain(unsigned line, const std::string &text) {
    std::cout << source.string() << ":" << line << ": " << text << "\n";
    ++differences;
  }

  fs::path source;
  const Options &options;
  std::vector<Expectation> expectations;
  bool comparesNotes = false;
  unsigned differences = 0;
};

unsigned compareEach(const Options &options) {
  const Workspace space;
  unsigned differences = 0;
  for (const fs::path &source : options.sources)
    differences += Comparison(source, options).compare(findingsIn(source, options, space));
  return differences;
}

unsigned compareTogether(const Options &options) {
  const Workspace space;
  const fs::path unit = space.folder / "together.cpp";
  std::string includes, contents;
  for (const fs::path &source : options.sources) {
    space.copy(source);
    std::istringstream text(readFile(source));
    // Headers are included before the first namespace.
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("#include <"))
        includes += line + "\n";
    std::string name = source.stem();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    contents +=
        "namespace test_" + name + " {\n#include \"" + source.filename().string() + "\"\n}\n";
  }
  std::ofstream(unit) << includes << contents;
  const nlohmann::json findings = findingsIn(unit, options, space);
  unsigned differences = 0;
  for (const fs::path &source : options.sources)
    differences += Comparison(source, options).compare(findings);
  for (const nlohmann::json &finding : findings)
    if (std::none_of(options.sources.begin(), options.sources.end(),
                     [&](const fs::path &source) { return liesIn(finding, source); })) {
      std::cout << finding.at("file") << ":" << finding.at("line") << ": " << finding.at("message")
                << "\n";
      ++differences;
    }
  return differences;
}

unsigned countAll(const Options &options) {
  const Workspace space;
  unsigned found = 0;
  for (const fs::path &source : options.sources)
    for (const nlohmann::json &finding : findingsIn(source, options, space)) {
      std::cout << source.string() << ":" << finding.at("line")
                << ": should be silent: " << finding.at("message") << "\n";
      ++found;
    }
  return found;
}

unsigned fixEach(const Options &options) {
  unsigned differences = 0;
  for (const fs::path &source : options.sources) {
    const Workspace space;
    const fs::path copy = space.copy(source);
    std::ostringstream complaints;
    unsigned unfixable = 0;
    for (const nlohmann::json &finding : findingsIn(copy, options, space, {"--fix"}))
      unfixable += finding.at("fixes").empty();
    unsigned left = 0;
    bool compiles = true;
    for (const nlohmann::json &finding : findingsIn(copy, options, space)) {
      const bool isOurs = finding.at("check") == options.check;
      left += isOurs;
      compiles &= isOurs;
      complaints << "  line " << finding.at("line") << ": " << finding.at("message") << "\n";
    }
    const fs::path fixed = source.string() + ".fixed";
    const bool differs = fs::exists(fixed) && readFile(fixed) != readFile(copy);
    const bool isRepaired = compiles && left == unfixable;
    if (isRepaired && !differs)
      continue;
    ++differences;
    std::cout << source.string() << ": ";
    if (!isRepaired)
      std::cout << unfixable << " findings have no fix; found in the repaired text below:\n"
                << complaints.str();
    else
      std::cout << "the repaired text below differs from " << fixed.filename().string() << "\n";
    std::cout << readFile(copy);
  }
  return differences;
}

} // namespace

int main(int count, char **arguments) {
  try {
    Options options = parseOptions(count, arguments);
    if (!options.libtorch.empty()) {
      const fs::path headers = libtorchFolder(options.libtorch) / "include";
      if (!fs::exists(headers)) {
        std::cout << "skipped: no " << headers << "; script/bootstrap --tests unpacks it\n";
        return 77;
      }
      for (const fs::path &folder : {headers, headers / "torch/csrc/api/include"})
        options.flags.insert(options.flags.end(), {"-isystem", folder.string()});
    }
    switch (options.mode) {
    case Options::Mode::Compare:
      return compareEach(options) ? 1 : 0;
    case Options::Mode::Together:
      return compareTogether(options) ? 1 : 0;
    case Options::Mode::Silent:
      return countAll(options) ? 1 : 0;
    case Options::Mode::Fix:
      return fixEach(options) ? 1 : 0;
    }
  } catch (const std::exception &failure) {
    std::cerr << "annotated-source: " << failure.what() << "\n";
  }
  return 2;
}
