#include "analyzer/frontend/SecureInvocation.h"
#include "tests/Project.h"

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Frontend/CompilerInvocation.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include <sys/stat.h>

using gradtidy::test::Project;
using Words = std::vector<std::string>;

namespace {

constexpr const char *mark = "/no/such/folder/MARK";

/// What clang makes of \p words, secured, in its own words again.
Words secured(const Words &words, bool hasOwnFlags) {
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
  gradtidy::secureInvocation(invocation, hasOwnFlags);
  return invocation.getCC1CommandLine();
}

bool hasMark(const Words &words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string &word) { return word.find(mark) != word.npos; });
}

} // namespace

TEST_CASE("The belt keeps what the person who runs gradtidy has read, and no output") {
  CHECK(hasMark(secured({"-ivfsoverlay", mark}, true)));
  CHECK_FALSE(hasMark(secured({"-ivfsoverlay", mark}, false)));
  CHECK_FALSE(hasMark(secured({"-o", mark}, true)));
  CHECK_FALSE(hasMark(secured({"-dependency-file", mark, "-MT", "x"}, true)));
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

TEST_CASE("Only regular files are opened") {
  const Project project;
  project.write("a.h", "text");
  REQUIRE(::mkfifo((project.path() + "/fifo").c_str(), 0600) == 0);
  const auto files = gradtidy::regularFilesOf(llvm::vfs::createPhysicalFileSystem());
  CHECK(files->openFileForRead(project.path("a.h")));
  CHECK_FALSE(files->openFileForRead(project.path("fifo")));
  CHECK_FALSE(files->openFileForRead("/dev/zero"));
  CHECK(files->exists(project.path("fifo")));
}
