// The other sources of a program that a unit has to do with: those that define functions it calls,
// and those that call functions it defines. They are found by the words in them, without parsing.
#pragma once

#include "Includes.h"
#include "Jobs.h"
#include "SharedFunction.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

/// Not thread-safe.
class SharedSources {
public:
  /// No more sources than these are linked to a unit.
  static constexpr size_t limit = 32;
  /// The functions of a class are known as a whole, or not: a source that defines some of them is
  /// linked to those that define the others if these are not more.
  static constexpr size_t classLimit = 8;

  /// \p list must outlive this object.
  explicit SharedSources(const JobList &list);
  ~SharedSources();

  struct Found {
    std::vector<std::string> defining, calling; ///< Nearest first.
    bool operator==(const Found &) const = default;
  };

  /// The sources that define those of \p functions that are not defined yet, and those that call
  /// the others: none of these if they are too many, since what all callers do counts. They include
  /// the header that declares the function; where the source that defines it does not, the nearest
  /// definition is meant.
  Found of(const Job &job, llvm::ArrayRef<SharedFunction> functions);

  /// \p file, one of those found for \p job, as a job of its own, with the texts that an editor
  /// has; null if it cannot be read.
  const Job *jobOf(const std::string &file, const Job &job);

private:
  class Program;
  Program &programOf(const Job &job);

  const JobList &list;
  std::map<const Database *, std::unique_ptr<Program>> programs;
  llvm::StringMap<const Job *> listed;              ///< Those of the list, by file.
  std::map<std::string, std::optional<Job>> others; ///< Those that are not in it.
};

} // namespace gradtidy
