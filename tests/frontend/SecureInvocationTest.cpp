#include "analyzer/frontend/SecureInvocation.h"
#include "tests/Project.h"

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Frontend/CompilerInvocation.h"

#include <catch2/catch.hpp>

#include <filesystem>

#include <algorithm>

#include <sys/stat.h>

using gradtidy::test::Project;
using Words = std::vector<std::string>;

namespace {

constexpr const char *mark = "/no/such/folder/MARK";

/// What clang makes of \p words in its own words again, after \p change.
template <typename Change> Words understood(const Words &words, Change change) {
  clang::DiagnosticOptions diagnosticOptions;
  clang::IgnoringDiagConsumer ignore;
  clang::DiagnosticsEngine engine(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(),
                                  diagnosticOptions, &ignore, /*ShouldOwnClient=*/false);
  std::vector<const char *> arguments = {"-triple", "x86_64-unknown-linux-gnu"};
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  arguments.push_back("a.cpp");
  clang::CompilerInvocation invocation;
  clang::CompilerInvocation::CreateFromArgs(invocation, arguments, engine);
  change(invocation);
  return invocation.getCC1CommandLine();
}

Words secured(const Words &words, bool hasOwnFlags) {
  return understood(words, [&](clang::CompilerInvocation &invocation) {
    gradtidy::secureInvocation(invocation, hasOwnFlags);
  });
}

bool hasMark(const Words &words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string &word) { return word.find(mark) != word.npos; });
}

} // namespace

TEST_CASE("The belt clears what writes and what loads code or binary formats") {
  const std::string file = mark;
  const Words words = GENERATE_COPY(
      values<Words>({{"-o", file},
                     {"-dependency-file", file, "-MT", "x"},
                     {"-dependency-dot", file, "-dependency-file", "d", "-MT", "x"},
                     {"-module-dependency-dir", file},
                     {"-header-include-file", file},
                     {"-diagnostic-log-file", file},
                     {"-serialize-diagnostic-file", file},
                     {"-stats-file=" + file},
                     {"-ftime-trace=" + file},
                     {"-fmodules-cache-path=" + file},
                     {"-fmodule-output=" + file},
                     {"-fmodule-file=" + file},
                     {"-fmodules-embed-file=" + file},
                     {"-fprebuilt-module-path=" + file},
                     {"-include-pch", file},
                     {"-chain-include", file},
                     {"-ivfsoverlay", file},
                     {"-load", file},
                     {"-mllvm", "-load=" + file},
                     {"-plugin", file},
                     {"-add-plugin", file},
                     {"-fpass-plugin=" + file},
                     {"-ast-merge", file},
                     {"-opt-record-file", file},
                     {"-split-dwarf-file", file},
                     {"-split-dwarf-output", file},
                     {"-coverage-data-file=" + file},
                     {"-coverage-notes-file=" + file},
                     {"-fprofile-instrument=clang", "-fprofile-instrument-path=" + file},
                     {"-mlink-bitcode-file", file},
                     {"-fembed-offload-object=" + file},
                     {"-remap-file", file + ";a.cpp"}}));
  CAPTURE(words);
  REQUIRE(hasMark(understood(words, [](clang::CompilerInvocation &) {})));
  CHECK_FALSE(hasMark(secured(words, false)));
}

TEST_CASE("The belt keeps what the person who runs gradtidy has read, and no output") {
  CHECK(hasMark(secured({"-ivfsoverlay", mark}, true)));
  CHECK_FALSE(hasMark(secured({"-ivfsoverlay", mark}, false)));
  CHECK_FALSE(hasMark(secured({"-o", mark}, true)));
  CHECK_FALSE(hasMark(secured({"-dependency-file", mark, "-MT", "x"}, true)));
}

TEST_CASE("The belt bounds what constant expressions may take") {
  const auto has = [](const Words &words, const std::string &word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const bool hasOwnFlags : {false, true}) {
    const Words bounded =
        secured({"-fconstexpr-steps=4294967295", "-fconstexpr-depth=1000000"}, hasOwnFlags);
    CHECK(has(bounded, "-fconstexpr-steps=16777216"));
    CHECK(has(bounded, "-fconstexpr-depth=2000"));
    CHECK(has(secured({"-fconstexpr-steps=0"}, hasOwnFlags), "-fconstexpr-steps=16777216"));
    const Words kept = secured({"-fconstexpr-steps=1000", "-fconstexpr-depth=9"}, hasOwnFlags);
    CHECK(has(kept, "-fconstexpr-steps=1000"));
    CHECK(has(kept, "-fconstexpr-depth=9"));
  }
}

TEST_CASE("The belt bounds what templates may take") {
  const auto has = [](const Words &words, const std::string &word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const bool hasOwnFlags : {false, true}) {
    const Words bounded = secured({"-ftemplate-depth=1000000", "-foperator-arrow-depth=100000000",
                                   "-fexperimental-new-constant-interpreter"},
                                  hasOwnFlags);
    CHECK(has(bounded, "-ftemplate-depth=8192"));
    CHECK(has(bounded, "-foperator-arrow-depth=1024"));
    CHECK_FALSE(has(bounded, "-fexperimental-new-constant-interpreter"));
    CHECK(has(secured({"-ftemplate-depth=4000"}, hasOwnFlags), "-ftemplate-depth=4000"));
  }
}

TEST_CASE("Inputs in binary formats are refused") {
  for (const auto &[language, isSource] :
       {std::pair("c++", true), std::pair("ast", false), std::pair("ir", false)}) {
    clang::CompilerInvocation invocation;
    invocation.getFrontendOpts().Inputs.emplace_back(
        "a", clang::InputKind(clang::Language::CXX,
                              isSource ? clang::InputKind::Source : clang::InputKind::Precompiled));
    CAPTURE(language);
    CHECK(gradtidy::secureInvocation(invocation, true) == isSource);
  }
}

TEST_CASE("Files that are too large are not opened") {
  const Project project;
  for (const char *name : {"a.h", "a.pch"}) {
    project.write(name, "text");
    std::filesystem::resize_file(project.path(name), uint64_t(3) << 30);
  }
  const auto files = gradtidy::regularFilesOf(llvm::vfs::createPhysicalFileSystem());
  CHECK(files->openFileForRead(project.path("a.h")).getError().message() == "larger than 64 MB");
  CHECK(files->openFileForRead(project.path("a.pch"))); // A precompiled header is large.
}

TEST_CASE("Only regular files are opened") {
  const Project project;
  project.write("a.h", "text");
  REQUIRE(::mkfifo((project.path() + "/fifo").c_str(), 0600) == 0);
  const auto files = gradtidy::regularFilesOf(llvm::vfs::createPhysicalFileSystem());
  CHECK(files->openFileForRead(project.path("a.h")));
  CHECK_FALSE(files->openFileForRead(project.path("fifo")));
  CHECK(files->openFileForRead("/dev/zero").getError().message() == "not a regular file");
  CHECK(files->exists(project.path("fifo")));
}
