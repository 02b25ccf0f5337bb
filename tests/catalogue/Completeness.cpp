#include "Completeness.h"

#include "checks/Catalogue.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gradtidy::test {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view beginMarker =
    "<!-- checks: begin (derived from checks/Catalogue.def) -->\n";
constexpr std::string_view endMarker = "<!-- checks: end -->\n";

/// The sections of a page, in their order.
constexpr std::string_view sections[] = {"Symptom", "Cause",   "Bug",
                                         "Fix",     "Options", "What it does not report"};

/// A document with a table of the checks.
struct Document {
  std::string file, pages; ///< Relative to the root; where the pages are, seen from the file.
};
const Document documents[] = {{"README.md", "docs/checks/"}, {"docs/checks/README.md", ""}};

std::string readFile(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string table(const Document &document) {
  std::string text = "| check | level | fix-it | what it finds |\n|---|---|---|---|\n";
  for (const CatalogueRow &row : catalogue()) {
    const std::string name = row.name.str();
    text += "| [" + name + "](" + document.pages + name + ".md) | " +
            std::to_string(static_cast<unsigned>(row.level)) + " | " +
            (row.fix == FixSupport::Fix ? "yes" : "no") + " | " + row.summary.str() + " |\n";
  }
  const auto proven =
      std::ranges::count(catalogue(), FixtureStatus::Proven, &CatalogueRow::fixture);
  const size_t all = catalogue().size();
  text +=
      (size_t(proven) == all ? "\nAll " : "\n" + std::to_string(proven) + " of the ") +
      std::to_string(all) +
      " checks come with a training program that has their bug, and one that differs in nothing\n"
      "but the repair.\n";
  return text;
}

/// \p text with the table between the markers written anew; throws if there are none.
std::string withTable(const std::string &text, const Document &document) {
  const size_t begin = text.find(beginMarker), end = text.find(endMarker);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::runtime_error(document.file + ": no table of the checks; put it between these " +
                             "lines:\n" + std::string(beginMarker) + std::string(endMarker));
  return text.substr(0, begin + beginMarker.size()) + table(document) + text.substr(end);
}

class Completeness {
public:
  explicit Completeness(const fs::path &root) : root(root) {}

  std::vector<std::string> check() {
    checkRows();
    for (const CatalogueRow &row : catalogue()) {
      checkPage(row);
      checkTests(row);
      checkFixture(row);
    }
    for (const char *folder : {"checks", "docs/checks", "tests/checks", "fixtures"})
      checkStrays(folder);
    for (const Document &document : documents)
      checkTable(document);
    return std::move(lacks);
  }

private:
  void lack(const std::string &what) { lacks.push_back(what); }

  void checkRows() {
    llvm::StringRef last;
    for (const CatalogueRow &row : catalogue()) {
      const std::string prefix = "checks/Catalogue.def: " + row.name.str() + ": ";
      if (!row.name.starts_with("ml-"))
        lack(prefix + "the name of a check begins with 'ml-'");
      if (!last.empty() && last >= row.name)
        lack(prefix + "rows are sorted by name; this one belongs before " + last.str());
      if (row.summary.empty() || row.summary.ends_with("."))
        lack(prefix + "the summary is one line without a full stop");
      last = row.name;
    }
  }

  void checkPage(const CatalogueRow &row) {
    const std::string file = "docs/checks/" + row.name.str() + ".md";
    const std::string text = readFile(root / file);
    if (text.empty())
      return lack(file + ": the page of the check is missing");
    if (!text.starts_with("# " + row.name.str() + "\n"))
      lack(file + ": the first line is '# " + row.name.str() + "'");
    size_t place = 0;
    for (const std::string_view section : sections) {
      const size_t found = text.find("\n## " + std::string(section) + "\n", place);
      if (found == std::string::npos)
        lack(file + ": the section '## " + std::string(section) + "' is missing or out of order");
      else
        place = found;
    }
    if (row.fix == FixSupport::NoFix && text.find("No fix-it: ") == std::string::npos)
      lack(file + ": the page says 'No fix-it: ' and the reason");
  }

  void checkTests(const CatalogueRow &row) {
    const std::string folder = "tests/checks/" + row.name.str();
    bool hasExpectation = false, hasSilence = false;
    std::error_code missing;
    for (const auto &entry : fs::recursive_directory_iterator(root / folder, missing)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".cu")
        continue;
      const std::string text = readFile(entry.path());
      hasExpectation |= text.find("// expect: " + row.name.str()) != std::string::npos;
      hasSilence |= text.find("_ok") != std::string::npos;
    }
    if (!hasExpectation)
      lack(folder + ": no test with '// expect: " + row.name.str() + "'");
    if (!hasSilence)
      lack(folder + ": no function or class …_ok, on which the check must stay silent");
  }

  void checkFixture(const CatalogueRow &row) {
    const std::string folder = "fixtures/" + row.name.str();
    const bool isCuda = fs::exists(root / folder / "bug.cu");
    for (const char *file :
         {isCuda ? "bug.cu" : "bug.cpp", isCuda ? "fix.cu" : "fix.cpp", "symptom.json"})
      if (row.fixture == FixtureStatus::Proven && !fs::exists(root / folder / file))
        lack(folder + "/" + file + ": missing, though the row in the catalogue says Proven");
    if (row.fixture == FixtureStatus::ToCome && fs::exists(root / folder))
      lack(folder + ": there is a fixture, but the row in the catalogue says ToCome");
  }

  /// Files and folders named like checks that do not exist.
  void checkStrays(const fs::path &folder) {
    std::error_code missing;
    for (const auto &entry : fs::directory_iterator(root / folder, missing))
      if (const std::string name = entry.path().stem(); name.starts_with("ml-") && !findRow(name))
        lack((folder / entry.path().filename()).string() + ": no check of this name");
  }

  void checkTable(const Document &document) {
    const std::string text = readFile(root / document.file);
    try {
      if (withTable(text, document) != text)
        lack(document.file + ": the table of the checks is out of date; run "
                             "script/update-catalogue");
    } catch (const std::runtime_error &failure) {
      lack(failure.what());
    }
  }

  const fs::path &root;
  std::vector<std::string> lacks;
};

} // namespace

std::vector<std::string> whatLacks(const fs::path &root) { return Completeness(root).check(); }

void updateTables(const fs::path &root) {
  for (const Document &document : documents) {
    const std::string text = withTable(readFile(root / document.file), document);
    std::ofstream stream(root / document.file, std::ios::binary);
    stream << text;
    if (!stream.flush())
      throw std::runtime_error("cannot write " + (root / document.file).string());
  }
}

} // namespace gradtidy::test
