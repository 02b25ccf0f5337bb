// What every check of the catalogue must have, and the tables that derive from the catalogue: the
// list of checks in README.md and in docs/checks/README.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gradtidy::test {

/// Everything that lacks or differs in the repository at \p root, one line each; empty if complete.
std::vector<std::string> whatLacks(const std::filesystem::path &root);

/// Writes the tables of both documents anew. Throws std::runtime_error if a document lacks the
/// markers between which its table stands, or cannot be written.
void updateTables(const std::filesystem::path &root);

} // namespace gradtidy::test
