// Views that constructors keep.
#include <torch/torch.h>

#include <utility>
#include <vector>

using torch::IntArrayRef;
using torch::Tensor;

class Storage_bad {
public:
  Storage_bad(int64_t steps, IntArrayRef shape) : steps(steps), shape(shape) {} // expect: ml-dangling-view-argument (level 1): 'shape' keeps a view of the list that the object is made with
  Tensor fresh() const { return torch::zeros(shape) * steps; }

private:
  int64_t steps;
  IntArrayRef shape;
};

class Copying_ok {
public:
  explicit Copying_ok(IntArrayRef shape) : shape(shape.vec()) {}
  Tensor fresh() const { return torch::zeros(shape); }

private:
  std::vector<int64_t> shape;
};

// It reads the view while the list is there.
class Making_ok {
public:
  explicit Making_ok(IntArrayRef shape) : shape(shape) { make(); }
  Tensor tensor;

private:
  void make() { tensor = torch::zeros(shape); }
  IntArrayRef shape;
};

// Its callers keep the list.
class Borrowing_ok {
public:
  explicit Borrowing_ok(IntArrayRef shape) : shape(shape) {}
  Tensor fresh() const { return torch::zeros(shape); }

private:
  IntArrayRef shape;
};

Tensor use(int64_t n) {
  const std::vector<int64_t> sizes = {n, n};
  Storage_bad stored(4, {n, n});
  Copying_ok copied({n, n});
  Making_ok made({n, n});
  Borrowing_ok borrowed(sizes);
  return stored.fresh() + copied.fresh() + made.tensor + borrowed.fresh() + Borrowing_ok({n, n}).fresh();
}
