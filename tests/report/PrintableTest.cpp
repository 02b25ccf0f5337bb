// Nothing that a repository contains can be taken for a command or an escape in what is printed.
#include "analyzer/report/Printable.h"
#include "analyzer/report/Formats.h"
#include "analyzer/report/Text.h"
#include "tests/Project.h"

#include "clang-tidy/ClangTidyDiagnosticConsumer.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gradtidy;
using clang::tidy::ClangTidyError;
using gradtidy::test::count;
using gradtidy::test::Project;

namespace {

/// All that is dangerous in a name, a message or a line of source.
const std::string nasty = "\x1b[31mred\x07\r::error::a ##[error]b ##vso[x] \xe2\x80\xae \xff \x7f";

ClangTidyError errorIn(const std::string &file, const std::string &message) {
  ClangTidyError error("ml-missing-zero-grad", ClangTidyError::Warning, "/", false);
  error.Message.Message = message;
  error.Message.FilePath = file;
  error.Notes.emplace_back(message);
  error.Notes.back().FilePath = file;
  return error;
}

/// Whether every byte of \p text is fit for a terminal, and no line is a command.
void checkHarmless(const std::string &text) {
  CAPTURE(text);
  for (const char letter : {'\x1b', '\x07', '\r', '\x7f', '\xff'})
    CHECK(text.find(letter) == text.npos);
  CHECK(count(text, "\xe2\x80\xae") == 0);
  CHECK(count(text, "##[") == 0);
  CHECK(count(text, "##vso[") == 0);
  CHECK(count("\n" + text, "\n::error") == 0);
}

} // namespace

TEST_CASE("text is made printable") {
  CHECK(printable("plain text, with 'quotes' and \\ and Grüße 模型") ==
        "plain text, with 'quotes' and \\ and Grüße 模型");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("a\nb\tc\rd\x1b[0m\x7f") == "a\\nb\\tc\\rd\\x1b[0m\\x7f");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");
  CHECK(printable("\xe2\x80\xae \xe2\x81\xa6 \xe2\x80\xa8 \xe2\x80\x8b") ==
        "\\u202e \\u2066 \\u2028 \\u200b");
  CHECK(printable("\xf3\xa0\x80\x81") == "\\U000e0001"); // A tag.
  CHECK(printable("\xff\xc0\xaf\xed\xa0\x80\xe2\x80") ==
        "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xe2\\x80");
}

TEST_CASE("lines are no commands of build servers") {
  CHECK(printableLine("::error file=x::y") == ":\\x3aerror file=x::y");
  CHECK(printableLine("  ::add-mask::y") == "  :\\x3aadd-mask::y");
  CHECK(printableLine("a ::b ## [c] #[d]") == "a ::b ## [c] #[d]");
  CHECK(printableLine("a ##[error]b") == "a #\\x23[error]b");
  CHECK(printableLine("###[a] ##vso[b] ##teamcity[c]") ==
        "##\\x23[a] #\\x23vso[b] #\\x23teamcity[c]");
}

TEST_CASE("names, messages and source are harmless in every format") {
  const Project project;
  const std::string file = project.path(nasty + "\n::error file=x::y.cpp");
  project.write(nasty + "\n::error file=x::y.cpp", "// " + nasty + "\n" + nasty + "\n::error::z\n");
  const std::vector<ClangTidyError> errors = {errorIn(file, nasty + "\n::error::z"),
                                              errorIn(file, "second")};
  const LevelOf certain = [](const ClangTidyError &) { return Level::Certain; };
  const std::vector<ReportedFinding> findings = toReported(errors, certain);
  REQUIRE(findings.size() == 2);

  const auto written = [&](auto &&write) {
    std::string text;
    llvm::raw_string_ostream out(text);
    write(out);
    return text;
  };
  SourceText text;
  const std::string plain =
      written([&](auto &out) { writeText(out, errors, {}, {}, /*useColor=*/false, text); });
  checkHarmless(plain);
  CHECK(count(plain, "\\x1b[31mred") >= 2);
  CHECK(count(plain, "[ml-missing-zero-grad]\n") == 2);
  const std::string json = written([&](auto &out) { writeJson(out, findings); });
  checkHarmless(json);
  // A program finds the file by its name.
  const auto document = nlohmann::json::parse(json);
  CHECK(document["findings"][0]["line"] == 1);
  CHECK(count(document["findings"][0]["file"], "\x1b[31mred") == 1);
  const std::string message = document["findings"][0]["message"];
  CHECK(printable(message) == message);
  const ReportContext context{.root = project.path() + "/"};
  for (const auto write :
       {writeSarif, writeHtml, writeJunit, writeGitlab, writeCheckstyle, writeMarkdown}) {
    const std::string report = written([&](auto &out) { write(out, findings, context); });
    checkHarmless(report);
    CHECK(count(report, "second") >= 1);
  }
  const std::string github = written([&](auto &out) { writeGithub(out, findings); });
  checkHarmless(github);
  CHECK(count(github, "\n") == 2);
  CHECK(github.starts_with("::warning file="));
}

TEST_CASE("colors are the only escapes in colored text") {
  const Project project;
  project.write("a.cpp", "int \x1b[31mx;\n");
  SourceText text;
  std::string colored;
  llvm::raw_string_ostream out(colored);
  writeText(out, {errorIn(project.path("a.cpp"), "m\x1b[31m")}, {}, {}, /*useColor=*/true, text);
  CHECK(count(colored, "\x1b[0m") > 0);
  CHECK(count(colored, "\x1b[31m") == 0);
}
