#include "Formats.h"
#include "JsonText.h"

#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace gradtidy {

using Json = nlohmann::ordered_json;

void writeJson(llvm::raw_ostream &out, llvm::ArrayRef<ReportedFinding> findings,
               llvm::ArrayRef<std::string> notAnalyzed) {
  Json list = Json::array();
  for (const ReportedFinding &finding : findings) {
    Json notes = Json::array(), fixes = Json::array();
    for (const ReportedNote &note : finding.notes)
      notes.push_back({{"file", note.file},
                       {"line", note.line},
                       {"column", note.column},
                       {"message", note.message}});
    for (const ReportedEdit &edit : finding.fixes)
      fixes.push_back({{"file", edit.file},
                       {"offset", edit.offset},
                       {"length", edit.length},
                       {"line", edit.line},
                       {"column", edit.column},
                       {"endLine", edit.endLine},
                       {"endColumn", edit.endColumn},
                       {"text", edit.text}});
    list.push_back({{"check", finding.check},
                    {"severity", finding.severity},
                    {"level", finding.level ? Json(int(*finding.level)) : Json()},
                    {"file", finding.file},
                    {"line", finding.line},
                    {"column", finding.column},
                    {"endLine", finding.endLine},
                    {"endColumn", finding.endColumn},
                    {"message", finding.message},
                    {"notes", std::move(notes)},
                    {"fixes", std::move(fixes)}});
  }
  Json document = {{"version", 1}, {"findings", std::move(list)}};
  if (!notAnalyzed.empty())
    document["notAnalyzed"] = notAnalyzed.vec();
  out << jsonText(document);
}

} // namespace gradtidy
