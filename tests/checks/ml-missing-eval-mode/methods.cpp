// Methods of a module that run some of its layers only.
#include <torch/torch.h>

struct VaeImpl : torch::nn::Module {
  VaeImpl() {
    encoder = register_module("encoder", torch::nn::Linear(8, 2));
    decoder = register_module("decoder", torch::nn::Linear(2, 8));
    dropout = register_module("dropout", torch::nn::Dropout(0.5));
    hidden = register_module(
        "hidden", torch::nn::Sequential(torch::nn::Linear(2, 2), torch::nn::BatchNorm1d(2)));
  }
  torch::Tensor forward(torch::Tensor x) { return decode(dropout(encoder(x))); }
  torch::Tensor encode(torch::Tensor x) { return dropout(encoder(x)); }
  torch::Tensor decode(torch::Tensor z) { return torch::sigmoid(decoder(z)); }
  torch::Tensor decodeAll(torch::Tensor z) { return decode(z) + 1; }
  torch::Tensor reconstruct(torch::Tensor x) { return forward(x); }
  torch::Tensor decodeTwice(torch::Tensor z) { return decode(encode(decode(z))); }
  torch::Tensor decodeHidden(torch::Tensor z) { return decode(hidden->forward(z)); }
  torch::Tensor decodeNoisily(torch::Tensor z) {
    return torch::dropout(decoder(z), 0.5, is_training());
  }
  torch::Tensor noise(torch::Tensor z) { return torch::dropout(z, 0.5, is_training()); }
  torch::Tensor decodeNoise(torch::Tensor z) { return decode(noise(z)); }
  torch::nn::Linear encoder{nullptr}, decoder{nullptr};
  torch::nn::Dropout dropout{nullptr};
  torch::nn::Sequential hidden{nullptr};
};
TORCH_MODULE(Vae);

void train(Vae &net, torch::Tensor x) {
  torch::optim::Adam optimizer(net->parameters());
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), x).backward();
    optimizer.step();
  }
}

// The mode makes no difference to what they run: advice only.
float decode_bad(torch::Tensor x, torch::Tensor z) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->decode(z).mean().item<float>(); // expect: ml-missing-eval-mode (level 2)
}
float decode_all_bad(torch::Tensor x, torch::Tensor z) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->decodeAll(z).mean().item<float>(); // expect: ml-missing-eval-mode (level 2)
}

// To what these run it does.
float encode_bad(torch::Tensor x) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->encode(x).mean().item<float>(); // expect: ml-missing-eval-mode (level 0)
}
float reconstruct_bad(torch::Tensor x) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->reconstruct(x).mean().item<float>(); // expect: ml-missing-eval-mode (level 0)
}
float decode_twice_bad(torch::Tensor x, torch::Tensor z) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->decodeTwice(z).mean().item<float>(); // expect: ml-missing-eval-mode (level 0)
}
float decode_hidden_bad(torch::Tensor x, torch::Tensor z) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->decodeHidden(z).mean().item<float>(); // expect: ml-missing-eval-mode (level 0)
}
float decode_noisily_bad(torch::Tensor x, torch::Tensor z) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->decodeNoisily(z).mean().item<float>(); // expect: ml-missing-eval-mode (level 0)
}
float decode_noise_bad(torch::Tensor x, torch::Tensor z) {
  Vae net;
  train(net, x);
  torch::NoGradGuard noGrad;
  return net->decodeNoise(z).mean().item<float>(); // expect: ml-missing-eval-mode (level 0)
}

float encode_ok(torch::Tensor x) {
  Vae net;
  train(net, x);
  net->eval();
  torch::NoGradGuard noGrad;
  return net->encode(x).mean().item<float>();
}
