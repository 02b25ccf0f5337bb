// Numbers that float16 cannot hold.
#include <torch/torch.h>

#include <limits>

using torch::Tensor;
namespace nn = torch::nn;

static constexpr double hidden = -1e9;

struct AttentionImpl : nn::Module {
  AttentionImpl() { keys = register_module("keys", nn::Linear(8, 8)); }
  Tensor forward(Tensor x, Tensor mask) {
    auto scores = x.matmul(keys(x).transpose(0, 1));
    auto first = scores.masked_fill(mask, hidden); // expect: ml-dtype-mismatch (no fix): 65504
    auto second = scores.masked_fill(mask, -std::numeric_limits<float>::infinity());
    auto third = scores.masked_fill(mask, -1e4);
    return torch::softmax(first + second + third, -1).matmul(x);
  }
  nn::Linear keys{nullptr};
};
TORCH_MODULE(Attention);

struct WriterImpl : nn::Module {
  WriterImpl() { attention = register_module("attention", Attention()); }
  Tensor forward(Tensor x, Tensor mask) { return attention->forward(x, mask); }
  Attention attention{nullptr};
};
TORCH_MODULE(Writer);

struct ReaderImpl : nn::Module {
  ReaderImpl() { keys = register_module("keys", nn::Linear(8, 8)); }
  Tensor forward(Tensor x, Tensor mask) { return keys(x).masked_fill(mask, hidden); }
  nn::Linear keys{nullptr};
};
TORCH_MODULE(Reader);

Tensor write(Writer &writer, Tensor x, Tensor mask) {
  torch::NoGradGuard guard;
  return writer->forward(x, mask);
}

int main() {
  auto x = torch::randn({4, 8});
  auto mask = torch::ones({4, 4}, torch::kBool);
  Writer writer;
  Reader reader;
  if (torch::cuda::is_available())
    writer->to(torch::kCUDA, torch::kHalf); // note: becomes float16 here
  write(writer, x, mask).print();
  reader->forward(x, mask).print();
  reader->to(torch::kHalf); // Kept so, and not run any more.
  torch::save(reader, "reader.pt");
}
