// to() and cpu() make no copy of what is there already.
#include <torch/torch.h>

using torch::Tensor;

Tensor to_the_device_of_the_choice_bad(const std::vector<float> &given) {
  std::vector<float> values = given;
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Tensor tensor = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob: memory of 'values'
  tensor = tensor.to(device); // note: on the CPU nothing is copied here
  return tensor; // note: returned here
}

Tensor to_the_caller_s_device_bad(std::vector<float> values, torch::Device device) {
  return torch::from_blob(values.data(), {10}).to(device); // expect: ml-dangling-from-blob // note: nothing is copied // note: returned here
}

Tensor to_the_cpu_bad(std::vector<float> values) {
  return torch::from_blob(values.data(), {10}).cpu(); // expect: ml-dangling-from-blob // note: nothing is copied // note: returned here
}

class Mean {
public:
  explicit Mean(torch::Device device) {
    float values[] = {0.5, 0.4, 0.3};
    mean = torch::from_blob(values, {3}).to(device); // expect: ml-dangling-from-blob // note: nothing is copied
  } // note: the variable ends here

private:
  Tensor mean;
};

Tensor to_a_gpu_ok(std::vector<float> values) {
  return torch::from_blob(values.data(), {10}).to(torch::kCUDA);
}

Tensor to_a_device_that_is_a_gpu_ok(std::vector<float> values) {
  torch::Device device(torch::kCUDA);
  return torch::from_blob(values.data(), {10}).to(device);
}

Tensor to_the_type_it_has_bad(std::vector<float> values) {
  return torch::from_blob(values.data(), {10}).to(torch::kFloat32); // expect: ml-dangling-from-blob // note: returned here
}

Tensor to_floats_ok(std::vector<unsigned char> values) {
  return torch::from_blob(values.data(), {10}, torch::kUInt8).to(torch::kFloat32);
}

Tensor to_doubles_ok(std::vector<float> values) {
  return torch::from_blob(values.data(), {10}).to(torch::kFloat64);
}

Tensor to_options_ok(std::vector<float> values) {
  return torch::from_blob(values.data(), {10}).to(torch::TensorOptions().dtype(torch::kFloat64));
}

Tensor to_type_of_the_caller_ok(std::vector<float> values, torch::ScalarType type) {
  return torch::from_blob(values.data(), {10}).to(type);
}

std::vector<Tensor> converted_list_ok(const std::vector<std::vector<unsigned char>> &images) {
  std::vector<Tensor> list;
  for (const auto &image : images) {
    std::vector<unsigned char> pixels = image;
    auto raw = torch::from_blob(pixels.data(), {10}, torch::kByte);
    list.push_back(raw.to(torch::kFloat));
  }
  return list;
}

Tensor to_the_same_type_bad(std::vector<float> values, torch::Device device) {
  return torch::from_blob(values.data(), {10}).to(device, torch::kFloat32); // expect: ml-dangling-from-blob: in the memory of 'values' // note: nothing is copied // note: returned here
}

Tensor to_another_type_ok(std::vector<float> values, torch::Device device) {
  return torch::from_blob(values.data(), {10}).to(device, torch::kFloat64);
}

Tensor as_a_copy_ok(std::vector<float> values, torch::Device device) {
  return torch::from_blob(values.data(), {10}).to(device, torch::kFloat32, false, true);
}

Tensor copied_before_ok(std::vector<float> values, torch::Device device) {
  return torch::from_blob(values.data(), {10}).clone().to(device);
}

// A program that asks where the tensor is knows what it needs.
static void cloneOnHost(torch::Tensor &x) {
  if (x.device().type() == torch::kCPU)
    x = x.clone();
}
torch::Tensor asked_ok(std::vector<float> values, torch::Device device) {
  torch::Tensor points = torch::from_blob(values.data(), {10}).to(device);
  cloneOnHost(points);
  return points;
}

// --- what a caller's pointer leads to ---------------------------------------------------------------------

struct Features {
  torch::Tensor gray;
};
void into_struct_bad(Features *features) {
  std::vector<float> values(10);
  features->gray = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob: which it outlives
} // note: the variable ends here
void into_tensor_bad(torch::Tensor *tensor) {
  std::vector<float> values(10);
  *tensor = torch::from_blob(values.data(), {10}); // expect: ml-dangling-from-blob: which it outlives
} // note: the variable ends here
void into_own_ok(torch::Tensor *tensor) {
  std::vector<float> values(10);
  torch::Tensor own;
  tensor = &own;
  *tensor = torch::from_blob(values.data(), {10});
  std::printf("%f\n", own.sum().item<float>());
}
void copied_ok(Features *features) {
  std::vector<float> values(10);
  features->gray = torch::from_blob(values.data(), {10}).clone();
}
