#include "Fingerprints.h"
#include "Formats.h"
#include "JsonText.h"
#include "Printable.h"
#include "RunChecks.h"
#include "Uri.h"

#include "checks/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace gradtidy {
namespace {

using Json = nlohmann::ordered_json;
using llvm::StringRef;

StringRef precisionName(Level level) {
  switch (level) {
  case Level::Certain:
    return "very-high";
  case Level::Likely:
    return "high";
  case Level::Advice:
    return "medium";
  }
  llvm_unreachable("unknown level");
}

Json textMessage(StringRef text) { return {{"text", text.str()}}; }

Json ruleOf(const RunCheck &row) {
  std::string sentence = row.summary.str() + ".";
  sentence.front() = llvm::toUpper(sentence.front());
  return {{"id", row.name.str()},
          {"shortDescription", textMessage(sentence)},
          {"fullDescription", textMessage(sentence)},
          {"help", textMessage(sentence + " 'gradtidy explain " + row.name.str() +
                               "' tells symptom, cause and repair.")},
          {"defaultConfiguration", {{"level", severityWord(row.level).str()}}},
          {"properties",
           {{"tags", {"correctness", "machine-learning"}},
            {"precision", precisionName(row.level).str()}}}};
}

/// The page of a check, without what marks the parts that are generated.
std::optional<std::string> pageOf(StringRef folder, StringRef check) {
  const auto page = llvm::MemoryBuffer::getFile(folder + "/" + check + ".md");
  if (folder.empty() || !page)
    return std::nullopt;
  std::string text;
  for (const StringRef line : llvm::split((*page)->getBuffer().rtrim(), '\n'))
    if (!line.starts_with("<!--") && !line.starts_with("!["))
      text += (line + "\n").str();
  return text;
}

/// Writes one run.
class SarifRun {
public:
  SarifRun(const ReportContext &context, llvm::ArrayRef<ReportedFinding> findings)
      : root(context.root), invocation({{"executionSuccessful", context.successful}}),
        fingerprints(context.root) {
    for (const std::string &sentence : context.notAnalyzed)
      invocation["toolExecutionNotifications"].push_back(
          {{"level", "warning"}, {"message", textMessage(printable(sentence))}});
    for (const CatalogueRow &row : catalogue())
      addRule(row.name, ruleOf({row.name, row.level, row.summary}));
    for (const ReportedFinding &finding : findings)
      if (const auto row = findAnyCheck(finding.check))
        addRule(finding.check, ruleOf(*row));
    // The pages of all checks would be most of the report.
    for (const ReportedFinding &finding : findings)
      if (const auto page = pageOf(context.pages, finding.check)) {
        Json &rule = rules[ruleIndex.lookup(finding.check)];
        rule["help"]["markdown"] = *page;
        rule["helpUri"] = uriOf(context.pages + "/" + finding.check + ".md");
      }
    for (const ReportedFinding &finding : findings) // What the compiler says has no row.
      addRule(finding.check, {{"id", finding.check}});
    for (const ReportedFinding &finding : findings)
      results.push_back(resultOf(finding));
  }

  Json document() && {
    Json driver = {
        {"name", "gradtidy"}, {"semanticVersion", GRADTIDY_VERSION}, {"rules", std::move(rules)}};
    Json run = {{"tool", {{"driver", std::move(driver)}}},
                {"columnKind", "unicodeCodePoints"},
                {"invocations", Json::array({std::move(invocation)})},
                {"results", std::move(results)}};
    if (!root.empty())
      run["originalUriBaseIds"] = {{"SRCROOT", {{"uri", uriOf(root)}}}};
    return {{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                        "sarif-schema-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

private:
  const std::string root; ///< With a slash at its end, or empty.
  Json invocation;
  Json rules = Json::array(), results = Json::array();
  llvm::StringMap<size_t> ruleIndex;
  SourceText text;
  Fingerprints fingerprints;

  void addRule(StringRef name, Json rule) {
    if (ruleIndex.try_emplace(name, rules.size()).second)
      rules.push_back(std::move(rule));
  }

  Json artifact(StringRef file) const {
    StringRef relative = file;
    if (!root.empty() && relative.consume_front(root))
      return {{"uri", uriPath(relative)}, {"uriBaseId", "SRCROOT"}};
    return {{"uri", "file://" + uriPath(file)}};
  }

  Json region(StringRef file, unsigned line, unsigned column, unsigned endLine,
              unsigned endColumn) {
    return {{"startLine", line},
            {"startColumn", text.codePointColumn(file, line, column)},
            {"endLine", endLine},
            {"endColumn", text.codePointColumn(file, endLine, endColumn)}};
  }

  /// Where \p file is known; its region where the line is, too.
  Json location(StringRef file, unsigned line, unsigned column, unsigned endLine,
                unsigned endColumn) {
    Json physical = {{"artifactLocation", artifact(file)}};
    if (line)
      physical["region"] = region(file, line, column, endLine, endColumn);
    return {{"physicalLocation", std::move(physical)}};
  }

  /// Notes as places beside the result, and as the path that leads to it.
  void addNotes(Json &result, const ReportedFinding &finding) {
    Json related = Json::array(), flow = Json::array();
    for (const ReportedNote &note : finding.notes) {
      if (note.file.empty())
        continue;
      Json place = location(note.file, note.line, note.column, note.line, note.column);
      place["message"] = textMessage(note.message);
      flow.push_back({{"location", place}});
      place["id"] = related.size();
      related.push_back(std::move(place));
    }
    if (related.empty())
      return;
    Json end = result["locations"].front();
    end["message"] = textMessage(finding.message);
    flow.push_back({{"location", std::move(end)}});
    result["relatedLocations"] = std::move(related);
    Json threadFlow = {{"locations", std::move(flow)}};
    Json codeFlow = {{"threadFlows", Json::array({std::move(threadFlow)})}};
    result["codeFlows"] = Json::array({std::move(codeFlow)});
  }

  void addFix(Json &result, const ReportedFinding &finding) {
    if (finding.fixes.empty())
      return;
    std::map<std::string, Json> replacements; // By file.
    for (const ReportedEdit &edit : finding.fixes)
      replacements[edit.file].push_back({{"deletedRegion", region(edit.file, edit.line, edit.column,
                                                                  edit.endLine, edit.endColumn)},
                                         {"insertedContent", textMessage(edit.text)}});
    Json changes = Json::array();
    for (auto &[file, list] : replacements)
      changes.push_back({{"artifactLocation", artifact(file)}, {"replacements", std::move(list)}});
    Json fix = {{"artifactChanges", std::move(changes)}};
    result["fixes"] = Json::array({std::move(fix)});
  }

  Json resultOf(const ReportedFinding &finding) {
    Json result = {{"ruleId", finding.check},
                   {"ruleIndex", ruleIndex.lookup(finding.check)},
                   {"level", severityWord(finding).str()},
                   {"message", textMessage(finding.message)}};
    if (finding.file.empty())
      return result;
    result["locations"] = Json::array(
        {location(finding.file, finding.line, finding.column, finding.endLine, finding.endColumn)});
    addNotes(result, finding);
    addFix(result, finding);
    result["partialFingerprints"] = {{Fingerprints::key.str(), fingerprints.of(finding)}};
    return result;
  }
};

} // namespace

void writeSarif(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                const ReportContext &context) {
  out << jsonText(SarifRun(context, findings).document());
}

} // namespace gradtidy
