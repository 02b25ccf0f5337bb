// Every option of clang's own table, in every spelling and by every way by which a repository can
// give it: nothing is written, started or loaded.
#include "tests/Project.h"

#include "clang/Options/Options.h"
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

/// Runs gradtidy on all units of \p project; checks that it keeps its hands off everything.
void checkHarmless(const Project &project, const Words &more = {}) {
  const std::string outside = project.path() + "-outside";
  fs::create_directories(outside);
  const auto before = snapshot(project.path());
  const std::string log = outside + "/strace.log";
  Words arguments = {"-f",
                     "-qq",
                     "-y",
                     "-s",
                     "4096",
                     "--seccomp-bpf",
                     "-o",
                     log,
                     "-e",
                     tracedCalls,
                     gradtidy::test::gradtidyProgram(),
                     "--quiet",
                     "-p",
                     project.path(),
                     "--cache-dir=" + outside + "/cache",
                     "--timeout=60"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.push_back(project.path());
  const Run probe = project.run("strace", {"-f", "-o", outside + "/probe", "true"});
  const bool isTraced = probe.status == 0;
  if (!isTraced) {
    WARN("strace does not run here: only files of the project are watched, programs and libraries "
         "are not");
    arguments.erase(arguments.begin(), arguments.begin() + 10);
  }
  const Run run = isTraced ? project.run("strace", arguments)
                           : project.run(gradtidy::test::gradtidyProgram(),
                                         Words(arguments.begin() + 1, arguments.end()));
  CHECK(run.status >= 0);
  CHECK(run.err.find("PLEASE submit a bug report") == run.err.npos);
  CHECK(snapshot(project.path()) == before);
  if (isTraced) {
    std::ifstream file(log);
    std::stringstream text;
    text << file.rdbuf();
    CHECK(text.str().find("a.cpp") != std::string::npos); // It saw the parses.
    CHECK(misdeeds(text.str(), project.path(), {outside + "/cache", "/tmp/gradtidy-"}) == Words());
  }
  fs::remove_all(outside);
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
