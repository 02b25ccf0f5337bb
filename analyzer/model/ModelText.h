// The text of a model: its JSON, where each part of it stands, and what is wrong with it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gradtidy {

struct ModelProblem {
  enum class Kind : unsigned char {
    Error,   ///< The model is not used.
    Warning, ///< A part of the model has no effect, or not the one that is meant.
    Note,    ///< What cannot be found with this model.
  };
  Kind kind = Kind::Error;
  unsigned line = 1, column = 1;
  std::string key;     ///< As in "functions.step"; empty where no key is concerned.
  std::string message; ///< Without a full stop.
};

class ModelText {
public:
  /// What is no JSON object is an error.
  explicit ModelText(llvm::StringRef text);

  /// Empty where the text is no JSON object.
  const nlohmann::json &json() const { return object; }

  /// The way from the outermost key to a part of the text.
  using Keys = llvm::ArrayRef<llvm::StringRef>;

  /// Of an element of the list at \p keys, or of all that is there.
  void add(ModelProblem::Kind kind, Keys keys, const llvm::Twine &message, int element = -1);
  void error(Keys keys, const llvm::Twine &message, int element = -1) {
    add(ModelProblem::Kind::Error, keys, message, element);
  }

  /// The line of the key, from 1.
  unsigned lineOf(Keys keys, int element = -1) const;

  bool hasErrors() const;
  /// In the order of the text.
  std::vector<ModelProblem> problems() const;

private:
  class Scanner;
  size_t offsetOf(Keys keys, int element) const;
  void place(ModelProblem &problem, size_t offset) const;

  llvm::StringRef text;
  std::vector<size_t> lines; ///< Where the second one and those behind it begin.
  nlohmann::json object = nlohmann::json::object();
  std::map<std::vector<std::string>, size_t> places; ///< Of keys, and of elements by their number.
  std::vector<ModelProblem> found;
};

} // namespace gradtidy
