// A tensor framework with names of its own, known to gradtidy by axon.json alone.
#pragma once

namespace axon {

class Array {
public:
  Array() = default;
  void backpropagate() const {}
  double number() const { return value; }

private:
  double value = 0;
};

inline Array distance(const Array &output, const Array &target) { return {}; }

struct Weights {};

class Block {
public:
  virtual ~Block() = default;
  Array operator()(const Array &input) { return input; }
  Weights weights() { return {}; }
};

class Solver {
public:
  explicit Solver(Weights) {}
  void advance() {}
  void zero_grad() {}
};

} // namespace axon
