#include "UnitResult.h"
#include "analyzer/source/BoundedText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace tooling = clang::tooling;
using Json = nlohmann::json;

namespace {

Json toJson(const tooling::DiagnosticMessage &message) {
  Json ranges = Json::array(), edits = Json::array();
  for (const tooling::FileByteRange &range : message.Ranges)
    ranges.push_back({range.FilePath, range.FileOffset, range.Length});
  for (const auto &file : message.Fix) {
    Json ofFile = Json::array();
    for (const tooling::Replacement &edit : file.second)
      ofFile.push_back({edit.getOffset(), edit.getLength(), edit.getReplacementText().str()});
    edits.push_back({file.first().str(), std::move(ofFile)});
  }
  return {message.Message, message.FilePath, message.FileOffset, ranges, edits};
}

[[noreturn]] void malformed(const char *why) { throw Json::other_error::create(500, why, nullptr); }

/// The value of an enumeration from 0 to \p last.
template <typename Enumeration> Enumeration toEnumeration(const Json &json, Enumeration last) {
  if (!json.is_number_integer() || json.get<int64_t>() < 0 || json.get<int64_t>() > int64_t(last))
    malformed("a number has no meaning");
  return static_cast<Enumeration>(json.get<int>());
}

std::vector<ReadFile> toFiles(const Json &json) {
  std::vector<ReadFile> files;
  for (const Json &file : json)
    files.push_back(
        {file.at(0), {file.at(1), file.at(2), file.at(3), file.at(4), file.at(5), file.at(6)}});
  return files;
}

Json toJson(const std::vector<ReadFile> &files) {
  Json list = Json::array();
  for (const ReadFile &file : files)
    list.push_back({file.path, file.identity.size, file.identity.inode, file.identity.modified,
                    file.identity.changed, file.identity.content, file.identity.target});
  return list;
}

tooling::DiagnosticMessage toMessage(const Json &json) {
  tooling::DiagnosticMessage message;
  message.Message = json.at(0);
  message.FilePath = json.at(1);
  message.FileOffset = json.at(2);
  for (const Json &range : json.at(3)) {
    tooling::FileByteRange bytes;
    bytes.FilePath = range.at(0);
    bytes.FileOffset = range.at(1);
    bytes.Length = range.at(2);
    message.Ranges.push_back(std::move(bytes));
  }
  for (const Json &fixed : json.at(4)) {
    const auto file = fixed.at(0).get<std::string>();
    tooling::Replacements &edits = message.Fix[file];
    for (const Json &edit : fixed.at(1)) {
      const tooling::Replacement replacement(file, edit.at(0).get<unsigned>(),
                                             edit.at(1).get<unsigned>(),
                                             edit.at(2).get<std::string>());
      if (llvm::Error conflict = edits.add(replacement)) {
        llvm::consumeError(std::move(conflict));
        malformed("edits of one fix overlap");
      }
    }
  }
  return message;
}

Json toJson(const tidy::ClangTidyError &error) {
  Json notes = Json::array();
  for (const tooling::DiagnosticMessage &note : error.Notes)
    notes.push_back(toJson(note));
  return {error.DiagnosticName,          toJson(error.Message), notes,
          int(error.DiagLevel),          error.BuildDirectory,  error.IsWarningAsError,
          error.EnabledDiagnosticAliases};
}

tidy::ClangTidyError toError(const Json &json) {
  tidy::ClangTidyError error(json.at(0).get<std::string>(),
                             toEnumeration(json.at(3), tidy::ClangTidyError::Error),
                             json.at(4).get<std::string>(), json.at(5));
  error.Message = toMessage(json.at(1));
  for (const Json &note : json.at(2))
    error.Notes.push_back(toMessage(note));
  error.EnabledDiagnosticAliases = json.at(6);
  return error;
}

Json toJson(const UnitResult &result) {
  const Unit &unit = result.unit;
  Json diagnostics = Json::array(), levels = Json::array();
  for (const tidy::ClangTidyError &diagnostic : unit.diagnostics)
    diagnostics.push_back(toJson(diagnostic));
  for (const std::optional<Level> &level : result.levels)
    levels.push_back(level ? Json(int(*level)) : Json());
  Json lookups;
  if (unit.lookups) {
    lookups = Json::array();
    for (const Lookup &lookup : *unit.lookups)
      lookups.push_back(
          Json::array({lookup.folders, lookup.names})); // Two lists of two are no object.
  }
  Json questions = Json::array();
  for (const UnitResult::Question &question : result.questions) {
    Json functions = Json::array();
    for (const SharedFunction &function : question.functions)
      functions.push_back({function.source, function.header, function.record, function.name});
    questions.push_back(
        {std::move(functions), question.found.defining, question.found.calling, question.commands});
  }
  Json silenced = Json::array();
  for (const SilencedFinding &finding : unit.silenced)
    silenced.push_back({finding.check, finding.file, finding.line});
  const tidy::ClangTidyStats &stats = unit.stats;
  return {{"outcome", int(unit.outcome)},
          {"diagnostics", std::move(diagnostics)},
          {"levels", std::move(levels)},
          {"hidden", {unit.errorsAfterMissingHeader, unit.errorsOutsideUserCode}},
          {"stats",
           {stats.ErrorsDisplayed, stats.ErrorsIgnoredCheckFilter, stats.ErrorsIgnoredNOLINT,
            stats.ErrorsIgnoredNonUserCode, stats.ErrorsIgnoredLineFilter}},
          {"silenced", std::move(silenced)},
          {"files", toJson(unit.files)},
          {"fixedFiles", toJson(unit.fixedFiles)},
          {"systemHeaders", unit.systemHeaders},
          {"forOtherCompilers", unit.forOtherCompilers},
          {"header", unit.header},
          {"headerFolders", unit.headerFolders},
          {"lookups", std::move(lookups)},
          {"trace", unit.trace},
          {"functions", result.coverage.functions},
          {"cutShort", result.coverage.cutShort},
          {"text", result.text},
          {"error", result.error},
          {"seconds", result.seconds},
          {"questions", std::move(questions)}};
}

UnitResult toResult(const Json &json) {
  UnitResult result;
  Unit &unit = result.unit;
  unit.outcome = toEnumeration(json.at("outcome"), Unit::Outcome::Crashed);
  for (const Json &diagnostic : json.at("diagnostics"))
    unit.diagnostics.push_back(toError(diagnostic));
  for (const Json &level : json.at("levels"))
    result.levels.push_back(level.is_null() ? std::nullopt
                                            : std::optional(toEnumeration(level, Level::Advice)));
  unit.errorsAfterMissingHeader = json.at("hidden").at(0);
  unit.errorsOutsideUserCode = json.at("hidden").at(1);
  const Json &stats = json.at("stats");
  unit.stats.ErrorsDisplayed = stats.at(0);
  unit.stats.ErrorsIgnoredCheckFilter = stats.at(1);
  unit.stats.ErrorsIgnoredNOLINT = stats.at(2);
  unit.stats.ErrorsIgnoredNonUserCode = stats.at(3);
  unit.stats.ErrorsIgnoredLineFilter = stats.at(4);
  for (const Json &finding : json.at("silenced"))
    unit.silenced.push_back({finding.at(0), finding.at(1), finding.at(2)});
  unit.files = toFiles(json.at("files"));
  unit.fixedFiles = toFiles(json.at("fixedFiles"));
  unit.systemHeaders = json.at("systemHeaders").get<std::set<std::string>>();
  unit.forOtherCompilers = json.at("forOtherCompilers").get<std::set<std::string>>();
  unit.header = json.at("header");
  unit.headerFolders = json.at("headerFolders").get<std::vector<std::string>>();
  if (const Json &lookups = json.at("lookups"); !lookups.is_null()) {
    unit.lookups.emplace();
    for (const Json &lookup : lookups)
      unit.lookups->push_back({lookup.at(0), lookup.at(1)});
  }
  unit.trace = json.at("trace");
  result.coverage.functions = json.at("functions");
  result.coverage.cutShort = json.at("cutShort").get<std::set<std::string>>();
  result.text = json.at("text");
  result.error = json.at("error");
  result.seconds = json.at("seconds").get<PhaseSeconds>();
  for (const Json &question : json.at("questions")) {
    UnitResult::Question &added = result.questions.emplace_back();
    for (const Json &function : question.at(0))
      added.functions.push_back({function.at(0), function.at(1), function.at(2), function.at(3)});
    added.found.defining = question.at(1).get<std::vector<std::string>>();
    added.found.calling = question.at(2).get<std::vector<std::string>>();
    added.commands = question.at(3);
  }
  if (result.levels.size() != unit.diagnostics.size())
    malformed("each diagnostic has a level");
  return result;
}

// CBOR keeps the bytes of messages and names that are no UTF-8.
std::string pack(const Json &json) {
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  return std::string(bytes.begin(), bytes.end());
}

template <typename T>
std::optional<T> unpack(llvm::StringRef bytes, const std::function<T(const Json &)> &read) {
  llvm::Expected<Json> json = parseCbor(bytes);
  if (!json) {
    llvm::consumeError(json.takeError());
    return std::nullopt;
  }
  try {
    return read(*json);
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

} // namespace

std::string commandsOf(Partners &partners, const Job &job, const Partners::Found &found) {
  std::string text;
  for (const std::string &file : llvm::concat<const std::string>(found.defining, found.calling)) {
    const Partner partner = partners.describe(job, file);
    text += file + "\n" + llvm::join(partner.folders, "\n") + "\n\n" +
            llvm::join(partner.macros, "\n") + "\n\n";
  }
  return text.empty() ? text : checksum(text);
}

std::string toBytes(const UnitResult &result) { return pack(toJson(result)); }

std::optional<UnitResult> fromBytes(llvm::StringRef bytes) {
  return unpack<UnitResult>(bytes, toResult);
}

std::string toBytes(const NumberedResults &results) {
  Json all = Json::array();
  for (const auto &[number, result] : results)
    all.push_back({number, toJson(result)});
  return pack(all);
}

std::optional<NumberedResults> numberedFromBytes(llvm::StringRef bytes) {
  return unpack<NumberedResults>(bytes, [](const Json &all) {
    NumberedResults results;
    for (const Json &each : all)
      results.emplace(each.at(0).get<size_t>(), toResult(each.at(1)));
    return results;
  });
}

} // namespace gradtidy
