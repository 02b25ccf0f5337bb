// Views of shapes and lists that have names, and end before the view.
#include <torch/torch.h>

#include <vector>

using torch::IntArrayRef;
using torch::Tensor;

void show(const Tensor &tensor);

class Average {
public:
  explicit Average(Tensor first) : sum(std::move(first)) {}
  Tensor take_bad() {
    auto shape = sum.sizes(); // expect: ml-dangling-view-argument (level 1): the shape of 'sum', which gets another value before the view is used
    auto result = sum / 2;
    sum = Tensor();
    sum = torch::zeros(shape);
    return result;
  }
  Tensor take_ok() {
    auto shape = sum.sizes().vec();
    auto result = sum / 2;
    sum = torch::zeros(shape);
    return result;
  }
  Tensor held_ok() {
    auto result = sum;
    auto shape = sum.sizes();
    sum = torch::zeros({1});
    return result.view(shape);
  }

private:
  Tensor sum;
};

struct State {
  Tensor hidden;
};

void of_a_struct_bad(State &state) {
  const auto sizes = state.hidden.sizes(); // expect: ml-dangling-view-argument (level 1)
  state.hidden = torch::zeros({3});
  state.hidden = state.hidden.view(sizes);
}

Tensor reset_bad(Tensor x) {
  auto y = x.exp();
  auto shape = y.sizes(); // expect: ml-dangling-view-argument (level 0): the shape of 'y'
  y = Tensor();
  return torch::zeros(shape);
}

Tensor block_bad(Tensor x) {
  IntArrayRef shape;
  {
    auto y = x.unsqueeze(0);
    shape = y.sizes(); // expect: ml-dangling-view-argument (level 0): which ends before the view is used
  }
  return torch::zeros(shape);
}

IntArrayRef returned_bad(Tensor x) {
  auto y = x.exp();
  return y.sizes(); // expect: ml-dangling-view-argument (level 0): although the view is kept
}

int64_t element_bad(Tensor x) {
  auto y = x.exp();
  auto shape = y.sizes(); // expect: ml-dangling-view-argument (level 0)
  y = y.sum();
  return shape[0];
}

IntArrayRef shapeOf(const Tensor &x) { return x.sizes(); }

struct Shaped {
  void keep_bad(Tensor x) {
    auto y = x.exp();
    shape = y.sizes(); // expect: ml-dangling-view-argument (level 0)
  }
  IntArrayRef shape;
};

// --- lists

Tensor list_ends_bad(int64_t n) {
  IntArrayRef shape;
  if (n > 0) {
    std::vector<int64_t> sizes = {n, n};
    shape = sizes; // expect: ml-dangling-view-argument (level 0): of 'sizes', which ends
  } else {
    return {};
  }
  return torch::zeros(shape);
}

Tensor list_grows_bad(std::vector<int64_t> sizes) {
  IntArrayRef shape = sizes; // expect: ml-dangling-view-argument (level 1): may move its elements
  sizes.push_back(3);
  return torch::zeros(shape);
}

// --- silent

Tensor list_ok(std::vector<int64_t> sizes) {
  sizes.push_back(3);
  IntArrayRef shape = sizes;
  auto zeros = torch::zeros(shape);
  sizes.push_back(4);
  return zeros;
}

Tensor reserved_ok(std::vector<int64_t> sizes) {
  sizes.reserve(8);
  IntArrayRef shape = sizes;
  sizes.push_back(4);
  return torch::zeros(shape);
}

Tensor used_before_ok(Tensor x) {
  auto y = x.exp();
  auto shape = y.sizes();
  auto zeros = torch::zeros(shape);
  y = y.sum();
  return zeros + y;
}

Tensor in_place_ok(Tensor x) {
  auto y = x.exp();
  auto shape = y.sizes();
  y += 1;
  y.mul_(2);
  return torch::zeros(shape);
}

Tensor of_the_callers_ok(Tensor x) {
  auto shape = x.sizes();
  x = x.flatten();
  return x.view(shape);
}

size_t length_ok(Tensor x) {
  auto y = x.exp();
  auto shape = y.sizes();
  y = y.sum();
  return shape.size();
}

class Picture {
public:
  Picture(int rows, int columns, void *data) : rows(rows), columns(columns), data(data) {}

private:
  int rows, columns;
  void *data;
};

Picture numbers_ok(Tensor x, void *copy) {
  auto y = x.exp();
  auto sizes = y.sizes();
  return Picture(static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), copy);
}

// What a struct keeps is kept by whoever has the struct.
struct Header {
  int64_t version;
  torch::IntArrayRef sizes;
};

Header header_bad(int64_t version) {
  std::vector<int64_t> sizes = {version, 2};
  return Header{version, sizes}; // expect: ml-dangling-view-argument
}

struct OwnHeader {
  int64_t version;
  std::vector<int64_t> sizes;
};

OwnHeader header_ok(int64_t version) {
  std::vector<int64_t> sizes = {version, 2};
  return OwnHeader{version, sizes};
}

Header header_of_caller_ok(int64_t version, const std::vector<int64_t> &sizes) {
  return Header{version, sizes};
}

class Restarted {
public:
  explicit Restarted(Tensor first) : sum(std::move(first)) {}
  void add(const Tensor &x) { sum += x; }
  void restart_bad() {
    auto shape = sum.sizes(); // expect: ml-dangling-view-argument (level 1)
    sum = Tensor();
    sum = torch::zeros(shape);
  }

private:
  Tensor sum;
};

void run() {
  Restarted average(torch::rand({3}));
  for (int i = 0; i < 10; ++i) {
    average.add(torch::rand({3}));
    if (i % 2 == 0)
      average.restart_bad();
  }
}

// The rounds of a loop give the tensor other values.
Tensor rounds_bad(int64_t levels) {
  Tensor field = torch::zeros({1, 1, 64, 64});
  auto shape = field.sizes(); // expect: ml-dangling-view-argument (level 0): the shape of 'field'
  for (int64_t i = 0; i < levels; ++i)
    field = field / 2 + field.mean();
  return field * shape[2];
}
Tensor second_round_bad(int64_t levels) {
  Tensor field = torch::zeros({1, 1, 64, 64});
  auto shape = field.sizes(); // expect: ml-dangling-view-argument (level 0): the shape of 'field'
  for (int64_t i = 0; i < levels; ++i) {
    Tensor scale = torch::ones(shape);
    field = field / 2 + scale;
  }
  return field;
}
// It is still held: by a variable on each of two ways, or by the list of all.
Tensor first_held_ok(int64_t levels, bool isWide) {
  Tensor field = torch::zeros({1, 1, 64, 64});
  auto shape = field.sizes();
  Tensor kept = torch::zeros({1});
  for (int64_t i = 0; i < levels; ++i) {
    kept = i == 0 ? field : kept;
    field = field / 2;
  }
  return kept * shape[2];
}
Tensor all_held_ok(int64_t levels) {
  std::vector<Tensor> all;
  Tensor field = torch::zeros({1, 1, 64, 64});
  auto shape = field.sizes();
  for (int64_t i = 0; i < levels; ++i) {
    all.push_back(field);
    field = field / 2;
  }
  return all.front() * shape[2];
}
Tensor taken_anew_ok(int64_t levels) {
  Tensor field = torch::zeros({1, 1, 64, 64});
  auto shape = field.sizes();
  for (int64_t i = 0; i < levels; ++i) {
    field = field / 2;
    shape = field.sizes();
  }
  return field * shape[2];
}
