#include "UnitDiagnostics.h"
#include "Paths.h"
#include "UserCode.h"
#include "analyzer/source/Paths.h"

#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Lex/LexDiagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace tooling = clang::tooling;

namespace {

/// Whether an error may come of declarations that the code does not expect.
bool isConflict(unsigned error) {
  static const std::set<unsigned> conflicts = {
      clang::diag::err_redefinition,
      clang::diag::err_redefinition_different_kind,
      clang::diag::err_redefinition_different_type,
      clang::diag::err_redefinition_different_typedef,
      clang::diag::err_redefinition_of_enumerator,
      clang::diag::err_param_default_argument_redefinition,
      clang::diag::err_ovl_diff_return_type,
      clang::diag::err_ambiguous_reference,
      clang::diag::err_ovl_ambiguous_call,
  };
  return conflicts.contains(error);
}

bool isMissingHeader(unsigned id) {
  return id == clang::diag::err_pp_file_not_found ||
         id == clang::diag::err_pp_file_not_found_angled_include_not_fatal;
}

/// Whether clang may pass over code behind an error of that kind.
bool maySwallow(unsigned error) {
  switch (error) {
  case clang::diag::err_expected_expression:
  case clang::diag::err_function_definition_not_allowed:
  case clang::diag::err_expected_unqualified_id:
  case clang::diag::err_invalid_token_after_toplevel_declarator:
  case clang::diag::err_unknown_typename:
    return true;
  default:
    return false;
  }
}

bool isAboutClosingBrace(const clang::Diagnostic &expected) {
  return expected.getNumArgs() > 0 &&
         expected.getArgKind(0) == clang::DiagnosticsEngine::ak_tokenkind &&
         expected.getRawArg(0) == clang::tok::r_brace;
}

bool isAboutHeader(unsigned id) {
  return (id >= clang::diag::DIAG_START_SERIALIZATION && id < clang::diag::DIAG_START_LEX) ||
         id == clang::diag::err_file_modified;
}

/// The name under which a fix changes \p file: free of links, which stay what they are.
std::string nameForFixes(llvm::StringRef file, llvm::StringRef folder) {
  return realPath(cleanPath(file, folder));
}

} // namespace

tidy::ClangTidyStats since(const tidy::ClangTidyStats &before, tidy::ClangTidyStats stats) {
  stats.ErrorsDisplayed -= before.ErrorsDisplayed;
  stats.ErrorsIgnoredCheckFilter -= before.ErrorsIgnoredCheckFilter;
  stats.ErrorsIgnoredNOLINT -= before.ErrorsIgnoredNOLINT;
  stats.ErrorsIgnoredNonUserCode -= before.ErrorsIgnoredNonUserCode;
  stats.ErrorsIgnoredLineFilter -= before.ErrorsIgnoredLineFilter;
  return stats;
}

UnitDiagnostics::UnitDiagnostics(tidy::ClangTidyContext &context, const UserCode &userCode,
                                 llvm::StringRef projectRoot, Unit &unit, HeaderDoubts &header)
    : ClangTidyDiagnosticConsumer(context), context(context), userCode(userCode),
      realProjectRoot(realPath(projectRoot)), unit(unit), header(header) {}

void UnitDiagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                       const clang::Diagnostic &info) {
  const bool isError = level >= clang::DiagnosticsEngine::Error;
  header.failed |= isError && isAboutHeader(info.getID());
  if (info.getID() == clang::diag::err_bracket_depth_exceeded)
    last = UnderWay::current();
  isRepairable |= maySwallow(info.getID()) ||
                  (info.getID() == clang::diag::err_expected && isAboutClosingBrace(info));
  if (level != clang::DiagnosticsEngine::Note) {
    header.doubted |= isError && !unit.headerIsMissing && isDoubtful(info);
    shown = isError ? isUsersBusiness(info) : isEnabled(info);
  }
  if (shown) {
    rememberFixed(info);
    if (level != clang::DiagnosticsEngine::Note && !isCompilers(info))
      rememberSilenced(level, info);
    ClangTidyDiagnosticConsumer::HandleDiagnostic(level, info);
  }
}

/// A comment may stand where a macro is written, or where it is used.
void UnitDiagnostics::rememberSilenced(clang::DiagnosticsEngine::Level level,
                                       const clang::Diagnostic &info) {
  llvm::SmallVector<tooling::Diagnostic, 1> wrongComments;
  if (!info.hasSourceManager() || !info.getLocation().isValid() ||
      !context.shouldSuppressDiagnostic(level, info, wrongComments))
    return;
  const clang::SourceManager &sources = info.getSourceManager();
  for (clang::SourceLocation place = info.getLocation(); place.isValid();
       place = place.isMacroID() ? sources.getImmediateExpansionRange(place).getBegin()
                                 : clang::SourceLocation()) {
    const clang::SourceLocation spelled = sources.getSpellingLoc(place);
    if (const auto file = sources.getFileEntryRefForID(sources.getFileID(spelled)))
      unit.silenced.push_back({context.getCheckName(info.getID()),
                               cleanPath(file->getName(), context.getCurrentBuildDirectory()),
                               sources.getSpellingLineNumber(spelled)});
  }
}

/// Of the main file another text may be parsed than is on the disk.
void UnitDiagnostics::rememberFixed(const clang::Diagnostic &info) {
  for (const clang::FixItHint &fix : info.getFixItHints()) {
    if (fix.isNull())
      continue;
    const clang::SourceManager &sources = info.getSourceManager();
    const clang::FileID file = sources.getFileID(sources.getFileLoc(fix.RemoveRange.getBegin()));
    const auto entry = sources.getFileEntryRefForID(file);
    if (!entry || file == sources.getMainFileID() || fixed.contains(entry->getName().str()))
      continue;
    if (const auto text = sources.getBufferOrNone(file)) {
      FileIdentity &identity = fixed[entry->getName().str()];
      identity.size = text->getBufferSize();
      identity.content = checksum(text->getBuffer());
    }
  }
}

void UnitDiagnostics::completeFixed(const std::vector<tidy::ClangTidyError> &all,
                                    llvm::StringRef folder) {
  std::set<std::string> known;
  // The text that was parsed is what counts, where it is loaded again to be shown.
  const auto parsed = [&](const std::string &name, const FileIdentity &loaded) {
    for (const ReadFile &read : unit.files)
      if (nameForFixes(read.path, folder) == name)
        return read.identity;
    return loaded;
  };
  for (const auto &[file, identity] : fixed)
    if (const std::string name = nameForFixes(file, folder); known.insert(name).second)
      unit.fixedFiles.push_back({name, parsed(name, identity)});
  for (const tidy::ClangTidyError &diagnostic : all)
    for (const auto &file : diagnostic.Message.Fix)
      if (!file.second.empty() && known.insert(file.first().str()).second)
        for (const ReadFile &read : unit.files)
          if (nameForFixes(read.path, folder) == file.first()) {
            unit.fixedFiles.push_back({file.first().str(), read.identity});
            break;
          }
}

std::vector<tidy::ClangTidyError> UnitDiagnostics::takeClean(llvm::StringRef folder) {
  std::vector<tidy::ClangTidyError> all = take();
  for (tidy::ClangTidyError &diagnostic : all) {
    cleanPaths(diagnostic.Message, folder);
    for (tooling::DiagnosticMessage &note : diagnostic.Notes)
      cleanPaths(note, folder);
  }
  completeFixed(all, folder);
  return all;
}

/// Fixes change files of the project, whatever else counts as user code. Where the project root is
/// the root of all files there is no project.
bool UnitDiagnostics::mayChange(llvm::StringRef file) const {
  return realProjectRoot != llvm::sys::path::root_path(realProjectRoot) &&
         liesIn(realPath(file), realProjectRoot);
}

void UnitDiagnostics::cleanPaths(tooling::DiagnosticMessage &message,
                                 llvm::StringRef folder) const {
  message.FilePath = cleanPath(message.FilePath, folder);
  for (tooling::FileByteRange &range : message.Ranges)
    range.FilePath = cleanPath(range.FilePath, folder);
  llvm::StringMap<tooling::Replacements> fixes;
  for (const auto &entry : message.Fix)
    for (const tooling::Replacement &edit : entry.second) {
      const std::string path = nameForFixes(edit.getFilePath(), folder);
      llvm::cantFail(fixes[path].add(tooling::Replacement(path, edit.getOffset(), edit.getLength(),
                                                          edit.getReplacementText())));
    }
  // Half a fix may be worse than none.
  llvm::StringMap<tooling::Replacements> outside;
  for (const llvm::StringRef file : fixes.keys())
    if (!mayChange(file))
      outside.try_emplace(file);
  message.Fix = std::move(outside.empty() ? fixes : outside);
}

bool UnitDiagnostics::isDoubtful(const clang::Diagnostic &error) const {
  return isConflict(error.getID()) || (!isMissingHeader(error.getID()) && isOutsideUserCode(error));
}

bool UnitDiagnostics::isCompilers(const clang::Diagnostic &warning) const {
  const std::string name = context.getCheckName(warning.getID());
  return name.empty() || llvm::StringRef(name).starts_with("clang-diagnostic");
}

bool UnitDiagnostics::isEnabled(const clang::Diagnostic &warning) const {
  return !isCompilers(warning) || (context.isCheckEnabled(context.getCheckName(warning.getID())) &&
                                   !isOutsideUserCode(warning));
}

bool UnitDiagnostics::isOutsideUserCode(const clang::Diagnostic &diagnostic) const {
  return diagnostic.hasSourceManager() && diagnostic.getLocation().isValid() &&
         !userCode.contains(diagnostic.getLocation(), diagnostic.getSourceManager());
}

bool UnitDiagnostics::isUsersBusiness(const clang::Diagnostic &error) {
  const unsigned id = error.getID();
  if (isMissingHeader(id)) {
    unit.headerIsMissing = true;
    return true;
  }
  // An #error of the framework ("C++20 required"), like all the preprocessor says, concerns
  // flags.
  const bool isPreprocessing =
      id >= clang::diag::DIAG_START_LEX && id < clang::diag::DIAG_START_PARSE;
  if (isPreprocessing || !error.hasSourceManager())
    return true;
  if (unit.headerIsMissing) {
    ++unit.errorsAfterMissingHeader;
    return false;
  }
  if (isOutsideUserCode(error)) {
    ++unit.errorsOutsideUserCode;
    return false;
  }
  return true;
}

} // namespace gradtidy
