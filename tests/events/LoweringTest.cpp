// What small functions become when they are lowered, as Print.h prints them: their events and edges.
// The number of code, as in `@7` and `%7`, is its place in the function, from the outermost.
#include "analyzer/events/lowering/Lowering.h"
#include "analyzer/events/Print.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

constexpr const char *prelude = R"(
#include <torch/torch.h>
using torch::Tensor;
using Net = torch::nn::Linear;
struct Pair { Net first{nullptr}, second{nullptr}; };
void use(torch::optim::Optimizer &optimizer);
void look(const torch::optim::Optimizer &optimizer);
void log(double value);
)";

/// Parses the prelude and \p code, and lowers the function (or method, or lambda) named \p name.
class Lowered {
public:
  explicit Lowered(const std::string &code, llvm::StringRef name = "f") {
    clang::IgnoringDiagConsumer silent;
    unit = clang::tooling::buildASTFromCodeWithArgs(
        prelude + code, {"-std=c++20", "-I" STAND_IN}, "f.cpp", "events-test",
        std::make_shared<clang::PCHContainerOperations>(),
        clang::tooling::getClangStripDependencyFileAdjuster(),
        clang::tooling::FileContentMappings(), &silent);
    REQUIRE(unit);
    const clang::FunctionDecl *function = find(name);
    REQUIRE(function);
    vocabulary.emplace(Model::bundled(), unit->getASTContext());
    body = lower(function, paths, *vocabulary, unit->getASTContext());
    REQUIRE(body);
  }

  /// The blocks of the function.
  std::string text() const {
    std::string printed;
    llvm::raw_string_ostream out(printed);
    print(out, body.get(), paths, ir::SourcePlaces(unit->getSourceManager(), ""));
    const size_t begin = printed.find("\n  block ");
    return printed.substr(begin, printed.find("\n  code\n") + 1 - begin);
  }

  std::unique_ptr<clang::ASTUnit> unit;
  PathTable paths;
  std::optional<Vocabulary> vocabulary;
  std::unique_ptr<FunctionBody> body;

private:
  const clang::FunctionDecl *find(llvm::StringRef name) const {
    struct Finder : clang::RecursiveASTVisitor<Finder> {
      explicit Finder(llvm::StringRef name) : name(name) {}
      bool VisitFunctionDecl(clang::FunctionDecl *function) {
        if (function->isThisDeclarationADefinition() && !function->isDependentContext() &&
            (function->getDeclName().getAsString() == name))
          found = function;
        return true;
      }
      bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
        if (name == "lambda")
          found = lambda->getCallOperator();
        return true;
      }
      bool shouldVisitTemplateInstantiations() const { return true; }
      llvm::StringRef name;
      const clang::FunctionDecl *found = nullptr;
    } finder(name);
    for (auto declaration = unit->top_level_begin(); declaration != unit->top_level_end();
         ++declaration)
      if (unit->getSourceManager().isInMainFile((*declaration)->getLocation()))
        finder.TraverseDecl(*declaration);
    return finder.found;
  }
};

std::string lowered(const std::string &code, llvm::StringRef name = "f") {
  return Lowered(code, name).text();
}

} // namespace

// ---- functions and their events
// ------------------------------------------------------------------

TEST_CASE("A training loop") {
  CHECK(lowered(R"(
void f(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    auto loss = torch::mse_loss(net(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
)") == R"(
 block 0
  to 1
 block 1
  combine net:module& -> %1
  construct %2 (%3) -> %2
  construct %4:optimizer (%1&, %2!) -> %4
  bind optimizer:optimizer (%4:optimizer!)
  bind i
  to 2
 block 2 (loop head)
  to 3
  to 5 after at least one round
 block 3
  forward net:module-holder& (x:tensor&) -> %5
  combine (%5:tensor, y:tensor) -> %6
  bind loss:tensor (%6:tensor)
  clear-gradients optimizer:optimizer& -> %7
  backward loss:tensor off -> %8
  step optimizer:optimizer& -> %9
  end-lifetime loss
  to 4
 block 4
  to 2
 block 5
  end-lifetime i
  end-lifetime optimizer
  to 6
 block 6
)");
}

TEST_CASE("Operators combine tensors") {
  CHECK(lowered(R"(
Tensor f(Tensor a, Tensor b) {
  a += b;
  Tensor c = -a * 2;
  double norm = c.norm().item<double>();
  return c / norm;
}
)") == R"(
 block 0
  to 1
 block 1
  combine a:tensor& (b:tensor) -> %1
  combine a:tensor -> %2
  construct %3 (%4) -> %3
  combine (%2:tensor, %3!) -> %5
  bind c:tensor (%5:tensor)
  combine c:tensor -> %6
  combine %6:tensor -> %7
  bind norm
  construct %8 (norm) -> %8
  combine (c:tensor, %8!) -> %9
  return return:tensor (%9:tensor)
  end-lifetime norm
  end-lifetime c
  end-lifetime b
  end-lifetime a
  to 2
 block 2
)");
}

TEST_CASE("Holders, pointers and references are one object") {
  CHECK(lowered(R"(
void f(Net net, std::unique_ptr<torch::optim::Optimizer> optimizer) {
  auto &inner = *net;
  auto *raw = optimizer.get();
  inner.zero_grad();
  net.ptr()->zero_grad();
  raw->step();
  (*optimizer).step();
}
)") == R"(
 block 0
  to 1
 block 1
  bind inner:module (net:module)
  bind raw:optimizer (optimizer:optimizer)
  clear-gradients inner:module& -> %1
  clear-gradients net:module& -> %2
  step raw:optimizer& -> %3
  step optimizer:optimizer& -> %4
  end-lifetime raw
  end-lifetime inner
  to 2
 block 2
)");
}

TEST_CASE("A made object and its arguments") {
  CHECK(lowered(R"(
void f(Pair &pair) {
  auto optimizer = std::make_unique<torch::optim::SGD>(pair.first->parameters(), 0.1);
  optimizer->add_param_group({pair.second->parameters()});
}
)") == R"(
 block 0
  to 1
 block 1
  combine pair.first:module& -> %1
  construct %2:optimizer (%1&, %3) -> %2
  bind optimizer:optimizer (%2:optimizer!)
  combine pair.second:module& -> %4
  construct %5 (%4&) -> %5
  combine optimizer:optimizer& (%5!) -> %6
  end-lifetime optimizer
  to 2
 block 2
)");
}

TEST_CASE("Gradients by hand") {
  CHECK(lowered(R"(
void f(Net net) {
  for (auto &parameter : net->parameters())
    if (parameter.grad().defined())
      parameter.mutable_grad().reset();
}
)") == R"(
 block 0
  to 1
 block 1
  combine net:module& -> %1
  bind __range1 (%1)
  bind __end1 (__range1[*])
  bind __begin1 (__range1[*])
  to 2
 block 2 (loop head)
  combine (__begin1, __end1) -> %2
  to 3
  to 7 after at least one round
 block 3
  bind parameter:tensor (__begin1:tensor)
  combine parameter.grad():tensor -> %3
  to 4
  to 5 where parameter.grad() is undefined
 block 4
  overwrite parameter.grad():tensor& -> %4
  to 5
 block 5
  end-lifetime parameter
  to 6
 block 6
  to 2
 block 7
  end-lifetime __end1
  end-lifetime __begin1
  end-lifetime __range1
  to 8
 block 8
)");
}

TEST_CASE("Structured bindings") {
  CHECK(lowered(R"(
void f() {
  auto [net, x] = std::pair<Net, Tensor>(Net(2, 1), torch::ones({1}));
  net(x).backward();
}
)") == R"(
 block 0
  to 1
 block 1
  construct %1:module-holder (%2, %3) -> %1
  combine (%4) -> %5
  construct %6 (%5!) -> %6
  create (%6!) -> %7
  construct %8 (%1:module-holder!&, %7:tensor&) -> %8
  bind  (%8!)
  bind net:module-holder ([0]:module-holder)
  bind x:tensor ([1]:tensor)
  forward net:module-holder& (x:tensor&) -> %9
  backward %9:tensor off -> %10
  end-lifetime net
  end-lifetime x
  end-lifetime 
  to 2
 block 2
)");
}

TEST_CASE("A closure sees what is around it") {
  CHECK(lowered(R"(
void f(Net net, torch::optim::LBFGS &optimizer, Tensor x) {
  optimizer.step([&, scale = x.mean()] {
    optimizer.zero_grad();
    auto loss = net(x) * scale;
    loss.backward();
    return loss;
  });
}
)",
                "lambda") == R"(
 block 0
  to 1
 block 1
  clear-gradients optimizer:optimizer& -> %1
  forward net:module-holder& (x:tensor&) -> %2
  combine (%2:tensor, scale:tensor) -> %3
  bind loss:tensor (%3:tensor)
  backward loss:tensor off -> %4
  return return:tensor (loss:tensor)
  end-lifetime loss
  to 2
 block 2
)");
}

TEST_CASE("A closure that is handed on") {
  CHECK(lowered(R"(
void f(torch::optim::LBFGS &optimizer) {
  std::function<Tensor()> closure = [] { return torch::ones({1}); };
  optimizer.step(closure);
}
)") == R"(
 block 0
  to 1
 block 1
  bind closure (%1!)
  step optimizer:optimizer& (closure&) -> %2
  end-lifetime closure
  to 2
 block 2
)");
}

TEST_CASE("A constructor binds its members") {
  CHECK(lowered(R"(
struct Trainer {
  explicit Trainer(Net net) : net(net), optimizer(net->parameters(), 0.1) { use(optimizer); }
  Net net;
  torch::optim::SGD optimizer;
};
)",
                "Trainer") == R"(
 block 0
  to 1
 block 1
  bind this.net:module-holder (net:module-holder)
  combine net:module& -> %1
  construct %2 (%3) -> %2
  construct %4:optimizer (%1&, %2!) -> %4
  bind this.optimizer:optimizer (%4:optimizer!)
  call use (this.optimizer:optimizer&) -> %5
  to 2
 block 2
)");
}

TEST_CASE("What a callee can change") {
  CHECK(lowered(R"(
void f(Net net, torch::optim::Optimizer &optimizer, Tensor loss) {
  use(optimizer);
  look(optimizer);
  log(loss.item<double>());
}
)") == R"(
 block 0
  to 1
 block 1
  call use (optimizer:optimizer&) -> %1
  call look (optimizer:optimizer) -> %2
  combine loss:tensor -> %3
  call log (%3) -> %4
  to 2
 block 2
)");
}

TEST_CASE("A flag that callers tell") {
  CHECK(lowered(R"(
void f(Net net, bool evaluates) {
  net->train(!evaluates);
  torch::AutoGradMode mode(!evaluates);
}
)") == R"(
 block 0
  to 1
 block 1
  set-mode net:module& (%1) unless condition 0 holds -> %2
  construct %3:grad-mode-guard (%4) -> %3
  enter-grad-mode mode:grad-mode-guard unless condition 0 holds
  end-lifetime mode
  to 2
 block 2
)");
}

TEST_CASE("A condition that is asked twice") {
  CHECK(lowered(R"(
void f(torch::optim::Optimizer &optimizer, int i) {
  if (i % 4 == 0)
    optimizer.step();
  if (!(i % 4 == 0))
    return;
  optimizer.zero_grad();
  ++i;
}
)") == R"(
 block 0
  to 1
 block 1
  to 2 if condition 0 holds
  to 3 if condition 0 does not hold
 block 2
  step optimizer:optimizer& -> %1
  to 3
 block 3
  to 4 if condition 0 does not hold
  to 5 if condition 0 holds
 block 4
  return return
  end-lifetime i
  to 6
 block 5
  clear-gradients optimizer:optimizer& -> %2
  assign
  to 6
 block 6
)");
}

TEST_CASE("A loop that runs at least once") {
  CHECK(lowered(R"(
void f(const std::vector<Tensor> &losses, int n) {
  for (const Tensor &loss : losses)
    loss.backward();
  while (n-- > 0)
    losses[0].backward();
}
)") == R"(
 block 0
  to 1
 block 1
  bind __range1 (losses)
  bind __end1 (__range1[*])
  bind __begin1 (__range1[*])
  to 2
 block 2 (loop head)
  combine (__begin1, __end1) -> %1
  to 3
  to 5 after at least one round
 block 3
  bind loss:tensor (__begin1:tensor)
  backward loss:tensor off -> %2
  end-lifetime loss
  to 4
 block 4
  to 2
 block 5
  end-lifetime __end1
  end-lifetime __begin1
  end-lifetime __range1
  to 6
 block 6 (loop head)
  to 7
  to 9 after at least one round
 block 7
  backward losses[0]:tensor off -> %3
  to 8
 block 8
  to 6
 block 9
)");
}

TEST_CASE("Code that the compiler does not understand") {
  CHECK(lowered(R"(
void f(Net net, torch::optim::SGD &optimizer) {
  auto image = cv::imread("a.png");
  net(image).backward();
  optimizer.step();
}
)") == R"(
 block 0
  to 1
 block 1
  bind image
  call -> %1
  forward net:module-holder& (%1&) -> %2
  backward %2& -> %3
  step optimizer:optimizer& -> %4
  end-lifetime image
  to 2
 block 2
)");
}

TEST_CASE("A method of a template") {
  CHECK(lowered(R"(
template <typename Model> struct Fit {
  Model model;
  void fit(Tensor x) { model(x).backward(); }
};
void instantiate(Fit<Net> fit, Tensor x) { fit.fit(x); }
)",
                "fit") == R"(
 block 0
  to 1
 block 1
  forward this.model:module-holder& (x:tensor&) -> %1
  backward %1:tensor off -> %2
  to 2
 block 2
)");
}

TEST_CASE("A loop that is left early, and one that asks at its end") {
  CHECK(lowered(R"(
void f(Net net, const std::vector<Tensor> &batches) {
  for (const Tensor &x : batches) {
    if (x.dim() == 0)
      continue;
    if (x.dim() == 1)
      break;
    net(x).backward();
  }
  do
    net->zero_grad();
  while (batches.empty());
}
)") == R"()");
}

TEST_CASE("A guard ends with its block") {
  CHECK(lowered(R"(
Tensor f(Net net, Tensor x) {
  {
    torch::NoGradGuard guard;
    x = net(x);
  }
  return net(x);
}
)") == R"()");
}

TEST_CASE("A guard that a condition switches") {
  CHECK(lowered(R"(
void f(Net net, Tensor x, bool trains) {
  c10::InferenceMode guard(!trains);
  net(x);
}
)") == R"()");
}

TEST_CASE("One value or another") {
  CHECK(lowered(R"(
Tensor f(Tensor x, bool chosen) {
  Tensor y = chosen ? x.detach() : x;
  return y.defined() ? y : torch::zeros({2, 3});
}
)") == R"()");
}

TEST_CASE("A device that the machine decides") {
  CHECK(lowered(R"(
void f(Net net, Tensor x) {
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  net->to(device);
  x = x.to(device, torch::kHalf);
}
)") == R"()");
}

TEST_CASE("A function template, as it is instantiated") {
  CHECK(lowered(R"(
template <typename Model> Tensor run(Model &model, Tensor x) { return model->forward(x); }
void g(Net net, Tensor x) { run(net, x); }
)",
                "run") == R"()");
}

TEST_CASE("A generic lambda") {
  CHECK(lowered(R"(
void f(Net net, Tensor x) {
  auto apply = [](auto &model, Tensor input) { return model(input); };
  apply(net, x).backward();
}
)") == R"()");
}

TEST_CASE("A coroutine") {
  CHECK(lowered(R"(
#include <coroutine>
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Tensor) { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
Task f(Net net, Tensor x) {
  co_yield net(x);
  net(x).backward();
  co_return;
}
)") == R"()");
}

TEST_CASE("A switch over an enumeration that callers give") {
  CHECK(lowered(R"(
enum class Phase { Train, Test };
void f(Net net, Phase phase) {
  switch (phase) {
  case Phase::Train:
    net->train();
    break;
  case Phase::Test:
    net->eval();
    break;
  }
}
)") == R"()");
}

TEST_CASE("Lists: elements by number, by key, and any") {
  CHECK(lowered(R"(
void f(std::vector<Net> &nets, std::map<std::string, Tensor> &named, int i) {
  nets[0]->train();
  nets[i]->eval();
  named["loss"].backward();
}
)") == R"()");
}

TEST_CASE("Exceptions") {
  CHECK(lowered(R"(
void f(Net net, Tensor x) {
  if (!x.defined())
    throw std::runtime_error("no batch");
  try {
    net(x).backward();
  } catch (const std::exception &) {
    net->zero_grad();
  }
}
)") == R"()");
}

TEST_CASE("A variable of an if, and an object that is moved") {
  CHECK(lowered(R"(
void keep(std::shared_ptr<torch::nn::LinearImpl> module);
void f(std::shared_ptr<torch::nn::LinearImpl> given) {
  if (auto module = std::move(given); module)
    keep(std::move(module));
}
)") == R"()");
}

TEST_CASE("A virtual call") {
  CHECK(lowered(R"(
struct Model : torch::nn::Module { virtual Tensor forward(Tensor x) = 0; };
Tensor f(Model &model, Tensor x) { return model.forward(x); }
)") == R"()");
}

TEST_CASE("Code behind names of a header that is missing") {
  CHECK(lowered(R"(
#include "no_such_header.h"
void f(Net net, std::vector<Sample> &samples) {
  for (auto &sample : samples) {
    auto input = sample.pixels.to(torch::kCUDA);
    net(input).backward();
  }
}
)") == R"()");
}

TEST_CASE("Shapes, elements and files") {
  CHECK(lowered(R"(
void f(Net net) {
  auto x = torch::randn({32, 3}, torch::kFloat64);
  auto y = x.view({-1, 4}).to(torch::kFloat32).sum(1);
  torch::save(y, "y.pt");
}
)") == R"()");
}
