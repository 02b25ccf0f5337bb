// Operators make new tensors, but for those that assign.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

void binary_bad(Tensor x, Tensor y) {
  x *y;           // expect: ml-discarded-result (no fix): the result of '*' is thrown away
  (x.mul(y) + y); // expect: ml-discarded-result (no fix): the result of '+'
  x - 1;          // expect: ml-discarded-result (no fix)
}

void others_bad(Tensor x, Tensor y) {
  -x;     // expect: ml-discarded-result (no fix)
  x == y; // expect: ml-discarded-result (no fix): the result of '=='
}

void parentheses_bad(Tensor x, torch::Device device) {
  (x.to(device)); // expect: ml-discarded-result
}

void used_ok(Tensor x, Tensor y) {
  x *= y;
  (x += y);
  x = x - y;
  x[0] = y * 2;
  static_cast<void>(x * y);
  std::cout << x * y;
}

struct Expression {};
struct Name {};
Expression operator*(Name, Tensor);
Tensor operator|(Tensor x, Name) {
  x.zero_();
  return x;
}
void of_others_ok(Tensor x) {
  Name() * x;
  x | Name();
}
