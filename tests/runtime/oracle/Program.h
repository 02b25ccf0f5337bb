// Programs of tensor operations as text, for both libraries: how they are read, run and reported.
//
// A program is one line of statements "NAME = OPERATION ARGUMENT...", separated by "; ". Arguments
// are words: a name (v3, or v3.1 for the second result), a number, [2,3] a list of integers,
// {v1,v2} a list of tensors, (1:,None,v3) an index, f32 a type, - nothing.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

namespace oracle {

using torch::Tensor;
using Ints = std::vector<int64_t>;
using Tensors = std::vector<Tensor>;
using Indices = std::vector<torch::indexing::TensorIndex>;

/// A program that cannot be understood; not a failure of the library.
struct BadProgram : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A statement that uses the result of one that failed.
struct Skipped {};

inline const std::vector<std::pair<std::string, torch::Dtype>> types = {
    {"f32", torch::kFloat},     {"f64", torch::kDouble}, {"f16", torch::kHalf},
    {"bf16", torch::kBFloat16}, {"i64", torch::kLong},   {"i32", torch::kInt},
    {"u8", torch::kByte},       {"bool", torch::kBool}};

inline std::string nameOf(torch::Dtype type) {
  for (const auto &[name, known] : types)
    if (known == type)
      return name;
  return "?";
}

/// The parts of "a,b,c" that lie between separators outside brackets.
inline std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  int depth = 0;
  for (char c : text) {
    depth += (c == '[' || c == '{' || c == '(') - (c == ']' || c == '}' || c == ')');
    if (parts.empty() || (c == separator && depth == 0))
      parts.emplace_back();
    if (c != separator || depth != 0)
      parts.back() += c;
  }
  return parts;
}

inline std::vector<std::string> listed(const std::string &text) {
  if (text.size() < 2)
    throw BadProgram("no list: " + text);
  return split(text.substr(1, text.size() - 2), ',');
}

/// Where all tensors are.
inline torch::Device device = torch::kCPU;

/// As every program finds it.
inline void start() {
  torch::manual_seed(1);
  c10::GradMode::set_enabled(true);
  at::autocast::set_autocast_enabled(device.type(), false);
  at::autocast::clear_cache();
}

/// What the names of a program stand for while it runs.
struct Memory {
  std::map<std::string, Tensors> results;

  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { clear(); }

  /// A gradient that has a graph holds its leaf by it, and would for ever.
  void clear() {
    for (auto &[name, tensors] : results)
      for (Tensor &x : tensors)
        if (x.defined())
          x.mutable_grad() = Tensor();
    results.clear();
  }
  Tensor tensor(const std::string &word) const {
    if (word == "-")
      return {};
    std::size_t point = word.find('.');
    auto found = results.find(word.substr(0, point));
    std::size_t number = point == std::string::npos ? 0 : std::stoul(word.substr(point + 1));
    if (found == results.end() || number >= found->second.size())
      throw Skipped();
    return found->second[number];
  }
};

/// Turns words into what an operation takes.
template <class T> struct Reader;
template <class T> T read(const Memory &memory, const std::string &word) {
  return Reader<T>::read(memory, word);
}

template <> struct Reader<Tensor> {
  static Tensor read(const Memory &memory, const std::string &word) { return memory.tensor(word); }
};
template <> struct Reader<int64_t> {
  static int64_t read(const Memory &, const std::string &word) { return std::stoll(word); }
};
template <> struct Reader<double> {
  static double read(const Memory &, const std::string &word) { return std::stod(word); }
};
template <> struct Reader<bool> {
  static bool read(const Memory &, const std::string &word) { return word == "true"; }
};
template <> struct Reader<std::string> {
  static std::string read(const Memory &, const std::string &word) { return word; }
};
template <> struct Reader<torch::Scalar> {
  static torch::Scalar read(const Memory &, const std::string &word) {
    if (word == "true" || word == "false")
      return word == "true";
    if (word.find_first_of(".en") == std::string::npos)
      return int64_t{std::stoll(word)};
    return std::stod(word);
  }
};
template <> struct Reader<torch::Dtype> {
  static torch::Dtype read(const Memory &, const std::string &word) {
    for (const auto &[name, type] : types)
      if (name == word)
        return type;
    throw BadProgram("no type: " + word);
  }
};
template <class T> struct Reader<std::vector<T>> {
  static std::vector<T> read(const Memory &memory, const std::string &word) {
    std::vector<T> values;
    for (const std::string &entry : listed(word))
      values.push_back(oracle::read<T>(memory, entry));
    return values;
  }
};
template <class T> struct Reader<std::optional<T>> {
  static std::optional<T> read(const Memory &memory, const std::string &word) {
    if (word == "-")
      return std::nullopt;
    return oracle::read<T>(memory, word);
  }
};
template <> struct Reader<torch::indexing::TensorIndex> {
  static torch::indexing::TensorIndex read(const Memory &memory, const std::string &word) {
    using namespace torch::indexing;
    if (word == "None")
      return None;
    if (word == "...")
      return Ellipsis;
    if (word == "true" || word == "false")
      return word == "true";
    if (word.find(':') != std::string::npos) {
      std::vector<std::string> ends = split(word + ":", ':');
      auto end = [&](std::size_t i) -> std::optional<int64_t> {
        if (i >= ends.size() || ends[i].empty())
          return std::nullopt;
        return std::stoll(ends[i]);
      };
      return Slice(end(0), end(1), end(2));
    }
    if (word[0] == 'v')
      return memory.tensor(word);
    return int64_t{std::stoll(word)};
  }
};

inline void collect(Tensors &into, Tensor x) { into.push_back(std::move(x)); }
inline void collect(Tensors &into, bool x) { into.push_back(torch::tensor(x)); }
inline void collect(Tensors &into, int64_t x) { into.push_back(torch::tensor(x)); }
inline void collect(Tensors &into, double x) { into.push_back(torch::tensor(x, torch::kDouble)); }
inline void collect(Tensors &into, const Tensors &list) {
  into.insert(into.end(), list.begin(), list.end());
}
template <class... Ts> void collect(Tensors &into, const std::tuple<Ts...> &results) {
  std::apply([&](const auto &...x) { (collect(into, x), ...); }, results);
}

using Words = std::vector<std::string>;
using Handler = std::function<Tensors(const Memory &, const Words &)>;

template <class R, class... A, std::size_t... I>
Handler handlerOf(R (*function)(A...), std::index_sequence<I...>) {
  return [function](const Memory &memory, const Words &words) {
    if (words.size() != sizeof...(A))
      throw BadProgram("wrong number of arguments");
    Tensors results;
    if constexpr (std::is_void_v<R>)
      function(read<std::decay_t<A>>(memory, words[I])...);
    else
      collect(results, function(read<std::decay_t<A>>(memory, words[I])...));
    return results;
  };
}
template <class R, class... A> Handler handlerOf(R (*function)(A...)) {
  return handlerOf(function, std::index_sequence_for<A...>());
}

/// What a function gives, as a word: "tensor", "list", "tuple 2" of tensors, or "other".
template <class R> struct ResultWord {
  static std::string word() {
    return std::is_same_v<R, Tensor> ? "tensor" : std::is_same_v<R, Tensors> ? "list" : "other";
  }
};
template <class... Ts> struct ResultWord<std::tuple<Ts...>> {
  static std::string word() {
    return (std::is_same_v<Ts, Tensor> && ...) ? "tuple " + std::to_string(sizeof...(Ts)) : "other";
  }
};
template <class R, class... A> std::string resultOf(R (*)(A...)) {
  return ResultWord<std::decay_t<R>>::word();
}

/// A row of the table (Operations.h). `kinds` says, for the generator, what each argument is.
struct Operation {
  const char *name;
  const char *kinds;
  Handler run;
  const char *parameters; ///< As in C++, with the parentheses.
  const char *expression; ///< Of the parameters.
  std::string result;     ///< See ResultWord.
};

struct Statement {
  std::string name, operation;
  Words arguments;

  std::string text() const {
    std::string line = name + " = " + operation;
    for (const std::string &word : arguments)
      line += " " + word;
    return line;
  }
};

inline std::vector<Statement> parse(const std::string &line) {
  std::vector<Statement> statements;
  for (const std::string &part : split(line, ';')) {
    std::istringstream words(part);
    Statement statement;
    std::string word;
    words >> statement.name >> word >> statement.operation;
    while (words >> word)
      statement.arguments.push_back(word);
    statements.push_back(std::move(statement));
  }
  return statements;
}

inline std::string plainTypeName(const std::type_info &type) {
  int status = 0;
  char *demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : type.name();
  std::free(demangled);
  return name.substr(name.rfind(':') + 1);
}

inline std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// Runs a statement; returns its error, or nothing.
inline std::string execute(const std::map<std::string, const Operation *> &table,
                           const Statement &statement, Memory &memory) {
  auto found = table.find(statement.operation);
  if (found == table.end())
    throw BadProgram("no operation " + statement.operation);
  try {
    memory.results[statement.name] = found->second->run(memory, statement.arguments);
    return "";
  } catch (const Skipped &) {
    return "skipped";
  } catch (const c10::Error &error) {
    return "error " + plainTypeName(typeid(error)) + ": " +
           firstLine(error.what_without_backtrace());
  } catch (const BadProgram &) {
    throw;
  } catch (const std::exception &error) {
    return "error " + plainTypeName(typeid(error)) + ": " + firstLine(error.what());
  }
}

inline std::string listText(c10::IntArrayRef list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i)
    text += (i ? "," : "") + std::to_string(list[i]);
  return text + "]";
}

/// "f32 [2] [1] grad leaf = 1 2": type, shape, strides, place in the graph, values.
inline std::string describe(const Tensor &tensor) {
  if (!tensor.defined())
    return "undefined";
  std::string text = nameOf(tensor.scalar_type()) + " " + listText(tensor.sizes()) + " " +
                     listText(tensor.strides());
  text += tensor.requires_grad() ? " grad" : "";
  text += tensor.is_leaf() ? " leaf" : "";
  text += " =";
  torch::NoGradGuard guard;
  Tensor flat = tensor.detach().to(torch::kCPU);
  flat = (flat.is_floating_point() ? flat.to(torch::kDouble) : flat.to(torch::kLong)).contiguous();
  char number[40];
  for (int64_t i = 0; i < std::min<int64_t>(flat.numel(), 1000); ++i) {
    if (tensor.is_floating_point())
      std::snprintf(number, sizeof number, " %.17g", flat.data_ptr<double>()[i]);
    else
      std::snprintf(number, sizeof number, " %lld",
                    static_cast<long long>(flat.data_ptr<int64_t>()[i]));
    text += number;
  }
  return text;
}

} // namespace oracle
