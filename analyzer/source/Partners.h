// The other sources of a program that a unit has to do with: those that define functions it calls,
// and those that call functions it defines. They are found by the words in them, without parsing.
#pragma once

#include "Includes.h"
#include "Jobs.h"
#include "SharedFunction.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gradtidy {

/// A source to be parsed behind the main file of a unit.
struct Partner {
  std::string file; ///< Absolute.
  /// What it is compiled with and the unit is not: include folders, and macros as in -D.
  std::vector<std::string> folders, macros;
};

/// Not thread-safe.
class Partners {
public:
  /// More partners than this are not analysed together with a unit.
  static constexpr size_t limit = 8;

  /// \p list must outlive this object.
  explicit Partners(const JobList &list);
  ~Partners();

  struct Found {
    std::vector<std::string> defining, calling; ///< Nearest first.
    bool operator==(const Found &) const = default;
  };

  /// The sources that define those of \p functions that are not defined yet, and those that call
  /// the others: none of these if they are too many, since what all callers do counts. They include
  /// the header that declares the function, or declare it by hand in a source of the same folder,
  /// and are compiled as the unit of \p job is, include folders and macros apart. At most \p most.
  Found of(const Job &job, llvm::ArrayRef<SharedFunction> functions, size_t most = limit);

  /// Whether the source of \p job seems to define main(): what a program does begins there.
  bool isProgram(const Job &job);

  /// \p file, one of those found, as a partner of the unit of \p job.
  Partner describe(const Job &job, const std::string &file);

private:
  class Program;
  Program &programOf(const Job &job);

  const JobList &list;
  std::map<const Database *, std::unique_ptr<Program>> programs;
};

} // namespace gradtidy
