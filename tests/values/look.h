// What the programs of script/prove-values include: look(a, b, ...) names tensors whose facts are
// compared.
//
// The analyzer sees functions that do nothing. With VALUES_RUN defined, look() prints the facts of
// the tensors as they are there, one JSON object a line; a program runs between begin() and the end
// of its function.
#pragma once

#include <torch/torch.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace values {

using torch::Tensor;

#ifdef VALUES_RUN

inline const char *boolean(bool value) { return value ? "true" : "false"; }

inline std::string sizesOf(const Tensor &tensor) {
  std::string text;
  for (const int64_t size : tensor.sizes())
    text += (text.empty() ? "" : ",") + std::to_string(size);
  return "[" + text + "]";
}

/// The facts of a tensor, and for each of those \p before it whether they share memory.
inline std::string factsOf(const Tensor &tensor, const std::vector<Tensor> &before) {
  if (!tensor.defined())
    return R"({"defined":false})";
  std::string shared;
  for (const Tensor &other : before)
    shared += std::string(shared.empty() ? "" : ",") +
              boolean(other.defined() && other.is_alias_of(tensor));
  return std::string(R"({"defined":true,"type":")") + c10::toString(tensor.scalar_type()) +
         R"(","sizes":)" + sizesOf(tensor) + R"(,"gradient":)" + boolean(tensor.requires_grad()) +
         R"(,"leaf":)" + boolean(tensor.is_leaf()) + R"(,"node":)" +
         boolean(tensor.grad_fn() != nullptr) + R"(,"device":")" + tensor.device().str() +
         R"(","empty":)" + boolean(tensor.numel() == 0) + R"(,"shared":[)" + shared + "]}";
}

inline void report(int line, const std::vector<Tensor> &tensors) {
  std::string facts;
  for (size_t i = 0; i < tensors.size(); ++i)
    facts +=
        (i ? "," : "") +
        factsOf(tensors[i], {tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(i)});
  std::printf(R"({"line":%d,"recorded":%s,"tensors":[%s]})"
              "\n",
              line, boolean(torch::GradMode::is_enabled()), facts.c_str());
}

/// Runs \p program as if it were the first; what it throws ends it.
template <class Program> void run(const char *name, Program program) {
  torch::manual_seed(1);
  torch::GradMode::set_enabled(true);
  std::printf(R"({"program":"%s"})"
              "\n",
              name);
  try {
    program();
  } catch (const std::exception &error) {
    std::string words(error.what());
    words = words.substr(0, words.find('\n'));
    for (char &letter : words)
      if (letter == '"' || letter == '\\' || letter < ' ')
        letter = '\'';
    std::printf(R"({"error":"%s"})"
                "\n",
                words.c_str());
  }
  std::fflush(stdout);
}

#define look(...) values::report(__LINE__, {__VA_ARGS__})

#else

inline void look(const Tensor &) {}
inline void look(const Tensor &, const Tensor &) {}
inline void look(const Tensor &, const Tensor &, const Tensor &) {}
inline void look(const Tensor &, const Tensor &, const Tensor &, const Tensor &) {}

#endif

} // namespace values

#ifndef VALUES_RUN
using values::look;
#endif
