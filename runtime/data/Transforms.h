// Transforms: what happens to a batch on its way from the dataset to the loop.
#pragma once

#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "../ops/Views.h"
#include "Example.h"

namespace gradtidy::runtime::data::transforms {

template <class InputBatch, class OutputBatch> class BatchTransform {
public:
  using InputBatchType = InputBatch;
  using OutputBatchType = OutputBatch;
  virtual ~BatchTransform() = default;
  virtual OutputBatch apply_batch(InputBatch batch) = 0;
};

/// One example after the other.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
public:
  using InputType = Input;
  using OutputType = Output;
  virtual OutputType apply(InputType input) = 0;
  std::vector<Output> apply_batch(std::vector<Input> inputs) override {
    std::vector<Output> outputs;
    outputs.reserve(inputs.size());
    for (Input &input : inputs)
      outputs.push_back(apply(std::move(input)));
    return outputs;
  }
};

template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
public:
  using FunctionType = std::function<Output(Input)>;
  explicit BatchLambda(FunctionType function) : function(std::move(function)) {}
  Output apply_batch(Input batch) override { return function(std::move(batch)); }

private:
  FunctionType function;
};

template <class Input, class Output = Input> class Lambda : public Transform<Input, Output> {
public:
  using FunctionType = std::function<Output(Input)>;
  explicit Lambda(FunctionType function) : function(std::move(function)) {}
  Output apply(Input input) override { return function(std::move(input)); }

private:
  FunctionType function;
};

/// Changes the data of an example and leaves its target.
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
public:
  virtual Tensor operator()(Tensor input) = 0;
  Example<Tensor, Target> apply(Example<Tensor, Target> input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

template <class Target = Tensor> class TensorLambda : public TensorTransform<Target> {
public:
  using FunctionType = std::function<Tensor(Tensor)>;
  explicit TensorLambda(FunctionType function) : function(std::move(function)) {}
  Tensor operator()(Tensor input) override { return function(std::move(input)); }

private:
  FunctionType function;
};

/// (x - mean) / stddev, with one number or one for each channel of (C, H, W).
template <class Target = Tensor> struct Normalize : TensorTransform<Target> {
  Normalize(ArrayRef<double> mean, ArrayRef<double> stddev)
      : mean(tensor(mean, kFloat32).unsqueeze(1).unsqueeze(2)),
        stddev(tensor(stddev, kFloat32).unsqueeze(1).unsqueeze(2)) {}
  Tensor operator()(Tensor input) override { return input.sub(mean).div(stddev); }

  Tensor mean, stddev;
};

/// Makes one batch of many examples.
template <class T, class Batch = std::vector<T>> using Collation = BatchTransform<Batch, T>;
template <class T, class Batch = std::vector<T>> using Collate = BatchLambda<Batch, T>;

template <class T = Example<>> struct Stack;

template <> struct Stack<Example<>> : Collation<Example<>> {
  Example<> apply_batch(std::vector<Example<>> examples) override {
    std::vector<Tensor> data, targets;
    for (Example<> &example : examples) {
      data.push_back(std::move(example.data));
      targets.push_back(std::move(example.target));
    }
    return {stack(data), stack(targets)};
  }
};

template <> struct Stack<TensorExample> : Collation<TensorExample> {
  TensorExample apply_batch(std::vector<TensorExample> examples) override {
    std::vector<Tensor> data;
    for (TensorExample &example : examples)
      data.push_back(std::move(example.data));
    return stack(data);
  }
};

} // namespace gradtidy::runtime::data::transforms
