#include "Evidence.h"

#include "analyzer/plugin/LevelLog.h"
#include "analyzer/plugin/Plugin.h"
#include "analyzer/report/Printable.h"
#include "analyzer/report/RunChecks.h"
#include "analyzer/report/SourceText.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/BoundedText.h"
#include "checks/Catalogue.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <tuple>

namespace gradtidy {

using Json = nlohmann::json;
namespace tidy = clang::tidy;
using llvm::StringRef;

namespace {

/// Checks of which a run that reaches the marked line and shows nothing says that all is well.
const llvm::StringSet<> &watched() {
  static const llvm::StringSet<> names = {
      "ml-backward-under-no-grad", "ml-cleared-gradients",  "ml-double-backward",
      "ml-missing-no-grad",        "ml-missing-step",       "ml-missing-zero-grad",
      "ml-non-scalar-backward",    "ml-retain-graph",       "ml-unscaled-accumulation",
      "ml-missing-eval-mode",      "ml-hidden-state-graph", "ml-loss-accumulation",
      "ml-broadcast-loss",         "ml-label-dtype",        "ml-loss-activation"};
  return names;
}

/// Steps after which a run that has seen nothing says that there is nothing.
constexpr size_t enoughSteps = 20;

using SourceLine = std::pair<std::string, unsigned>; ///< A file, and a line of it.

/// What was written down of a run.
struct Evidence {
  std::map<std::pair<std::string, SourceLine>, std::string> seen; ///< Messages, by check and place.
  std::set<SourceLine> reached;
  size_t steps = 0;
  bool ended = false;
};

SourceLine placeOf(const Json &object) { return {object.at("file"), object.at("line")}; }

/// Throws Json::exception for what is none.
Evidence evidenceOf(const Json &document) {
  Evidence evidence;
  for (const Json &one : document.at("findings"))
    evidence.seen[{one.at("check"), placeOf(one)}] =
        printable(one.at("message").get<std::string>());
  const Json &run = document.at("run");
  for (const Json &one : run.at("reached"))
    evidence.reached.insert(placeOf(one));
  evidence.steps = run.at("steps").size();
  evidence.ended = run.at("ended");
  return evidence;
}

llvm::Expected<Evidence> readEvidence(const std::string &file) {
  auto buffer = readFile(file, limits::results);
  if (!buffer)
    return llvm::createStringError("cannot read '" + file +
                                   "': " + llvm::toString(buffer.takeError()));
  llvm::Expected<Json> document = parseJson((*buffer)->getBuffer());
  if (document) {
    try {
      return evidenceOf(*document);
    } catch (const Json::exception &) {
    }
  } else {
    llvm::consumeError(document.takeError());
  }
  return llvm::createStringError("'" + file +
                                 "' is not what 'gradtidy watch --format=json' writes");
}

/// The offset of \p line's first character that is no space; 0 if there is no such line.
unsigned offsetOf(SourceText &text, const SourceLine &place) {
  const auto content = text.content(place.first);
  const StringRef line = text.line(place.first, place.second);
  return content && line.data() ? static_cast<unsigned>(line.ltrim(" \t").data() - content->data())
                                : 0;
}

void addNote(tidy::ClangTidyError &finding, const std::string &text) {
  clang::tooling::DiagnosticMessage note(text);
  note.FilePath = finding.Message.FilePath;
  note.FileOffset = finding.Message.FileOffset;
  finding.Notes.push_back(std::move(note));
}

} // namespace

llvm::Error addEvidence(const std::string &file, const std::vector<std::string> &sources,
                        std::vector<tidy::ClangTidyError> &findings) {
  llvm::Expected<Evidence> evidence = readEvidence(file);
  if (!evidence)
    return evidence.takeError();

  SourceText text;
  const auto placeIn = [&](const clang::tooling::DiagnosticMessage &message) {
    return SourceLine(message.FilePath, text.position(message.FilePath, message.FileOffset).line);
  };
  for (tidy::ClangTidyError &finding : findings) {
    if (!findRow(finding.DiagnosticName))
      continue;
    // The run may show at one of its steps what the finding has in another one.
    std::vector<SourceLine> places = {placeIn(finding.Message)};
    for (const clang::tooling::DiagnosticMessage &note : finding.Notes)
      places.push_back(placeIn(note));
    std::string message;
    for (const SourceLine &place : places) {
      const auto found = evidence->seen.find({finding.DiagnosticName, place});
      if (found == evidence->seen.end())
        continue;
      message = found->second;
      evidence->seen.erase(found);
      break;
    }
    const std::string steps = std::to_string(evidence->steps) + " steps";
    if (!message.empty())
      addNote(finding, "seen in the run: " + message);
    else if (!evidence->reached.count(places.front()))
      addNote(finding, "not reached by the run");
    else if (!watched().contains(finding.DiagnosticName))
      addNote(finding, "reached by the run, which cannot see this");
    else if (evidence->ended && evidence->steps >= enoughSteps)
      addNote(finding, "refuted by the run: it reached this line and did not see this in " + steps);
    else
      addNote(finding, "reached by the run, and not seen in its " + steps);
  }
  for (const auto &[what, message] : evidence->seen) {
    const auto &[check, place] = what;
    const std::optional<RunCheck> row = findAnyCheck(check);
    if (!llvm::is_contained(sources, place.first) || !row)
      continue;
    tidy::ClangTidyError finding(check, tidy::ClangTidyError::Warning, "", false);
    finding.Message = clang::tooling::DiagnosticMessage(message + "; only the run shows this");
    finding.Message.FilePath = place.first;
    finding.Message.FileOffset = offsetOf(text, place);
    setLevel(finding, row->level);
    findings.push_back(std::move(finding));
  }
  llvm::stable_sort(findings, [](const auto &left, const auto &right) {
    return std::tie(left.Message.FilePath, left.Message.FileOffset) <
           std::tie(right.Message.FilePath, right.Message.FileOffset);
  });
  return llvm::Error::success();
}

} // namespace gradtidy
