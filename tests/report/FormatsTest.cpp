#include "analyzer/report/Formats.h"
#include "checks/Catalogue.h"
#include "tests/Project.h"

#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace gradtidy;
using clang::tidy::ClangTidyError;
using gradtidy::test::Project;
using Json = nlohmann::json;

namespace {

const LevelOf certain = [](const ClangTidyError &) { return Level::Certain; };

ClangTidyError errorAt(const std::string &file, unsigned offset, const std::string &message,
                       const std::string &check = "ml-missing-zero-grad") {
  ClangTidyError error(check, ClangTidyError::Warning, "/", /*IsWarningAsError=*/false);
  error.Message.Message = message;
  error.Message.FilePath = file;
  error.Message.FileOffset = offset;
  return error;
}

ReportedFinding finding(const std::string &file = "/p/src/train.cpp") {
  ReportedFinding result;
  result.check = "ml-missing-zero-grad";
  result.severity = "warning";
  result.level = Level::Certain;
  result.file = file;
  result.line = 3;
  result.column = 5;
  result.endLine = 3;
  result.endColumn = 11;
  result.message = "stale gradients";
  return result;
}

template <class Writer, class... Arguments>
std::string written(Writer writer, Arguments... arguments) {
  std::string text;
  llvm::raw_string_ostream out(text);
  writer(out, arguments...);
  return text;
}

std::string github(const ReportedFinding &one) {
  return written([&](llvm::raw_ostream &out) { writeGithub(out, one); });
}

Json json(const std::vector<ReportedFinding> &findings) {
  return Json::parse(written([&](llvm::raw_ostream &out) { writeJson(out, findings); }));
}

/// The one run of the SARIF text.
Json sarif(const std::vector<ReportedFinding> &findings, const std::string &root = "/p") {
  Json document = Json::parse(
      written([&](llvm::raw_ostream &out) { writeSarif(out, findings, {.root = root + "/"}); }));
  CHECK(document["version"] == "2.1.0");
  REQUIRE(document["runs"].size() == 1);
  return document["runs"][0];
}

} // namespace

TEST_CASE("offsets become lines and columns in bytes") {
  Project project;
  project.write("a.cpp", "one\n  tw\xc3\xb6 x\r\nlast");
  const std::string file = project.path("a.cpp");
  struct Place {
    unsigned offset, line, column;
  };
  for (Place place : {Place{0, 1, 1}, Place{3, 1, 4}, Place{4, 2, 1}, Place{11, 2, 8},
                      Place{14, 3, 1}, Place{18, 3, 5}, Place{999, 3, 5}}) {
    auto reported = toReported(errorAt(file, place.offset, "m"), certain);
    REQUIRE(reported.size() == 1);
    CAPTURE(place.offset);
    CHECK(reported[0].line == place.line);
    CHECK(reported[0].column == place.column);
    CHECK(reported[0].endLine == place.line);
    CHECK(reported[0].endColumn == place.column);
  }
}

TEST_CASE("a finding ends where its underlined range ends") {
  Project project;
  project.write("a.cpp", "optimizer.step();\n");
  ClangTidyError error = errorAt(project.path("a.cpp"), 10, "m");
  clang::tooling::FileByteRange range;
  range.FilePath = error.Message.FilePath;
  range.FileOffset = 0;
  range.Length = 16;
  error.Message.Ranges = {range};
  auto reported = toReported(error, certain);
  CHECK(reported[0].column == 11);
  CHECK(reported[0].endColumn == 17);

  range.FileOffset = 0; // A range beside the place does not end it.
  range.Length = 9;
  error.Message.Ranges = {range};
  CHECK(toReported(error, certain)[0].endColumn == 11);
}

TEST_CASE("levels, severities, notes and fixes are taken over") {
  Project project;
  project.write("a.cpp", "for (;;) {\n  step();\n}\n");
  const std::string file = project.path("a.cpp");
  ClangTidyError error = errorAt("a.cpp", 13, "stale");
  error.BuildDirectory = project.path();
  error.Notes.emplace_back("round the loop");
  error.Notes.back().FilePath = file;
  error.Notes.back().FileOffset = 0;
  error.Notes.emplace_back("without a place");
  llvm::cantFail(error.Message.Fix[file].add({file, 13, 0, "zero_grad();\n  "}));
  llvm::cantFail(error.Message.Fix[file].add({file, 0, 3, "while"}));

  auto reported = toReported(error, certain);
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].file == file);
  CHECK(reported[0].severity == "warning");
  CHECK(reported[0].level == Level::Certain);
  REQUIRE(reported[0].notes.size() == 2);
  CHECK(reported[0].notes[0].message == "round the loop");
  CHECK(reported[0].notes[0].line == 1);
  CHECK(reported[0].notes[1].file.empty());
  REQUIRE(reported[0].fixes.size() == 2);
  CHECK(reported[0].fixes[0].text == "while");
  CHECK(reported[0].fixes[0].endColumn == 4);
  CHECK(reported[0].fixes[1].line == 2);
  CHECK(reported[0].fixes[1].column == 3);

  error.IsWarningAsError = true;
  CHECK(toReported(error, certain)[0].severity == "error");
  error.IsWarningAsError = false;
  error.DiagLevel = ClangTidyError::Remark;
  CHECK(toReported(error, certain)[0].severity == "note");
}

TEST_CASE("findings are sorted, and need no file that can be read") {
  auto reported = toReported({errorAt("/none/b.cpp", 7, "z"), errorAt("/none/b.cpp", 7, "y"),
                              errorAt("/none/a.cpp", 9, "x"), errorAt("", 0, "command line")},
                             certain);
  REQUIRE(reported.size() == 4);
  CHECK(reported[0].message == "command line");
  CHECK(reported[0].file.empty());
  CHECK(reported[1].message == "x");
  CHECK(reported[1].line == 0);
  CHECK(reported[2].message == "y");
  CHECK(reported[3].message == "z");
}

TEST_CASE("JSON holds every field") {
  ReportedFinding one = finding();
  one.notes = {{"/p/a.h", 7, 9, "here"}};
  one.fixes = {{"/p/a.cpp", 40, 2, "x", 3, 5, 3, 7}};
  CHECK(json({one}) == Json::parse(R"({
    "version": 1,
    "findings": [{
      "check": "ml-missing-zero-grad", "severity": "warning", "level": 0,
      "file": "/p/src/train.cpp", "line": 3, "column": 5, "endLine": 3, "endColumn": 11,
      "message": "stale gradients",
      "notes": [{"file": "/p/a.h", "line": 7, "column": 9, "message": "here"}],
      "fixes": [{"file": "/p/a.cpp", "offset": 40, "length": 2, "line": 3, "column": 5,
                 "endLine": 3, "endColumn": 7, "text": "x"}]}]})"));
  one.level.reset();
  CHECK(json({one})["findings"][0]["level"].is_null());
  CHECK(json({}) == Json::parse(R"({"version": 1, "findings": []})"));
}

TEST_CASE("bytes that are not UTF-8 become replacement characters") {
  ReportedFinding one = finding("/p/caf\xe9.cpp");
  one.message = "bad \xff";
  CHECK(json({one})["findings"][0]["file"] == "/p/caf\xef\xbf\xbd.cpp");
  CHECK(json({one})["findings"][0]["message"] == "bad \xef\xbf\xbd");
  Json run = sarif({one});
  CHECK(run["results"][0]["message"]["text"] == "bad \xef\xbf\xbd");
  // Not lost in a URI.
  CHECK(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] ==
        "caf%E9.cpp");
}

TEST_CASE("GitHub annotations are one line each") {
  CHECK(github(finding()) == "::warning file=/p/src/train.cpp,line=3,endLine=3,col=5,endColumn=11,"
                             "title=ml-missing-zero-grad::stale gradients\n");

  ReportedFinding one = finding();
  one.severity = "error";
  CHECK_THAT(github(one), Catch::StartsWith("::error "));
  one.severity = "warning";
  one.level = Level::Advice;
  CHECK_THAT(github(one), Catch::StartsWith("::notice "));

  one = finding();
  one.endLine = 4; // A column of another line would be read as one of the first.
  CHECK_THAT(github(one), !Catch::Contains("endColumn"));
  one.file.clear();
  CHECK(github(one) == "::warning title=ml-missing-zero-grad::stale gradients\n");
}

TEST_CASE("GitHub annotations escape what workflow commands read") {
  ReportedFinding one = finding("/p/a,b:c%d\n.cpp");
  one.message = "100% of a,b: c\r\nd";
  one.notes = {{"/p/a.h", 7, 9, "note"}, {"", 0, 0, "more"}};
  CHECK(github(one) ==
        "::warning file=/p/a%2Cb%3Ac%25d\\n.cpp,line=3,endLine=3,col=5,endColumn=11,"
        "title=ml-missing-zero-grad::100%25 of a,b: c%0D%0Ad%0A/p/a.h:7: note%0Amore\n");
}

TEST_CASE("GitHub annotations have paths from the working directory") {
  const std::string here = std::filesystem::current_path();
  ReportedFinding one = finding(here + "/src/a.cpp");
  CHECK_THAT(github(one), Catch::Contains("file=src/a.cpp,"));
  one.file = here + "-other/a.cpp";
  CHECK_THAT(github(one), Catch::Contains("file=" + here + "-other/a.cpp,"));
}

TEST_CASE("SARIF has a rule for every check of the catalogue") {
  Json rules = sarif({})["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == catalogue().size());
  for (size_t i = 0; i < rules.size(); ++i) {
    CHECK(rules[i]["id"] == catalogue()[i].name.str());
    CHECK_THAT(rules[i]["help"]["text"].get<std::string>(),
               Catch::Contains("'gradtidy explain " + catalogue()[i].name.str() + "'"));
  }
  CHECK(sarif({})["results"] == Json::array());
}

TEST_CASE("SARIF results point to rules, places, notes and repairs") {
  Project project;
  project.write("src/train.cpp", "// \xc3\xb6\n\n\xc3\xb6\xc3\xb6  step();\n");
  ReportedFinding one = finding(project.path("src/train.cpp"));
  one.column = 7; // Behind two letters of two bytes each.
  one.endColumn = 13;
  one.notes = {{"/usr/include/x y.h", 7, 9, "here"}, {"", 0, 0, "nowhere"}};
  one.fixes = {{one.file, 10, 0, "zero_grad();", 3, 7, 3, 7}};
  ReportedFinding compiler = finding(project.path("b.cpp"));
  compiler.check = "clang-diagnostic-error";
  compiler.severity = "error";
  compiler.level.reset();

  Json run = sarif({one, compiler}, project.path());
  CHECK(run["originalUriBaseIds"]["SRCROOT"]["uri"] == "file://" + project.path() + "/");
  REQUIRE(run["results"].size() == 2);
  for (const Json &result : run["results"])
    CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"] ==
          result["ruleId"]);

  const Json &result = run["results"][0];
  const Json physical = Json::parse(R"({
    "artifactLocation": {"uri": "src/train.cpp", "uriBaseId": "SRCROOT"},
    "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 11}})");
  CHECK(run["columnKind"] == "unicodeCodePoints");
  CHECK(result["level"] == "error");
  CHECK(result["locations"] == Json::array({{{"physicalLocation", physical}}}));

  REQUIRE(result["relatedLocations"].size() == 1);
  CHECK(result["relatedLocations"][0]["message"]["text"] == "here");
  CHECK(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"] ==
        Json{{"uri", "file:///usr/include/x%20y.h"}});
  const Json &path = result["codeFlows"][0]["threadFlows"][0]["locations"];
  REQUIRE(path.size() == 2); // The note, then the finding itself.
  CHECK(path[0]["location"]["message"]["text"] == "here");
  CHECK(path[1]["location"]["message"]["text"] == "stale gradients");

  const Json &change = result["fixes"][0]["artifactChanges"][0];
  CHECK(change["artifactLocation"]["uri"] == "src/train.cpp");
  CHECK(change["replacements"][0]["insertedContent"]["text"] == "zero_grad();");
  CHECK(change["replacements"][0]["deletedRegion"]["startColumn"] == 5);

  CHECK(run["results"][1]["level"] == "error");
  CHECK_FALSE(run["results"][1].contains("codeFlows"));
  CHECK_FALSE(run["results"][1].contains("fixes"));
}

TEST_CASE("SARIF levels follow those of the findings") {
  auto levelOf = [](std::optional<Level> level, const std::string &severity) {
    ReportedFinding one = finding();
    one.level = level;
    one.severity = severity;
    return sarif({one})["results"][0]["level"].get<std::string>();
  };
  CHECK(levelOf(Level::Certain, "warning") == "error");
  CHECK(levelOf(Level::Likely, "warning") == "warning");
  CHECK(levelOf(Level::Advice, "warning") == "note");
  CHECK(levelOf(Level::Advice, "error") == "error");
  CHECK(levelOf(std::nullopt, "warning") == "warning");
}

TEST_CASE("SARIF fingerprints outlive edits elsewhere in the file") {
  Project project;
  auto fingerprints = [&](const std::string &text, std::vector<unsigned> lines) {
    project.write("a.cpp", text);
    std::vector<ReportedFinding> findings;
    for (unsigned line : lines) {
      findings.push_back(finding(project.path("a.cpp")));
      findings.back().line = findings.back().endLine = line;
    }
    std::vector<std::string> result;
    const Json run = sarif(findings, project.path());
    for (const Json &one : run["results"])
      result.push_back(one["partialFingerprints"]["gradtidy/v2"]);
    return result;
  };
  auto before = fingerprints("step();\nother();\nstep();\n", {1, 3});
  REQUIRE(before.size() == 2);
  CHECK(before[0] != before[1]);
  CHECK(fingerprints("\n\n  step();\n// new\n\tstep();\n", {3, 5}) == before);
  CHECK(fingerprints("step(); // said; twice\nother();\nif (x)\n  step(\n  );\n", {1, 4}).front() ==
        before[0]);
  CHECK(fingerprints("other(); step ( ) /* ; */;\n", {1}).front() !=
        before[0]); // the place is other()
  CHECK(fingerprints("step2();\n", {1})[0] != before[0]);
}

TEST_CASE("Pages escape what HTML reads") {
  Project project;
  project.write("a&b.cpp", "x < y;\n");
  ReportedFinding finding;
  finding.check = "ml-x";
  finding.level = Level::Likely;
  finding.file = project.path("a&b.cpp");
  finding.line = finding.endLine = 1;
  finding.column = finding.endColumn = 1;
  finding.message = "use <T>";
  const std::string page = written(
      [&](llvm::raw_ostream &out) { writeHtml(out, {finding}, {.root = project.path() + "/"}); });
  CHECK(page.find("a&amp;b.cpp") != std::string::npos);
  CHECK(page.find("x &lt; y;") != std::string::npos);
  CHECK(page.find("use &lt;T&gt;") != std::string::npos);
  CHECK(page.find("<T>") == std::string::npos);
  CHECK(page.find("<i>1</i>") != std::string::npos);
  CHECK(page.find("<i>2</i>") == std::string::npos); // There is no such line.
}

TEST_CASE("SARIF has no places where there are none") {
  ReportedFinding one = finding("");
  CHECK_FALSE(sarif({one})["results"][0].contains("locations"));
  one = finding();
  one.line = one.column = one.endLine = one.endColumn = 0;
  CHECK_FALSE(sarif({one})["results"][0]["locations"][0]["physicalLocation"].contains("region"));
}

TEST_CASE("formats are the same at every run") {
  std::vector<ReportedFinding> findings = {finding(), finding("/p/b.cpp")};
  auto text = [&] {
    return written([&](llvm::raw_ostream &out) {
      writeJson(out, findings);
      writeSarif(out, findings, {.root = "/p/"});
      writeGithub(out, findings);
    });
  };
  CHECK(text() == text());
}

TEST_CASE("SARIF says whether all was analyzed, and shows the pages of what was found") {
  Project project;
  project.write("pages/ml-missing-zero-grad.md",
                "# The check\n<!-- begin -->\n![picture](x.svg)\ntext\n");
  const ReportContext context{.root = "/p/", .pages = project.path("pages"), .successful = false};
  const Json document =
      Json::parse(written([&](llvm::raw_ostream &out) { writeSarif(out, finding(), context); }));
  const Json run = document["runs"][0];
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  unsigned shown = 0;
  for (const Json &rule : run["tool"]["driver"]["rules"]) {
    const bool isFound = rule["id"] == "ml-missing-zero-grad";
    CHECK(rule["help"].contains("markdown") == isFound);
    CHECK(rule.contains("helpUri") == isFound);
    if (isFound) {
      CHECK(rule["help"]["markdown"] == "# The check\ntext\n");
      CHECK(rule["helpUri"] == "file://" + project.path("pages/ml-missing-zero-grad.md"));
      ++shown;
    }
  }
  CHECK(shown == 1);
}

TEST_CASE("XML keeps what is written, and nothing that XML has not") {
  ReportedFinding one = finding("/p/a<b>&\"c\".cpp");
  one.message = "first\nsecond \x01 \xff";
  for (const auto writer : {writeJunit, writeCheckstyle}) {
    const std::string xml =
        written([&](llvm::raw_ostream &out) { writer(out, one, {.root = "/p/"}); });
    CHECK(xml.find("\"a&lt;b&gt;&amp;&quot;c&quot;.cpp\"") != std::string::npos);
    CHECK(xml.find("first\\nsecond \\x01 \\xff") != std::string::npos);
    CHECK(xml.find('\x01') == std::string::npos);
  }
}

TEST_CASE("JUnit has a failed test for each finding, and one that passes without any") {
  const auto junit = [](const std::vector<ReportedFinding> &findings) {
    return written([&](llvm::raw_ostream &out) { writeJunit(out, findings, {.root = "/p/"}); });
  };
  CHECK(junit({}).find("tests=\"1\" failures=\"0\"") != std::string::npos);
  const std::string two = junit({finding(), finding()});
  CHECK(two.find("tests=\"2\" failures=\"2\"") != std::string::npos);
  CHECK(two.find("<testcase name=\"ml-missing-zero-grad:3\" classname=\"src/train.cpp\"") !=
        std::string::npos);
}

TEST_CASE("Checkstyle groups findings by file") {
  ReportedFinding advice = finding();
  advice.level = Level::Advice;
  const std::string xml = written([&](llvm::raw_ostream &out) {
    writeCheckstyle(out, {finding(), advice, finding("/p/src/z.cpp")}, {.root = "/p/"});
  });
  CHECK(test::count(xml, "<file name=") == 2);
  CHECK(test::count(xml, "</file>") == 2);
  CHECK(test::count(xml, "severity=\"error\"") == 2);
  CHECK(test::count(xml, "severity=\"info\"") == 1);
}

TEST_CASE("GitLab's issues have paths from the top and fingerprints of their own") {
  const Json issues = Json::parse(written(
      [&](llvm::raw_ostream &out) { writeGitlab(out, {finding(), finding()}, {.root = "/p/"}); }));
  REQUIRE(issues.size() == 2);
  CHECK(issues[0]["location"]["path"] == "src/train.cpp");
  CHECK(issues[0]["location"]["lines"]["begin"] == 3);
  CHECK(issues[0]["severity"] == "critical");
  CHECK(issues[0]["fingerprint"] != issues[1]["fingerprint"]);
}

TEST_CASE("Markdown shows text as it is") {
  ReportedFinding one = finding("/p/a_b.cpp");
  one.message = "a|b <img> *x* @user";
  one.notes.push_back({"/p/a_b.cpp", 7, 1, "here"});
  const std::string text =
      written([&](llvm::raw_ostream &out) { writeMarkdown(out, one, {.root = "/p/"}); });
  CHECK(text.find("| error | a\\_b.cpp:3 | a\\|b &lt;img\\> \\*x\\* &#64;user<br>1. a\\_b.cpp:7 "
                  "here | ml-missing-zero-grad |") != std::string::npos);
  CHECK(written([](llvm::raw_ostream &out) { writeMarkdown(out, {}, {}); }) ==
        "### gradtidy: no findings\n");
}
