// Tables of operators: the bundled one, what a model says of its own, and broken ones.
#include "analyzer/model/Model.h"

#include <catch2/catch.hpp>

using namespace gradtidy;
using Catch::Matchers::Contains;

namespace {

Operator operatorOf(const char *name) {
  const std::optional<Operator> found = Model::bundled().operators().find(name);
  INFO(name);
  REQUIRE(found);
  return *found;
}

/// What the gradient of an argument is computed from: "self other =" for self, other and a result.
std::string savedFor(const Overload &overload, const std::string &argument) {
  std::string text;
  for (const Overload::Saved &saved : overload.saves)
    if (overload.arguments[saved.of].name == argument) {
      for (unsigned index : saved.arguments)
        text += overload.arguments[index].name + " ";
      text += saved.result ? "=" : "";
    }
  return text;
}

/// What is wrong with a model whose table has \p row as its only operator, or "".
std::string errorIn(const std::string &row) {
  Model model;
  return llvm::toString(
      model.add(R"({"operators": {"table": {"stretch": )" + row + "}}}", "mine.json"));
}

} // namespace

TEST_CASE("What changes in place, whatever it is called") {
  CHECK(operatorOf("torch::Tensor::add_").changesElements());
  CHECK(operatorOf("torch::Tensor::operator*=").changesElements());
  CHECK(operatorOf("torch::nn::init::xavier_uniform_").changesElements());
  CHECK(operatorOf("torch::Tensor::set_data").changes(0));
  CHECK(operatorOf("torch::Tensor::unsqueeze_").changes(0));
  CHECK_FALSE(operatorOf("torch::Tensor::unsqueeze_").changesElements());
  CHECK_FALSE(operatorOf("torch::Tensor::add").changes(0));
  CHECK_FALSE(operatorOf("torch::rrelu_with_noise").changes(0));
  CHECK(operatorOf("torch::rrelu_with_noise").changes(1));
}

TEST_CASE("Results that are written into an argument") {
  CHECK(operatorOf("torch::add_out").out == Operator::Out::First);
  CHECK(operatorOf("torch::add_outf").out == Operator::Out::Last);
  CHECK(operatorOf("torch::add").out == Operator::Out::No);
  CHECK_FALSE(Model::bundled().operators().find("torch::relu_out")); // There is none.
}

TEST_CASE("Views, and what may be one") {
  CHECK(operatorOf("torch::Tensor::select").viewOf() == 0u);
  CHECK(operatorOf("torch::Tensor::operator[]").viewOf() == 0u);
  CHECK(operatorOf("torch::Tensor::reshape").viewOf() == std::nullopt);
  CHECK(operatorOf("torch::Tensor::reshape").overloads.front().viewOf == 0u);
  CHECK(operatorOf("torch::Tensor::clone").overloads.front().viewOf == std::nullopt);
}

TEST_CASE("Arguments with their defaults, the object first") {
  const Overload add = operatorOf("torch::add").overloads.front();
  REQUIRE(add.arguments.size() == 3);
  CHECK(add.arguments[0].name == "self");
  CHECK_FALSE(add.arguments[1].defaultValue);
  CHECK(add.arguments[2].defaultValue == "1");
  CHECK(add.tensors == std::vector<unsigned>{0, 1});
}

TEST_CASE("What a gradient is computed from") {
  const Overload product = operatorOf("torch::operator*").overloads.front();
  CHECK(savedFor(product, "self") == "other ");
  CHECK(savedFor(product, "other") == "self ");
  CHECK(savedFor(operatorOf("torch::sigmoid").overloads.front(), "self") == "=");
  CHECK(savedFor(operatorOf("torch::sin").overloads.front(), "self") == "self ");
  // The description of an input is no element of it.
  CHECK(operatorOf("torch::sum").overloads.front().saves.empty());
  CHECK(operatorOf("torch::cat").overloads.front().saves.empty());
  // In place by the formula of the form that is not, whatever its overload is called.
  CHECK(savedFor(operatorOf("torch::Tensor::mul_").overloads.front(), "self") == "other ");
  CHECK(operatorOf("torch::Tensor::pow_").gradient() == GradientRule::Formula);
}

TEST_CASE("Whether there is a gradient") {
  CHECK(operatorOf("torch::exp").gradient() == GradientRule::Formula);
  CHECK(operatorOf("torch::matmul").gradient() == GradientRule::Composite);
  CHECK(operatorOf("torch::operator<").gradient() == GradientRule::None);
  CHECK(operatorOf("torch::floor").gradient() == GradientRule::Zero);
  CHECK(operatorOf("torch::sign").lacksGradient());
  CHECK_FALSE(operatorOf("torch::abs").lacksGradient());
  CHECK(operatorOf("torch::argmax").gradient() == GradientRule::Unknown);
}

TEST_CASE("Random numbers, and what changes nothing when it is run again") {
  CHECK(operatorOf("torch::Tensor::normal_").isRandom());
  CHECK_FALSE(operatorOf("torch::Tensor::add_").isRandom());
  CHECK(operatorOf("torch::Tensor::clamp_").isIdempotent);
  CHECK_FALSE(operatorOf("torch::Tensor::mul_").isIdempotent);
  CHECK(operatorOf("torch::Tensor::mul_").dependsOnFirst());
  CHECK_FALSE(operatorOf("torch::Tensor::zero_").dependsOnFirst());
  CHECK_FALSE(operatorOf("torch::Tensor::copy_").dependsOnFirst());
}

TEST_CASE("What operators made of others save") {
  const Operator linear = operatorOf("torch::linear");
  REQUIRE(linear.overloads.size() == 1);
  REQUIRE(linear.overloads.front().saves.size() == 2);
  for (const Overload::Saved &rule : linear.overloads.front().saves)
    CHECK(rule.arguments == std::vector<unsigned>{1 - rule.of});
  CHECK(operatorOf("torch::softmax").overloads.front().saves.front().result);
}

TEST_CASE("What results of operators are like") {
  CHECK(operatorOf("torch::relu").rule == ResultRule::Same);
  CHECK(operatorOf("torch::Tensor::sub").rule == ResultRule::Elementwise);
  CHECK(operatorOf("torch::special::expit").rule == ResultRule::Real);
  CHECK(operatorOf("torch::isposinf").rule == ResultRule::Flags);
  CHECK(operatorOf("torch::Tensor::tril_").rule == ResultRule::Same); // It gives its subject back.
  CHECK(operatorOf("torch::Tensor::add_").rule == ResultRule::Update);
  CHECK(operatorOf("torch::_unique2").rule == ResultRule::None);
  unsigned known = 0;
  for (const llvm::StringRef name : Model::bundledOperators().names())
    if (const auto found = Model::bundled().operators().findMember(name))
      known += found->rule != ResultRule::None;
  CHECK(known > 700);
}

TEST_CASE("Operators may hand back what they are given") {
  CHECK(operatorOf("torch::atleast_3d").mayReturn);
  CHECK_FALSE(operatorOf("torch::matmul").mayReturn);
}

TEST_CASE("Names of namespaces have a prefix in the table") {
  CHECK(operatorOf("torch::special::expit").name == "special_expit");
  CHECK(operatorOf("torch::linalg::norm").name == "linalg_norm");
  CHECK_FALSE(Model::bundled().operators().find("mine::add_"));
  CHECK_FALSE(Model::bundled().operators().find("torch::optim::SGD::add_"));
  CHECK(Model::bundled().operators().findMember("add_")->changes(0));
  CHECK_FALSE(Model::bundled().operators().findMember("push_back"));
}

TEST_CASE("Another framework has a table of its own") {
  Model model = Model::bundled();
  REQUIRE(llvm::toString(model.add(R"({"operators": {
      "table": {"stretch": {"overloads": [{"arguments": ["self", "by=2"], "changes": [0]}]}},
      "scopes": {"axon::Array": ""},
      "names": {"axon::grow": "stretch"}}})",
                                   "axon.json")) == "");
  const auto stretch = model.operators().find("axon::Array::stretch");
  REQUIRE(stretch);
  CHECK(stretch->changesElements());
  CHECK(stretch->overloads.front().arguments[1].defaultValue == "2");
  CHECK(model.operators().find("axon::grow"));
  CHECK_FALSE(model.operators().find("axon::Array::add_"));
  CHECK(model.operators().find("torch::Tensor::add_"));
}

TEST_CASE("What is wrong with a table") {
  CHECK(errorIn(R"({"overloads": [{"arguments": ["self"]}]})") == "");
  CHECK_THAT(errorIn("7"), Contains("\"stretch\": expected an object"));
  CHECK_THAT(errorIn(R"({"overload": []})"), Contains("unknown key \"overload\""));
  CHECK_THAT(errorIn(R"({"overloads": [{}]})"), Contains("an object with \"arguments\""));
  CHECK_THAT(errorIn(R"({"overloads": [{"arguments": ["self"], "changes": [1]}]})"),
             Contains("there is no argument 1"));
  CHECK_THAT(errorIn(R"({"overloads": [{"arguments": ["self"], "saves": {"self": ["other"]}}]})"),
             Contains("there is no argument other"));
  CHECK_THAT(errorIn(R"({"overloads": [{"arguments": ["self"], "gradient": "maybe"}]})"),
             Contains("not \"maybe\""));
  CHECK_THAT(errorIn(R"({"overloads": [{"arguments": ["self"], "volatile": true}]})"),
             Contains("unknown key \"volatile\""));
  Model model;
  CHECK_THAT(llvm::toString(model.add(R"({"operators": {"table": "mine-operators.json"}})", "m")),
             Contains("there is no bundled table \"mine-operators.json\""));
  CHECK_THAT(llvm::toString(model.add(
                 R"({"operators": {"table": {}, "names": {"axon::grow": "stretch"}}})", "m")),
             Contains("the table has no operator 'stretch'"));
  CHECK_THAT(llvm::toString(
                 model.add(R"({"operators": {"table": {}, "rules": {"same": ["stretch"]}}})", "m")),
             Contains("the table has no operator 'stretch'"));
  CHECK_THAT(
      llvm::toString(model.add(R"({"operators": {"table": {}, "rules": {"sane": []}}})", "m")),
      Contains("unknown rule; did you mean 'same'?"));
  CHECK_THAT(
      llvm::toString(model.add(R"({"operators": {"table": {}, "may-return": ["grow"]}})", "m")),
      Contains("the table has no operator 'grow'"));
}

TEST_CASE("Every row of the bundled table can be read") {
  const OperatorTable &table = Model::bundledOperators();
  const std::vector<llvm::StringRef> names = table.names();
  CHECK(names.size() > 1500);
  for (llvm::StringRef name : names) {
    INFO(name.str());
    CHECK(table.find(name));
  }
}
