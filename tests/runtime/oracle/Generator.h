// Random programs that mostly make sense: the generator runs each statement as it writes it, looks
// at the tensors there are, and mostly drops what fails.
#pragma once

#include "Operations.h"

#include <algorithm>
#include <random>

namespace oracle {

class Generator {
public:
  Generator(uint64_t seed, const std::map<std::string, const Operation *> &table)
      : random(seed), table(table) {}

  /// The text of one program.
  std::string program() {
    clear();
    for (int64_t length = between(2, 7); length > 0; --length)
      addStatement();
    if (!chance(25))
      differentiate();
    std::string text;
    for (const Statement &statement : statements)
      text += (text.empty() ? "" : "; ") + statement.text();
    return text;
  }

  /// A statement of this operation behind those that make its arguments, which are of float64 and
  /// of no particular values. May fail.
  std::vector<Statement> exactly(const Operation &operation) {
    clear();
    exact = true;
    run(statementOf(operation));
    exact = false;
    return statements;
  }

private:
  void clear() {
    start();
    memory.clear();
    statements.clear();
    counter = 0;
  }

  /// Sizes that equal letters of one statement's kinds stand for.
  struct Binding {
    std::map<char, int64_t> sizes;
    std::optional<Ints> rest;
    std::optional<Ints> first;
    std::optional<torch::Dtype> type;
  };

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int64_t percent) { return between(0, 99) < percent; }
  template <class T> const T &one(const std::vector<T> &of) {
    return of[static_cast<std::size_t>(between(0, static_cast<int64_t>(of.size()) - 1))];
  }

  void addStatement() {
    for (int attempt = 0; attempt < 8; ++attempt) {
      std::size_t before = statements.size();
      const Operation &operation = one(operations());
      if (!*operation.kinds)
        continue;
      if (run(statementOf(operation)).empty())
        return forgetLarge();
      if (chance(12))
        return;
      while (statements.size() > before) {
        memory.results.erase(statements.back().name);
        statements.pop_back();
      }
    }
  }

  Statement statementOf(const Operation &operation) {
    binding = {};
    Statement statement{"", operation.name, {}};
    for (const std::string &kind : split(operation.kinds, ' '))
      statement.arguments.push_back(argument(kind, statement.arguments));
    return statement;
  }

  /// Nothing shall be made of large results.
  void forgetLarge() {
    Tensors &results = memory.results[statements.back().name];
    if (std::any_of(results.begin(), results.end(),
                    [](const Tensor &x) { return x.defined() && x.numel() > 500; }))
      results.clear();
  }

  /// Ends with a backward pass, sometimes through the gradients of another.
  void differentiate() {
    std::vector<std::string> candidates = named([](const Tensor &x) {
      return x.requires_grad() && !x.is_leaf() && x.is_floating_point() && x.numel() > 0;
    });
    if (candidates.empty())
      return;
    std::string loss = candidates.back();
    loss = perform("marked", {loss});
    std::vector<std::string> leaves =
        named([](const Tensor &x) { return x.requires_grad() && x.is_leaf(); });
    if (chance(30) && !leaves.empty()) {
      std::string gradient = perform("grad", {loss, one(leaves)});
      loss = perform("marked", {gradient});
    }
    perform("backward", {loss, "false", "false"});
  }

  std::string perform(const char *operation, Words arguments) {
    run({"", operation, std::move(arguments)});
    return statements.back().name;
  }

  std::string run(Statement statement) {
    statement.name = "v" + std::to_string(counter++);
    std::string error = execute(table, statement, memory);
    statements.push_back(std::move(statement));
    return error;
  }

  /// The names of tensors for which `wanted` holds, in the order of their making.
  std::vector<std::string> named(const std::function<bool(const Tensor &)> &wanted) {
    std::vector<std::string> names;
    for (const Statement &statement : statements) {
      const Tensors &results = memory.results[statement.name];
      for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i].defined() && wanted(results[i]))
          names.push_back(statement.name + (i == 0 ? "" : "." + std::to_string(i)));
    }
    return names;
  }

  std::string argument(std::string kind, const Words &before) {
    if (kind[0] == '=')
      return kind.substr(1);
    std::string head = kind.substr(0, kind.find_first_of(":<"));
    bool optional = head.back() == '?';
    if (optional)
      head.pop_back();
    if (optional && chance(40))
      return "-";
    if (head.size() == 1 && std::string("xfsimu").find(head) != std::string::npos)
      return tensor(head[0], kind);
    return word(head, before);
  }

  // Tensors

  int64_t sizeOf(const std::string &token) {
    int64_t factor = std::isdigit(token[0]) ? token[0] - '0' : 1;
    if (std::isdigit(token.back()))
      return std::stoll(token);
    char letter = token.back();
    if (!binding.sizes.count(letter))
      binding.sizes[letter] = letter == 'H' || letter == 'W' ? between(2, 7)
                              : std::islower(letter)         ? between(1, 3)
                                                             : size();
    return factor * binding.sizes[letter];
  }

  int64_t size() { return chance(4) ? 0 : chance(15) ? 1 : between(2, 4); }

  Ints shape() {
    Ints sizes;
    static const std::vector<int64_t> dims = {0, 1, 1, 2, 2, 2, 3, 3, 4};
    for (int64_t d = one(dims); d > 0; --d)
      sizes.push_back(size());
    return sizes;
  }

  /// A shape that broadcasts to the first tensor's, or with it to a larger one.
  Ints broadcast() {
    Ints sizes = binding.first.value_or(Ints{});
    for (int64_t &size : sizes)
      if (chance(25))
        size = size == 1 ? between(1, 3) : 1;
    if (!sizes.empty() && chance(25))
      sizes.erase(sizes.begin(), sizes.begin() + between(1, static_cast<int64_t>(sizes.size())));
    return sizes;
  }

  /// The shape that the tokens stand for, letters and rest being bound as they come.
  Ints wantedShape(const std::vector<std::string> &tokens) {
    Ints sizes;
    for (const std::string &token : tokens) {
      if (token == "*") {
        if (!binding.rest)
          binding.rest = chance(50) ? Ints{} : Ints{size()};
        sizes.insert(sizes.end(), binding.rest->begin(), binding.rest->end());
      } else {
        sizes.push_back(sizeOf(token));
      }
    }
    return sizes;
  }

  /// Binds letters so that the tokens stand for `sizes`, if that can be.
  bool matches(const std::vector<std::string> &tokens, const Tensor &x) {
    Binding kept = binding;
    Ints sizes = x.sizes().vec();
    std::size_t stars = static_cast<std::size_t>(std::count(tokens.begin(), tokens.end(), "*"));
    bool good = stars == 0 ? tokens.size() == sizes.size() : sizes.size() + 1 >= tokens.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i < tokens.size() && good; ++i) {
      if (tokens[i] == "*") {
        std::size_t length = sizes.size() + 1 - tokens.size();
        Ints rest(sizes.begin() + static_cast<std::ptrdiff_t>(at),
                  sizes.begin() + static_cast<std::ptrdiff_t>(at + length));
        good = !binding.rest || *binding.rest == rest;
        binding.rest = rest;
        at += length;
        continue;
      }
      char letter = tokens[i].back();
      bool doubled = tokens[i].size() == 2 && tokens[i][0] == '2' && std::isalpha(letter);
      if (std::isalpha(letter) && !binding.sizes.count(letter) &&
          (!doubled || sizes[at] % 2 == 0) &&
          (letter != 'H' && letter != 'W' ? true : sizes[at] > 1))
        binding.sizes[letter] = doubled ? sizes[at] / 2 : sizes[at];
      good = sizeOf(tokens[i]) == sizes[at++];
    }
    if (!good)
      binding = kept;
    return good;
  }

  std::string tensor(char kind, const std::string &text) {
    std::size_t colon = text.find(':'), less = text.find('<');
    bool anyShape = colon == std::string::npos;
    std::string layout =
        anyShape ? "" : text.substr(colon + 1, less == std::string::npos ? less : less - colon - 1);
    std::vector<std::string> tokens = split(layout, ',');
    bool broadcasts = layout == "~";
    auto typeFits = [&](const Tensor &x) {
      torch::Dtype type = x.scalar_type();
      return kind == 'x'   ? true
             : kind == 'f' ? x.is_floating_point()
             : kind == 's' ? !binding.type || type == *binding.type
             : kind == 'm' ? type == torch::kBool
                           : false;
    };
    std::string chosen;
    if (!exact && chance(kind == 'i' || kind == 'u' ? 5 : 60)) {
      bool careless = chance(5);
      std::vector<std::string> names = named(
          [&](const Tensor &x) { return careless || (typeFits(x) && (anyShape || broadcasts)); });
      if (!careless && !anyShape && !broadcasts) {
        Binding kept = binding;
        names = named([&](const Tensor &x) {
          bool good = typeFits(x) && matches(tokens, x);
          binding = kept;
          return good;
        });
      }
      if (broadcasts && !careless)
        std::erase_if(names, [&](const std::string &name) {
          return !broadcastable(memory.tensor(name).sizes().vec());
        });
      if (!names.empty()) {
        // Mostly a late one: statements shall build on each other.
        chosen = chance(60) ? names.back() : one(names);
        if (!anyShape && !broadcasts)
          matches(tokens, memory.tensor(chosen));
      }
    }
    if (chosen.empty()) {
      Ints sizes = anyShape ? shape() : broadcasts ? broadcast() : wantedShape(tokens);
      chosen = chance(3) ? made(kind, shape(), text) : made(kind, sizes, text);
    }
    Tensor x = memory.tensor(chosen);
    if (!binding.first) {
      binding.first = x.sizes().vec();
      binding.type = x.scalar_type();
    }
    return chosen;
  }

  bool broadcastable(const Ints &sizes) {
    const Ints &first = *binding.first;
    for (std::size_t back = 1; back <= std::min(sizes.size(), first.size()); ++back) {
      int64_t a = sizes[sizes.size() - back], b = first[first.size() - back];
      if (a != b && a != 1 && b != 1)
        return false;
    }
    return true;
  }

  /// A new tensor of this kind.
  std::string made(char kind, const Ints &sizes, const std::string &text) {
    static const std::vector<torch::Dtype> floating = {
        torch::kFloat,  torch::kFloat, torch::kFloat,   torch::kFloat,
        torch::kDouble, torch::kHalf,  torch::kBFloat16};
    static const std::vector<torch::Dtype> any = {torch::kFloat,    torch::kFloat,  torch::kFloat,
                                                  torch::kFloat,    torch::kDouble, torch::kHalf,
                                                  torch::kBFloat16, torch::kLong,   torch::kLong,
                                                  torch::kInt,      torch::kByte,   torch::kBool};
    torch::Dtype type = kind == 'm'   ? torch::kBool
                        : kind == 'i' ? (chance(90) ? torch::kLong : one(any))
                        : kind == 'x' ? one(any)
                                      : one(floating);
    if ((kind == 's' || kind == 'u') && binding.type && chance(95))
      type = *binding.type;
    if (exact && kind != 'm' && kind != 'i')
      type = torch::kDouble;
    bool isFloating = torch::isFloatingType(type);
    double low = isFloating ? -2 : type == torch::kByte || type == torch::kBool ? 0 : -4;
    double high = isFloating ? 2 : type == torch::kBool ? 2 : 8;
    if (kind == 'u') {
      low = 0;
      high = 1;
    }
    if (kind == 'i') {
      std::size_t less = text.find('<');
      low = chance(3) ? -1 : 0;
      high = less == std::string::npos ? 3 : static_cast<double>(sizeOf(text.substr(less + 1)));
      if (chance(3))
        high += 1;
    }
    bool grad = isFloating && (exact || chance(55));
    int64_t order = chance(70) ? 0 : between(1, 2);
    int64_t seed = exact ? 1 + 3 * between(0, 8) : between(0, 199); // see numbers()
    std::string leaf =
        perform("make", {nameOf(type), listText(sizes), std::to_string(seed), std::to_string(order),
                         number(low), number(high), grad ? "true" : "false"});
    return exact ? perform("clone", {leaf}) : leaf; // a leaf cannot be changed in place
  }

  // Other arguments

  static std::string number(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
  }

  std::string joined(const Words &words, char open, char close) {
    std::string text(1, open);
    for (std::size_t i = 0; i < words.size(); ++i)
      text += (i ? "," : "") + words[i];
    return text + close;
  }

  std::string several(int64_t count, int64_t low, int64_t high) {
    Ints values;
    if (count > 1 && chance(20))
      count = 1;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(between(low, high));
    return listText(values);
  }

  int64_t firstDims() { return binding.first ? static_cast<int64_t>(binding.first->size()) : 2; }
  int64_t dimension() {
    int64_t dims = std::max<int64_t>(firstDims(), 1);
    return chance(4) ? dims : between(-dims, dims - 1);
  }
  int64_t place() { return between(-4, 4); }

  std::string word(const std::string &kind, const Words &before) {
    static const std::vector<std::string> scalars = {"0",    "1",    "2",   "3",     "-1",  "0.5",
                                                     "-0.5", "1.5",  "2.0", "0.125", "1.0", "-2.5",
                                                     "0.0",  "true", "-3",  "7"};
    static const std::vector<std::string> rare = {"inf", "nan", "-inf", "1e4", "false", "300"};
    if (kind == "n")
      return chance(95) ? one(scalars) : one(rare);
    if (kind == "alpha")
      return chance(60) ? "1" : one(scalars);
    if (kind == "p")
      return one<std::string>({"0.5", "0.25", "0.1", "0.0", "1.0", "0.9"});
    if (kind == "b")
      return chance(50) ? "true" : "false";
    if (kind == "w")
      return std::to_string(chance(4) ? -1 : between(0, 4));
    if (kind == "step")
      return std::to_string(chance(5) ? 0 : between(1, 3));
    if (kind == "place")
      return chance(10) ? std::to_string(between(-9, 9)) : std::to_string(place());
    if (kind == "offset")
      return std::to_string(between(-2, 2));
    if (kind == "classes")
      return chance(40) ? "-1" : "5";
    if (kind == "ignored")
      return chance(70) ? "-100" : std::to_string(between(0, 2));
    if (kind == "reduction")
      return std::to_string(between(0, 2));
    if (kind == "type")
      return exact ? "f64" : one(types).first;
    if (kind == "dim")
      return std::to_string(dimension());
    if (kind == "dims" || kind == "perm")
      return dimensions(kind == "perm");
    if (kind == "shape")
      return listText(shape());
    if (kind == "view")
      return view();
    if (kind == "expand")
      return expand();
    if (kind == "list")
      return list();
    if (kind == "index")
      return index();
    if (kind == "pads")
      return several(2 * std::max<int64_t>(1, between(0, firstDims())), -1, 2);
    if (kind.starts_with("stride"))
      return several(kind.back() - '0', 1, chance(5) ? 5 : 2);
    if (kind.starts_with("pad"))
      return several(kind.back() - '0', chance(4) ? -1 : 0, 1);
    throw BadProgram("no kind " + kind);
  }

  std::string dimensions(bool all) {
    Ints dims;
    for (int64_t d = 0; d < firstDims(); ++d)
      if (all || chance(50))
        dims.push_back(chance(30) ? d - firstDims() : d);
    for (std::size_t i = dims.size(); i > 1; --i)
      std::swap(dims[i - 1],
                dims[static_cast<std::size_t>(between(0, static_cast<int64_t>(i) - 1))]);
    if (chance(4))
      dims.push_back(dimension());
    return listText(dims);
  }

  /// Another shape for as many elements as the first tensor has.
  std::string view() {
    int64_t count = 1;
    for (int64_t size : *binding.first)
      count *= size;
    Ints sizes;
    while (count > 1) {
      int64_t divisor = 1;
      for (int64_t candidate : {2, 3, 4, 5, 6, 7})
        if (count % candidate == 0 && (divisor == 1 || chance(40)))
          divisor = candidate;
      if (divisor == 1 || chance(15))
        divisor = count;
      sizes.push_back(divisor);
      count /= divisor;
    }
    if (count == 0)
      sizes = {0};
    while (chance(25))
      sizes.insert(sizes.begin() + between(0, static_cast<int64_t>(sizes.size())), 1);
    if (!sizes.empty() && chance(30))
      sizes[static_cast<std::size_t>(between(0, static_cast<int64_t>(sizes.size()) - 1))] = -1;
    return listText(sizes);
  }

  std::string expand() {
    Ints sizes = *binding.first;
    for (int64_t &size : sizes)
      size = size == 1 ? between(1, 3) : chance(20) ? -1 : size;
    while (chance(30))
      sizes.insert(sizes.begin(), between(1, 3));
    if (chance(4))
      sizes.push_back(2);
    return listText(sizes);
  }

  std::string list() {
    Words names{tensor('x', "x")};
    for (int64_t more = between(0, 2); more > 0; --more)
      names.push_back(chance(70) ? made(chance(80) ? 's' : 'x', *binding.first, "") : names[0]);
    return joined(names, '{', '}');
  }

  std::string index() {
    Ints sizes = *binding.first;
    Words entries;
    std::size_t d = 0;
    int64_t length = size();
    bool shortened = false;
    while (d < sizes.size() && !chance(15)) {
      int64_t extent = std::max<int64_t>(sizes[d], 1);
      switch (between(0, 9)) {
      case 0:
      case 1:
        entries.push_back(std::to_string(chance(5) ? extent : between(-extent, extent - 1)));
        break;
      case 2:
      case 3:
        entries.push_back((chance(50) ? std::to_string(place()) : "") + ":" +
                          (chance(50) ? std::to_string(place()) : "") +
                          (chance(30) ? ":" + std::to_string(chance(5) ? -1 : between(1, 3)) : ""));
        break;
      case 4:
        entries.emplace_back("None");
        continue;
      case 5:
        if (shortened)
          continue;
        shortened = true;
        entries.emplace_back("...");
        d += static_cast<std::size_t>(between(0, static_cast<int64_t>(sizes.size() - d)));
        continue;
      case 6: {
        std::size_t covered = static_cast<std::size_t>(
            between(1, std::min<int64_t>(2, static_cast<int64_t>(sizes.size() - d))));
        Ints part(sizes.begin() + static_cast<std::ptrdiff_t>(d),
                  sizes.begin() + static_cast<std::ptrdiff_t>(d + covered));
        entries.push_back(made('m', part, ""));
        d += covered;
        continue;
      }
      case 7:
        if (chance(20))
          entries.push_back(chance(50) ? "true" : "false");
        continue;
      default:
        binding.sizes['Z'] = extent;
        entries.push_back(made('i', chance(75) ? Ints{length} : shape(), "i<Z"));
      }
      ++d;
    }
    if (entries.empty())
      entries.emplace_back(":");
    return joined(entries, '(', ')');
  }

  std::mt19937_64 random;
  const std::map<std::string, const Operation *> &table;
  Memory memory;
  std::vector<Statement> statements;
  int counter = 0;
  bool exact = false;
  Binding binding;
};

} // namespace oracle
