// Stores, the process group of the host, and DistributedDataParallel over it. (LibTorch's package
// has no headers of Gloo, so this does not compile against it.)
#include "Expect.h"

#include <gradtidy/DistributedDataParallel.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using torch::Tensor;
using Tensors = std::vector<Tensor>;

namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroupGloo>;

/// A file name of its own that is gone at the end.
struct TemporaryFile {
  std::string path =
      (std::filesystem::temp_directory_path() /
       ("gradtidy-store-" + std::to_string(getpid()) + "-" + std::to_string(std::rand())))
          .string();
  ~TemporaryFile() { std::filesystem::remove(path); }
};

/// Runs `rank` in as many threads and returns what each has thrown.
std::vector<std::string> inThreads(int size, const std::function<void(Group)> &rank,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<std::string> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      errors[static_cast<std::size_t>(r)] = errorOf([&] {
        rank(c10::make_intrusive<c10d::ProcessGroupGloo>(
            store, r, size, c10d::ProcessGroupGloo::Options::create(timeout)));
      });
    });
  for (std::thread &thread : threads)
    thread.join();
  return errors;
}

const std::vector<std::string> fine(2, "no error");

/// A model with a parameter that only one branch uses, and with a buffer.
struct NetImpl : torch::nn::Module {
  explicit NetImpl(uint64_t seed = 1) {
    torch::manual_seed(seed);
    first = register_module("first", torch::nn::Linear(4, 8));
    second = register_module("second", torch::nn::Linear(8, 2));
    sometimes = register_parameter("sometimes", torch::ones({2}));
    never = register_parameter("never", torch::ones({2}));
    scale = register_buffer("scale", torch::rand({2}));
  }
  Tensor forward(Tensor x, bool branch = true) {
    x = second(torch::tanh(first(x))) * scale;
    return branch ? x * sometimes : x;
  }
  torch::nn::Linear first{nullptr}, second{nullptr};
  Tensor sometimes, never, scale;
};
TORCH_MODULE(Net);

void checkStore(c10d::Store &store) {
  store.set("text", std::string("a b\n1"));
  CHECK(store.get_to_str("text") == "a b\n1");
  store.set("empty", std::vector<uint8_t>{});
  CHECK(store.get("empty").empty());
  CHECK(store.add("number", 3) == 3);
  CHECK(store.add("number", -5) == -2);
  CHECK(store.get_to_str("number") == "-2");
  CHECK(store.check({"text", "number"}));
  CHECK_FALSE(store.check({"text", "none"}));
  CHECK(store.getNumKeys() == 3);
  CHECK(store.deleteKey("text"));
  CHECK_FALSE(store.deleteKey("text"));
  CHECK_FALSE(store.check({"text"}));
  store.setTimeout(std::chrono::milliseconds(20));
  CHECK(errorOf([&] { store.get("none"); }).find("Wait timeout after 20ms") != std::string::npos);
}

} // namespace

TEST_CASE("stores keep bytes and numbers under keys") {
  c10d::HashStore inMemory;
  checkStore(inMemory);
  TemporaryFile file;
  c10d::FileStore inFile(file.path, 1);
  checkStore(inFile);
  c10d::FileStore again(file.path, 1);
  CHECK(again.get_to_str("number") == "-2");
}

TEST_CASE("a table in one process is seen by the stores of others") {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  c10d::TCPStore server("localhost", options);
  checkStore(server);
  options.port = server.getPort();
  options.isServer = false;
  c10d::TCPStore other("127.0.0.1", options);
  CHECK(other.get_to_str("number") == "-2");
  std::thread later([&] { other.set("key", std::string("value")); });
  CHECK(server.get_to_str("key") == "value");
  later.join();
  options.numWorkers = 2;
  options.timeout = std::chrono::milliseconds(300); // also for the threads of the server
  CHECK(errorOf([&] { c10d::TCPStore("localhost", options); }).find("1/2 clients joined") !=
        std::string::npos);
}

TEST_CASE("a store without a server is told") {
  c10d::TCPStoreOptions options;
  options.port = 1; // nobody's
  options.timeout = std::chrono::milliseconds(50);
  CHECK(errorOf([&] {
          c10d::TCPStore("localhost", options);
        }).starts_with("The client socket has timed out after 50ms while trying to connect"));
}

TEST_CASE("a store lets a thread wait for another one") {
  c10d::HashStore store;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    store.set("key", std::string("value"));
  });
  CHECK(store.get_to_str("key") == "value");
  later.join();
}

TEST_CASE("ranks reduce, broadcast and gather") {
  std::vector<Tensors> sums(3), copies(3);
  std::vector<std::vector<Tensors>> lists(3);
  auto errors = inThreads(3, [&](Group group) {
    int rank = group->getRank();
    auto at = static_cast<std::size_t>(rank);
    sums[at] = {torch::full({2, 2}, rank + 1.5), torch::full({3}, rank + 1, torch::kLong).t()};
    group->allreduce(sums[at])->wait();
    Tensors extremes{torch::tensor({rank, -rank})};
    group->allreduce(extremes, {c10d::ReduceOp::MAX})->wait();
    sums[at].push_back(extremes[0]);
    copies[at] = {torch::full({4, 2}, rank).t()};
    group->broadcast(copies[at], {.rootRank = 2})->wait();
    Tensors own{torch::full({2}, 1.0 * rank)};
    lists[at] = {{torch::zeros({2}), torch::zeros({2}), torch::zeros({2})}};
    group->allgather(lists[at], own)->wait();
    group->barrier()->wait();
  });
  CHECK(errors == std::vector<std::string>(3, "no error"));
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(torch::equal(sums[r][0], torch::full({2, 2}, 7.5)));
    CHECK(torch::equal(sums[r][1], torch::full({3}, 6, torch::kLong)));
    CHECK(torch::equal(sums[r][2], torch::tensor({2, 0})));
    CHECK(torch::equal(copies[r][0], torch::full({2, 4}, 2)));
    for (std::size_t other = 0; other < 3; ++other)
      CHECK(torch::equal(lists[r][0][other], torch::full({2}, static_cast<double>(other))));
  }
}

TEST_CASE("operations are done in order, and need not be waited for one by one") {
  std::vector<float> results(2);
  CHECK(inThreads(2, [&](Group group) {
          Tensors x{torch::ones({1})};
          c10::intrusive_ptr<c10d::Work> last;
          for (int i = 0; i < 20; ++i)
            last = group->allreduce(x);
          last->wait();
          results[static_cast<std::size_t>(group->getRank())] =
              last->isCompleted() ? x[0].item<float>() : 0;
        }) == fine);
  CHECK(results == std::vector<float>{1048576, 1048576});
}

TEST_CASE("ranks that do not do the same are told") {
  auto errors = inThreads(2, [](Group group) {
    Tensors x{torch::ones({group->getRank() + 2})};
    group->allreduce(x)->wait();
  });
  const std::string message = "ranks do not do the same: rank 0 calls allreduce of 2 Float, rank 1 "
                              "calls allreduce of 3 Float";
  CHECK(errors == std::vector<std::string>{message, message});
}

TEST_CASE("a rank that is gone or late ends the wait of the others") {
  auto errors = inThreads(2, [](Group group) {
    if (group->getRank() == 1)
      group->barrier()->wait();
  });
  CHECK(errors[1] == "Connection closed by peer");
  errors = inThreads(
      2,
      [](Group group) {
        if (group->getRank() == 1)
          std::this_thread::sleep_for(std::chrono::milliseconds(900));
        else
          group->barrier()->wait();
      },
      std::chrono::milliseconds(300));
  CHECK(errors[0] == "Timed out waiting 300ms for recv operation to complete");
}

TEST_CASE("bad arguments of a group are refused at once") {
  auto store = c10::make_intrusive<c10d::HashStore>();
  CHECK(errorOf([&] { c10d::ProcessGroupGloo(store, 2, 2); }) == "a group of 2 has no rank 2");
  c10d::ProcessGroupGloo group(store, 0, 1);
  CHECK(group.getSize() == 1);
  Tensors none, one{torch::ones({1})};
  CHECK(errorOf([&] { group.allreduce(none); }) ==
        "ProcessGroupGloo::allreduce: requires non-empty tensor list");
  CHECK(errorOf([&] { group.allreduce(one, {c10d::ReduceOp::AVG}); }) ==
        "Cannot use ReduceOp.AVG with Gloo");
  CHECK(errorOf([&] { group.broadcast(one, {.rootRank = 1}); }) ==
        "ProcessGroupGloo::broadcast: invalid root rank: 1");
  std::vector<Tensors> outputs{{torch::ones({1}), torch::ones({1})}};
  CHECK(
      errorOf([&] { group.allgather(outputs, one); }) ==
      "ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length 1, got "
      "2)");
  group.allreduce(one)->wait();
  CHECK(one[0].item<float>() == 1);
}

TEST_CASE("two ranks have the gradients of one process over the joined batch") {
  torch::manual_seed(3);
  const Tensor x = torch::rand({6, 4}), y = torch::rand({6, 2});
  auto loss = [](Tensor out, Tensor target) { return torch::mse_loss(out, target); };
  Net whole;
  loss(whole(x), y).backward();
  for (int64_t bucketBytes : {1, 100, 25 << 20}) {
    std::vector<Tensors> gradients(2);
    std::vector<Net> nets{Net(1), Net(2)}; // rank 1 takes over the parameters of rank 0
    CHECK(inThreads(2, [&](Group group) {
            auto rank = static_cast<std::size_t>(group->getRank());
            gradtidy::DistributedDataParallel model(nets[rank], group,
                                                    gradtidy::DistributedOptions{bucketBytes});
            auto share = [&](const Tensor &all) { return all.narrow(0, 3 * group->getRank(), 3); };
            loss(model(share(x)), share(y)).backward();
            for (const Tensor &parameter : model->parameters())
              gradients[rank].push_back(parameter.grad());
          }) == fine);
    for (const Tensors &ofRank : gradients) {
      const auto expected = whole->parameters();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(ofRank[i].defined() == expected[i].grad().defined()); // "never" has none
        if (ofRank[i].defined())
          CHECK(torch::allclose(ofRank[i], expected[i].grad(), 1e-5, 1e-7));
      }
    }
    CHECK(torch::equal(nets[0]->scale, nets[1]->scale));
  }
}

TEST_CASE("ranks that train stay alike, also where one leaves a parameter out") {
  std::vector<Net> nets{Net(1), Net(1)};
  CHECK(inThreads(2, [&](Group group) {
          auto rank = static_cast<std::size_t>(group->getRank());
          gradtidy::DistributedDataParallel model(nets[rank], group);
          torch::optim::SGD optimizer(model->parameters(), 0.1);
          for (int step = 0; step < 3; ++step) {
            optimizer.zero_grad();
            Tensor x = torch::full({2, 4}, 0.1 * static_cast<double>(rank + 1) * (step + 1));
            model(x, /*branch=*/rank == 0).sum().backward();
            optimizer.step();
          }
        }) == fine);
  for (std::size_t i = 0; i < nets[0]->parameters().size(); ++i)
    CHECK(torch::equal(nets[0]->parameters()[i], nets[1]->parameters()[i]));
  CHECK_FALSE(torch::equal(nets[0]->sometimes, torch::ones({2})));
}

TEST_CASE("gradients of several backward may be exchanged once") {
  std::vector<Net> nets{Net(1), Net(1)};
  CHECK(inThreads(2, [&](Group group) {
          auto rank = static_cast<std::size_t>(group->getRank());
          gradtidy::DistributedDataParallel model(nets[rank], group);
          Tensor x = torch::full({1, 4}, static_cast<double>(rank));
          {
            auto guard = model.no_sync();
            model(x).sum().backward();
          }
          model(x).sum().backward();
        }) == fine);
  Net whole(1);
  for (double value : {0., 1.})
    whole(torch::full({1, 4}, value)).sum().backward(); // twice half of both is both
  CHECK(torch::allclose(nets[0]->first->weight.grad(), whole->first->weight.grad()));
  CHECK(torch::equal(nets[0]->first->weight.grad(), nets[1]->first->weight.grad()));
}

TEST_CASE("ranks may be processes") {
  TemporaryFile file;
  std::vector<pid_t> children;
  for (int rank = 0; rank < 2; ++rank) {
    children.push_back(fork());
    if (children.back() != 0)
      continue;
    bool right = false;
    try {
      auto store = c10::make_intrusive<c10d::FileStore>(file.path, 2);
      c10d::ProcessGroupGloo group(
          store, rank, 2, c10d::ProcessGroupGloo::Options::create(std::chrono::seconds(20)));
      Tensors x{torch::full({1000}, rank + 1)};
      group.allreduce(x)->wait();
      right = torch::equal(x[0], torch::full({1000}, 3));
      group.barrier()->wait();
    } catch (const std::exception &error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    }
    _exit(right ? 0 : 1);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
}
