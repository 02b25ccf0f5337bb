// Modules whose forward() is text.
#include "Expect.h"

using Catch::Contains;
using torch::Tensor;
using torch::jit::IValue;
using torch::jit::Module;

namespace {

Module moduleOf(const std::string &text) {
  Module module("Net");
  module.register_parameter("weight", torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}), false);
  module.register_buffer("shift", torch::tensor({1.0F, -1.0F}));
  module.define(text);
  return module;
}

} // namespace

TEST_CASE("forward() is computed as its text says") {
  const Tensor x = torch::tensor({{1.0F, 1.0F}});
  const Module module = moduleOf(R"(
def forward(self, x: Tensor, scale) -> Tensor:
    y = torch.matmul(x, self.weight.t()) * scale
    y = y - (self.shift + 1) / 2
    return -y.relu() + 3
)");
  const Tensor y = module.forward({x, 2.0}).toTensor();
  CHECK(y.equal(torch::tensor({{-2.0F, -11.0F}})));
}

TEST_CASE("forward() takes the inputs that it declares, and no others") {
  const Module module = moduleOf("def forward(self, x, y):\n    return x + y\n");
  CHECK_THROWS_WITH(
      module.forward({1.0, 2.0, 3.0}),
      Contains("Expected at most 3 argument(s) for operator 'forward', but received 4 argument(s). "
               "Declaration: forward(__torch__.Net self, Tensor x, Tensor y) -> Tensor"));
  CHECK_THROWS_WITH(module.forward({1.0}), Contains("forward() is missing value for argument 'y'"));
  CHECK(module.forward({1.0, 2.0}).toDouble() == 3);
}

TEST_CASE("texts that mean nothing here are refused") {
  CHECK_THROWS_WITH(moduleOf("def forward(self, x):\n    y = x\n"), Contains("end with a return"));
  CHECK_THROWS_WITH(moduleOf("def forward(x):\n    return x\n"),
                    Contains("must have a self argument"));
  CHECK_THROWS_WITH(moduleOf("def forward(self):\n    return x\n").forward({}),
                    Contains("undefined value x"));
  CHECK_THROWS_WITH(moduleOf("def forward(self):\n    return self.scale\n").forward({}),
                    Contains("Module has no attribute 'scale'"));
  CHECK_THROWS_WITH(moduleOf("def forward(self, x):\n    return x.conjure()\n").forward({1.0}),
                    Contains("Unknown builtin op: aten::conjure."));
}
