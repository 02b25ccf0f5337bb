// The levels of findings: clang-tidy's own record of a finding has no place for them.
#pragma once

#include "checks/Finding.h"

#include <string>
#include <tuple>

namespace gradtidy {

/// The check, the file, the offset in it and the message.
using FindingKey = std::tuple<std::string, std::string, unsigned, std::string>;

/// Writes down the level of a finding; levelOf() in CheckAdapter.h tells it.
void logLevel(FindingKey finding, Level level);

} // namespace gradtidy
