// Which units of a run are linked to which.
#pragma once

#include "UnitResult.h"
#include "analyzer/source/SharedSources.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

/// A unit is linked to the sources that define functions it calls, and to those that call functions
/// it defines; and so on for these in the same direction, and for all that they call. Who else
/// calls what the unit calls has nothing to do with it. Where it defines functions of a class, it
/// is linked to the sources that define the others.
class Linking {
public:
  /// All must outlive this object.
  Linking(SharedSources &sharedSources, clang::tidy::ClangTidyContext &context,
          const std::string &projectFolder)
      : sharedSources(sharedSources), context(context), projectFolder(projectFolder) {}

  /// What came of a source; nothing where it was lost.
  void add(const Job &job, std::optional<UnitResult> lowered);

  /// What came of a source, or null.
  const UnitResult *find(const std::string &source) const;

  struct Links {
    std::vector<Question> questions;
    /// Those that the questions lead to, nearest first, but for the unit itself.
    std::vector<const Job *> jobs;
    std::vector<const Job *> missing; ///< Of these, those that nothing is known of.
  };
  Links linksOf(const Job &job);

  /// Whether the unit of \p other, of the links of \p job, is linked to it.
  bool isLinkable(const Job &job, const Job &other) const;

private:
  /// The sources that \p question of \p job leads to, as far as there is room.
  void follow(const Question &question, const Job &job, std::set<std::string> &callers,
              Links &links);

  SharedSources &sharedSources;
  clang::tidy::ClangTidyContext &context;
  const std::string &projectFolder;

  struct Known {
    std::optional<UnitResult> lowered;
    std::string world; ///< The models and the project's folder: names mean the same in the same.
    bool isUsable = false;
  };
  std::map<std::string, Known> known; ///< By source.
};

} // namespace gradtidy
