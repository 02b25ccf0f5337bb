// Devices, on the simulated ones: where tensors are and may meet, what the host may touch, what
// happens when, how memory runs out.
#include "DeviceOperations.h"
#include "Expect.h"

#include "runtime/backends/sim/Simulator.h"

#include <ATen/autocast_mode.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdlib>
#include <functional>
#include <sstream>

using torch::kCPU;
using torch::kCUDA;
using torch::Tensor;
using namespace torch::indexing;

namespace {

constexpr std::size_t megabyte = 1 << 20;

[[maybe_unused]] const bool simulated =
    setenv("GRADTIDY_DEVICE", "sim", 1) == 0 && setenv("GRADTIDY_SIM_MEMORY", "268435456", 1) == 0;

/// The milliseconds that `work` takes on the current stream.
double millisecondsOf(const std::function<void()> &work) {
  at::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
  torch::cuda::synchronize();
  begin.record();
  work();
  end.record();
  end.synchronize();
  return begin.elapsed_time(end);
}

/// The simulated seconds that the host spends in `work`.
double hostSecondsOf(const std::function<void()> &work) {
  const double before = gradtidy::runtime::simulatedHostTime();
  work();
  return gradtidy::runtime::simulatedHostTime() - before;
}

int64_t allocated(int device = 0) {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(device).allocated_bytes[0].current;
}

const std::string twoDevices =
    "Expected all tensors to be on the same device, but found at least two devices, ";

} // namespace

TEST_CASE("devices are counted, chosen and named") {
  CHECK(torch::cuda::is_available());
  CHECK(torch::cuda::device_count() == 2);
  CHECK(torch::zeros({2}, kCUDA).device() == torch::Device(kCUDA, 0));
  CHECK(torch::zeros({2}, torch::Device("cuda:1")).device().str() == "cuda:1");
  {
    c10::cuda::CUDAGuard guard(1);
    CHECK(torch::zeros({2}).cuda().device().index() == 1);
    CHECK(guard.original_device().index() == 0);
  }
  CHECK(torch::zeros({2}, kCUDA).device().index() == 0);
  CHECK(errorOf([] { torch::zeros({2}, torch::Device(kCUDA, 7)); }) ==
        "CUDA error: invalid device ordinal");
}

TEST_CASE("tensors are made, moved and printed on a device") {
  Tensor x = torch::arange(6, torch::kFloat).view({2, 3}), d = x.to(kCUDA);
  CHECK(d.is_cuda());
  CHECK_FALSE(d.is_cpu());
  CHECK(d.toString() == "CUDAFloatType");
  CHECK(d.cpu().equal(x));
  CHECK(d.to(kCUDA).is_same(d));
  CHECK(torch::ones({2}, torch::Device("cpu:0")).device() == torch::Device(kCPU));
  CHECK(d.t().cpu().equal(x.t()));
  CHECK(x.t().to(kCUDA).strides() == x.t().strides());
  CHECK(x.t().to(kCUDA).cpu().equal(x.t()));
  CHECK(d.to(kCPU, torch::kLong).equal(x.to(torch::kLong)));
  CHECK(x.to(torch::Device("cuda:1"), torch::kDouble).cpu().equal(x.to(torch::kDouble)));
  CHECK(d.select(1, 1).cpu().equal(x.select(1, 1)));
  for (const Tensor &made :
       {torch::ones_like(d), d.new_zeros({2}), torch::randn_like(d),
        torch::full({2}, 3, d.options()), torch::eye(2, d.options()), torch::arange(3, d.options()),
        torch::tensor({1.0, 2.0}, d.device()), torch::randperm(3, kCUDA), torch::empty_like(d)})
    CHECK(made.device() == d.device());
  std::ostringstream text;
  text << d.select(0, 0);
  CHECK(text.str() == " 0\n 1\n 2\n[ CUDAFloatType{3} ]");
}

TEST_CASE("tensors and parameters are made on the default device, unless something says where") {
  torch::set_default_device(torch::Device("cuda:1"));
  const Tensor host = torch::zeros({3}, kCPU);
  const std::vector<Tensor> there{torch::ones({2}),
                                  torch::tensor({1, 2}),
                                  torch::arange(3),
                                  torch::randperm(3),
                                  torch::eye(2),
                                  torch::rand({2}),
                                  torch::scalar_tensor(2),
                                  torch::empty_strided({2}, {1}),
                                  torch::linspace(0, 1, 3),
                                  torch::nn::Linear(1, 1)->weight};
  for (const Tensor &x : there)
    CHECK(x.device().str() == "cuda:1");
  float memory[2] = {};
  const std::vector<Tensor> here{host, torch::zeros_like(host), host.new_ones({2}),
                                 torch::from_blob(memory, {2}),
                                 torch::zeros({2}, torch::TensorOptions().pinned_memory(true))};
  for (const Tensor &x : here)
    CHECK(x.is_cpu());
  // What operations make of their own goes with their arguments.
  CHECK(host.index({torch::tensor({0, 2}, kCPU)}).is_cpu());
  CHECK(torch::multinomial(host + 1, 4, true).is_cpu());
  CHECK(torch::layer_norm(host, {3}).is_cpu());
  CHECK(torch::data::samplers::RandomSampler(4).next(2)->size() == 2);
  torch::set_default_device(kCPU);
  CHECK(torch::ones({2}).is_cpu());
}

TEST_CASE("memory of a device is seen through its pointers alone") {
  Tensor d = torch::arange(4, kCUDA);
  CHECK(d.slice(0, 1).data_ptr<int64_t>() == d.data_ptr<int64_t>() + 1);
  Tensor again = torch::from_blob(d.data_ptr(), {4}, d.options());
  again.add_(1);
  CHECK(d.cpu().equal(torch::arange(1, 5)));
  int64_t onHost[4] = {};
  CHECK(errorOf([&] { torch::from_blob(onHost, {4}, d.options()); }) ==
        "The specified pointer resides on host memory and is not registered with any CUDA device.");
}

TEST_CASE("tensors on two devices do not meet") {
  Tensor c = torch::ones({2, 2}), d = torch::ones({2, 2}, kCUDA), e = d.to("cuda:1");
  Tensor i = torch::zeros({2}, torch::kLong), index = torch::zeros({2, 2}, torch::kLong);
  CHECK(errorOf([&] { c + d; }) == twoDevices + "cuda:0 and cpu!");
  CHECK(errorOf([&] { d *c; }) == twoDevices + "cuda:0 and cpu!");
  CHECK(errorOf([&] { d - e; }) == twoDevices + "cuda:0 and cuda:1!");
  CHECK(errorOf([&] { (void)(e < d); }) == twoDevices + "cuda:1 and cuda:0!");
  CHECK(errorOf([&] { torch::where(d > 0, d, c); }) == twoDevices + "cuda:0 and cpu!");
  CHECK(errorOf([&] { torch::mse_loss(d, c); }) == twoDevices + "cuda:0 and cpu!");
  CHECK(errorOf([&] { d.add_(c); }) == twoDevices + "cuda:0 and cpu!");
  CHECK(errorOf([&] { c.mul_(d); }) == twoDevices + "cuda:0 and cpu!");
  CHECK(errorOf([&] { c.addcmul_(d, d); }) == twoDevices + "cuda:0 and cpu!");
  const std::string other = "Expected all tensors to be on the same device, but got ";
  CHECK(errorOf([&] { c.mm(d); }) ==
        other + "mat2 is on cuda:0, different from other tensors on cpu (when checking argument in "
                "method wrapper_CUDA_mm)");
  torch::nn::Linear linear(2, 2);
  linear->to(kCUDA);
  CHECK(errorOf([&] { linear(c); }) ==
        other + "mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in "
                "method wrapper_CUDA_addmm)");
  CHECK(errorOf([&] { torch::cat({d, c}); }) ==
        other + "tensors is on cpu, different from other tensors on cuda:0 (when checking argument "
                "in method wrapper_CUDA_cat)");
  CHECK(errorOf([&] { torch::nll_loss(d, i); }) ==
        other + "target is on cpu, different from other tensors on cuda:0 (when checking argument "
                "in method wrapper_CUDA_nll_loss_forward)");
  CHECK(errorOf([&] { torch::embedding(d, i); }) ==
        other + "index is on cpu, different from other tensors on cuda:0 (when checking argument "
                "in method wrapper_CUDA__index_select)");
  CHECK(errorOf([&] { d.gather(0, index); }) ==
        other + "index is on cpu, different from other tensors on cuda:0 (when checking argument "
                "in method wrapper_CUDA_gather)");
}

TEST_CASE("a convolution says where its input and its weight are") {
  Tensor x = torch::ones({1, 1, 4}), w = torch::ones({1, 1, 2});
  CHECK(errorOf([&] { torch::conv1d(x.to(kCUDA), w); }) ==
        "Input type (CUDAFloatType) and weight type (CPUFloatType) should be the same");
}

TEST_CASE("a number of the host goes with every device, but not as a result") {
  Tensor half = torch::tensor(0.5), d = torch::full({2}, 4.0, kCUDA);
  CHECK((half * d).cpu().equal(torch::full({2}, 2.0)));
  CHECK((d + half).device() == d.device());
  CHECK(d.add(half).eq(4.5).all().item<bool>());
  d += half;
  CHECK(d.cpu().equal(torch::full({2}, 4.5)));
  Tensor scalar = d.sum();
  CHECK((half + scalar).is_cuda());
  CHECK(errorOf([&] { half += scalar; }) == twoDevices + "cuda:0 and cpu!");
  d[0] = half;
  d.index_put_({1}, half);
  CHECK(d.cpu().equal(torch::full({2}, 0.5)));
}

TEST_CASE("positions on the host index a tensor on a device") {
  Tensor c = torch::arange(6).view({3, 2}), d = c.to(kCUDA), rows = torch::tensor({2, 0});
  CHECK(d.index({rows}).cpu().equal(c.index({rows})));
  CHECK(d.index({rows.cuda()}).cpu().equal(c.index({rows})));
  CHECK(d.index({c > 2}).cpu().equal(c.index({c > 2})));
  CHECK(d.index({Slice(), rows.slice(0, 1)}).device() == d.device());
  CHECK(d[1].cpu().equal(c[1]));
  CHECK(d.masked_select(d > 2).cpu().equal(c.masked_select(c > 2)));
  d.index_put_({rows}, torch::tensor(-1));
  CHECK(d.cpu().equal(torch::tensor({{-1, -1}, {2, 3}, {-1, -1}})));
  CHECK(errorOf([&] { c.index({rows.cuda()}); }) ==
        "indices should be either on cpu or on the same device as the indexed tensor (cpu)");
  CHECK(errorOf([&] { d.index_put_({rows}, torch::zeros({2, 2}, torch::kLong)); }) ==
        twoDevices + "cuda:0 and cpu!");
}

TEST_CASE("gradients arrive where their tensors are") {
  Tensor x = torch::ones({2}, torch::requires_grad()), s = torch::tensor(3.0).requires_grad_();
  Tensor d = torch::ones({2}, torch::TensorOptions(kCUDA).requires_grad(true));
  Tensor loss = (x.to(kCUDA) * d * s).sum();
  CHECK(loss.is_cuda());
  loss.backward();
  CHECK(x.grad().equal(torch::full({2}, 3.0)));
  CHECK(s.grad().equal(torch::tensor(2.0)));
  CHECK(d.grad().is_cuda());
  CHECK(d.grad().cpu().equal(torch::full({2}, 3.0)));
  (d.cpu() * 2).sum().backward();
  CHECK(d.grad().cpu().equal(torch::full({2}, 5.0)));
  Tensor target = torch::zeros({2}, kCUDA);
  target.copy_(x * 2);
  target.sum().backward();
  CHECK(x.grad().equal(torch::full({2}, 5.0)));
}

TEST_CASE("a module moves and trains as on the host") {
  auto train = [](torch::Device device) {
    torch::manual_seed(3);
    torch::nn::Sequential model(torch::nn::Linear(3, 8), torch::nn::BatchNorm1d(8),
                                torch::nn::ReLU(), torch::nn::Linear(8, 2));
    Tensor x = torch::randn({16, 3}), y = torch::randint(2, {16});
    model->to(device);
    for (const Tensor &parameter : model->parameters())
      CHECK(parameter.device().type() == device.type());
    for (const Tensor &buffer : model->buffers())
      CHECK(buffer.device().type() == device.type());
    torch::optim::Adam optimizer(model->parameters(), 0.05);
    std::vector<double> losses;
    for (int step = 0; step < 10; ++step) {
      optimizer.zero_grad();
      Tensor loss = torch::cross_entropy_loss(model->forward(x.to(device)), y.to(device));
      loss.backward();
      optimizer.step();
      losses.push_back(loss.item<double>());
    }
    return losses;
  };
  std::vector<double> host = train(kCPU), device = train(kCUDA);
  CHECK(host == device);
  CHECK(host.back() < host.front());
}

TEST_CASE("layers that keep a state run on a device as on the host") {
  namespace rnn = torch::nn::utils::rnn;
  auto run = [](torch::Device device) {
    torch::manual_seed(5);
    torch::nn::LSTM lstm(torch::nn::LSTMOptions(4, 6).num_layers(2).bidirectional(true));
    torch::nn::MultiheadAttention attention(
        torch::nn::MultiheadAttentionOptions(12, 3).add_zero_attn(true).add_bias_kv(true));
    Tensor x = torch::randn({5, 3, 4}), padding = torch::rand({3, 5}) > 0.8;
    lstm->to(device);
    attention->to(device);
    auto packed = rnn::pack_padded_sequence(x.to(device), torch::tensor({3, 5, 2}), false, false);
    auto output = std::get<0>(lstm->forward_with_packed_input(packed));
    Tensor steps = std::get<0>(rnn::pad_packed_sequence(output));
    Tensor y = std::get<0>(attention->forward(steps, steps, steps, padding.to(device)));
    CHECK(y.device().type() == device.type());
    y.square().sum().backward();
    std::vector<Tensor> results{y.detach().cpu()};
    for (const Tensor &parameter : lstm->parameters())
      results.push_back(parameter.grad().cpu());
    return results;
  };
  std::vector<Tensor> host = run(kCPU), device = run(kCUDA);
  for (std::size_t i = 0; i < host.size(); ++i)
    CHECK(host[i].equal(device[i]));
  CHECK(errorOf([] {
          rnn::pack_padded_sequence(torch::ones({2, 1, 4}, kCUDA), torch::tensor({2}).to(kCUDA));
        }) == "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor");
}

TEST_CASE("a gradient of one's own that nobody gave is zeros on the device") {
  struct Both : torch::autograd::Function<Both> {
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext *, Tensor x) {
      return {x * 2, x * 3};
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *,
                                                   torch::autograd::variable_list g) {
      CHECK(g[1].is_cuda());
      return {g[0] * 2 + g[1] * 3};
    }
  };
  Tensor x = torch::ones({2}, torch::TensorOptions(kCUDA).requires_grad(true));
  Both::apply(x)[0].sum().backward();
  CHECK(x.grad().cpu().equal(torch::full({2}, 2.0)));
}

TEST_CASE("an archive knows where its tensors were") {
  auto copied = [](torch::nn::Linear from, torch::nn::Linear to, auto... device) {
    std::stringstream stream;
    torch::save(from, stream);
    torch::load(to, stream, device...);
    CHECK(to->weight.cpu().equal(from->weight.cpu()));
    return to->weight.device().str();
  };
  auto on = [](torch::Device device) {
    torch::nn::Linear layer(2, 3);
    layer->to(device);
    return layer;
  };
  CHECK(copied(on(kCUDA), on(kCPU)) == "cuda:0");
  CHECK(copied(on(kCPU), on(kCUDA)) == "cpu");
  CHECK(copied(on(kCPU), on(kCPU), torch::Device("cuda:1")) == "cuda:1");
}

TEST_CASE("each device draws its own random numbers") {
  torch::manual_seed(5);
  Tensor host = torch::rand({4}), first = torch::rand({4}, kCUDA), second = torch::rand({4}, kCUDA);
  CHECK_FALSE(first.equal(second));
  torch::manual_seed(5);
  Tensor again = torch::rand({4}, kCUDA);
  CHECK(again.equal(first));
  CHECK(torch::rand({4}).equal(host)); // what the device drew did not matter
  torch::cuda::manual_seed(8);
  Tensor seeded = torch::randn({20}, kCUDA);
  torch::cuda::manual_seed_all(8);
  CHECK(torch::randn({20}, kCUDA).equal(seeded));
  CHECK(torch::randn({20}, torch::Device("cuda:1")).cpu().equal(seeded.cpu()));
  Tensor dropped = torch::dropout(torch::ones({1000}, kCUDA), 0.25, true);
  CHECK(dropped.eq(0).sum().item<int64_t>() == Approx(250).margin(60));
  CHECK(torch::randperm(50, kCUDA).sum().item<int64_t>() == 49 * 25);
  CHECK(torch::randint(3, 5, {100}, kCUDA).ge(3).all().item<bool>());
  CHECK(torch::tensor({0.0, 1.0})
            .cuda()
            .multinomial(3, true)
            .cpu()
            .equal(torch::ones({3}, torch::kLong)));
}

TEST_CASE("the host goes on while a device works, until it asks for a result") {
  Tensor x = torch::ones({1024, 1024}, kCUDA);
  torch::cuda::synchronize();
  Tensor y;
  auto work = [&] {
    y = x;
    for (int i = 0; i < 6; ++i)
      y = y.mm(x) / 1024;
  };
  const double working = millisecondsOf(work) / 1000;
  const double launching = hostSecondsOf(work);
  CHECK(launching < working / 3);
  CHECK_FALSE(c10::cuda::getCurrentCUDAStream().query());
  const double waiting = hostSecondsOf([&] { CHECK(y[0][0].item<float>() == 1); });
  CHECK(launching + waiting == Approx(working).epsilon(0.05));
  CHECK(c10::cuda::getCurrentCUDAStream().query());
  for (const auto &wait :
       {std::function<void()>([] { torch::cuda::synchronize(); }),
        std::function<void()>([&] { y.cpu(); }), std::function<void()>([&] { (void)y.equal(y); }),
        std::function<void()>([&] { y.nonzero(); }),
        std::function<void()>([&] { y.is_nonzero(); })}) {
    work();
    y = y.sum();
    CHECK_FALSE(c10::cuda::getCurrentCUDAStream().query());
    wait();
    CHECK(c10::cuda::getCurrentCUDAStream().query());
  }
}

TEST_CASE("the same program takes the same time in every run") {
  auto work = [] { (torch::ones({1000, 1000}, kCUDA) * 2).sum(); };
  const double once = millisecondsOf(work);
  CHECK(once > 0.005);
  CHECK(millisecondsOf(work) == Approx(once));
}

TEST_CASE("a copy that nobody waited for is not there yet") {
  Tensor d = torch::full({1000}, 7.0, kCUDA);
  Tensor late = d.to(kCPU, /*non_blocking=*/true);
  CHECK(late.is_pinned());
  CHECK_FALSE(late.eq(7).any().item<bool>());
  torch::cuda::synchronize();
  CHECK(late.eq(7).all().item<bool>());
  CHECK(d.to(kCPU).eq(7).all().item<bool>());
  Tensor pageable = torch::zeros({1000});
  pageable.copy_(d, true);
  CHECK(pageable.eq(7).all().item<bool>());
}

TEST_CASE("page-locked memory is read when the copy runs, other memory at once") {
  Tensor pinned = torch::ones({1000}).pin_memory(), plain = torch::ones({1000});
  CHECK(pinned.is_pinned());
  CHECK_FALSE(plain.is_pinned());
  CHECK(pinned.pin_memory().is_same(pinned));
  CHECK(torch::zeros({2}, torch::TensorOptions().pinned_memory(true)).is_pinned());
  CHECK(errorOf([] { torch::ones({2}, kCUDA).pin_memory(); }) ==
        "cannot pin 'CUDAFloatType' only dense CPU tensors can be pinned");
  Tensor fromPinned = pinned.to(kCUDA, true), fromPlain = plain.to(kCUDA, true);
  plain.fill_(2);
  CHECK(fromPlain.eq(1).all().item<bool>());
  CHECK(fromPinned.eq(1).all().item<bool>());
  torch::cuda::synchronize();
  Tensor raced = pinned.to(kCUDA, true);
  pinned.fill_(2);
  CHECK(raced.eq(2).all().item<bool>());
  Tensor dropped = torch::full({1000}, 5.0).pin_memory().to(kCUDA, true);
  CHECK(dropped.eq(5).all().item<bool>());
}

TEST_CASE("page-locked memory copies faster, and beside the host") {
  Tensor plain = torch::ones({4, 1 << 20}), pinned = plain.pin_memory();
  const double slow = millisecondsOf([&] { plain.to(kCUDA); });
  const double fast = millisecondsOf([&] { pinned.to(kCUDA); });
  CHECK(slow > 3 * fast);
  CHECK(hostSecondsOf([&] { pinned.to(kCUDA); }) == Approx(fast / 1000).epsilon(0.05));
  CHECK(hostSecondsOf([&] { pinned.to(kCUDA, true); }) < fast / 1000 / 10);
  CHECK(hostSecondsOf([&] { plain.to(kCUDA, true); }) > slow / 1000 / 2);
}

TEST_CASE("streams work side by side unless an event orders them") {
  Tensor x = torch::ones({1024, 1024}, kCUDA);
  const double one = millisecondsOf([&] { x.mm(x); });
  auto pair = [&](bool ordered) {
    c10::cuda::CUDAStream other = c10::cuda::getStreamFromPool();
    at::cuda::CUDAEvent first;
    x.mm(x);
    first.record();
    if (ordered)
      first.block(other);
    at::cuda::CUDAEvent second;
    {
      c10::cuda::CUDAStreamGuard guard(other);
      CHECK(c10::cuda::getCurrentCUDAStream() == other);
      x.mm(x);
      second.record();
    }
    second.block(c10::cuda::getCurrentCUDAStream());
  };
  CHECK(millisecondsOf([&] { pair(false); }) < 1.5 * one);
  CHECK(millisecondsOf([&] { pair(true); }) > 1.9 * one);
}

TEST_CASE("a value from another stream is stale without an event") {
  Tensor x = torch::zeros({1000}, kCUDA), big = torch::ones({512, 512}, kCUDA);
  torch::cuda::synchronize();
  c10::cuda::CUDAStream other = c10::cuda::getStreamFromPool();
  Tensor early;
  big.mm(big);
  x.fill_(1);
  {
    c10::cuda::CUDAStreamGuard guard(other);
    early = x + 0;
  }
  torch::cuda::synchronize();
  CHECK(early.eq(0).all().item<bool>());
  CHECK(x.eq(1).all().item<bool>());
}

TEST_CASE("streams, events and tensors may be gone before their work is done") {
  Tensor result;
  {
    c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    c10::cuda::CUDAStreamGuard guard(stream);
    Tensor big = torch::ones({512, 512}, kCUDA);
    at::cuda::CUDAEvent done;
    result = big.mm(big) + 1;
    done.record();
    done.block(c10::cuda::getDefaultCUDAStream());
    CHECK_FALSE(done.query());
  }
  CHECK(result.eq(513).all().item<bool>());
}

TEST_CASE("events say when and refuse to say what they do not know") {
  at::cuda::CUDAEvent untimed, begin(cudaEventDefault), end(cudaEventDefault);
  CHECK(untimed.query());
  CHECK_FALSE(untimed.isCreated());
  CHECK(errorOf([&] { (void)untimed.elapsed_time(end); }) ==
        "Both events must be created with argument 'enable_timing=True'.");
  CHECK(errorOf([&] { (void)begin.elapsed_time(end); }) ==
        "Both events must be recorded before calculating elapsed time.");
  Tensor x = torch::ones({1024, 1024}, kCUDA);
  begin.record();
  x.mm(x);
  end.record();
  CHECK_FALSE(end.query());
  CHECK(errorOf([&] { (void)begin.elapsed_time(end); }) ==
        "Both events must be completed before calculating elapsed time.");
  end.synchronize();
  CHECK(begin.elapsed_time(end) > 0.1F);
}

TEST_CASE("devices copy to each other in the order of both") {
  Tensor first = torch::full({1000}, 3.0, torch::Device("cuda:0"));
  Tensor second = first.to("cuda:1") * 2;
  CHECK(second.cpu().eq(6).all().item<bool>());
  first.copy_(second);
  CHECK(first.cpu().eq(6).all().item<bool>());
}

TEST_CASE("memory runs out with LibTorch's words and comes back") {
  c10::cuda::CUDACachingAllocator::emptyCache();
  Tensor kept =
      torch::empty({100, int64_t{megabyte}}, torch::TensorOptions(kCUDA).dtype(torch::kByte));
  Tensor cached = torch::empty({30, int64_t{megabyte}}, kept.options());
  cached.reset();
  CHECK(
      errorOf([&] { torch::empty({200, int64_t{megabyte}}, kept.options()); }) ==
      "CUDA out of memory. Tried to allocate 200.00 MiB. GPU 0 has a total capacity of 256.00 MiB "
      "of which 156.00 MiB is free. Including non-PyTorch memory, this process has 100.00 MiB "
      "memory in use. Of the allocated memory 100.00 MiB is allocated by PyTorch, and 0 bytes is "
      "reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
      "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
      "documentation for Memory Management  "
      "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)");
  CHECK_THROWS_AS(torch::empty({200, int64_t{megabyte}}, kept.options()), c10::OutOfMemoryError);
  kept.reset();
  CHECK(torch::empty({200, int64_t{megabyte}}, torch::TensorOptions(kCUDA).dtype(torch::kByte))
            .is_cuda());
  CHECK(c10::cuda::CUDACachingAllocator::getDeviceStats(0).num_ooms >= 2);
  CHECK(torch::empty({200, int64_t{megabyte}},
                     torch::TensorOptions(torch::Device("cuda:1")).dtype(torch::kByte))
            .device()
            .index() == 1);
}

TEST_CASE("statistics tell memory in use from memory kept") {
  using namespace c10::cuda;
  auto stats = [] { return CUDACachingAllocator::getDeviceStats(0); };
  CUDACachingAllocator::emptyCache();
  const int64_t before = allocated();
  CUDACachingAllocator::resetPeakStats(0);
  const int64_t reserved = stats().reserved_bytes[0].current;
  {
    Tensor x = torch::zeros({300}, kCUDA); // 1200 bytes, in blocks of 512
    CHECK(allocated() == before + 1536);
    CHECK(stats().requested_bytes[0].current >= 1200);
    Tensor large = torch::zeros({3, int64_t{megabyte}}, kCUDA);
    CHECK(allocated() == before + 1536 + static_cast<int64_t>(12 * megabyte));
  }
  CHECK(allocated() == before);
  CHECK(stats().allocated_bytes[0].peak >= before + static_cast<int64_t>(12 * megabyte));
  CHECK(stats().reserved_bytes[0].current >= reserved + static_cast<int64_t>(12 * megabyte));
  const int64_t segments = stats().segment[0].allocated;
  torch::zeros({3, int64_t{megabyte}}, kCUDA);
  CHECK(stats().segment[0].allocated == segments);
  CUDACachingAllocator::emptyCache();
  CHECK(stats().reserved_bytes[0].current <= reserved);
  CUDACachingAllocator::resetPeakStats(0);
  CHECK(stats().allocated_bytes[0].peak == stats().allocated_bytes[0].current);
}

TEST_CASE("blocks are split, reused and joined again") {
  c10::cuda::CUDACachingAllocator::emptyCache();
  auto bytes = [](int64_t n) {
    return torch::empty({n}, torch::TensorOptions(kCUDA).dtype(torch::kByte));
  };
  Tensor a = bytes(1000), b = bytes(1000), c = bytes(1000);
  void *first = a.data_ptr(), *second = b.data_ptr();
  CHECK(static_cast<char *>(second) == static_cast<char *>(first) + 1024);
  b.reset();
  CHECK(bytes(900).data_ptr() == second);
  a.reset();
  CHECK(bytes(2048).data_ptr() == first);
  const void *ofOther = [&] {
    c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
    return bytes(2048).data_ptr();
  }();
  CHECK(ofOther != first);
}

TEST_CASE("memory that another stream uses is kept until it is through") {
  c10::cuda::CUDACachingAllocator::emptyCache();
  const c10::cuda::CUDAStream other = c10::cuda::getStreamFromPool();
  auto copyOf = [&](bool record) {
    Tensor x = torch::full({1024, 1024}, 1, kCUDA), copy = torch::empty_like(x);
    torch::cuda::synchronize();
    {
      c10::cuda::CUDAStreamGuard guard(other);
      torch::ones({512, 512}, kCUDA).mm(torch::ones({512, 512}, kCUDA)); // it lags
      copy.copy_(x);
    }
    if (record)
      x.record_stream(other);
    x.reset();
    torch::full({1024, 1024}, 2, kCUDA);
    torch::cuda::synchronize();
    return copy[0][0].item<float>();
  };
  CHECK(copyOf(false) == 2); // of memory that was given to the next tensor
  CHECK(copyOf(true) == 1);
  auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  CHECK(stats.active_bytes[0].current >= stats.allocated_bytes[0].current);
}

TEST_CASE("page-locked memory is used again when the copies from it are done") {
  auto pinned = [](int64_t n) {
    return torch::empty({n}, torch::TensorOptions().pinned_memory(true));
  };
  Tensor host = pinned(1 << 18).fill_(3);
  void *first = host.data_ptr();
  host.reset();
  host = pinned(1 << 18).fill_(4);
  CHECK(host.data_ptr() == first); // nothing has been copied
  Tensor device = host.to(kCUDA, true);
  host.reset();
  Tensor next = pinned(1 << 18).fill_(5);
  CHECK(next.data_ptr() != first);
  CHECK(device.eq(4).all().item<bool>());
  CHECK(pinned(1 << 18).data_ptr() == first);
}

TEST_CASE("a snapshot shows the segments of all devices and their blocks") {
  c10::cuda::CUDACachingAllocator::emptyCache();
  Tensor x = torch::zeros({300}, torch::Device("cuda:1"));
  bool found = false;
  for (const auto &segment : c10::cuda::CUDACachingAllocator::snapshot().segments)
    if (segment.address == reinterpret_cast<std::size_t>(x.data_ptr())) {
      found = true;
      CHECK(segment.device == 1);
      CHECK(segment.total_size == 2 * megabyte);
      CHECK(segment.requested_size == 1200);
      CHECK(segment.blocks.size() == 2);
      CHECK(segment.blocks[0].allocated);
      CHECK_FALSE(segment.blocks[1].active);
    }
  CHECK(found);
}

TEST_CASE("every operation gives on a device what it gives on the host") {
  torch::manual_seed(11);
  Tensor a = torch::rand({3, 4}) * 0.8 + 0.2, b = torch::rand({3, 4}) * 0.8 + 0.2;
  for (const DeviceOperation &row : deviceOperations()) {
    INFO(row.name);
    for (auto type : {torch::kFloat, torch::kDouble}) {
      auto run = [&](torch::Device device) {
        Tensor x = a.to(device, type).clone().requires_grad_();
        Tensor y = b.to(device, type).clone().requires_grad_();
        Tensor out = row.operation(x, y);
        CHECK(out.device().type() == device.type());
        if (out.requires_grad())
          (out * out).sum().backward();
        return std::vector<Tensor>{out, x.grad(), y.grad()};
      };
      std::vector<Tensor> host = run(kCPU), device = run(kCUDA);
      CHECK(host[0].equal(device[0].cpu()));
      CHECK(host[0].strides() == device[0].strides());
      for (int i : {1, 2}) {
        CHECK(host[i].defined() == device[i].defined());
        if (host[i].defined() && device[i].defined())
          CHECK(host[i].equal(device[i].cpu()));
      }
    }
  }
}

TEST_CASE("autocast on a device computes products in float16, exponentials and sums in float32") {
  Tensor x = torch::rand({4, 4}, kCUDA), low = x.to(torch::kHalf), host = torch::rand({4, 4});
  at::autocast::set_autocast_enabled(kCUDA, true);
  CHECK(x.mm(x).dtype() == torch::kHalf);
  CHECK(x.mv(x[0]).dtype() == torch::kHalf);
  CHECK(torch::conv2d(x.view({1, 1, 4, 4}), x.view({1, 1, 4, 4})).dtype() == torch::kHalf);
  CHECK(low.exp().dtype() == torch::kFloat);
  CHECK(low.sum().dtype() == torch::kFloat);
  CHECK(low.softmax(0).dtype() == torch::kFloat);
  CHECK(torch::layer_norm(low, {4}).dtype() == torch::kFloat);
  CHECK(low.tanh().dtype() == torch::kHalf);
  CHECK(host.mm(host).dtype() == torch::kFloat); // the host has a switch of its own
  CHECK(errorOf([&] { torch::binary_cross_entropy(low, low); })
            .starts_with("torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are "
                         "unsafe to autocast."));
  at::autocast::set_autocast_enabled(kCUDA, false);
  at::autocast::clear_cache();
  CHECK(x.mm(x).dtype() == torch::kFloat);
}

TEST_CASE("two devices compute the parts of a batch, and one module gets the gradients") {
  torch::manual_seed(5);
  torch::nn::Linear model(3, 2);
  model->to(kCUDA);
  const Tensor x = torch::randn({5, 3}, kCUDA);
  const Tensor whole = model(x);
  whole.pow(2).sum().backward();
  const Tensor expected = model->weight.grad().clone();
  model->zero_grad();
  const std::vector<torch::Device> devices{{kCUDA, 0}, {kCUDA, 1}};
  const Tensor joined = torch::nn::parallel::data_parallel(model, x, devices);
  CHECK(joined.device().str() == "cuda:0");
  CHECK(torch::allclose(joined.cpu(), whole.cpu()));
  joined.pow(2).sum().backward();
  CHECK(torch::allclose(model->weight.grad().cpu(), expected.cpu()));
  CHECK(torch::nn::parallel::data_parallel(model, x, devices, torch::Device("cuda:1"))
            .device()
            .str() == "cuda:1");
  CHECK(torch::equal(torch::nn::parallel::data_parallel(model, x.slice(0, 0, 1), devices).cpu(),
                     whole.slice(0, 0, 1).cpu()));
}
