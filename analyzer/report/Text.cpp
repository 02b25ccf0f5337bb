#include "Text.h"
#include "Formats.h"
#include "Printable.h"

#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <map>

namespace gradtidy {
namespace {

using clang::tidy::ClangTidyError;
using clang::tooling::DiagnosticMessage;
using llvm::StringRef;

/// Clang's printer, over texts that it does not read from the disk: so their names can be
/// printable.
class Printer {
public:
  Printer(llvm::raw_ostream &out, bool useColor, SourceText &text)
      : out(out), text(text), engine(clang::DiagnosticIDs::create(), options,
                                     new clang::TextDiagnosticPrinter(stream, options)),
        sources(engine, files) {
    options.ShowColors = useColor;
    stream.enable_colors(useColor);
    engine.getClient()->BeginSourceFile(language);
  }

  void print(const ClangTidyError &error, std::optional<Level> level, FixState fix) {
    directory = error.BuildDirectory;
    std::string name = error.DiagnosticName;
    if (!error.EnabledDiagnosticAliases.empty())
      name += "," + llvm::join(error.EnabledDiagnosticAliases, ",");
    if (error.IsWarningAsError)
      name += ",-warnings-as-errors";
    print(error.IsWarningAsError ? clang::DiagnosticsEngine::Error
                                 : static_cast<clang::DiagnosticsEngine::Level>(error.DiagLevel),
          error.Message,
          (level ? " (level " + std::to_string(int(*level)) + ")" : "") + " [" + name + "]");
    if (fix != FixState::NotTried)
      for (const auto &file : error.Message.Fix)
        for (const clang::tooling::Replacement &edit : file.second)
          engine.Report(locate(edit.getFilePath(), edit.getOffset()),
                        fix == FixState::Applied ? clang::diag::note_fixit_applied
                                                 : clang::diag::note_fixit_failed);
    for (const DiagnosticMessage &note : error.Notes)
      print(clang::DiagnosticsEngine::Note, note, "");
    flush();
  }

private:
  void print(clang::DiagnosticsEngine::Level level, const DiagnosticMessage &message,
             const std::string &end) {
    const clang::DiagnosticBuilder diagnostic = engine.Report(
        locate(message.FilePath, message.FileOffset), engine.getCustomDiagID(level, "%0"));
    diagnostic << printable(message.Message + end);
    for (const clang::tooling::FileByteRange &range : message.Ranges)
      diagnostic << rangeOf(range.FilePath, range.FileOffset, range.Length);
    for (const auto &file : message.Fix)
      for (const clang::tooling::Replacement &edit : file.second) {
        // Lines that are put in are not shown; of the others every byte has to be visible.
        const StringRef inserted = edit.getReplacementText();
        if (inserted.contains('\n') || printable(inserted) == inserted)
          diagnostic << clang::FixItHint::CreateReplacement(
              rangeOf(edit.getFilePath(), edit.getOffset(), edit.getLength()), inserted);
      }
  }

  clang::SourceLocation locate(StringRef file, unsigned offset) {
    const std::string path = absoluteIn(directory, file);
    if (path.empty())
      return {};
    // A file that is reached by several names is one file: a fix is shown below its finding.
    llvm::sys::fs::UniqueID id;
    if (llvm::sys::fs::getUniqueID(path, id))
      return {};
    auto [known, added] = fileIds.try_emplace(id);
    if (added) {
      if (const std::optional<StringRef> content = text.content(path))
        known->second =
            sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(*content, printable(file)));
    }
    if (known->second.isInvalid())
      return {};
    const unsigned size = sources.getFileIDSize(known->second);
    return sources.getLocForStartOfFile(known->second)
        .getLocWithOffset(static_cast<int>(std::min(offset, size)));
  }

  clang::CharSourceRange rangeOf(StringRef file, unsigned offset, unsigned length) {
    return clang::CharSourceRange::getCharRange(locate(file, offset),
                                                locate(file, offset + length));
  }

  void flush() {
    for (StringRef rest = printed; !rest.empty();) {
      const auto [line, next] = rest.split('\n');
      out << withoutCommands(line) << '\n';
      rest = next;
    }
    printed.clear();
  }

  llvm::raw_ostream &out;
  SourceText &text;
  std::string printed, directory;
  llvm::raw_string_ostream stream{printed};
  clang::LangOptions language;
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine engine;
  clang::FileManager files{clang::FileSystemOptions()};
  clang::SourceManager sources;
  std::map<llvm::sys::fs::UniqueID, clang::FileID> fileIds;
};

} // namespace

void writeText(llvm::raw_ostream &out, llvm::ArrayRef<ClangTidyError> errors,
               llvm::ArrayRef<std::optional<Level>> levels, llvm::ArrayRef<FixState> fixes,
               bool useColor, SourceText &text) {
  Printer printer(out, useColor, text);
  for (size_t i = 0; i < errors.size(); ++i)
    printer.print(errors[i], levels.empty() ? std::nullopt : levels[i],
                  fixes.empty() ? FixState::NotTried : fixes[i]);
}

} // namespace gradtidy
