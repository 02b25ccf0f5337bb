// From the GPU to the host and back.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

Tensor chain_bad(Tensor x) {
  x = x.cuda();
  return x.cpu().to(torch::kCUDA); // expect: ml-device-ping-pong: copied back
}

Tensor of_a_prediction_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto y = net(x.to(device));
  return y.to(torch::kCPU).to(device); // expect: ml-device-ping-pong: copied back
}

Tensor variable_bad(Tensor x) {
  auto y = x.cuda() * 2;
  auto host = y.cpu();
  return host.cuda(); // miss: ml-device-ping-pong: by way of a variable
}

Tensor detached_bad(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto state = net(x.to(device));
  state = state.detach().cpu();
  state = state.to(device); // miss: ml-device-ping-pong: by way of a variable
  return state;
}

Tensor handed_on_bad(Tensor x, torch::Device device) {
  auto y = x.to(device).exp();
  auto host = y.to(torch::kCPU);
  auto same = host;
  return same.to(device); // miss: ml-device-ping-pong: by way of a variable
}

Tensor read_ok(Tensor x) {
  auto y = x.cuda();
  auto host = y.cpu();
  std::cout << host << "\n";
  return host.cuda();
}

Tensor element_ok(Tensor x, torch::Device device) {
  auto y = x.to(device);
  auto host = y.cpu();
  if (host[0].item<float>() > 0)
    return host.to(device);
  return y;
}

Tensor changed_ok(Tensor x, torch::Device device) {
  auto host = x.to(device).cpu();
  host[0] = 1;
  return host.to(device);
}

void shuffle(Tensor &x);
Tensor by_a_function_ok(Tensor x) {
  auto host = x.cuda().cpu();
  shuffle(host);
  return host.cuda();
}

Tensor by_pointer_ok(Tensor x) {
  auto host = x.cuda().cpu();
  host.data_ptr<float>()[0] = 1;
  return host.cuda();
}

// Not where it came from.
Tensor to_another_one_ok(Tensor x) {
  auto y = x.to(torch::Device(torch::kCUDA, 0));
  return y.cpu().to(torch::Device(torch::kCUDA, 1));
}

Tensor computed_on_the_host_ok(Tensor x, torch::Device device) {
  auto y = x.to(device);
  return y.cpu().log().to(device);
}

Tensor kept_on_the_host_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  auto kept = net(x.to(device)).detach().cpu();
  return net(x.to(device)) + kept.to(device);
}

Tensor unknown_ok(Tensor x) { return x.cpu().cuda(); }

Tensor on_the_cpu_ok(Tensor x) {
  torch::Device device(torch::kCPU);
  return x.to(device).cpu().to(device);
}
