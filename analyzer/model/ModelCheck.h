// What is wrong with a model that can be read: names that match nothing, contradictions, and what
// cannot be found with it.
#pragma once

#include "Model.h"
#include "ModelText.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace gradtidy {

/// What the headers of a framework declare, by the names that declarations have for models:
/// qualified, without template arguments and without inline namespaces.
struct DeclaredNames {
  llvm::StringSet<> names;
  llvm::StringMap<std::string> aliases;            ///< Other names of declarations: `using`.
  llvm::StringMap<std::vector<std::string>> bases; ///< Of classes.
};

/// Adds warnings and notes to \p text, which \p model has read.
/// \param declared null where the headers are not known.
void checkModel(ModelText &text, const Model &model, const DeclaredNames *declared);

} // namespace gradtidy
