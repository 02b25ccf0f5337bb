#include "Fingerprints.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/BoundedText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <nlohmann/json.hpp>

namespace gradtidy {

using llvm::StringRef;

std::string Fingerprints::of(const ReportedFinding &finding) {
  StringRef file = finding.file;
  file.consume_front(root);
  const std::string parts = finding.check + '\n' + file.str() + '\n' +
                            text.statement(finding.file, finding.line, finding.column);
  const llvm::ArrayRef bytes(reinterpret_cast<const uint8_t *>(parts.data()), parts.size());
  const std::string hash = llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true).substr(0, 32);
  return hash + ":" + std::to_string(++occurrences[hash]);
}

llvm::Expected<std::set<std::string>> readFingerprints(const std::string &file) {
  const auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError("cannot read the baseline '" + file + "': " + why);
  };
  auto buffer = readFile(file, limits::results);
  if (!buffer)
    return fail(llvm::toString(buffer.takeError()));
  llvm::Expected<nlohmann::json> document = parseJson((*buffer)->getBuffer());
  if (!document)
    return fail(llvm::toString(document.takeError()));
  std::set<std::string> fingerprints;
  try {
    for (const auto &run : document->at("runs"))
      for (const auto &result : run.at("results"))
        if (const auto known = result.value("partialFingerprints", nlohmann::json::object());
            known.contains(Fingerprints::key))
          fingerprints.insert(known[Fingerprints::key.str()].get<std::string>());
  } catch (const nlohmann::json::exception &) {
    return fail("it is not what --format=sarif writes");
  }
  return fingerprints;
}

} // namespace gradtidy
