#include "Module.h"
#include "../ops/Arithmetic.h"

#include <cctype>
#include <functional>
#include <optional>
#include <utility>

namespace gradtidy::runtime::jit {

namespace {

/// A part of an expression.
struct Term {
  enum Kind { Number, Name, Attribute, Call, Operator } kind;
  std::string text; ///< A name, the sign of an operator.
  IValue number;
  std::vector<Term> parts; ///< Of a call what is called, and the arguments.
};

struct Statement {
  std::string target; ///< Empty for what is returned.
  Term value;
};

} // namespace

struct Script {
  std::vector<std::string> parameters; ///< Without self.
  std::vector<Statement> statements;
};

namespace {

class Parser {
public:
  explicit Parser(const std::string &text) : text(text) {}

  Script parse() {
    Script script;
    skipLines();
    expect("def");
    TORCH_CHECK(word() == "forward", "define() knows forward() alone");
    expect("(");
    TORCH_CHECK(word() == "self", "methods must have a self argument");
    while (!take(")")) {
      expect(",");
      script.parameters.push_back(word());
      if (take(":"))
        word();
    }
    if (take("->"))
      word();
    expect(":");
    for (skipLines(); at < text.size(); skipLines())
      script.statements.push_back(statement());
    TORCH_CHECK(!script.statements.empty() && script.statements.back().target.empty(),
                "forward() has to end with a return");
    return script;
  }

private:
  Statement statement() {
    std::string first = word();
    if (first == "return")
      return {"", sum()};
    expect("=");
    return {std::move(first), sum()};
  }

  Term sum() {
    return chain({"+", "-"}, [this] { return product(); });
  }
  Term product() {
    return chain({"*", "/", "@"}, [this] { return factor(); });
  }

  Term chain(const std::vector<std::string> &signs, const std::function<Term()> &operand) {
    Term left = operand();
    for (bool more = true; std::exchange(more, false);)
      for (const std::string &sign : signs)
        if (take(sign)) {
          Term right = operand();
          left = {Term::Operator, sign, {}, {std::move(left), std::move(right)}};
          more = true;
          break;
        }
    return left;
  }

  Term factor() {
    if (take("-"))
      return {Term::Operator, "-", {}, {Term{Term::Number, "", int64_t{0}, {}}, factor()}};
    Term term = primary();
    while (true) {
      if (take(".")) {
        std::string name = word();
        term = {Term::Attribute, std::move(name), {}, {std::move(term)}};
      } else if (take("(")) {
        Term call{Term::Call, "", {}, {std::move(term)}};
        while (!take(")")) {
          if (call.parts.size() > 1)
            expect(",");
          call.parts.push_back(sum());
        }
        term = std::move(call);
      } else {
        return term;
      }
    }
  }

  Term primary() {
    if (take("(")) {
      Term inner = sum();
      expect(")");
      return inner;
    }
    skip();
    if (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) {
      const std::size_t end = text.find_first_not_of("0123456789.", at);
      const std::string digits = text.substr(at, end - at);
      at = std::min(end, text.size());
      return {Term::Number,
              "",
              digits.find('.') == std::string::npos ? IValue(int64_t{std::stoll(digits)})
                                                    : IValue(std::stod(digits)),
              {}};
    }
    return {Term::Name, word(), {}, {}};
  }

  void skip() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }
  void skipLines() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  bool take(const std::string &what) {
    skip();
    if (text.compare(at, what.size(), what) != 0)
      return false;
    at += what.size();
    return true;
  }
  void expect(const std::string &what) {
    TORCH_CHECK(take(what), "expected ", what, " but found '", text.substr(at, 20), "' here");
  }
  std::string word() {
    skip();
    const std::size_t begin = at;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'))
      ++at;
    TORCH_CHECK(at > begin, "expected a name but found '", text.substr(at, 20), "' here");
    return text.substr(begin, at - begin);
  }

  const std::string &text;
  std::size_t at = 0;
};

using Values = std::vector<IValue>;

const std::map<std::string, std::function<Tensor(const Values &)>> &functions() {
  static const auto of = [](Tensor (Tensor::*method)() const) {
    return [method](const Values &v) { return (v.at(0).toTensor().*method)(); };
  };
  static const std::map<std::string, std::function<Tensor(const Values &)>> table = {
      {"relu", of(&Tensor::relu)},
      {"tanh", of(&Tensor::tanh)},
      {"sigmoid", of(&Tensor::sigmoid)},
      {"t", of(&Tensor::t)},
      {"argmax", [](const Values &v) { return v.at(0).toTensor().argmax(v.at(1).toInt()); }},
      {"softmax", [](const Values &v) { return v.at(0).toTensor().softmax(v.at(1).toInt()); }},
      {"sum", [](const Values &v) { return v.at(0).toTensor().sum(v.at(1).toInt()); }},
      {"unsqueeze", [](const Values &v) { return v.at(0).toTensor().unsqueeze(v.at(1).toInt()); }},
      {"matmul", [](const Values &v) { return v.at(0).toTensor().matmul(v.at(1).toTensor()); }},
  };
  return table;
}

double numberOf(const IValue &value) {
  return value.isInt() ? static_cast<double>(value.toInt()) : value.toDouble();
}

IValue combine(char sign, const IValue &left, const IValue &right) {
  if (sign == '@')
    return left.toTensor().matmul(right.toTensor());
  const auto apply = [&](const auto &a, const auto &b) -> IValue {
    switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return a / b;
    }
  };
  if (left.isTensor() && right.isTensor())
    return apply(left.toTensor(), right.toTensor());
  if (left.isTensor())
    return apply(left.toTensor(), Scalar(numberOf(right)));
  if (right.isTensor())
    return apply(Scalar(numberOf(left)), right.toTensor());
  return apply(numberOf(left), numberOf(right));
}

/// The values of one call.
class Evaluation {
public:
  Evaluation(const std::map<std::string, Tensor> &tensors, std::map<std::string, IValue> values)
      : tensors(tensors), values(std::move(values)) {}

  IValue run(const Script &script) {
    for (const Statement &statement : script.statements) {
      IValue value = evaluate(statement.value);
      if (statement.target.empty())
        return value;
      values[statement.target] = std::move(value);
    }
    return {};
  }

private:
  IValue evaluate(const Term &term) const {
    switch (term.kind) {
    case Term::Number:
      return term.number;
    case Term::Name: {
      const auto found = values.find(term.text);
      TORCH_CHECK(found != values.end(), "undefined value ", term.text);
      return found->second;
    }
    case Term::Attribute: {
      const bool isOfModule = term.parts[0].kind == Term::Name && term.parts[0].text == "self";
      const auto found = isOfModule ? tensors.find(term.text) : tensors.end();
      TORCH_CHECK(found != tensors.end(), "Module has no attribute '", term.text, "'");
      return found->second;
    }
    case Term::Call:
      return call(term);
    case Term::Operator:
      return combine(term.text[0], evaluate(term.parts[0]), evaluate(term.parts[1]));
    }
    return {};
  }

  IValue call(const Term &term) const {
    const Term &callee = term.parts[0];
    const auto function = functions().find(callee.text);
    TORCH_CHECK(callee.kind == Term::Attribute && function != functions().end(),
                "Unknown builtin op: aten::", callee.text, ".");
    Values arguments;
    if (const Term &object = callee.parts[0]; object.kind != Term::Name || object.text != "torch")
      arguments.push_back(evaluate(object));
    for (std::size_t i = 1; i < term.parts.size(); ++i)
      arguments.push_back(evaluate(term.parts[i]));
    return function->second(arguments);
  }

  const std::map<std::string, Tensor> &tensors;
  std::map<std::string, IValue> values;
};

} // namespace

Module::Module(std::string name) : name(std::move(name)) {}

void Module::register_parameter(const std::string &name, Tensor value, bool isBuffer) {
  TORCH_CHECK(isBuffer || value.is_floating_point(),
              "only tensors of floating point have gradients");
  tensors[name] = std::move(value);
}

void Module::register_buffer(const std::string &name, Tensor value) {
  register_parameter(name, std::move(value), true);
}

void Module::define(const std::string &source) {
  script = std::make_shared<Script>(Parser(source).parse());
}

IValue Module::forward(std::vector<IValue> inputs) const {
  TORCH_CHECK(script, "Method 'forward' is not defined.");
  const std::size_t given = inputs.size() + 1, taken = script->parameters.size() + 1;
  std::string declaration = "forward(__torch__." + name + " self";
  for (const std::string &parameter : script->parameters)
    declaration += ", Tensor " + parameter;
  declaration += ") -> Tensor";
  TORCH_CHECK(given <= taken, "Expected at most ", taken,
              " argument(s) for operator 'forward', but received ", given,
              " argument(s). Declaration: ", declaration);
  TORCH_CHECK(given == taken, "forward() is missing value for argument '",
              script->parameters[given - 1], "'. Declaration: ", declaration);
  std::map<std::string, IValue> values;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    values[script->parameters[i]] = std::move(inputs[i]);
  return Evaluation(tensors, std::move(values)).run(*script);
}

void Module::to(Device device) {
  for (auto &[name, tensor] : tensors)
    tensor = tensor.detach().to(device);
}

} // namespace gradtidy::runtime::jit
