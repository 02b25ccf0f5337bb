// Pointers into tensors that have names, and end before the pointer.
#include <torch/torch.h>

#include <cstring>
#include <optional>
#include <vector>

using torch::Tensor;

void use(const float *values);
void show(const Tensor &tensor);

// --- an object that keeps the pointer

class Image {
public:
  Image(int rows, int cols, void *data)
      : rows(rows), cols(cols), data(static_cast<unsigned char *>(data)) {}
  int at(int y, int x) const { return data[y * cols + x]; }
  int rows, cols;

private:
  unsigned char *data;
};

Image returned_image_bad(const Tensor &tensor) {
  auto output = tensor.mul(255).to(torch::kUInt8).contiguous();
  return Image(2, 2, output.data_ptr()); // expect: ml-dangling-data-ptr (no fix): leads into 'output', which ends although the pointer is kept
}

Image returned_by_name_bad(const Tensor &tensor) {
  Tensor output = tensor.add(1);
  auto *bytes = static_cast<unsigned char *>(output.data_ptr()); // expect: ml-dangling-data-ptr (no fix) (level 0)
  Image image(2, 2, bytes + 3);
  return image;
}

struct Span {
  float *begin;
  long size;
};

Span returned_struct_bad(Tensor x) {
  auto y = x.exp();
  return {y.data_ptr<float>(), y.numel()}; // expect: ml-dangling-data-ptr (no fix) (level 0)
}

float *returned_pointer_bad(Tensor x) {
  auto y = x.exp();
  return y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0)
}

float *through_a_view_bad(Tensor x) {
  auto y = x.exp();
  auto row = y.view({-1}).slice(0, 0, 3);
  return row.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0)
}

const float *of_a_module_bad(torch::nn::Linear net, Tensor x) {
  torch::NoGradGuard guard;
  auto y = net(x);
  return y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 1)
}

// --- an inner block

void block_bad(Tensor x) {
  const float *p = nullptr;
  {
    auto y = x.exp();
    p = y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0): before the pointer is used
  }
  use(p);
}

float read_in_place_bad(Tensor x) {
  float *p = nullptr;
  if (x.defined()) {
    Tensor y = x.exp();
    p = y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0)
  } else {
    return 0;
  }
  return p[3];
}

void collected_bad(const std::vector<Tensor> &inputs) {
  std::vector<float *> pointers;
  for (const auto &input : inputs) {
    auto packed = input.exp();
    pointers.push_back(packed.data_ptr<float>()); // expect: ml-dangling-data-ptr (no fix) (level 0)
  }
  use(pointers[0]);
}

// --- another value

void replaced_bad(Tensor x) {
  auto y = x.exp();
  float *p = y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0): which gets another value
  y = y + 1;
  use(p);
}

void reset_bad(Tensor x) {
  auto y = x.exp();
  float *p = y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0)
  y = Tensor();
  p[0] = 1;
}

void next_round_bad(Tensor x) {
  auto y = x.exp();
  float *p = y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 1)
  for (int i = 0; i < 10; ++i) {
    use(p);
    y = y * 2;
  }
}

void copied_later_bad(Tensor x, float *destination) {
  auto y = x.exp();
  const void *p = y.data_ptr(); // expect: ml-dangling-data-ptr (no fix) (level 0)
  y = y.exp();
  std::memcpy(destination, p, 16);
}

struct Engine {
  void load_bad(Tensor x) {
    auto packed = x.exp();
    input = packed.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0): although the pointer is kept
  }
  void refill_bad(Tensor x) {
    float *p = buffer.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 1): 'buffer', which gets
    buffer = x.exp();
    use(p);
  }
  float *input = nullptr;
  Tensor buffer;
};

// --- another function

const float *pointerOf(const Tensor &x) {
  return x.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0): leads into 'x', which ends before
}

void by_a_function_bad(Tensor x) {
  const float *p;
  {
    auto y = x.exp();
    p = pointerOf(y);
  }
  use(p);
}

const float *of_an_argument(Tensor x) {
  return x.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix): ends
}

void of_an_argument_bad(Tensor x) {
  const float *p = of_an_argument(x.exp());
  use(p);
}

void closure_bad(Tensor x) {
  const auto make = [&] {
    auto y = x.exp();
    return y.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0)
  };
  use(make());
}

// --- silent

struct Owner {
  Tensor tensor;
  float *data;
};

Owner kept_along_ok(Tensor x) {
  auto y = x.exp();
  return {y, y.data_ptr<float>()};
}

struct Holding {
  explicit Holding(Tensor x) : held(x.exp()), data(held.data_ptr<float>()) {}
  void refill(Tensor x) {
    held = x.exp();
    data = held.data_ptr<float>();
    use(data);
  }
  void take(Tensor x) {
    auto y = x.exp();
    data = y.data_ptr<float>();
    held = y;
  }
  Tensor held;
  float *data;
};

float *of_the_callers_ok(Tensor x) { return x.data_ptr<float>(); }

float *of_a_view_ok(Tensor x) {
  auto row = x[0];
  return row.data_ptr<float>();
}

void used_before_ok(Tensor x) {
  auto y = x.exp();
  float *p = y.data_ptr<float>();
  use(p);
  y = y + 1;
  p = y.data_ptr<float>();
  use(p);
}

void held_elsewhere_ok(Tensor x, std::vector<Tensor> &all) {
  const float *p = nullptr;
  const float *q = nullptr;
  const float *r = nullptr;
  Tensor z;
  {
    auto y = x.exp();
    p = y.data_ptr<float>();
    z = y;
    auto w = x.exp();
    all.push_back(w);
    q = w.data_ptr<float>();
    auto v = x.exp();
    show(v);
    r = v.data_ptr<float>();
  }
  use(p), use(q), use(r);
}

void view_holds_ok(Tensor x) {
  auto y = x.exp();
  float *p = y.data_ptr<float>();
  auto z = y.view({-1});
  y = x;
  use(p);
  z.sum();
}

void graph_holds_ok(Tensor x) {
  auto w = torch::ones({3}, torch::requires_grad());
  auto y = w * x;
  auto *p = y.data_ptr<float>();
  auto loss = (y * y).sum();
  y = Tensor();
  use(p);
  loss.backward();
}

void copied_by_a_closure_ok(Tensor x) {
  const float *p = nullptr;
  std::vector<std::function<void()>> later;
  {
    auto y = x.exp();
    p = y.data_ptr<float>();
    later.push_back([y] { y.sum(); });
  }
  use(p);
}

std::vector<float> copied_ok(Tensor x) {
  auto y = x.exp();
  return std::vector<float>(y.data_ptr<float>(), y.data_ptr<float>() + y.numel());
}

void same_tensor_ok(Tensor x) {
  auto y = x.exp();
  float *p = y.data_ptr<float>();
  y.mul_(2);
  y = y.contiguous();
  auto same = y;
  y = same;
  use(p);
}

void in_the_loop_ok(Tensor x) {
  for (int i = 0; i < 3; ++i) {
    auto y = x.exp();
    float *p = y.data_ptr<float>();
    use(p);
  }
}

Image sizes_ok(Tensor x, unsigned char *copy) {
  auto y = x.exp();
  auto sizes = y.sizes();
  std::memcpy(copy, y.data_ptr(), 16);
  return Image(static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), copy);
}

Image sizes_bad(Tensor x) {
  auto y = x.exp();
  auto sizes = y.sizes();
  return Image(static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), y.data_ptr()); // expect: ml-dangling-data-ptr (no fix)
}

// --- on one of two ways

float sumOf(const float *values, long count);

float gray_bad(Tensor image) {
  image = image.contiguous();
  const float *luma = image.data_ptr<float>();
  if (image.size(0) == 3) {
    auto gray = image.mean(0).contiguous();
    luma = gray.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix)
  }
  return sumOf(luma, 10);
}

float gray_ok(Tensor image) {
  image = image.contiguous();
  auto gray = image.mean(0).contiguous();
  const float *luma = image.data_ptr<float>();
  if (image.size(0) == 3)
    luma = gray.data_ptr<float>();
  return sumOf(luma, 10);
}

// The best of several, which end with their rounds.

float best_bad(const std::vector<Tensor> &images) {
  const float *best = nullptr;
  float most = -1;
  for (const Tensor &image : images) {
    auto output = image.exp().contiguous();
    if (const float score = output.max().item<float>(); score > most) {
      most = score;
      best = output.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix)
    }
  }
  return best ? sumOf(best, 10) : 0;
}

float best_ok(const std::vector<Tensor> &images) {
  const float *best = nullptr;
  Tensor held;
  float most = -1;
  for (const Tensor &image : images) {
    auto output = image.exp().contiguous();
    if (const float score = output.max().item<float>(); score > most) {
      most = score;
      best = output.data_ptr<float>();
      held = output;
    }
  }
  return best ? sumOf(best, 10) : 0;
}

float best_here_ok(const std::vector<Tensor> &images) {
  float sum = 0;
  for (const Tensor &image : images) {
    const float *values = nullptr;
    auto output = image.exp().contiguous();
    if (output.max().item<float>() > 0)
      values = output.data_ptr<float>();
    sum += values ? sumOf(values, 10) : 0;
  }
  return sum;
}

// --- structs of pointers, in lists

struct Problem {
  long count;
  const float *values;
};

float solve(const Problem *problems, size_t count);

float problems_bad(const std::vector<Tensor> &images) {
  std::vector<Problem> problems;
  for (const Tensor &image : images) {
    const auto values = image.exp();
    problems.push_back({values.numel(), values.data_ptr<float>()}); // expect: ml-dangling-data-ptr (no fix)
  }
  return solve(problems.data(), problems.size());
}

float problems_ok(const std::vector<Tensor> &images) {
  std::vector<Problem> problems;
  std::vector<Tensor> held;
  for (const Tensor &image : images) {
    const auto values = image.exp();
    problems.push_back({values.numel(), values.data_ptr<float>()});
    held.push_back(values);
  }
  return solve(problems.data(), problems.size());
}

// --- numbers are copied, pointers are kept

std::vector<float> numbers_ok(std::vector<Tensor> waves) {
  std::vector<float> samples;
  for (const Tensor &each : waves) {
    auto wave = each.exp();
    const float *begin = wave.data_ptr<float>();
    samples.insert(samples.end(), begin, begin + 10);
  }
  return samples;
}

// --- a tensor over its memory

Tensor wrapped_bad(Tensor x) {
  auto y = x.exp();
  return torch::from_blob(y.data_ptr<float>(), {4}); // expect: ml-dangling-data-ptr (no fix): leads into 'y', which ends although the pointer is kept
}

struct Pair {
  Tensor input, output;
};

Pair wrapped_in_block_bad(Tensor x, bool any) {
  Tensor result;
  if (any) {
    auto y = x.exp();
    result = torch::from_blob(y.data_ptr<float>(), {4}); // expect: ml-dangling-data-ptr (no fix)
  } else {
    result = torch::zeros({4});
  }
  return {x, result};
}

Tensor wrapped_ok(Tensor x) {
  auto y = x.exp();
  Tensor whole = torch::from_blob(y.data_ptr<float>(), {4}).clone();
  return whole + torch::from_blob(y.data_ptr<float>(), {4});
}

Tensor sizes_ok(Tensor x, float *memory) {
  auto y = x.exp();
  return torch::from_blob(memory, y.sizes());
}

// What one of many elements gets need not end what another leads into.
void one_of_many_ok(std::vector<Tensor> &list, int first, int second) {
  auto p = list[first].data_ptr<float>();
  list[second] = torch::ones({3});
  use(p);
}

// What is read through a pointer is a copy.
float read_ok(const Tensor &x) {
  Tensor sum = x.exp();
  return *sum.data_ptr<float>();
}

int narrowed_ok(const Tensor &x) {
  Tensor best = x.argmax(1);
  const int64_t *p = best.data_ptr<int64_t>();
  return *p;
}

const float &referred_bad(const Tensor &x) {
  Tensor sum = x.exp();
  return *sum.data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix)
}

// Elements of another type are in memory of their own, and what is moved may be, too.
struct Segmenter {
  Tensor classes;
  const unsigned char *run(Tensor scores) {
    classes = scores.argmax(1);
    Tensor mask = classes.squeeze();
    mask = mask.to(torch::kUInt8);
    mask = mask.to(torch::kCPU);
    return mask.data_ptr<unsigned char>(); // expect: ml-dangling-data-ptr (no fix)
  }

  const int64_t *own_ok(Tensor scores) {
    classes = scores.argmax(1);
    Tensor mask = classes.squeeze();
    mask = mask.to(torch::kLong);
    return mask.data_ptr<int64_t>();
  }
};

// A copy it is wherever it goes.
struct Best {
  float value;
  int64_t index;
};

Best in_an_object_ok(const Tensor &x) {
  Tensor sum = x.exp(), best = x.argmax(1);
  return {*sum.data_ptr<float>(), *best.data_ptr<int64_t>()};
}

std::optional<float> perhaps_ok(const Tensor &x) {
  Tensor sum = x.exp();
  return *sum.data_ptr<float>();
}
