// Enough of Flashlight 0.4 for the programs here, declared as it declares them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace fl {

class Shape {
public:
  Shape(std::initializer_list<long long> sizes);
};

class Tensor {
public:
  Tensor();
  template <typename T> T scalar() const;
  template <typename T> T asScalar() const;
  const Shape &shape() const;
};

class Variable {
public:
  Variable();
  Variable(Tensor data, bool calcGrad);
  Tensor &tensor() const;
  Variable &grad() const;
  bool isGradAvailable() const;
  void zeroGrad();
  void backward(bool retainGraph = false);
  void backward(const Variable &grad, bool retainGraph = false);
  template <typename T> T scalar() const;
};

Variable operator-(const Variable &a, const Variable &b);
Variable operator*(const Variable &a, const Variable &b);
Variable operator/(const Variable &a, const double &b);
Variable mean(const Variable &input, const std::vector<int> &axes, bool keepDims = false);
Variable noGrad(const Tensor &data);
Variable input(const Tensor &data);
Variable softmax(const Variable &input, int dim);
Variable logSoftmax(const Variable &input, int dim);
Variable categoricalCrossEntropy(const Variable &input, const Variable &targets);

class Module {
public:
  virtual ~Module() = default;
  std::vector<Variable> params() const;
  virtual void train();
  virtual void eval();
  void zeroGrad();
  virtual std::vector<Variable> forward(const std::vector<Variable> &inputs) = 0;
  std::vector<Variable> operator()(const std::vector<Variable> &inputs);
};

class UnaryModule : public Module {
public:
  std::vector<Variable> forward(const std::vector<Variable> &inputs) override;
  virtual Variable forward(const Variable &input) = 0;
  Variable operator()(const Variable &input);
};

class Container : public Module {
public:
  template <typename T> void add(const T &module);
  template <typename T> void add(std::shared_ptr<T> module);
};

class Sequential : public Container {
public:
  std::vector<Variable> forward(const std::vector<Variable> &input) override;
  Variable forward(const Variable &input);
  Variable operator()(const Variable &input);
};

class Linear : public UnaryModule {
public:
  Linear(int inputSize, int outputSize, bool bias = true);
  Variable forward(const Variable &input) override;
};
class ReLU : public UnaryModule {
public:
  Variable forward(const Variable &input) override;
};
class LogSoftmax : public UnaryModule {
public:
  explicit LogSoftmax(int dim = 0);
  Variable forward(const Variable &input) override;
};
class Dropout : public UnaryModule {
public:
  explicit Dropout(double ratio = 0.5);
  Variable forward(const Variable &input) override;
};

class FirstOrderOptimizer {
public:
  FirstOrderOptimizer(const std::vector<Variable> &parameters, double learningRate);
  virtual ~FirstOrderOptimizer() = default;
  virtual void step() = 0;
  virtual void zeroGrad();
};
class SGDOptimizer : public FirstOrderOptimizer {
public:
  SGDOptimizer(const std::vector<Variable> &parameters, double learningRate, double momentum = 0,
               double weightDecay = 0, bool useNesterov = false);
  void step() override;
};

double clipGradNorm(const std::vector<Variable> &parameters, double maxNorm);

} // namespace fl
