// The levels of findings: clang-tidy's own record of a finding has no place for them.
#pragma once

#include "checks/Finding.h"

#include <optional>
#include <string>
#include <tuple>

namespace clang::tidy {
struct ClangTidyError;
} // namespace clang::tidy

namespace gradtidy {

/// The check, the file, the offset in it and the message.
using FindingKey = std::tuple<std::string, std::string, unsigned, std::string>;

/// Writes down the level of a finding.
void logLevel(FindingKey finding, Level level);

/// The level of a finding that this process made; none for what the compiler says. Expects the
/// paths in \p error to be clean (see frontend/Paths.h).
std::optional<Level> levelOf(const clang::tidy::ClangTidyError &error);

/// Writes down the level of a finding that another process made.
void setLevel(const clang::tidy::ClangTidyError &error, Level level);

} // namespace gradtidy
