// A framework that shares no name with LibTorch: what its names mean is said by lumen.json alone.
#pragma once

#include <initializer_list>
#include <vector>

namespace lumen {
inline namespace v2 {

class Array {
public:
  Array();
  explicit Array(double value);
  Array operator-(const Array &other) const;
  Array operator*(const Array &other) const;
  void derive() const;
  Array &slope() const;
  bool exists() const;
  void assign(double value) const;
  Array frozen() const;
  double number() const;
};

void deriveAll(std::initializer_list<Array> losses);
Array mean(const Array &array);

class Net {
public:
  virtual ~Net();
  std::vector<Array> knobs() const;
  void wipe();
};

template <typename Contained> class Shared {
public:
  Shared();
  Contained *operator->() const;
  Contained &operator*() const;
  Array operator()(const Array &input) const;
};

class Learner {
public:
  Learner(std::vector<Array> knobs, double rate);
  virtual ~Learner();
  virtual void learn() = 0;
  void wipe();
};

class Descent : public Learner {
public:
  using Learner::Learner;
  void learn() override;
};

} // namespace v2
} // namespace lumen
