// Example: one datum with its target, or a batch of them.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime::data {

template <class Data = Tensor, class Target = Tensor> struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data data, Target target) : data(std::move(data)), target(std::move(target)) {}

  Data data;
  Target target;
};

namespace example {
using NoTarget = void;
} // namespace example

/// Data alone; it converts to them.
template <class Data> struct Example<Data, example::NoTarget> {
  using DataType = Data;
  using TargetType = example::NoTarget;

  Example() = default;
  Example(Data data) : data(std::move(data)) {}
  operator Data &() { return data; }
  operator const Data &() const { return data; }

  Data data;
};

using TensorExample = Example<Tensor, example::NoTarget>;

} // namespace gradtidy::runtime::data
