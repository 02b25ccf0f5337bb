// jit::Module: a module whose forward() is text in TorchScript, for programs that run what Python
// wrote.
//
// What there is of the language: assignments to names and a return, arithmetic, parameters of the
// module, and some functions of tensors, as `torch.f(x)` and `x.f()`. Files of TorchScript are not
// read.
#pragma once

#include "../core/IValue.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gradtidy::runtime::jit {

using runtime::IValue;

/// The text of a method, parsed.
struct Script;

class Module {
public:
  explicit Module(std::string name);

  void register_parameter(const std::string &name, Tensor value, bool isBuffer);
  void register_buffer(const std::string &name, Tensor value);
  /// `def forward(self, ...):` with its body. Throws where the text is not what is said above.
  void define(const std::string &source);

  /// Throws LibTorch's words where there are more inputs than forward() takes, or fewer.
  IValue forward(std::vector<IValue> inputs) const;

  void to(Device device);
  void train(bool on = true) { training = on; }
  void eval() { train(false); }
  bool is_training() const { return training; }

private:
  std::string name;
  std::map<std::string, Tensor> tensors;
  std::shared_ptr<const Script> script;
  bool training = true;
};

namespace script {
using jit::Module;
}

} // namespace gradtidy::runtime::jit
