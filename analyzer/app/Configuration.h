// Which checks run, with which options: the command line over configuration files over defaults.
#pragma once

#include "CommandLine.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace gradtidy {

/// The options of every file, as the command line and the configuration files give them: of
/// --config, --config-file, the nearest .gradtidy and the nearest .clang-tidy the first that exists
/// counts. \p projectFolder becomes ml.ProjectFolder. Files are read when they are asked for, and
/// what is wrong with one is added to \p errors then, once; it counts as empty.
llvm::Expected<std::unique_ptr<clang::tidy::ClangTidyOptionsProvider>>
makeOptionsProvider(const CommandLine &commandLine, const std::string &projectFolder,
                    std::vector<std::string> &errors);

/// What of a .clang-tidy concerns gradtidy: of Checks and WarningsAsErrors the globs that name ml-,
/// of CheckOptions those of ml- checks and for all of them; all other keys.
void keepOwn(clang::tidy::ClangTidyOptions &options);

/// An error for the first name in \p globs that looks like one of our checks and is none; names the
/// nearest that exists.
llvm::Error verifyGlobs(llvm::StringRef globs, llvm::StringRef source);

/// What configuration files, not the person who runs gradtidy, say that may hide findings of \p
/// file: "configured by '.gradtidy': 1 check off (ml-sync-in-loop); ml.Level 0". Empty if they say
/// nothing of the kind. Header filters are left out: what they hide is counted.
std::string saidByFiles(clang::tidy::ClangTidyOptionsProvider &provider, llvm::StringRef file);

/// "; did you mean 'X'?" with the nearest of \p candidates, or where to find their list.
std::string nearest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

/// The same for every configuration of \p file, and for check options.
llvm::Error verifyConfiguration(clang::tidy::ClangTidyOptionsProvider &provider,
                                llvm::StringRef file);

} // namespace gradtidy
