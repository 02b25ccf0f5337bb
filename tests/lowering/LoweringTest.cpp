// What small functions become when they are lowered, as Print.h prints them: their events and
// edges. The number of code, as in `@7` and `%7`, is its place in the function, from the outermost.
#include "analyzer/lowering/Lowering.h"
#include "analyzer/ir/Print.h"

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
        prelude + code, {"-std=c++20", "-I" STAND_IN}, "f.cpp", "lowering-test",
        std::make_shared<clang::PCHContainerOperations>(),
        clang::tooling::getClangStripDependencyFileAdjuster(),
        clang::tooling::FileContentMappings(), &silent);
    REQUIRE(unit);
    const clang::FunctionDecl *function = find(name);
    REQUIRE(function);
    vocabulary.emplace(Model::bundled(), unit->getASTContext(),
                       [this](const clang::Decl *declaration) {
                         return unit->getSourceManager().isInMainFile(declaration->getLocation());
                       });
    auto paths = std::make_unique<PathTable>();
    LoweredUnit::Contents contents;
    contents.functions.push_back(lower(function, *paths, *vocabulary, unit->getASTContext()));
    REQUIRE(contents.functions.front());
    lowered.emplace(Model::bundled(), std::move(paths), std::move(contents));
  }

  /// The blocks of the function.
  std::string text() const {
    std::string printed;
    llvm::raw_string_ostream out(printed);
    print(out, *lowered, lowered->functions(), ir::SourcePlaces(unit->getSourceManager(), ""));
    const size_t begin = printed.find("\n  block ");
    // The code of a closure stands in that of the function around it.
    const size_t end = std::min(printed.find("\n  code\n"), printed.find("\n\ncode\n"));
    return printed.substr(begin, end + 1 - begin);
  }

  std::unique_ptr<clang::ASTUnit> unit;
  std::optional<Vocabulary> vocabulary;
  std::optional<LoweredUnit> lowered;

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
  block 1 temporaries=[%4 %10 %11 %3]
    combine net@6:module& -> %4 {tensor gives-parameters}
    construct %10@- (%11) -> %10 {trait=step-options}
    construct %3@-:optimizer (%4&{tensor}, %10!) -> %3 {trait=gradient-steps rate=(expr=@11 value=0.1)}
    bind optimizer:optimizer (%3:optimizer!) @2
    bind i @13 {arithmetic}
    to 2
  block 2 loop-head exit-edge=1 latch=4
    to 3
    to 5
  block 3 temporaries=[%24 %22 %30 %34 %41]
    forward:torch::nn::LinearImpl::forward net@26:module-holder& (x@27:tensor&{lent}) -> %24:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    combine (%24:tensor, y@28:tensor) -> %22:tensor {operation=distance-loss run=mse_loss typing=(rule=loss) not-dimensions}
    bind loss:tensor{not-tensor} (%22:tensor) @21
    clear-gradients optimizer@32:optimizer& -> %30 {arithmetic}
    backward loss@36:tensor -> %34 {arithmetic constant=off}
    step optimizer@43:optimizer& -> %41:tensor {trait=gradient-steps clear="zero_grad"}
    end-lifetime loss @20
    to 4
  block 4
    to 2
  block 5
    end-lifetime i @12
    end-lifetime optimizer @1
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
  block 1 temporaries=[%2 %9 %12 %13 %7 %17 %15 %25 %22]
    combine a@4:tensor& (b@5:tensor) -> %2:tensor {run=add_ changes-elements typing=(rule=update)}
    combine a@11:tensor -> %9:tensor {run=neg typing=(rule=same)}
    construct %12@- (%13) -> %12
    combine (%9:tensor, %12!) -> %7:tensor {run=mul typing=(rule=elementwise number=int64) keeps-strides}
    bind c:tensor{not-tensor} (%7:tensor) @6
    combine c@19:tensor -> %17:tensor {run=norm typing=(rule=reduce) not-dimensions}
    combine %17:tensor -> %15 {operation=read-scalar run=item arithmetic use=(joined=@22)}
    bind norm @14 {arithmetic}
    construct %25@- (norm@26) -> %25
    combine (c@24:tensor, %25!) -> %22:tensor {run=div typing=(rule=real number=float32) keeps-strides}
    return return:tensor{not-tensor} (%22:tensor) @21
    end-lifetime norm @21
    end-lifetime c @21
    end-lifetime b @21
    end-lifetime a @21
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
  block 1 temporaries=[%10 %14 %22 %26]
    bind inner:module (net@3:module) @2 {bind=reference}
    bind raw:optimizer (optimizer@7:optimizer) @6 {bind=handle}
    clear-gradients inner@12:module& -> %10 {arithmetic}
    clear-gradients net@16:module& -> %14 {arithmetic}
    step raw@24:optimizer& -> %22:tensor {clear="zero_grad"}
    step optimizer@28:optimizer& -> %26:tensor {clear="zero_grad"}
    end-lifetime raw @1
    end-lifetime inner @1
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
  block 1 temporaries=[%5 %3 %12 %19 %18 %13]
    combine pair.first@7:module& -> %5 {tensor gives-parameters}
    construct %3@-:optimizer (%5&{tensor lent given-away}, %12{lent given-away}) -> %3:optimizer {trait=gradient-steps rate=(expr=@12 value=0.1) any-device}
    bind optimizer:optimizer (%3:optimizer!) @2 {bind=handle}
    combine pair.second@21:module& -> %19 {tensor gives-parameters}
    construct %18@- (%19&{tensor}) -> %18 {trait=step-options}
    combine optimizer@15:optimizer& (%18!) -> %13 {arithmetic}
    end-lifetime optimizer @1
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
  block 1 temporaries=[%4]
    combine net@6:module& -> %4 {tensor gives-parameters}
    bind __range1 (%4{tensor given-away}) @3 {bind=reference}
    bind __end1 (__range1[*]@15{tensor}) @14
    bind __begin1 (__range1[*]@11{tensor}) @10 {bind=handle}
    to 2
  block 2 loop-head exit-edge=1 latch=6 temporaries=[%20]
    combine (__begin1@22{tensor}, __end1@23{tensor}) -> %20 {arithmetic any-device}
    to 3
    to 7
  block 3 temporaries=[%32]
    bind parameter:tensor{not-tensor} (__begin1@28:tensor) @27 {bind=reference}
    combine parameter.grad()@34:tensor -> %32 {arithmetic attribute}
    to 4
    to 5 undefined=parameter.grad()
  block 4 temporaries=[%37]
    overwrite parameter.grad()@39:tensor& -> %37 {changes-elements arithmetic}
    to 5
  block 5
    end-lifetime parameter @27
    to 6
  block 6
    to 2
  block 7
    end-lifetime __end1 @2
    end-lifetime __begin1 @2
    end-lifetime __range1 @2
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
  block 1 temporaries=[%4 %5 %6 %11 %12 %9 %7 %3 %16 %14]
    construct %4@-:module-holder (%5{lent given-away}, %6{lent given-away}) -> %4 {trait=opaque}
    combine (%12) -> %11
    construct %9@- (%11@10!) -> %9 {trait=views-elements}
    create (%9!) -> %7:tensor {operation=fill run=ones typing=(rule=sizes shape=(not-open sizes=[1])) pageable}
    construct %3@- (%4:module-holder!&{lent given-away}, %7:tensor&{lent given-away}) -> %3 {tensor}
    bind "" (%3!{tensor}) @2
    bind net:module-holder (""[0]@25:module-holder{given-away}) @24 {bind=reference}
    bind x:tensor{not-tensor} (""[1]@29:tensor{given-away}) @28 {bind=reference}
    forward:torch::nn::LinearImpl::forward net@18:module-holder& (x@19:tensor&{lent}) -> %16:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    backward %16:tensor{given-away} -> %14 {arithmetic constant=off}
    end-lifetime net @1
    end-lifetime x @1
    end-lifetime "" @1
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
  block 1 temporaries=[%14 %21 %19 %26]
    clear-gradients optimizer@16:optimizer& -> %14 {arithmetic}
    forward:torch::nn::LinearImpl::forward net@23:module-holder& (x@24:tensor&{lent}) -> %21:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    combine (%21:tensor, scale@25:tensor) -> %19:tensor {run=mul typing=(rule=elementwise) keeps-strides}
    bind loss:tensor{not-tensor} (%19:tensor) @18
    backward loss@28:tensor -> %26 {arithmetic constant=off}
    return return:tensor{not-tensor} (loss@34:tensor) @33
    end-lifetime loss @33
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
  block 1 temporaries=[%4 %14]
    bind closure (%4@3!{closure}) @2 {bind=handle}
    step optimizer@16:optimizer& (closure@17&{closure}) -> %14:tensor {trait=needs-closure clear="zero_grad"}
    end-lifetime closure @1
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
  block 1 temporaries=[%7 %13 %14 %6 %2]
    bind this.net#2:module-holder (net@15:module-holder) @15 {bind=handle}
    combine net@9:module& -> %7 {tensor gives-parameters}
    construct %13@- (%14) -> %13 {trait=step-options}
    construct %6@-:optimizer (%7&{tensor}, %13!) -> %6 {trait=gradient-steps rate=(expr=@14 value=0.1)}
    bind this.optimizer:optimizer (%6:optimizer!) @6
    call:use (this.optimizer@4:optimizer&{lent}) -> %2 {arithmetic}
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
  block 1 temporaries=[%2 %5 %10 %8]
    call:use (optimizer@4:optimizer&{lent}) -> %2 {arithmetic}
    call:look (optimizer@7:optimizer) -> %5 {arithmetic}
    combine loss@12:tensor -> %10 {operation=read-scalar run=item arithmetic shown=logged}
    call:log (%10) -> %8 {arithmetic}
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
  block 1 temporaries=[%2 %7 %10 %11]
    set-mode net@4:module& (%7@-, %7{flag=!0}) -> %2 {arithmetic choice=!0}
    construct %10@-:grad-mode-guard (%11{flag=!0}) -> %10 {trait=grad-guard}
    enter-grad-mode mode:grad-mode-guard @9 {choice=!0}
    end-lifetime mode @1
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
    to 2 condition=0 holds
    to 3 condition=0
  block 2 temporaries=[%8]
    step optimizer@10:optimizer& -> %8:tensor {clear="zero_grad"}
    to 3
  block 3
    to 4 condition=0
    to 5 condition=0 holds
  block 4
    return return @20
    end-lifetime i @20
    to 6
  block 5 temporaries=[%21]
    clear-gradients optimizer@23:optimizer& -> %21 {arithmetic}
    assign @25 {forgets=1}
    to 6
  block 6
)");
}

TEST_CASE("A loop that asks whether data is left may have no round, another has one") {
  const auto runs = [](const std::string &condition) {
    const std::string text = lowered(
        "bool next(Tensor &tensor);\n"
        "void f(std::vector<Tensor> list, int n, bool done, Tensor *tensor, const int limit) {\n"
        "  auto it = list.begin();\n  while (" +
        condition + ")\n    list.pop_back();\n}");
    return text.find("exit-edge") != std::string::npos;
  };
  for (const char *counts : {"n < 3", "3 > n", "--n > 0", "n--", "n", "!done", "done", "n != limit",
                             "n < (int)list.size()", "next(*tensor)", "Tensor *next = list.data()"})
    CHECK(runs(counts));
  for (const char *asks : {"it != list.end()", "!list.empty()", "list.size() > 0", "tensor",
                           "list.size() > limit", "tensor != nullptr"})
    CHECK_FALSE(runs(asks));
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
    bind __range1 (losses@4{tensor}) @3 {bind=reference}
    bind __end1 (__range1[*]@10{tensor}) @9
    bind __begin1 (__range1[*]@6{tensor}) @5 {bind=handle}
    to 2
  block 2 loop-head exit-edge=1 latch=4 temporaries=[%15]
    combine (__begin1@17{tensor}, __end1@18{tensor}) -> %15 {arithmetic any-device}
    to 3
    to 5
  block 3 temporaries=[%26]
    bind loss:tensor{not-tensor} (__begin1@23:tensor) @22 {bind=reference}
    backward loss@28:tensor -> %26 {arithmetic constant=off}
    end-lifetime loss @22
    to 4
  block 4
    to 2
  block 5
    end-lifetime __end1 @2
    end-lifetime __begin1 @2
    end-lifetime __range1 @2
    to 6
  block 6 loop-head exit-edge=1 latch=8
    to 7
    to 9
  block 7 temporaries=[%38]
    backward losses[0]@40:tensor -> %38 {arithmetic constant=off}
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
  block 1 temporaries=[%7 %5 %3 %8]
    bind image @2
    call (image&{tensor}) -> %7
    forward:torch::nn::LinearImpl::forward net@6:module-holder& (%7&{tensor lent}) -> %5 {operation=weighted-sum tensor}
    backward %5&{tensor} -> %3 {arithmetic tensor}
    step optimizer@10:optimizer& -> %8:tensor {trait=gradient-steps clear="zero_grad"}
    end-lifetime image @1
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
  block 1 temporaries=[%4 %2]
    forward:torch::nn::LinearImpl::forward this.model@6:module-holder& (x@8:tensor&{lent}) -> %4:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    backward %4:tensor{given-away} -> %2 {arithmetic constant=off}
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
)") == R"(
  block 0
    to 1
  block 1
    bind __range1 (batches@4{tensor}) @3 {bind=reference}
    bind __end1 (__range1[*]@10{tensor}) @9
    bind __begin1 (__range1[*]@6{tensor}) @5 {bind=handle}
    to 2
  block 2 loop-head exit-edge=1 latch=8 temporaries=[%15]
    combine (__begin1@17{tensor}, __end1@18{tensor}) -> %15 {arithmetic any-device}
    to 3
    to 9
  block 3 temporaries=[%29]
    bind x:tensor{not-tensor} (__begin1@23:tensor) @22 {bind=reference}
    combine x@31:tensor -> %29 {operation=count-dimensions run=dim arithmetic attribute}
    to 4 shape=(tensor=x most=0)
    to 5 shape=(tensor=x most=0 not-holds)
  block 4
    end-lifetime x @33
    to 8
  block 5 temporaries=[%36]
    combine x@38:tensor -> %36 {operation=count-dimensions run=dim arithmetic attribute}
    to 6 shape=(tensor=x least=1 most=1)
    to 7 shape=(tensor=x least=1 most=1 not-holds)
  block 6
    end-lifetime x @40
    to 9
  block 7 temporaries=[%43 %41]
    forward:torch::nn::LinearImpl::forward net@45:module-holder& (x@46:tensor) -> %43:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    backward %43:tensor{given-away} -> %41 {arithmetic constant=off}
    end-lifetime x @22
    to 8
  block 8
    to 2
  block 9
    end-lifetime __end1 @2
    end-lifetime __begin1 @2
    end-lifetime __range1 @2
    to 10
  block 10 loop-head temporaries=[%52]
    clear-gradients net@54:module& -> %52 {arithmetic}
    to 11
  block 11 temporaries=[%58]
    combine batches@60{tensor} -> %58 {arithmetic any-device attribute}
    to 12
    to 13
  block 12
    to 10
  block 13
)");
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
)") == R"(
  block 0
    to 1
  block 1 temporaries=[%4 %8 %13]
    construct %4@-:no-grad-guard -> %4 {trait=grad-guard}
    enter-grad-mode guard:no-grad-guard @3 {constant=off}
    forward:torch::nn::LinearImpl::forward net@10:module-holder& (x@11:tensor&{lent}) -> %8:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    bind x:tensor{not-tensor} (%8:tensor{given-away}) @5
    end-lifetime guard @2
    forward:torch::nn::LinearImpl::forward net@15:module-holder& (x@16:tensor&{lent}) -> %13:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    return return:tensor{not-tensor} (%13:tensor) @12
    end-lifetime net @12
    end-lifetime x @12
    to 2
  block 2
)");
}

TEST_CASE("A guard that a condition switches") {
  CHECK(lowered(R"(
void f(Net net, Tensor x, bool trains) {
  c10::InferenceMode guard(!trains);
  net(x);
}
)") == R"(
  block 0
    to 1
  block 1 temporaries=[%3 %4 %6]
    construct %3@-:inference-guard (%4{flag=!0}) -> %3 {trait=grad-guard}
    enter-grad-mode guard:inference-guard @2 {choice=0}
    forward:torch::nn::LinearImpl::forward net@8:module-holder& (x@9:tensor&{lent}) -> %6:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    end-lifetime guard @1
    to 2
  block 2
)");
}

TEST_CASE("One value or another") {
  CHECK(lowered(R"(
Tensor f(Tensor x, bool chosen) {
  Tensor y = chosen ? x.detach() : x;
  return y.defined() ? y : torch::zeros({2, 3});
}
)") == R"(
  block 0
    to 1
  block 1
    to 2 condition=0 holds not-kept-apart
    to 3 condition=0 not-kept-apart
  block 2
    detach x@7:tensor -> %5:tensor {run=detach typing=(rule=same)}
    to 4
  block 3
    to 4
  block 4 temporaries=[%5 %3 %12]
    combine (%5:tensor, x@8:tensor) -> %3:tensor {any-device choice=0}
    bind y:tensor{not-tensor} (%3:tensor) @2
    combine y@14:tensor -> %12 {arithmetic attribute}
    to 5
    to 6 undefined=y
  block 5
    to 7
  block 6 temporaries=[%21 %22 %23 %19]
    combine (%22, %23) -> %21
    construct %19@- (%21@20!) -> %19 {trait=views-elements}
    create (%19!) -> %17:tensor {operation=fill run=zeros typing=(rule=sizes shape=(not-open sizes=[2 3])) pageable}
    to 7
  block 7 temporaries=[%17 %11]
    combine (y@15:tensor, %17:tensor) -> %11:tensor {any-device}
    return return:tensor{not-tensor} (%11:tensor) @10
    end-lifetime y @10
    end-lifetime chosen @10
    end-lifetime x @10
    to 8
  block 8
)");
}

TEST_CASE("A device that the machine decides") {
  CHECK(lowered(R"(
void f(Net net, Tensor x) {
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  net->to(device);
  x = x.to(device, torch::kHalf);
}
)") == R"(
  block 0
    to 1
  block 1 temporaries=[%5]
    combine -> %5 {arithmetic}
    to 2
    to 3 lacks-gpu
  block 2
    to 4
  block 3
    to 4
  block 4 temporaries=[%4 %10 %21]
    combine (kCUDA@7:device{device=cuda:0}, kCPU@8:device{device=cpu:0}) -> %4:device {any-device}
    bind device:device (%4@3:device!) @2
    move net@12:module& (device@15:device) -> %10 {arithmetic}
    move x@23:tensor (device@24:device, kHalf@26) -> %21:tensor {run=to typing=(rule=cast element=float16 names-element)}
    bind x:tensor{not-tensor} (%21:tensor{given-away}) @18 {discarded update}
    end-lifetime device @1
    to 5
  block 5
)");
}

TEST_CASE("A function template, as it is instantiated") {
  CHECK(lowered(R"(
template <typename Model> Tensor run(Model &model, Tensor x) { return model->forward(x); }
void g(Net net, Tensor x) { run(net, x); }
)",
                "run") == R"(
  block 0
    to 1
  block 1 temporaries=[%3]
    forward:torch::nn::LinearImpl::forward model@5:module& (x@8:tensor) -> %3:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    return return:tensor{not-tensor} (%3:tensor) @2
    end-lifetime x @2
    to 2
  block 2
)");
}

TEST_CASE("A generic lambda") {
  CHECK(lowered(R"(
void f(Net net, Tensor x) {
  auto apply = [](auto &model, Tensor input) { return model(input); };
  apply(net, x).backward();
}
)") == R"ir(
  block 0
    to 1
  block 1 temporaries=[%3 %11 %9]
    bind apply (%3{closure}) @2 {bind=handle}
    call:"f(Net, Tensor)::(lambda)::operator()" apply@13{closure} (net@14:module-holder&{lent}, x@15:tensor) -> %11:tensor
    backward %11:tensor{given-away} -> %9 {arithmetic constant=off}
    end-lifetime apply @1
    to 2
  block 2
)ir");
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
)") == R"(
  block 0
    to 1
  block 1 temporaries=[%7 %4 %11 %13 %20 %18 %14 %22 %26 %24 %35]
    forward:torch::nn::LinearImpl::forward net@9:module-holder& (x@10:tensor&{lent}) -> %7:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    call:Task::promise_type::yield_value __promise@6 (%7:tensor) -> %4
    combine %13 -> %11 {arithmetic any-device}
    call:__builtin_coro_frame -> %20
    combine (%20&{lent}) -> %18 {data any-device}
    combine %13 (%18@16) -> %14 {arithmetic any-device}
    combine %13 -> %22 {arithmetic any-device}
    forward:torch::nn::LinearImpl::forward net@28:module-holder& (x@29:tensor&{lent}) -> %26:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    backward %26:tensor{given-away} -> %24 {arithmetic constant=off}
    call:Task::promise_type::return_void __promise@37 -> %35 {arithmetic}
    end-lifetime net @34
    end-lifetime x @34
    to 2
  block 2
)");
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
)") == R"(
  block 0
    to 1
  block 1
    to 2 condition=0 holds excluded=2
    to 3 condition=1 holds excluded=1
  block 2 temporaries=[%16]
    set-mode net@18:module& -> %16 {arithmetic constant=off}
    to 4
  block 3 temporaries=[%7]
    set-mode net@9:module& -> %7 {arithmetic constant=on}
    to 4
  block 4
)");
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
)") == R"(
  block 0
    to 1
  block 1 temporaries=[%4]
    combine x@6:tensor -> %4 {arithmetic attribute}
    to 2
  block 2
    to 3 undefined=x
    to 4
  block 3 never-returns temporaries=[%9 %10]
    construct %9@- (%10{string text=(parts=[(literal="no batch")])}) -> %9
  block 4
    forward:torch::nn::LinearImpl::forward net@17:module-holder& (x@18:tensor&{lent}) -> %15:tensor {operation=weighted-sum typing=(rule=linear) parameters}
    to 5
    to 6
  block 5 temporaries=[%15 %13]
    backward %15:tensor{given-away} -> %13 {arithmetic constant=off}
    to 10
    to 6
  block 6
    to 7
  block 7
    to 8
  block 8 temporaries=[%25]
    clear-gradients net@27:module& -> %25 {arithmetic}
    to 9
  block 9
    end-lifetime "" @23
    to 10
  block 10
)");
}

TEST_CASE("A variable of an if, and an object that is moved") {
  CHECK(lowered(R"(
void keep(std::shared_ptr<torch::nn::LinearImpl> module);
void f(std::shared_ptr<torch::nn::LinearImpl> given) {
  if (auto module = std::move(given); module)
    keep(std::move(module));
}
)") == R"(
  block 0
    to 1
  block 1
    bind module:module (given@4:module) @3 {bind=handle}
    to 2
    to 3
  block 2 temporaries=[%11]
    call:keep (module@13:module&) -> %11 {arithmetic}
    to 3
  block 3
    end-lifetime module @2
    to 4
  block 4
)");
}

TEST_CASE("A virtual call") {
  CHECK(lowered(R"(
struct Model : torch::nn::Module { virtual Tensor forward(Tensor x) = 0; };
Tensor f(Model &model, Tensor x) { return model.forward(x); }
)") == R"(
  block 0
    to 1
  block 1 temporaries=[%3]
    forward:Model::forward model@5:module& (x@6:tensor) -> %3:tensor {may-use-host virtual}
    return return:tensor{not-tensor} (%3:tensor) @2
    end-lifetime x @2
    to 2
  block 2
)");
}

TEST_CASE("Shapes, elements and files") {
  CHECK(lowered(R"(
void f(Net net) {
  auto x = torch::randn({32, 3}, torch::kFloat64);
  auto y = x.view({-1, 4}).to(torch::kFloat32).sum(1);
  torch::save(y, "y.pt");
}
)") == R"(
  block 0
    to 1
  block 1 temporaries=[%7 %8 %9 %5 %10 %3 %22 %23 %25 %20 %17 %15 %29 %30 %13 %32 %35]
    combine (%8, %9) -> %7
    construct %5@- (%7@6!) -> %5 {trait=views-elements}
    construct %10@-:device (kFloat64@11) -> %10 {trait=tensor-options}
    create (%5!, %10:device!) -> %3:tensor {run=randn typing=(rule=sizes element=float64 names-element shape=(not-open sizes=[32 3])) noise pageable}
    bind x:tensor{not-tensor} (%3:tensor) @2
    combine (%23, %25) -> %22
    construct %20@- (%22@21!) -> %20 {trait=views-elements}
    combine x@19:tensor (%20!) -> %17:tensor {operation=view run=view typing=(rule=reshape shape=(not-open sizes=[-1 4]))}
    move %17:tensor (kFloat32@26) -> %15:tensor {run=to typing=(rule=cast element=float32 names-element)}
    construct %29@- (%30) -> %29 {trait=views-elements}
    combine %15:tensor (%29!) -> %13:tensor {run=sum typing=(rule=sum shape=(not-open sizes=[1])) not-dimensions}
    bind y:tensor{not-tensor} (%13:tensor) @12
    combine (y@34:tensor, %35{string text=(parts=[(literal="y.pt")])}) -> %32 {operation=save arithmetic not-dimensions any-device file="y.pt"}
    end-lifetime y @1
    end-lifetime x @1
    to 2
  block 2
)");
}
