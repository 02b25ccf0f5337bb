// Parts of somebody's memory, temporaries, and what tensors are kept in.
#include <torch/torch.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using torch::Tensor;

// ---- at an offset

Tensor offset_bad() {
  std::vector<float> values(100);
  return torch::from_blob(values.data() + 4 * 10, {10}); // expect: ml-dangling-from-blob (level 0): memory of 'values'
}

Tensor computed_offset_bad(int row) {
  std::vector<float> values(100);
  auto tensor = torch::from_blob(&values[row * 10], {10}); // expect: ml-dangling-from-blob
  return tensor;
}

std::vector<Tensor> rows_bad(int count) {
  std::vector<float> values(count * 10);
  std::vector<Tensor> rows;
  for (int i = 0; i < count; ++i)
    rows.push_back(torch::from_blob(values.data() + i * 10, {10})); // expect: ml-dangling-from-blob: which it outlives
  return rows;
}

Tensor parameter_bad(std::vector<float> values, int row) {
  return torch::from_blob(row * 10 + values.data(), {10}); // expect: ml-dangling-from-blob
}

std::vector<Tensor> same_offset_bad() {
  std::vector<Tensor> list;
  std::vector<float> values(20);
  for (int i = 0; i < 3; ++i) {
    values[10] = i;
    list.push_back(torch::from_blob(values.data() + 10, {10})); // expect: ml-dangling-from-blob: holds already
  }
  return {torch::stack(list)};
}

Tensor rows_ok(int count) {
  std::vector<float> values(count * 10);
  std::vector<Tensor> rows;
  for (int i = 0; i < count; ++i)
    rows.push_back(torch::from_blob(values.data() + i * 10, {10}));
  return torch::stack(rows);
}

Tensor lists_ok(int count) {
  std::vector<std::vector<float>> lists(count);
  std::vector<Tensor> rows;
  for (int i = 0; i < count; ++i) {
    lists[i].resize(10);
    rows.emplace_back(torch::from_blob(lists[i].data(), {10}));
  }
  return torch::cat(rows);
}

Tensor offset_cloned_ok(int row) {
  std::vector<float> values(100);
  return torch::from_blob(values.data() + row * 10, {10}).clone();
}

Tensor offset_of_the_caller_ok(std::vector<float> &values, float *others, int row) {
  return torch::from_blob(row ? values.data() + row : others + row, {10});
}

struct Buffer {
  Tensor row_ok(int row) { return torch::from_blob(values.data() + row * 10, {10}); }
  Tensor local_ok(int row) {
    float *start = values.data();
    return torch::from_blob(start + row * 10, {10});
  }
  std::vector<float> values;
};

std::vector<std::pair<std::vector<float>, Tensor>> moved_rows_ok(int count) {
  std::vector<std::vector<float>> lists(count);
  std::vector<std::pair<std::vector<float>, Tensor>> rows;
  for (int i = 0; i < count; ++i) {
    lists[i].resize(10);
    auto tensor = torch::from_blob(lists[i].data(), {10});
    rows.push_back({std::move(lists[i]), tensor});
  }
  return rows;
}

// What owns the memory goes along.
struct Sample {
  std::vector<float> values;
  Tensor first, last;
};
Sample sample_ok() {
  Sample sample;
  sample.values.resize(10);
  sample.first = torch::from_blob(sample.values.data(), {5});
  sample.last = torch::from_blob(sample.values.data() + sample.values.size() / 2, {5});
  return sample;
}

std::pair<std::vector<float>, Tensor> pair_ok() {
  std::pair<std::vector<float>, Tensor> pair;
  pair.first.resize(10);
  pair.second = torch::from_blob(pair.first.data(), {10});
  return pair;
}

Tensor of_sample_bad() {
  Sample sample;
  sample.values.resize(10);
  sample.first = torch::from_blob(sample.values.data(), {10}); // expect: ml-dangling-from-blob
  return sample.first;
}

// ---- lists and maps

void emplaced_bad(std::vector<Tensor> &out) {
  for (int i = 0; i < 3; ++i) {
    std::vector<float> values(10);
    out.emplace_back(torch::from_blob(values.data(), {10})); // expect: ml-dangling-from-blob
  }
}

std::vector<Tensor> emplaced_list_bad() {
  std::vector<float> values(10);
  std::vector<Tensor> list;
  list.emplace_back(torch::from_blob(values.data(), {10})); // expect: ml-dangling-from-blob
  return list;
}

std::map<std::string, Tensor> map_bad() {
  std::vector<float> values(10), others(10);
  std::map<std::string, Tensor> map;
  map["a"] = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob
  map["b"] = torch::from_blob(values.data() + 5, {5}); // expect: ml-dangling-from-blob
  return map;
}

struct Named {
  void fill_bad() {
    std::vector<float> values(10);
    tensors["a"] = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob
  }
  void fill_ok() {
    std::vector<float> values(10);
    tensors["a"] = torch::from_blob(values.data(), {10}).clone();
    list.emplace_back(torch::from_blob(values.data(), {10}).to(torch::kFloat64));
    list.emplace_back(torch::from_blob(kept.data(), {10}));
    tensors["b"] = torch::from_blob(kept.data() + 2, {10});
  }
  std::map<std::string, Tensor> tensors;
  std::vector<Tensor> list;
  std::vector<float> kept;
};

Tensor local_map_ok(torch::nn::Linear net) {
  std::vector<float> values(10);
  std::map<std::string, Tensor> map;
  map["a"] = torch::from_blob(values.data(), {10});
  std::vector<Tensor> list;
  list.emplace_back(torch::from_blob(values.data(), {10}));
  return net(map["a"]) + torch::stack(list);
}

// ---- temporaries

std::vector<float> made(int count) { return std::vector<float>(count); }
const std::vector<float> &held();

Tensor temporary_bad() {
  auto tensor = torch::from_blob(made(10).data(), {10}); // expect: ml-dangling-from-blob: memory of a temporary object
  return tensor + 1;
}

Tensor returned_temporary_bad() {
  return torch::from_blob(made(10).data() + 2, {8}); // expect: ml-dangling-from-blob
}

void kept_temporary_bad(std::vector<Tensor> &out, Tensor &last) {
  out.push_back(torch::from_blob(std::vector<float>(10).data(), {10})); // expect: ml-dangling-from-blob
  last = torch::from_blob(made(10).data(), {10}); // expect: ml-dangling-from-blob
}

Tensor temporary_ok(torch::nn::Linear net) {
  auto tensor = torch::from_blob(made(10).data(), {10}).clone();
  auto sum = torch::from_blob(made(10).data(), {10}).sum();
  net(torch::from_blob(made(10).data(), {10}));
  return net(torch::from_blob(made(10).data(), {10})) + tensor * sum;
}

Tensor held_ok(std::vector<std::vector<float>> &lists) {
  auto tensor = torch::from_blob(const_cast<float *>(held().data()), {10});
  return tensor + torch::from_blob(lists.back().data(), {10});
}

// ---- unique pointers

Tensor array_bad() {
  auto values = std::make_unique<float[]>(10);
  return torch::from_blob(values.get(), {10}); // expect: ml-dangling-from-blob: memory of 'values'
}

Tensor released_ok() {
  auto values = std::make_unique<float[]>(10);
  return torch::from_blob(values.release(), {10});
}

std::unique_ptr<float[]> keeper;
Tensor kept_array_ok() {
  auto values = std::make_unique<float[]>(10);
  auto tensor = torch::from_blob(values.get(), {10});
  keeper = std::move(values);
  return tensor;
}

struct NoDelete {
  void operator()(float *) const {}
};
Tensor not_deleted_ok(float *given) {
  std::unique_ptr<float[], NoDelete> values(given);
  return torch::from_blob(values.get(), {10});
}

Tensor shared_ok(std::shared_ptr<float> values) {
  return torch::from_blob(values.get(), {10});
}

Tensor deleted_later_ok() {
  auto values = std::make_unique<float[]>(10);
  float *start = values.get();
  return torch::from_blob(start, {10}, [kept = values.release()](void *) { delete[] kept; });
}

// ---- an object that is there for one statement

class Recorder {
public:
  std::vector<torch::Tensor> run(int count) {
    for (int i = 0; i < count; ++i)
      record();
    return std::move(kept);
  }

private:
  void record() {
    std::vector<float> values(9);
    kept.push_back(torch::from_blob(values.data(), {9})); // expect: ml-dangling-from-blob: lies in the memory of 'values'
  }
  std::vector<torch::Tensor> kept;
};

std::vector<torch::Tensor> recorded() { return Recorder().run(3); }

// Parts of one tensor, made once.
Tensor parts_of_one_ok(std::vector<float> values) {
  auto whole = torch::from_blob(values.data(), {10, 10});
  std::vector<Tensor> parts;
  for (int i = 0; i < 10; ++i)
    parts.push_back(whole.view({100}).narrow(0, 10 * i, 10));
  return torch::cat(parts);
}

// What is padded lies in memory of its own.
Tensor padded_ok(Tensor x, std::vector<int64_t> lengths) {
  auto counts = torch::from_blob(lengths.data(), {4}, torch::kLong);
  auto packed = torch::nn::utils::rnn::pack_padded_sequence(x, counts, true);
  auto padded = torch::nn::utils::rnn::pad_packed_sequence(packed, true);
  return std::get<0>(padded);
}
