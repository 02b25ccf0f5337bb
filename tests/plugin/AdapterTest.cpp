// How the adapter turns findings into clang-tidy's diagnostics: levels, options, fixes in macros.
#include "analyzer/frontend/Frontend.h"
#include "analyzer/model/Model.h"
#include "analyzer/plugin/LevelLog.h"
#include "analyzer/plugin/LinkedAnalysis.h"
#include "analyzer/plugin/Plugin.h"
#include "checks/Catalogue.h"
#include "checks/Check.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <iterator>
#include <map>
#include <set>

namespace gradtidy {
namespace {

/// Finds three things, one of each level, in every step of an optimizer.
class Grumble : public Check {
public:
  bool wants(const Moment &moment) const override { return moment.event.kind == EventKind::Step; }

  void on(const Visit &visit, Reporter &reporter) override {
    // Of those in one place the worst is shown.
    int place = 0;
    for (const auto &[level, text] : {std::pair(Level::Certain, "certainly 100% wrong"),
                                      std::pair(Level::Likely, "likely wrong"),
                                      std::pair(Level::Advice, "a matter of taste")}) {
      const ir::Node &site = *visit.event.site;
      Finding finding(level, {site.begin().getLocWithOffset(place++), site.range}, text);
      finding.notes.push_back({site.end(), "it ends here"});
      finding.notes.push_back({clang::SourceLocation(), "a note that lies nowhere"});
      finding.fixes.push_back(clang::FixItHint::CreateInsertion(finding.location, "/**/"));
      reporter.report(std::move(finding));
    }
  }
};

/// Wants to see backwards, and counts what it is shown.
class Modest : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const auto seen = visit.observations();
    reporter.report({Level::Certain, visit.event,
                     "one of " + std::to_string(std::distance(seen.begin(), seen.end()))});
  }

  void onUnit(const UnitVisit &visit, Reporter &) override { sawUnit = true; }
  static inline bool sawUnit = false;
};

/// Wants to see everything.
class Nosy : public Check {
public:
  bool wants(const Moment &moment) const override { return true; }
  bool wantsBehind(const Moment &moment) const override { return true; }
  void on(const Visit &visit, Reporter &reporter) override { kinds.insert(visit.event.kind); }
  static inline std::set<EventKind> kinds;
};

const CatalogueRow rows[] = {
    {"ml-grumble", Level::Certain, FixSupport::Fix, FixtureStatus::ToCome, "grumbles",
     []() -> std::unique_ptr<Check> { return std::make_unique<Grumble>(); }},
    {"modest", Level::Certain, FixSupport::NoFix, FixtureStatus::ToCome, "counts backwards",
     []() -> std::unique_ptr<Check> { return std::make_unique<Modest>(); }},
    {"nosy", Level::Certain, FixSupport::NoFix, FixtureStatus::ToCome, "sees all",
     []() -> std::unique_ptr<Check> { return std::make_unique<Nosy>(); }}};

} // namespace

llvm::ArrayRef<CatalogueRow> catalogue() { return rows; }
const CatalogueRow *findRow(llvm::StringRef name) {
  const auto row = llvm::find_if(rows, [&](const CatalogueRow &each) { return each.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

namespace {

namespace tidy = clang::tidy;

/// The diagnostics for \p text under \p checks and \p options.
std::vector<tidy::ClangTidyError> analyse(const std::string &text, const std::string &checks,
                                          const std::map<std::string, std::string> &options = {}) {
  const test::Project project;
  project.write("train.cpp", text);
  tidy::ClangTidyOptions settings = tidy::ClangTidyOptions::getDefaults();
  settings.Checks = checks;
  settings.CheckOptions[modelsOption] = tidy::ClangTidyOptions::ClangTidyValue(test::axonModel());
  for (const auto &[name, value] : options)
    settings.CheckOptions[name] = tidy::ClangTidyOptions::ClangTidyValue(value);
  tidy::ClangTidyContext context(std::make_unique<tidy::DefaultOptionsProvider>(
      tidy::ClangTidyGlobalOptions(), std::move(settings)));

  Job job;
  job.file = job.askedFor = project.path("train.cpp");
  job.command.Directory = project.path();
  job.command.CommandLine = {"c++", "-std=c++20", "-fsyntax-only", "-I" + test::axonFolder(),
                             job.file};
  const Model &model = *llvm::cantFail(loadModels(test::axonModel()));
  Frontend frontend(context, project.path());
  const std::string root = findProjectRoot(job.file, project.path());
  Unit unit = frontend.run(job, model.headers(), model.renamed(),
                           [&](clang::ASTContext &ast, const UserCode &userCode, Unit &seen) {
                             writeText(ast, model, userCode, root, seen);
                           });
  REQUIRE(unit.outcome == Unit::Outcome::Analysed);
  const std::string ir = std::exchange(unit.text, "");
  const FunctionPlaces leftOut;
  const LinkedUnit linked{
      job, model, root, {ir}, frontend.filesOf(job), frontend.diagnosticIds(), leftOut};
  analyse(linked, context, /*ir=*/nullptr, unit);
  return unit.diagnostics;
}

const std::string loop = "#include <axon/axon.h>\n" + test::trainingLoop("train");

/// The levels that are shown, as in "01"; "?" for a diagnostic without level.
std::string levels(const std::string &checks,
                   const std::map<std::string, std::string> &options = {}) {
  std::string shown;
  for (const tidy::ClangTidyError &diagnostic : analyse(loop, checks, options)) {
    const std::optional<Level> level = levelOf(diagnostic);
    shown += level ? std::to_string(static_cast<int>(*level)) : "?";
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

} // namespace

TEST_CASE("Findings up to level 1 are shown by default") {
  CHECK(levels("ml-*") == "01");
  CHECK(levels("*,-modest") == "01");
}

TEST_CASE("A check sees what it wants, whatever others want") {
  const std::string text =
      "#include <axon/axon.h>\n" + test::trainingLoop("one") + test::trainingLoop("two");
  Nosy::kinds.clear();
  for (const char *checks : {"-*,modest", "-*,modest,ml-grumble", "-*,modest,nosy"}) {
    Modest::sawUnit = false;
    unsigned count = 0;
    for (const tidy::ClangTidyError &diagnostic : analyse(text, checks))
      if (diagnostic.DiagnosticName == "modest") {
        ++count;
        CHECK(diagnostic.Message.Message == "one of 2");
      }
    CHECK(count == 2);
    CHECK(Modest::sawUnit);
  }
  CHECK(Nosy::kinds.contains(EventKind::Bind));
  CHECK(Nosy::kinds.contains(EventKind::Step));
}

TEST_CASE("The level is an option of all checks") {
  CHECK(levels("ml-*", {{"ml.Level", "0"}}) == "0");
  CHECK(levels("ml-*", {{"ml.Level", "2"}}) == "012");
}

TEST_CASE("A check that is named exactly shows all levels") {
  CHECK(levels("-*,ml-grumble") == "012");
  CHECK(levels("-*, ml-grumble ") == "012");
  CHECK(levels("-*,ml-grumble", {{"ml.Level", "0"}}) == "012");
  CHECK(levels("-*,ml-grumbl*") == "01");
  CHECK(levels("ml-*,-ml-grumble,ml-*") == "01");
}

TEST_CASE("The level of one check wins over all else") {
  CHECK(levels("ml-*", {{"ml.Level", "2"}, {"ml-grumble.Level", "0"}}) == "0");
  CHECK(levels("-*,ml-grumble", {{"ml-grumble.Level", "1"}}) == "01");
}

TEST_CASE("A level out of range is reported, once for a unit") {
  CHECK(levels("ml-*", {{"ml.Level", "3"}}) == "012?");
  CHECK(levels("ml-*", {{"ml.Level", "high"}}) == "01?");
}

TEST_CASE("A finding arrives whole") {
  const auto diagnostics = analyse(loop, "ml-*", {{"ml.Level", "0"}});
  REQUIRE(diagnostics.size() == 1);
  const tidy::ClangTidyError &error = diagnostics.front();
  CHECK(error.DiagnosticName == "ml-grumble");
  CHECK(error.Message.Message == "certainly 100% wrong");
  REQUIRE(error.Message.Ranges.size() == 1);
  CHECK(error.Message.Ranges[0].FileOffset == loop.find("solver.advance()"));
  CHECK(error.Message.Ranges[0].Length == std::string("solver.advance()").size());
  CHECK(error.Message.Fix.size() == 1);
  REQUIRE(error.Notes.size() == 2);
  CHECK(error.Notes[0].Message == "it ends here");
  CHECK(error.Notes[1].Message == "a note that lies nowhere");
}

TEST_CASE("A finding in a macro lies where the macro is used, without a fix") {
  const std::string text = "#include <axon/axon.h>\n#define STEP(solver) solver.advance()\n" +
                           test::trainingLoop("train", "", "STEP( solver );");
  const auto diagnostics = analyse(text, "ml-*", {{"ml.Level", "0"}});
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics.front().Message.FileOffset >= text.find("STEP( solver )"));
  CHECK(diagnostics.front().Message.Fix.empty());
}

} // namespace gradtidy
