// Every option of clang's own table, in every spelling and by every way by which a repository can
// give it: nothing is written, started or loaded.
#include "tests/Project.h"
#include "tests/Repeated.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Options/Options.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <cstdlib>

#include <dlfcn.h>
#include <sys/stat.h>

using gradtidy::test::Project;
using gradtidy::test::Run;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

constexpr size_t optionsPerUnit = 100;

/// The spellings of the option number \p id, with \p value where it takes one.
std::vector<Words> spellings(unsigned id, const std::string &value) {
  const llvm::opt::OptTable &table = clang::getDriverOptTable();
  const llvm::opt::Option option = table.getOption(id);
  const std::string name = option.getPrefixedName().str();
  switch (option.getKind()) {
  case llvm::opt::Option::FlagClass:
    return {{name}};
  case llvm::opt::Option::JoinedClass:
  case llvm::opt::Option::RemainingArgsJoinedClass:
    return {{name + value}};
  case llvm::opt::Option::ValuesClass:
  case llvm::opt::Option::SeparateClass:
  case llvm::opt::Option::RemainingArgsClass:
    return {{name, value}};
  case llvm::opt::Option::CommaJoinedClass:
    return {{name + value}, {name + value + "," + value}};
  case llvm::opt::Option::MultiArgClass: {
    Words words = {name};
    words.insert(words.end(), option.getNumArgs(), value);
    return {words};
  }
  case llvm::opt::Option::JoinedOrSeparateClass:
    return {{name + value}, {name, value}};
  case llvm::opt::Option::JoinedAndSeparateClass:
    return {{name + value, value}, {name + "host", value}};
  default:
    return {}; // Groups, inputs and unknown words.
  }
}

/// Words of all options, in the order of the table, about optionsPerUnit options each.
std::vector<Words> allOptions(const std::string &value) {
  std::vector<Words> batches(1);
  size_t count = 0;
  for (unsigned id = 1; id <= clang::getDriverOptTable().getNumOptions(); ++id)
    for (const Words &words : spellings(id, value)) {
      if (++count % optionsPerUnit == 0)
        batches.emplace_back();
      batches.back().insert(batches.back().end(), words.begin(), words.end());
    }
  return batches;
}

/// Options that are dangerous together alone, or that need an input of their own.
std::vector<Words> combinations(const std::string &value) {
  return {
      {"-MD", "-MF", value, "-MT", "touch PWNED; exit #"},
      {"-Wp,-MD," + value},
      {"-Wp,-MMD," + value},
      {"-Xpreprocessor", "-MD", "-Xpreprocessor", value},
      {"-H", "-Xclang", "-header-include-file", "-Xclang", value},
      {"-Xclang", "-dependency-file", "-Xclang", value, "-Xclang", "-MT", "-Xclang", "x"},
      {"-Xclang", "-header-include-format=json", "-Xclang",
       "-header-include-filtering=only-direct-system", "-Xclang", "-header-include-file", "-Xclang",
       value},
      {"-Xclang", "-print-stats", "-Xclang", "-stats-file=" + value},
      {"-fsave-optimization-record", "-foptimization-record-file=" + value},
      {"-fmodules", "-fcxx-modules", "-fimplicit-module-maps",
       "-fmodules-cache-path=" + value + "s"},
      {"-std=c++20", "-fmodule-output=" + value},
      {"-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", value},
      {"-Xclang", "-load", "-Xclang", value, "-Xclang", "-add-plugin", "-Xclang", "x"},
      {"-Xclang", "-mllvm", "-Xclang", "-load=" + value},
      {"-D", "-MD", "-D", "-MF", "-D" + value}, // Macros of odd names, until "-D" is removed.
      {"-Xarch_host", "-save-temps"},
      {"-Xarch_host", "-fplugin=" + value},
      {"-x", "cuda", "--offload-arch=native", "--offload-arch-tool=" + value, "-nocudainc"},
      {"-x", "hip", "--offload-arch=native", "--amdgpu-arch-tool=" + value},
      {"-x", "ast"},
      {"-x", "ir"},
      {"-fno-syntax-only", "-c", "-o", value},
      {"--target=nvptx64-nvidia-cuda", "-march=native"},
      {"--target=amdgcn-amd-amdhsa", "-mcpu=native"},
      {"--driver-mode=cl", "-Fo" + value, "-Fd" + value},
      {"-fuse-ld=" + value, "-B", "bin", "-no-integrated-as", "-fno-integrated-cc1"},
      {"-gen-reproducer=always", "-fcrash-diagnostics-dir=" + value + "s"},
  };
}

std::string json(const Words &words) {
  llvm::json::Array array;
  for (const std::string &word : words)
    array.push_back(word);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(array));
  return text;
}

/// Behind -Xclang and its kin, word by word.
Words behind(const std::string &option, const Words &words) {
  Words result;
  for (const std::string &word : words)
    result.insert(result.end(), {option, word});
  return result;
}

/// A repository of a stranger: units of one empty source each, and their database.
class Hostile {
public:
  explicit Hostile(const Project &project) : project(project) {
    // A library, so that loading it is seen to succeed, and programs that clang's driver looks for.
    Dl_info library;
    REQUIRE(::dladdr(reinterpret_cast<void *>(&::strtod), &library));
    fs::copy_file(library.dli_fname, project.path("value.so"));
    for (const char *program : {"nvptx-arch", "amdgpu-arch", "offload-arch", "ptxas", "ld", "as"}) {
      project.write(std::string("bin/") + program, "#!/bin/sh\ntouch " + project.path("PWNED"));
      fs::permissions(project.path("bin") + "/" + program, fs::perms::all);
    }
    for (const char *configuration : {"clang++.cfg", "clang.cfg", "x86_64-pc-linux-gnu-clang++.cfg",
                                      "x86_64-unknown-linux-gnu-clang++.cfg"})
      project.write(std::string("bin/") + configuration,
                    "-MD\n-MF\n" + project.path("written-by-configuration") + "\n");
  }

  std::string value() const { return project.path("value.so"); }

  void add(const Words &flags, const std::string &configuration = {},
           const std::string &compiler = "clang++") {
    const std::string folder = "unit" + std::to_string(units++);
    project.write(folder + "/a.cpp", "int answer() { return 42; }\n");
    if (!configuration.empty())
      project.write(folder + "/.gradtidy", configuration);
    Words command = {compiler};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-c", "a.cpp"});
    entries += (entries.empty() ? "" : ",\n") + ("{\"directory\":\"" + project.path(folder)) +
               "\",\"file\":\"a.cpp\",\"arguments\":" + json(command) + "}";
  }

  void addResponseFile(const Words &flags) {
    const std::string name = "flags" + std::to_string(units) + ".rsp";
    std::string text;
    for (const std::string &word : flags)
      text += "'" + word + "'\n";
    project.write(name, text);
    add({"@" + project.path(name)});
  }

  void finish() const { project.write("compile_commands.json", "[" + entries + "]"); }

  size_t units = 0;

private:
  const Project &project;
  std::string entries;
};

/// Every file with its size, time and mode.
std::map<std::string, std::string> snapshot(const std::string &folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
    struct stat status{};
    ::lstat(entry.path().c_str(), &status);
    if (entry.is_directory())
      files[entry.path()] = "folder";
    else
      files[entry.path()] =
          std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
          std::to_string(status.st_mtim.tv_nsec) + " " + std::to_string(status.st_mode);
  }
  return files;
}

constexpr const char *tracedCalls = "trace=execve,execveat,open,openat,openat2,creat,rename,"
                                    "renameat,renameat2,unlink,unlinkat,rmdir,"
                                    "mkdir,mkdirat,mknod,mknodat,link,linkat,symlink,symlinkat,"
                                    "truncate,chmod,fchmodat,chown,lchown,"
                                    "fchownat,utimensat,connect,bind,mmap";

/// The lines of strace's \p log that write, start or load something, apart from the folders \p
/// allowed.
Words misdeeds(const std::string &log, const std::string &project, const Words &allowed) {
  Words found;
  std::istringstream lines(log);
  unsigned programs = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto has = [&](const std::string &part) { return line.find(part) != line.npos; };
    if (has("--- SIG") || has("+++ ") || has("resumed>") || has("\"/dev/null\"") ||
        std::any_of(allowed.begin(), allowed.end(), has))
      continue;
    if (has("mmap(")) {
      if (has("PROT_EXEC") && has(project))
        found.push_back(line);
    } else if (has(" execve(")) {
      if (++programs > 1) // gradtidy itself
        found.push_back(line);
    } else if (has("openat(") || has(" open(")) {
      if (has("O_WRONLY") || has("O_RDWR") || has("O_CREAT") || has("O_TRUNC"))
        found.push_back(line);
    } else {
      found.push_back(line);
    }
  }
  return found;
}

/// Whether strace runs here; where it does not, a warning says what is not watched.
bool canTrace(const Project &project) {
  if (project.run("strace", {"-f", "-o", project.path() + "-probe", "true"}).status == 0) {
    fs::remove(project.path() + "-probe");
    return true;
  }
  WARN("strace does not run here: only files of the project are watched, programs and libraries "
       "are not");
  return false;
}

/// Runs \p command under strace, with a folder for temporary files and GRADTIDY_UNGATED_PROJECT in
/// its environment; what it has done is in \p log.
Run trace(const Project &project, const std::string &log, const std::string &temporary,
          const Words &command) {
  fs::create_directories(temporary);
  Words arguments = {"-f",   "-qq",
                     "-y",   "-s",
                     "4096", "--seccomp-bpf",
                     "-E",   "TMPDIR=" + temporary,
                     "-E",   "GRADTIDY_UNGATED_PROJECT=" + project.path(),
                     "-o",   log,
                     "-e",   tracedCalls};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return project.run("strace", arguments);
}

std::string textOf(const std::string &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Runs gradtidy on all units of \p project; checks that it keeps its hands off everything.
void checkHarmless(const Project &project) {
  const std::string outside = project.path() + "-outside";
  fs::create_directories(outside);
  const auto before = snapshot(project.path());
  const std::string log = outside + "/strace.log";
  const Words command = {
      gradtidy::test::gradtidyProgram(),   "--quiet",      "-p",          project.path(),
      "--cache-dir=" + outside + "/cache", "--timeout=60", project.path()};
  const bool isTraced = canTrace(project);
  const Run run = isTraced ? trace(project, log, outside + "/tmp", command)
                           : project.run(command[0], Words(command.begin() + 1, command.end()));
  CHECK(run.status >= 0);
  CHECK(run.err.find("PLEASE submit a bug report") == run.err.npos);
  CHECK(snapshot(project.path()) == before);
  if (isTraced) {
    const std::string text = textOf(log);
    CHECK(text.find("a.cpp") != std::string::npos); // It saw the parses.
    CHECK(misdeeds(text, project.path(), {outside + "/cache", outside + "/tmp"}) == Words());
  }
  fs::remove_all(outside);
}

/// A parse as clang itself does it: without the gate, and with the plugins that are asked for.
class UngatedAction : public clang::SyntaxOnlyAction {
protected:
  bool BeginInvocation(clang::CompilerInstance &compiler) override {
    compiler.LoadRequestedPlugins();
    return SyntaxOnlyAction::BeginInvocation(compiler);
  }
};

void parseUngated(const Words &flags) {
  Words command = {"clang++", "-fsyntax-only"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back("a.cpp");
  clang::IgnoringDiagConsumer ignore;
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions()));
  clang::tooling::ToolInvocation parse(command, std::make_unique<UngatedAction>(), files.get());
  parse.setDiagnosticConsumer(&ignore);
  parse.run();
}

/// One option each that writes, loads and starts, and what the watcher has to say of it.
struct Control {
  Words flags;
  std::string call, name;
};

std::vector<Control> controls(const std::string &project) {
  return {{{"-MD", "-MF", project + "/written"}, "openat(", "/written"},
          {{"-Xclang", "-load", "-Xclang", project + "/value.so"}, "mmap(", "/value.so"},
          {{"-x", "cuda", "--offload-arch=native", "-nocudainc", "-nocudalib",
            "--offload-arch-tool=" + project + "/bin/offload-arch"},
           "execve(",
           "/bin/offload-arch"}};
}

} // namespace

TEST_CASE("No option of clang makes gradtidy write, start or load anything", "[gate]") {
  const Project project;
  Hostile hostile(project);
  std::vector<Words> batches = combinations(hostile.value());
  const std::vector<Words> all = allOptions(hostile.value());
  batches.insert(batches.end(), all.begin(), all.end());
  REQUIRE(clang::getDriverOptTable().getNumOptions() > 3000);
  REQUIRE(all.size() > 25); // Of some hundred options each.
  for (const Words &words : batches) {
    hostile.add(words);
    hostile.add(behind("-Xclang", words));
    hostile.add(behind("-Xarch_host", words));
    hostile.add(behind("-Xpreprocessor", words));
    hostile.addResponseFile(words);
    hostile.add({}, "ExtraArgs: " + json(words));
    hostile.add({}, "ExtraArgsBefore: " + json(words));
    hostile.add(words, "RemovedArgs: [-D, -I, -Xclang, -include, -fsyntax-only, clang++, "
                       "--no-default-config, --driver-mode=g++, '" +
                           hostile.value() + "']");
  }
  hostile.finish();
  checkHarmless(project);
}

// Run by the next test, in a process of its own.
TEST_CASE("Parses without the gate", "[.ungated]") {
  const char *project = std::getenv("GRADTIDY_UNGATED_PROJECT");
  REQUIRE(project);
  for (const Control &control : controls(project))
    parseUngated(control.flags);
}

TEST_CASE("Without the gate, the watcher sees what is written, loaded and started", "[gate]") {
  const Project project;
  Hostile hostile(project);
  project.write("a.cpp", "int answer() { return 42; }\n");
  if (!canTrace(project))
    return;
  const std::string outside = project.path() + "-outside", log = outside + "/strace.log";
  const Run run = trace(project, log, outside + "/tmp",
                        {fs::read_symlink("/proc/self/exe").string(), "[.ungated]"});
  INFO(run.out);
  CHECK(run.status == 0);
  Words found = misdeeds(textOf(log), project.path(), {outside + "/tmp"});
  for (const Control &control : controls(project.path()))
    CHECK(std::any_of(found.begin(), found.end(), [&](const std::string &line) {
      return line.find(control.call) != line.npos && line.find(control.name) != line.npos;
    }));
  CHECK(fs::exists(project.path("written")));
  CHECK(fs::exists(project.path("PWNED")));
  fs::remove_all(outside);

  // The same options are harmless behind the gate.
  fs::remove(project.path("written"));
  fs::remove(project.path("PWNED"));
  for (const Control &control : controls(project.path()))
    hostile.add(control.flags);
  hostile.finish();
  checkHarmless(project);
}

TEST_CASE("The name of the compiler neither starts a program nor reads a configuration", "[gate]") {
  const Project project;
  Hostile hostile(project);
  for (const char *name : {"clang++", "clang", "nvptx64-nvidia-cuda-clang++", "clang-cl",
                           "amdgcn-amd-amdhsa-clang++", "clang-dxc", "flang", "nvcc", "hipcc"}) {
    const std::string compiler = project.path("bin") + "/" + name;
    hostile.add({"-march=native", "-mcpu=native", "-Fo" + hostile.value()}, {}, compiler);
    hostile.add({"-x", "cuda", "--offload-arch=native"}, {}, compiler);
    hostile.add({"-x", "hip", "--offload-arch=native"}, {}, compiler);
    hostile.add({}, "ExtraArgs: [-march=native, --target=nvptx64]", compiler);
  }
  hostile.finish();
  checkHarmless(project);
}

TEST_CASE("Flags of the person who runs gradtidy are passed on", "[gate]") {
  const Project project;
  project.write("a.cpp", "#if !__has_feature(address_sanitizer)\n#error it is off\n#endif\n");
  project.writeDatabase(".", {"a.cpp"}, "-fsanitize=address -ivfsoverlay overlay.yaml");
  const Run stranger = project.gradtidy({"-p", ".", "a.cpp"});
  CHECK(stranger.status == 1);
  CHECK(stranger.err.find("ignored -ivfsoverlay") != std::string::npos);
  CHECK(project.gradtidy({"-p", ".", "--extra-arg=-fsanitize=address", "a.cpp"}).status == 0);
}

TEST_CASE("Sources that include what is no regular file are analysed to the end", "[gate]") {
  Project project;
  REQUIRE(::mkfifo((project.path() + "/fifo.h").c_str(), 0600) == 0);
  project.write("axon.cpp", "#include <axon/axon.h>\n"
                            "#include \"/dev/zero\"\n"
                            "#include \"fifo.h\"\n"
                            "#if __has_include(\"fifo.h\") && __has_embed(\"/dev/zero\")\n"
                            "#endif\n"
                            "#pragma clang __debug dump x\n"
                            "#pragma clang module build m\n#pragma clang module endbuild\n"
                            "const unsigned char bytes[] = {\n#embed \"/dev/zero\"\n};\n"
                            "const unsigned char more[] = {\n#embed \"fifo.h\"\n};\n" +
                                gradtidy::test::trainingLoop("train"));
  project.writeDatabase(".", {"axon.cpp"}, "-std=c++20 -I" + gradtidy::test::axonFolder());
  const Run run = project.gradtidy(
      {"-p", ".", "--model=" + gradtidy::test::axonModel(), "--timeout=60", "--quiet", "axon.cpp"});
  CHECK(run.err.find("too slow") == std::string::npos);
  CHECK(run.out.find("ml-missing-zero-grad") != std::string::npos);
}

TEST_CASE("What #embed takes is bounded, and said", "[gate]") {
  Project project;
  REQUIRE(::mkfifo((project.path() + "/fifo").c_str(), 0600) == 0);
  project.write("large", std::string(20 << 20, 'x'));
  const auto lint = [&](const std::string &code) {
    project.write("axon.cpp",
                  "#include <axon/axon.h>\n" + code + gradtidy::test::trainingLoop("train"));
    return project.gradtidy({"--no-cache", "--model=" + gradtidy::test::axonModel(),
                             "--memory-limit=1200", "axon.cpp", "--", "-std=c++20",
                             "-I" + gradtidy::test::axonFolder()});
  };
  using Catch::Matchers::Contains;
  const std::string embed = "const unsigned char bytes[] = {\n#embed \"large\"\n};\n";
  for (const std::string &code : {embed, "#if __has_embed(\"large\")\n" + embed + "#endif\n"}) {
    const Run run = lint(code);
    CHECK(run.status == 0);
    CHECK(run.out.find("ml-missing-zero-grad") != std::string::npos);
    CHECK_THAT(run.err, Contains("#embed of 'large' (") && !Contains("out of memory"));
  }
  const Run special = lint("const unsigned char bytes[] = {\n#embed \"fifo\"\n};\n");
  CHECK_THAT(special.out, Contains("fifo': not a regular file"));
  const Run included = lint("#include \"fifo\"\n");
  CHECK_THAT(included.out, Contains("fifo': not a regular file"));
}

TEST_CASE("What all #embed of a unit take is bounded, and said", "[gate]") {
  Project project;
  for (char name = 'a'; name < 'z'; ++name)
    project.write(std::string("part") + name, std::string(1000000, name));
  const auto lint = [&](const std::string &header, const std::string &code,
                        const Words &more = {}) {
    project.write("parts.h", header);
    project.write("axon.cpp", "#include <axon/axon.h>\n#include \"parts.h\"\n" + code +
                                  gradtidy::test::trainingLoop("train"));
    Words arguments = {"--model=" + gradtidy::test::axonModel(), "--memory-limit=1200", "axon.cpp"};
    arguments.insert(arguments.begin(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--", "-std=c++20", "-I" + gradtidy::test::axonFolder()});
    return project.gradtidy(arguments);
  };
  using Catch::Matchers::Contains;
  using gradtidy::test::count;
  const auto array = [](const std::string &name, const std::string &file) {
    return "inline const int " + name + "[] = {\n#embed \"" + file + "\"\n};\n";
  };
  std::string same, others, nested;
  for (char name = 'a'; name < 'z'; ++name) {
    same += array(std::string("bytes") + name, "parta");
    others += array(std::string("bytes") + name, std::string("part") + name);
    nested += "struct S" + std::string(1, name) + " { void f() {\n" +
              array("bytes", "parta").substr(7) + "} };\n";
  }
  for (const std::string &code : {same, others, nested}) {
    const Run run = lint("", code, {"--no-cache"});
    CHECK(run.status == 0);
    CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
    CHECK_THAT(run.err, Contains("Not analysed to the end") && Contains("#embed of 'part"));
    CHECK_THAT(run.err, !Contains("out of memory"));
  }
  CHECK(count(lint("", array("few", "parta") + array("others", "partb")).err, "Not analysed") == 0);

  // Whatever else was done with the file before, and whatever nests in what comes with it.
  const std::string asked = "#if __has_include(\"parta\")\n#endif\n";
  const std::string deep =
      "const int deep = {\n#embed \"parta\" limit(1) prefix(" + repeated("- ", 100000) + ")\n};\n";
  for (const std::string &code : {asked + same, deep}) {
    const Run run = lint("", code, {"--no-cache"});
    CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
    CHECK_THAT(run.err, Contains("Not analysed to the end") && Contains("#embed of 'parta' (") &&
                            !Contains("out of memory"));
  }

  // However often, and whatever is kept of the header.
  std::string three;
  for (char name = 'a'; name < 'd'; ++name)
    three += array(std::string("bytes") + name, std::string("part") + name);
  for (int round = 0; round < 3; ++round) {
    const Run run = lint(three, array("bytesd", "partd") + array("bytese", "parte"),
                         {"--cache-dir=" + project.path("cache")});
    CHECK_THAT(run.err, Contains("#embed of 'parte' ("));
    CHECK(count(run.out, "[ml-missing-zero-grad]\n") == 1);
  }

  // What is asked for again while it waits for the parser stays.
  project.write("large", std::string(3 << 20, 'x'));
  const Run waiting =
      lint("",
           "#if __has_embed(\"large\")\n#endif\nstruct S { void f() { const unsigned char b[] = {\n"
           "#embed \"large\"\n#if __has_embed(\"large\")\n#endif\n}; } };\n",
           {"--no-cache"});
  CHECK(waiting.status == 0);
  CHECK(count(waiting.out, "[ml-missing-zero-grad]\n") == 1);
}

TEST_CASE("Fixes do not leave the project", "[gate]") {
  Project project;
  const std::string code = "#include <axon/axon.h>\n" + gradtidy::test::trainingLoop("train");
  project.write("outside/real.h", code);
  project.write("outside/named.h", code);
  fs::create_directories(project.path() + "/inside/.git");
  fs::create_symlink("../outside/real.h", project.path() + "/inside/link.h");
  const std::string flags = "-std=c++20 -I" + gradtidy::test::axonFolder();
  project.write("inside/a.cpp", "#include \"link.h\"\n");
  project.write("inside/b.cpp", "#line 1 \"" + project.path("outside/named.h") + "\"\n" + code);
  project.write("inside/.gradtidy", "SystemHeaders: true\n");
  project.write("inside/c.cpp", "#include \"../outside/named.h\"\n");
  project.writeDatabase("inside", {"inside/a.cpp", "inside/b.cpp", "inside/c.cpp"}, flags);
  const auto run = [&](const std::vector<std::string> &options) {
    std::vector<std::string> arguments = {"-p", ".", "--model=" + gradtidy::test::axonModel()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return project.run(gradtidy::test::gradtidyProgram(), arguments, "inside");
  };
  for (int round = 0; round < 2; ++round) { // The second one knows the result of the first.
    const Run fixing = run({"--fix", "a.cpp"});
    CHECK(fixing.status == 2);
    CHECK_THAT(fixing.err, Catch::Matchers::Contains("'" + project.path("outside/real.h") +
                                                     "' could not be fixed and is unchanged: it "
                                                     "lies outside of the project"));
  }
  CHECK(run({"a.cpp"}).status == 0);
  run({"--fix", "a.cpp", "b.cpp", "c.cpp"});
  CHECK(project.read("outside/real.h") == code);
  CHECK(project.read("outside/named.h") == code);
  // What #line says changes nothing: the text that was analyzed is fixed.
  CHECK(project.read("inside/b.cpp").find("zero_grad") != std::string::npos);
}
