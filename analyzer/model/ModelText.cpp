#include "ModelText.h"

#include "analyzer/source/BoundedText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <tuple>

namespace gradtidy {

/// Goes through a text that is known to be JSON and notes where its parts begin.
class ModelText::Scanner {
public:
  explicit Scanner(ModelText &model) : model(model), text(model.text) {
    if (text.starts_with("\xEF\xBB\xBF"))
      at = 3; // The byte order mark.
  }

  void value() {
    skipBlanks();
    if (text[at] == '{')
      object();
    else if (text[at] == '[')
      list();
    else if (text[at] == '"')
      string();
    else
      at = std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
  }

private:
  void skipBlanks() { at = std::min(text.find_first_not_of(" \t\r\n", at), text.size()); }

  /// The string that begins here, as it is written.
  llvm::StringRef string() {
    const size_t begin = at;
    for (++at; text[at] != '"'; ++at)
      at += text[at] == '\\';
    return text.slice(begin, ++at);
  }

  void object() {
    for (++at, skipBlanks(); text[at] != '}'; skipBlanks()) {
      const size_t begin = at;
      const llvm::StringRef key = string();
      path.push_back(nlohmann::json::parse(key.begin(), key.end()).get<std::string>());
      if (const auto [first, isNew] = model.places.try_emplace(path, begin); !isNew) {
        const std::vector<llvm::StringRef> keys(path.begin(), path.end());
        const unsigned line = model.lineOf(keys);
        first->second = begin; // The last one counts for a parser.
        model.error(keys, "the key stands in line " + llvm::Twine(line) +
                              " already: only one of the two would count");
      }
      skipBlanks();
      ++at; // The colon.
      value();
      path.pop_back();
      skipComma();
    }
    ++at;
  }

  void list() {
    ++at;
    skipBlanks();
    for (unsigned element = 0; text[at] != ']'; ++element, skipBlanks()) {
      path.push_back(std::to_string(element));
      model.places.try_emplace(path, at);
      value();
      path.pop_back();
      skipComma();
    }
    ++at;
  }

  void skipComma() {
    skipBlanks();
    at += text[at] == ',';
  }

  ModelText &model;
  llvm::StringRef text;
  size_t at = 0;
  std::vector<std::string> path;
};

ModelText::ModelText(llvm::StringRef text) : text(text) {
  for (size_t at = 0; (at = text.find('\n', at)) != llvm::StringRef::npos;)
    lines.push_back(++at);
  llvm::Expected<nlohmann::json> json = parseJson(text);
  if (!json) {
    llvm::handleAllErrors(json.takeError(), [&](const TextError &failure) {
      found.emplace_back().message = "not JSON: " + failure.reason;
      place(found.back(), failure.offset);
    });
    return;
  }
  if (!json->is_object()) {
    error({}, "expected an object");
    return;
  }
  object = std::move(*json);
  Scanner(*this).value();
}

void ModelText::place(ModelProblem &problem, size_t offset) const {
  const auto line = llvm::upper_bound(lines, offset);
  problem.line = unsigned(line - lines.begin()) + 1;
  problem.column = unsigned(offset - (line == lines.begin() ? 0 : line[-1])) + 1;
}

size_t ModelText::offsetOf(Keys keys, int element) const {
  std::vector<std::string> path(keys.begin(), keys.end());
  if (element >= 0)
    path.push_back(std::to_string(element));
  for (; !path.empty(); path.pop_back())
    if (const auto known = places.find(path); known != places.end())
      return known->second;
  return 0;
}

unsigned ModelText::lineOf(Keys keys, int element) const {
  return unsigned(llvm::upper_bound(lines, offsetOf(keys, element)) - lines.begin()) + 1;
}

void ModelText::add(ModelProblem::Kind kind, Keys keys, const llvm::Twine &message, int element) {
  found.push_back({.kind = kind, .key = llvm::join(keys, "."), .message = message.str()});
  place(found.back(), offsetOf(keys, element));
}

bool ModelText::hasErrors() const {
  return llvm::any_of(
      found, [](const ModelProblem &problem) { return problem.kind == ModelProblem::Kind::Error; });
}

std::vector<ModelProblem> ModelText::problems() const {
  std::vector<ModelProblem> sorted = found;
  llvm::stable_sort(sorted, [](const ModelProblem &left, const ModelProblem &right) {
    return std::tie(left.line, left.column) < std::tie(right.line, right.column);
  });
  return sorted;
}

} // namespace gradtidy
