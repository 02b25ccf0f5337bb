// A program that has its optimizer in the archive, too.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void fit_ok(Net net, const std::vector<torch::Tensor> &inputs, bool resume) {
  torch::optim::Adam optimizer(net->parameters(), 1e-3);
  if (resume) {
    torch::serialize::InputArchive archive;
    archive.load_from("checkpoint.pt");
    net->load(archive);
    optimizer.load(archive);
  }
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto &x : inputs) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
    torch::serialize::OutputArchive archive;
    net->save(archive);
    optimizer.save(archive);
    archive.save_to("checkpoint.pt");
  }
}
