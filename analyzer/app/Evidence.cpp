#include "Evidence.h"

#include "analyzer/report/SourceText.h"
#include "checks/Catalogue.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

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

/// The offset of \p line's first character that is no space; 0 if there is no such line.
unsigned offsetOf(StringRef file, unsigned line) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return 0;
  StringRef rest = (*buffer)->getBuffer();
  for (unsigned i = 1; i < line && !rest.empty(); ++i)
    rest = rest.split('\n').second;
  return static_cast<unsigned>(rest.ltrim(" \t").data() - (*buffer)->getBufferStart());
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
  auto buffer = llvm::MemoryBuffer::getFile(file);
  const Json document = buffer ? Json::parse((*buffer)->getBufferStart(), (*buffer)->getBufferEnd(),
                                             nullptr, /*allow_exceptions=*/false)
                               : Json();
  if (!document.is_object() || !document.contains("run"))
    return llvm::createStringError("'" + file +
                                   "' is not what 'gradtidy watch --format=json' writes");
  std::map<std::tuple<std::string, std::string, unsigned>, std::string> seen;
  for (const Json &one : document["findings"])
    seen[{one["check"], one["file"], one["line"]}] = one["message"];
  std::set<std::pair<std::string, unsigned>> reached;
  for (const Json &one : document["run"]["reached"])
    reached.emplace(one["file"], one["line"]);

  SourceText text;
  for (tidy::ClangTidyError &finding : findings) {
    if (!findRow(finding.DiagnosticName))
      continue;
    const std::string &path = finding.Message.FilePath;
    const unsigned line = text.position(path, finding.Message.FileOffset).line;
    const auto found = seen.find({finding.DiagnosticName, path, line});
    if (found != seen.end()) {
      addNote(finding, "seen in the run: " + found->second);
      seen.erase(found);
    } else if (!reached.count({path, line})) {
      addNote(finding, "not reached by the run");
    } else if (watched().contains(finding.DiagnosticName)) {
      addNote(finding, "refuted by the run, which reached this line and did not see it");
    }
  }
  for (const auto &[place, message] : seen) {
    const auto &[check, path, line] = place;
    if (!llvm::is_contained(sources, path))
      continue;
    tidy::ClangTidyError finding(check, tidy::ClangTidyError::Warning, "", false);
    finding.Message = clang::tooling::DiagnosticMessage(message + "; only the run shows it");
    finding.Message.FilePath = path;
    finding.Message.FileOffset = offsetOf(path, line);
    findings.push_back(std::move(finding));
  }
  return llvm::Error::success();
}

} // namespace gradtidy
