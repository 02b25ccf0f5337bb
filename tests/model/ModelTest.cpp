// Models of frameworks: what they say, how several are merged, and what is wrong with broken ones.
#include "analyzer/model/Model.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace gradtidy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// What is wrong with \p text, or "".
std::string errorIn(const std::string &text) {
  Model model;
  return llvm::toString(model.add(text, "mine.json"));
}

Model modelOf(std::initializer_list<const char *> texts) {
  Model model;
  for (const char *text : texts)
    REQUIRE(llvm::toString(model.add(text, "mine.json")) == "");
  return model;
}

} // namespace

TEST_CASE("The bundled models know LibTorch") {
  const Model &model = Model::bundled();
  CHECK(model.typeRole("torch::Tensor") == TypeRole::Tensor);
  CHECK(model.typeRole("torch::optim::Optimizer") == TypeRole::Optimizer);
  CHECK(model.typeRole("torch::optim::LRScheduler") == TypeRole::None);
  CHECK(model.functionRole("torch::Tensor::backward") == FunctionRole::Backward);
  CHECK(model.functionRole("torch::autograd::grad") == FunctionRole::Differentiate);
  CHECK_THAT(model.headers(), Catch::VectorContains(std::string("torch/torch.h")));
}

TEST_CASE("One name for the same thing in several namespaces") {
  const Model &bundled = Model::bundled();
  CHECK(bundled.canonicalName("at::Tensor::grad") == "torch::Tensor::grad");
  CHECK(bundled.canonicalName("gradtidy::runtime::nn::Module") == "torch::nn::Module");
  CHECK(bundled.canonicalName("atlas::Tensor") == "atlas::Tensor");
  CHECK(bundled.canonicalName("my::at::Tensor") == "my::at::Tensor");
  CHECK(bundled.canonicalName("at") == "at");

  const Model model = modelOf({R"({"namespaces": {"a": "short", "a::b": "long"}})",
                               R"({"namespaces": {"a::b::c": "longest"}})"});
  CHECK(model.canonicalName("a::x") == "short::x");
  CHECK(model.canonicalName("a::b::x") == "long::x");
  CHECK(model.canonicalName("a::b::c::x") == "longest::x");
}

TEST_CASE("A framework is what lies beside the names of a model") {
  const Model model = modelOf({R"({"types": {"tensor": ["lumen::Array"]}})"});
  CHECK(model.isFrameworkName("lumen::io::read"));
  CHECK_FALSE(model.isFrameworkName("lumens::Array"));
  CHECK_FALSE(model.isFrameworkName("mine::lumen::Array"));
}

TEST_CASE("Models are merged, and the later one wins") {
  const Model model = modelOf({R"({"name": "one", "headers": ["one.h"],
                   "types": {"tensor": ["one::Array"]},
                   "functions": {"step": ["one::Learner::go"], "detach": ["one::cut"]}})",
                               R"({"name": "two", "headers": ["two.h"],
                   "types": {"module": ["two::Net"]},
                   "functions": {"backward": ["one::Learner::go"]}})"});
  CHECK(model.headers() == std::vector<std::string>{"one.h", "two.h"});
  CHECK(model.typeRole("one::Array") == TypeRole::Tensor);
  CHECK(model.typeRole("two::Net") == TypeRole::Module);
  CHECK(model.functionRole("one::Learner::go") == FunctionRole::Backward);
  CHECK(model.functionRole("one::cut") == FunctionRole::Detach);
}

TEST_CASE("Fix-its write what the framework of the code at hand knows") {
  Model model = Model::bundled();
  const std::vector<std::string> torch{"torch::Tensor"}, lumen{"lumen::Array"}, none;
  CHECK(model.phrase(Phrase::DisableGradients, torch) == "torch::NoGradGuard {name};");
  CHECK(model.constant(ElementType::Int64, torch) == "torch::kInt64");
  CHECK(model.constant(DeviceRole::Cuda, none) == "torch::kCUDA");

  llvm::cantFail(model.add(R"json({"types": {"tensor": ["lumen::Array"]},
                                   "elements": {"int64": ["lumen::whole", "lumen::w"]},
                                   "phrases": {"detach": ".frozen()"}})json",
                           "lumen.json"));
  CHECK(model.phrase(Phrase::Detach, lumen) == ".frozen()");
  CHECK(model.phrase(Phrase::Detach, none) == ".frozen()");
  CHECK(model.phrase(Phrase::Detach, torch) == ".detach()");
  CHECK(model.phrase(Phrase::DisableGradients, lumen).empty());
  CHECK(model.phrase(Phrase::DisableGradients, none).empty());
  CHECK(model.constant(ElementType::Int64, lumen) == "lumen::whole");
  CHECK(model.constant(DeviceRole::Cuda, lumen).empty());

  CHECK(errorIn("{\n  \"phrases\": {\n    \"detatch\": \"\"\n  }\n}") ==
        "mine.json:3:5: model \"phrases.detatch\": unknown phrase; did you mean 'detach'?");
  CHECK_THAT(errorIn("{\n  \"phrases\": {\"detach\": \".cut\"}\n}"),
             StartsWith("mine.json:2:3: model \"phrases\": there is no tensor among the types"));
}

TEST_CASE("Members of which only the simple name is known") {
  const Model &model = Model::bundled();
  CHECK(model.roleOfMember(TypeRole::Optimizer, "step") == FunctionRole::Step);
  CHECK(model.roleOfMember(TypeRole::Tensor, "step") == FunctionRole::None);
  CHECK(model.roleOfMember(TypeRole::Optimizer, "nothing") == FunctionRole::None);
}

TEST_CASE("The function of another role in the same class") {
  const Model &model = Model::bundled();
  CHECK(model.sibling("torch::optim::Optimizer::step", FunctionRole::ClearGradients) ==
        "zero_grad");
  CHECK(model.sibling("torch::Tensor::backward", FunctionRole::Step) == "");
}

TEST_CASE("Traits of classes, functions and options") {
  const Model &model = Model::bundled();
  CHECK(model.trait("torch::nn::ReLU") == Trait::Stateless);
  CHECK(model.trait("torch::nn::Dropout") == Trait::ModeDependent);
  CHECK(model.trait("torch::nn::Linear") == Trait::None);
  CHECK(model.trait("torch::nn::functional::dropout") == Trait::ModeDependent);
  CHECK(model.trait("torch::nn::Module::register_module") == Trait::RegistersModule);
  CHECK(model.trait("dropout") == Trait::ModeOption);
  CHECK_FALSE(model.isFrameworkName("dropout"));

  const Model mine =
      modelOf({R"({"traits": {"stateless": ["one::Layer", "one::Other"]}})",
               R"({"traits": {"mode-dependent": ["one::Layer"], "container": ["one::List"]}})"});
  CHECK(mine.trait("one::Layer") == Trait::ModeDependent);
  CHECK(mine.trait("one::Other") == Trait::Stateless);
  CHECK(mine.trait("one::List") == Trait::Container);
}

TEST_CASE("The traits have the names of the documentation") {
  for (const char *name : {"stateless",         "stateless-by-default",
                           "mode-dependent",    "mode-by-option",
                           "container",         "opaque",
                           "mode-option",       "state-option",
                           "registers-module",  "registers-parameter",
                           "registers-buffer",  "reaches-module",
                           "replaces-module",   "unregisters-module",
                           "moves-tensor",      "makes-indices",
                           "makes-scalar",      "makes-random",
                           "gives-indices",     "integer-type",
                           "float-type",        "index",
                           "requires-grad",     "grad-guard",
                           "keeps-order",       "owns-elements",
                           "trains-by-default", "makes-mask",
                           "needs-closure",     "adaptive-steps",
                           "gradient-steps",    "schedules-rate",
                           "keeps-strides",     "gives-samples",
                           "gives-batches",     "draws-numbers",
                           "makes-new",         "packs",
                           "shares-handle",     "views-elements",
                           "own-gradients",     "step-options",
                           "keeps-losses",      "sums-losses", "sets-default-type",
                           "maps-samples",      "tensor-options",
                           "shared-by-workers", "batch-first-option",
                           "stacks-samples",    "chooses-draws",
                           "splits-samples",    "gives-all-samples",
                           "gives-class",       "copies-bytes",
                           "joins-ranks",       "gets-memory",
                           "creates-handle",    "creates-resource",
                           "gets-cheaply",      "gives-back",
                           "sets-stream"}) {
    REQUIRE(traitOf(name));
    CHECK(traitName(*traitOf(name)) == name);
  }
  CHECK_FALSE(traitOf("none"));
}

TEST_CASE("A name has all its aspects, from all models") {
  const Model &model = Model::bundled();
  CHECK(model.aspects("torch::Tensor::item") == Aspects{Aspect::ReadsScalar});
  CHECK(model.aspects("torch::Tensor::to").has(Aspect::ConvertsScalar));
  CHECK(model.aspects("torch::nn::Module::eval").has(Aspect::SetsMode));
  CHECK(model.aspects("torch::nn::Module::eval").has(Aspect::TellsModule));
  CHECK(model.aspects("lr").has(Aspect::LearningRateOption));
  CHECK(model.aspects("torch::Tensor::relu").isEmpty());
  CHECK_FALSE(model.isFrameworkName("lr"));

  const Model mine = modelOf({R"({"aspects": {"sum": ["one::total"], "mean": ["one::total"]}})",
                              R"({"aspects": {"power": ["one::total", "two::total"]}})"});
  CHECK(mine.aspects("one::total") == Aspects{Aspect::Sum, Aspect::Mean, Aspect::Power});
  CHECK(mine.aspects("two::total") == Aspects{Aspect::Power});
  CHECK(errorIn("{\n  \"aspects\": {\n    \"summ\": []\n  }\n}") ==
        "mine.json:3:5: model \"aspects.summ\": unknown aspect; did you mean 'sum'?");
}

TEST_CASE("Of a member whose object nobody knows, all aspects of its name may hold") {
  const Model mine =
      modelOf({R"({"aspects": {"sum": ["one::Array::total"], "mean": ["two::total", "third"]}})"});
  CHECK(mine.aspectsOfMember("total") == Aspects{Aspect::Sum, Aspect::Mean});
  CHECK(mine.aspectsOfMember("third") == Aspects{Aspect::Mean});
  CHECK(mine.aspectsOfMember("one").isEmpty());
}

TEST_CASE("Every aspect has a name and functions, and stands in the documentation") {
  std::ifstream in(PROJECT_ROOT "/docs/models.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  std::ifstream model(PROJECT_ROOT "/analyzer/model/libtorch.json");
  const std::string text(std::istreambuf_iterator<char>(model), {});
  for (unsigned i = 0; i < aspectCount; ++i) {
    const std::string name = aspectName(static_cast<Aspect>(i)).str();
    INFO(name);
    CHECK(aspectOf(name) == static_cast<Aspect>(i));
    CHECK(page.find("`" + name + "`") != std::string::npos);
    CHECK(text.find("\"" + name + "\": [") != std::string::npos);
  }
}

TEST_CASE("Operations of functions and layers") {
  const Model &model = Model::bundled();
  CHECK(model.operation("torch::nn::CrossEntropyLoss") == Operation::LogitsLoss);
  CHECK(model.operation("torch::softmax") == Operation::Softmax);
  CHECK(model.operation("torch::Tensor::view") == Operation::View);
  CHECK(model.operation("torch::randn") == Operation::None);

  const Model mine = modelOf({R"({"operations": {"softmax": ["one::normalise"]}})"});
  CHECK(mine.operation("one::normalise") == Operation::Softmax);
  CHECK(errorIn("{\n  \"operations\": {\n    \"soft\": []\n  }\n}") ==
        "mine.json:3:5: model \"operations.soft\": unknown role; did you mean 'softmax'?");
}

TEST_CASE("Types of elements, and how results follow") {
  const Model &model = Model::bundled();
  CHECK(model.element("torch::kInt64") == ElementType::Int64);
  CHECK(model.element("torch::ScalarType::Half") == ElementType::Float16);
  CHECK(model.element("torch::kCPU") == ElementType::Unknown);
  CHECK(model.rule("torch::zeros") == ResultRule::Sizes);
  CHECK(model.rule("torch::nn::Linear") == ResultRule::Linear);
  CHECK(model.rule("torch::save") == ResultRule::None);
  for (auto rule = ResultRule::Sizes; rule <= ResultRule::ClassLoss;
       rule = static_cast<ResultRule>(static_cast<int>(rule) + 1)) {
    CHECK(ruleName(rule) != "none");
    CHECK(ruleOf(ruleName(rule)) == rule);
  }
}

TEST_CASE("The operations have the names of the documentation") {
  for (const char *name : {"view",
                           "permute",
                           "rearrange",
                           "index",
                           "select-elements",
                           "weighted-sum",
                           "softmax",
                           "log-softmax",
                           "sigmoid",
                           "log-sigmoid",
                           "logarithm",
                           "logits-loss",
                           "log-probabilities-loss",
                           "probability-loss",
                           "logit-loss",
                           "distance-loss",
                           "clip-gradients",
                           "empty-cache",
                           "wrap-memory",
                           "read-scalar",
                           "access-elements",
                           "point-to-memory",
                           "read-clock",
                           "synchronize",
                           "pin-memory",
                           "make-loader",
                           "copy-module",
                           "set-epoch",
                           "save",
                           "write-archive",
                           "load-module",
                           "detect-anomaly",
                           "compare",
                           "fill",
                           "apply",
                           "give-defaults",
                           "recur",
                           "attend",
                           "pad",
                           "interleave-channels",
                           "separate-channels",
                           "exchange",
                           "spread-batch"}) {
    REQUIRE(operationOf(name));
    CHECK(operationName(*operationOf(name)) == name);
  }
  CHECK_FALSE(operationOf("none"));
}

TEST_CASE("The roles have the names of the documentation") {
  for (const char *name : {"tensor", "module", "module-holder", "optimizer"}) {
    REQUIRE(typeRole(name));
    CHECK(roleName(*typeRole(name)) == name);
  }
  for (const char *name : {"backward", "step", "clear-gradients", "parameters", "gradient",
                           "overwrite", "defined", "detach"}) {
    REQUIRE(functionRole(name));
    CHECK(roleName(*functionRole(name)) == name);
  }
  CHECK_FALSE(typeRole("none"));
  CHECK_FALSE(functionRole("forward"));
}

TEST_CASE("What is no JSON names the line") {
  CHECK_THAT(errorIn(""), StartsWith("mine.json:1:1: model: not JSON: "));
  CHECK_THAT(errorIn("{\n  \"name\": \"mine\",\n}\n"),
             StartsWith("mine.json:3:1: model: not JSON: "));
  CHECK(errorIn("[]") == "mine.json:1:1: model: expected an object");
}

TEST_CASE("A string that does not end names its line") {
  CHECK_THAT(errorIn("{\n  \"name\": \"mi\n"), StartsWith("mine.json:2:14: model: not JSON: "));
}

TEST_CASE("What is wrong in a model names the place and the key") {
  CHECK(errorIn("{\n  \"nam\": \"mine\"\n}") ==
        "mine.json:2:3: model \"nam\": unknown key; did you mean 'name'?");
  CHECK(errorIn("{\n  \"xyz\": \"mine\"\n}") ==
        "mine.json:2:3: model \"xyz\": unknown key; the keys are name, headers, namespaces, "
        "renamed, types, devices, functions, traits, operations, aspects, elements, results, "
        "phrases, operators");
  CHECK(errorIn("{\n  \"name\": 7\n}") == "mine.json:2:3: model \"name\": expected a string");
  CHECK(errorIn("{\n\n  \"headers\": \"a.h\"\n}") ==
        "mine.json:3:3: model \"headers\": expected a list of strings");
  CHECK(errorIn("{\"headers\": [\"a.h\", 3]}") ==
        "mine.json:1:21: model \"headers\": expected a list of strings, found 3");
  CHECK(errorIn("{\"headers\": [\"\"]}") ==
        "mine.json:1:14: model \"headers\": expected a list of strings, found \"\"");
  CHECK(errorIn("{\n  \"namespaces\": []\n}") ==
        "mine.json:2:3: model \"namespaces\": expected an object from namespaces to namespaces");
  CHECK(errorIn("{\n  \"namespaces\": {\n    \"a\": 1\n  }\n}") ==
        "mine.json:3:5: model \"namespaces.a\": expected a string");
  CHECK(errorIn("{\n  \"types\": [\"tensor\"]\n}") ==
        "mine.json:2:3: model \"types\": expected an object from roles to lists of names");
  CHECK(errorIn("{\n  \"types\": {\n    \"tensors\": [\"a::T\"]\n  }\n}") ==
        "mine.json:3:5: model \"types.tensors\": unknown role; did you mean 'tensor'?");
  CHECK(errorIn("{\n  \"functions\": {\n    \"stepp\": []\n  }\n}") ==
        "mine.json:3:5: model \"functions.stepp\": unknown role; did you mean 'step'?");
  CHECK(errorIn("{\n  \"devices\": {\n    \"tpu\": []\n  }\n}") ==
        "mine.json:3:5: model \"devices.tpu\": unknown role; did you mean 'cpu'?");
  CHECK(errorIn("{\n  \"devices\": {\n    \"metal\": []\n  }\n}") ==
        "mine.json:3:5: model \"devices.metal\": unknown role; the roles are cpu, cuda");
  CHECK(errorIn("{\n  \"functions\": {\n    \"step\": \"a::step\"\n  }\n}") ==
        "mine.json:3:5: model \"functions.step\": expected a list of strings");
}

TEST_CASE("A role under another key is told where it belongs") {
  CHECK(errorIn("{\"types\": {\"backward\": []}}") ==
        "mine.json:1:12: model \"types.backward\": unknown role; 'backward' belongs into "
        "\"functions\"");
  CHECK(errorIn("{\"tensor\": [\"a::T\"]}") ==
        "mine.json:1:2: model \"tensor\": unknown key; 'tensor' belongs into \"types\"");
}

TEST_CASE("A key that stands twice is an error") {
  CHECK(
      errorIn("{\"functions\": {\n  \"step\": [\"a::b\"],\n  \"step\": [\"a::c\"]\n}}") ==
      "mine.json:3:3: model \"functions.step\": the key stands in line 2 already: only one of the "
      "two would count");
}

TEST_CASE("The line is that of the key, not of a name that is spelled alike") {
  CHECK(errorIn("{\n  \"name\": \"types\",\n  \"headers\": [\"types\"],\n  \"types\": 1\n}") ==
        "mine.json:4:3: model \"types\": expected an object from roles to lists of names");
}

TEST_CASE("A broken model changes nothing") {
  Model model = modelOf({R"({"types": {"tensor": ["one::Array"]}})"});
  CHECK(llvm::toString(model.add(
            R"({"types": {"module": ["one::Array"]}, "headers": ["x.h"], "x": 1})", "mine.json")) !=
        "");
  CHECK(model.typeRole("one::Array") == TypeRole::Tensor);
  CHECK(model.headers().empty());
}
