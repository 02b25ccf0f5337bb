// The data of a parameter, which is the parameter's until something else is assigned.
#include <torch/torch.h>

void mutated_bad(torch::nn::Linear net) {
  for (auto &parameter : net->parameters()) {
    auto data = parameter.data();
    auto noise = torch::randn_like(data);
    data = data + noise; // expect: ml-rebound-handle (no fix): 'data' is another tensor after this
  }
}

void mutated_ok(torch::nn::Linear net) {
  for (auto &parameter : net->parameters()) {
    auto data = parameter.data();
    data += torch::randn_like(data);
  }
}

void returned_ok(torch::nn::Linear net, std::vector<torch::Tensor> &copies) {
  for (auto &parameter : net->parameters()) {
    auto data = parameter.data();
    data = data * 2;
    copies.push_back(data);
  }
}
