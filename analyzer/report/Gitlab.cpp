#include "Fingerprints.h"
#include "Formats.h"
#include "JsonText.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace gradtidy {

using Json = nlohmann::ordered_json;

void writeGitlab(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
                 const ReportContext &context) {
  Fingerprints fingerprints(context.root);
  Json issues = Json::array();
  for (const ReportedFinding &finding : findings) {
    const llvm::StringRef severity = llvm::StringSwitch<llvm::StringRef>(severityWord(finding))
                                         .Case("error", "critical")
                                         .Case("warning", "major")
                                         .Default("minor");
    issues.push_back({{"type", "issue"},
                      {"check_name", finding.check},
                      {"description", finding.message},
                      {"categories", {"Bug Risk"}},
                      {"severity", severity.str()},
                      {"fingerprint", fingerprints.of(finding)},
                      {"location",
                       {{"path", context.shown(finding.file).str()},
                        {"lines", {{"begin", finding.line}, {"end", finding.endLine}}}}}});
  }
  out << jsonText(issues);
}

} // namespace gradtidy
