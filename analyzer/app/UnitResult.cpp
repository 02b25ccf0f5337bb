#include "UnitResult.h"
#include "analyzer/source/BoundedText.h"

#include "llvm/ADT/STLExtras.h"

#include <nlohmann/json.hpp>

#include <limits>

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

/// A number as it is, whereas the library would cut it to what fits.
unsigned toUnsigned(const Json &json) {
  if (!json.is_number_unsigned() || json.get<uint64_t>() > std::numeric_limits<unsigned>::max())
    malformed("a number is out of range");
  return json.get<unsigned>();
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
  message.FileOffset = toUnsigned(json.at(2));
  for (const Json &range : json.at(3)) {
    tooling::FileByteRange bytes;
    bytes.FilePath = range.at(0);
    bytes.FileOffset = toUnsigned(range.at(1));
    bytes.Length = toUnsigned(range.at(2));
    message.Ranges.push_back(std::move(bytes));
  }
  for (const Json &fixed : json.at(4)) {
    const auto file = fixed.at(0).get<std::string>();
    tooling::Replacements &edits = message.Fix[file];
    for (const Json &edit : fixed.at(1)) {
      const tooling::Replacement replacement(file, toUnsigned(edit.at(0)), toUnsigned(edit.at(1)),
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

Json toJson(const std::vector<SharedFunction> &functions) {
  Json list = Json::array();
  for (const SharedFunction &function : functions)
    list.push_back({function.source, function.header, function.record, function.name,
                    function.completesClass});
  return list;
}

std::vector<SharedFunction> toFunctions(const Json &json) {
  std::vector<SharedFunction> functions;
  for (const Json &function : json)
    functions.push_back(
        {function.at(0), function.at(1), function.at(2), function.at(3), function.at(4)});
  return functions;
}

Json toJson(const std::vector<Lookup> &lookups) {
  Json list = Json::array();
  for (const Lookup &lookup : lookups) // Two lists of two are no object.
    list.push_back(Json::array({lookup.folders, lookup.names}));
  return list;
}

std::vector<Lookup> toLookups(const Json &json) {
  std::vector<Lookup> lookups;
  for (const Json &lookup : json)
    lookups.push_back({lookup.at(0), lookup.at(1)});
  return lookups;
}

Json toJson(const UnitResult &result) {
  const Unit &unit = result.unit;
  Json diagnostics = Json::array(), levels = Json::array();
  for (const tidy::ClangTidyError &diagnostic : unit.diagnostics)
    diagnostics.push_back(toJson(diagnostic));
  for (const std::optional<Level> &level : result.levels)
    levels.push_back(level ? Json(int(*level)) : Json());
  Json questions = Json::array();
  for (const Question &question : result.questions)
    questions.push_back({question.asking, toJson(question.functions), question.found.defining,
                         question.found.calling});
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
          {"outerHeaders", unit.outerHeaders},
          {"forOtherCompilers", unit.forOtherCompilers},
          {"unreachable", unit.unreachable},
          {"header", unit.header},
          {"headerFolders", unit.headerFolders},
          {"lookups", unit.lookups ? toJson(*unit.lookups) : Json()},
          {"overOwnHeader", unit.isOverOwnHeader},
          {"traces", unit.traces},
          {"frameworkFolders", unit.frameworkFolders},
          {"headerIsMissing", unit.headerIsMissing},
          {"unitText", unit.text},
          {"ir", result.ir},
          {"shared", toJson(unit.shared)},
          {"standard", unit.standard},
          {"functions", result.coverage.functions},
          {"cutShort", result.coverage.cutShort},
          {"text", result.text},
          {"error", result.error},
          {"seconds", result.seconds},
          {"questions", std::move(questions)},
          {"links", result.links},
          {"inputs",
           {toJson(result.inputs.files), toJson(result.inputs.lookups), result.inputs.headers}},
          {"isRepeatable", result.isRepeatable}};
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
    unit.silenced.push_back({finding.at(0), finding.at(1), toUnsigned(finding.at(2))});
  unit.files = toFiles(json.at("files"));
  unit.fixedFiles = toFiles(json.at("fixedFiles"));
  unit.systemHeaders = json.at("systemHeaders").get<std::set<std::string>>();
  unit.outerHeaders = json.at("outerHeaders").get<std::set<std::string>>();
  unit.forOtherCompilers = json.at("forOtherCompilers").get<std::set<std::string>>();
  unit.unreachable = json.at("unreachable").get<std::set<std::string>>();
  unit.header = json.at("header");
  unit.headerFolders = json.at("headerFolders").get<std::vector<std::string>>();
  if (const Json &lookups = json.at("lookups"); !lookups.is_null())
    unit.lookups = toLookups(lookups);
  unit.isOverOwnHeader = json.at("overOwnHeader");
  unit.traces = json.at("traces").get<std::vector<std::string>>();
  unit.frameworkFolders = json.at("frameworkFolders").get<std::vector<std::string>>();
  unit.headerIsMissing = json.at("headerIsMissing");
  unit.text = json.at("unitText");
  result.ir = json.at("ir");
  unit.shared = toFunctions(json.at("shared"));
  unit.standard = json.at("standard");
  result.coverage.functions = json.at("functions");
  result.coverage.cutShort = json.at("cutShort").get<std::set<std::string>>();
  result.text = json.at("text");
  result.error = json.at("error");
  result.seconds = json.at("seconds").get<PhaseSeconds>();
  for (const Json &question : json.at("questions"))
    result.questions.push_back(
        {question.at(0), toFunctions(question.at(1)), {question.at(2), question.at(3)}});
  result.links = json.at("links").get<std::vector<std::pair<std::string, std::string>>>();
  const Json &inputs = json.at("inputs");
  result.inputs.files = toFiles(inputs.at(0));
  result.inputs.lookups = toLookups(inputs.at(1));
  result.inputs.headers =
      inputs.at(2).get<std::vector<std::pair<std::string, std::vector<std::string>>>>();
  result.isRepeatable = json.at("isRepeatable");
  if (result.levels.size() != unit.diagnostics.size())
    malformed("each diagnostic has a level");
  return result;
}

// CBOR keeps the bytes of messages and names that are no UTF-8.
std::string pack(const Json &json) {
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace

std::string toBytes(const UnitResult &result) { return pack(toJson(result)); }

std::optional<UnitResult> fromBytes(llvm::StringRef bytes) {
  llvm::Expected<Json> json = parseCbor(bytes);
  if (!json) {
    llvm::consumeError(json.takeError());
    return std::nullopt;
  }
  try {
    return toResult(*json);
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

} // namespace gradtidy
