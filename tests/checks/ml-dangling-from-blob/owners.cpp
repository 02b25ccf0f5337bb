// Whose memory it is, and who lives longer.
#include <torch/torch.h>

#include <array>
#include <map>
#include <memory>
#include <string>

using torch::Tensor;

Tensor returned_bad() {
  std::vector<float> values(10);
  auto tensor = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob: memory of 'values'
  return tensor; // note: returned here
}

Tensor view_bad() {
  float values[4] = {1, 2, 3, 4};
  return torch::from_blob(values, {4}).view({2, 2}).unsqueeze(0); // expect: ml-dangling-from-blob // note: returned here
}

Tensor address_bad(double x) {
  std::array<double, 3> values{x, x, x};
  return torch::from_blob(&values[0], {3}); // expect: ml-dangling-from-blob // note: returned here
}

Tensor of_a_scalar_bad() {
  float value = 1;
  return torch::from_blob(&value, {1}); // expect: ml-dangling-from-blob // note: returned here
}

Tensor by_value_bad(std::vector<float> values) {
  return torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob // note: returned here
}

torch::data::Example<> example_bad(Tensor target) {
  std::vector<float> values(10);
  auto data = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob
  return {data, target}; // note: returned here
}

std::vector<Tensor> list_bad() {
  std::vector<Tensor> list;
  for (int i = 0; i < 3; ++i) {
    std::vector<float> values(10);
    list.push_back(torch::from_blob(values.data(), {10})); // expect: ml-dangling-from-blob: which it outlives
  } // note: ends here
  return list;
}

std::vector<Tensor> overwritten_bad() {
  std::vector<Tensor> list;
  std::vector<float> values(10);
  for (int i = 0; i < 3; ++i) {
    values[0] = i;
    list.push_back(torch::from_blob(values.data(), {10})); // expect: ml-dangling-from-blob: holds already // note: into the list
  }
  return {torch::stack(list)};
}

struct Reader {
  void read_bad() {
    std::vector<float> values(10);
    last = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob
  } // note: ends here
  void read_ok() { last = torch::from_blob(kept.data(), {10}); }
  Tensor last;
  std::vector<float> kept;
};

Tensor cloned_ok() {
  std::vector<float> values(10);
  return torch::from_blob(values.data(), {10}).clone();
}

Tensor computed_ok() {
  std::vector<float> values(10);
  auto raw = torch::from_blob(values.data(), {10});
  return raw / 255.0;
}

Tensor with_a_deleter_ok() {
  auto *values = new std::vector<float>(10);
  return torch::from_blob(values->data(), {10}, [values](void *) { delete values; });
}

Tensor of_the_caller_ok(std::vector<float> &values) {
  return torch::from_blob(values.data(), {10});
}

Tensor static_ok() {
  static std::vector<float> values(10);
  return torch::from_blob(values.data(), {10});
}

Tensor on_the_heap_ok() {
  auto *values = new float[10];
  return torch::from_blob(values, {10});
}

std::vector<std::vector<float>> keeper;
Tensor handed_on_ok() {
  std::vector<float> values(10);
  auto tensor = torch::from_blob(values.data(), {10});
  keeper.push_back(std::move(values));
  return tensor;
}

void used_at_once_ok(torch::nn::Linear net) {
  Tensor input;
  for (int i = 0; i < 3; ++i) {
    std::vector<float> values(10);
    input = torch::from_blob(values.data(), {10});
    net(input);
  }
}

std::vector<Tensor> apart_ok() {
  std::vector<Tensor> list;
  float values[3][10];
  for (int i = 0; i < 3; ++i)
    list.push_back(torch::from_blob(values[i], {10}).clone());
  return list;
}

void emptied_ok(torch::nn::Linear net) {
  std::vector<Tensor> list;
  std::vector<float> values(10);
  for (int i = 0; i < 3; ++i) {
    list.clear();
    list.push_back(torch::from_blob(values.data(), {10}));
    net(torch::stack(list));
  }
}

struct Samples {
  explicit Samples(std::vector<float> values) {
    data = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob: memory of 'values'
    std::vector<float> others(10);
    targets = torch::from_blob(others.data(), {10}); // expect: ml-dangling-from-blob
  } // note: ends here
  Tensor data, targets;
};

void made_by_a_caller_bad(const std::vector<float> &values) {
  Samples samples(values);
  samples.data.sum();
}

void fill_bad(Tensor &out) {
  std::vector<float> values(10);
  out = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob
} // note: ends here

void use_filled(torch::nn::Linear net) {
  Tensor input;
  fill_bad(input);
  net(input);
}

// --- objects that a map owns

struct Field {
  virtual ~Field() = default;
  virtual void load() = 0;
  torch::Tensor values;
};

struct ReadField : Field {
  void load() override { read_bad(); }
  void read_bad() {
    std::vector<float> memory(16);
    values = torch::from_blob(memory.data(), {16}); // expect: ml-dangling-from-blob
  } // note: the variable ends here
};

struct Fields {
  void add(const std::string &name, std::unique_ptr<Field> field) {
    fields[name] = std::move(field);
  }
  void load() {
    for (auto &[name, field] : fields)
      field->load();
  }
  std::map<std::string, std::unique_ptr<Field>> fields;
};

void load() {
  Fields fields;
  fields.add("velocity", std::make_unique<ReadField>());
  fields.load();
}
