#include "Gloo.h"
#include "../autograd/GradMode.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "Socket.h"

#include <arpa/inet.h>
#include <mutex>
#include <queue>
#include <thread>

namespace gradtidy::runtime::distributed {
namespace {

enum class Collective : int32_t { Broadcast, Allreduce, Allgather, Barrier };

const char *nameOf(Collective collective) {
  static constexpr const char *names[] = {"broadcast", "allreduce", "allgather", "barrier"};
  return names[static_cast<int>(collective)];
}

/// What a rank is about to do, which must be the same on all ranks.
struct Call {
  Collective collective;
  int32_t type;    ///< a ScalarType
  int64_t count;   ///< of elements
  int64_t setting; ///< the root, or the ReduceOp

  bool operator==(const Call &other) const = default;
  std::string text() const {
    return concat(nameOf(collective), " of ", count, " ", static_cast<ScalarType>(type));
  }
};

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void combine(const Tensor &into, const Tensor &from, ReduceOp op) {
  switch (op) {
  case ReduceOp::SUM:
    into.add_(from);
    return;
  case ReduceOp::PRODUCT:
    into.mul_(from);
    return;
  case ReduceOp::MIN:
    into.copy_(minimum(into, from));
    return;
  case ReduceOp::MAX:
    into.copy_(maximum(into, from));
    return;
  case ReduceOp::AVG:
    fail("Cannot use ReduceOp.AVG with Gloo");
  }
}

void checkTensors(Collective collective, const std::vector<Tensor> &tensors) {
  TORCH_CHECK(!tensors.empty(), "ProcessGroupGloo::", nameOf(collective),
              ": requires non-empty tensor list");
  for (const Tensor &tensor : tensors)
    TORCH_CHECK(tensor.is_cpu(), "ProcessGroupGloo::", nameOf(collective),
                ": works with tensors of the host alone, but got one on ", tensor.device());
}

} // namespace

bool Work::wait(std::chrono::milliseconds timeout) {
  TORCH_CHECK(timeout == kNoTimeout || done.wait_for(timeout) == std::future_status::ready,
              "Operation timed out after ", static_cast<int64_t>(timeout.count()), "ms");
  done.get();
  return true;
}

/// The connections: rank 0 has one to each of the others, they have one to it.
class ProcessGroupGloo::Peers {
public:
  Peers(Store &store, int rank, int size, std::chrono::milliseconds timeout)
      : rank(rank), size(size) {
    // The n-th group that ranks make over one store.
    int64_t group = store.add(concat("gloo/groups of ", rank), 1);
    std::string key = concat("gloo/", group, "/port");
    if (rank == 0)
      acceptAll(store, key, timeout);
    else
      connectToRoot(static_cast<uint16_t>(std::stoi(store.get_to_str(key))), timeout);
  }

  /// Does `atRoot` on rank 0 and `elsewhere` on the others, once all have said that they do the
  /// same. After an error nothing works any more, on any rank.
  template <class AtRoot, class Elsewhere>
  void meet(const Call &call, AtRoot atRoot, Elsewhere elsewhere) {
    try {
      if (rank != 0) {
        sockets[0].sendValue(call);
        if (auto message = sockets[0].receiveBytes<std::string>(); !message.empty())
          fail(message);
        elsewhere(sockets[0]);
        return;
      }
      std::string message;
      for (std::size_t r = 1; r < size; ++r)
        if (auto theirs = of(r).receiveValue<Call>(); !(theirs == call) && message.empty())
          message = concat("ranks do not do the same: rank 0 calls ", call.text(), ", rank ", r,
                           " calls ", theirs.text());
      for (std::size_t r = 1; r < size; ++r)
        of(r).sendBytes(message);
      TORCH_CHECK(message.empty(), message);
      atRoot();
    } catch (...) {
      for (Socket &socket : sockets)
        socket.shutDown();
      throw;
    }
  }

  /// On rank 0: the connection to rank `r`.
  Socket &of(std::size_t r) { return sockets[r - 1]; }

  const int rank;
  const std::size_t size;

private:
  void acceptAll(Store &store, const std::string &key, std::chrono::milliseconds timeout) {
    Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    listener.setTimeout(timeout);
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    auto *general = reinterpret_cast<sockaddr *>(&address);
    TORCH_CHECK(bind(listener.get(), general, length) == 0 &&
                    listen(listener.get(), static_cast<int>(size)) == 0 &&
                    getsockname(listener.get(), general, &length) == 0,
                "cannot listen: ", std::strerror(errno));
    store.set(key, std::to_string(ntohs(address.sin_port)));
    std::map<int, Socket> byRank;
    while (byRank.size() + 1 < size) {
      int descriptor = accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
      TORCH_CHECK(descriptor >= 0, "Timed out waiting ", static_cast<int64_t>(timeout.count()),
                  "ms for ", size - 1 - byRank.size(), " more ranks to connect");
      Socket peer(descriptor);
      peer.setTimeout(timeout);
      int theirs = peer.receiveValue<int>();
      byRank.emplace(theirs, std::move(peer));
    }
    for (auto &entry : byRank)
      sockets.push_back(std::move(entry.second));
  }

  void connectToRoot(uint16_t port, std::chrono::milliseconds timeout) {
    Socket root(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    root.setTimeout(timeout);
    sockaddr_in address = loopback(port);
    TORCH_CHECK(connect(root.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) == 0,
                "cannot connect to rank 0: ", std::strerror(errno));
    root.sendValue(rank);
    sockets.push_back(std::move(root));
  }

  std::vector<Socket> sockets;
};

/// A thread that does one thing after the other.
class ProcessGroupGloo::Queue {
public:
  Queue() : thread([this] { run(); }) {}
  ~Queue() {
    {
      std::lock_guard lock(mutex);
      ends = true;
    }
    added.notify_one();
    thread.join();
  }

  intrusive_ptr<Work> add(std::function<void()> action) {
    std::packaged_task<void()> task(std::move(action));
    auto work = make_intrusive<Work>(task.get_future().share());
    {
      std::lock_guard lock(mutex);
      tasks.push(std::move(task));
    }
    added.notify_one();
    return work;
  }

private:
  void run() {
    NoGradGuard guard;
    std::unique_lock lock(mutex);
    while (true) {
      added.wait(lock, [this] { return ends || !tasks.empty(); });
      if (tasks.empty())
        return;
      std::packaged_task<void()> task = std::move(tasks.front());
      tasks.pop();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable added;
  std::queue<std::packaged_task<void()>> tasks;
  bool ends = false;
  std::thread thread;
};

ProcessGroupGloo::ProcessGroupGloo(const intrusive_ptr<Store> &store, int rank, int size,
                                   intrusive_ptr<Options> options)
    : Backend(rank, size) {
  TORCH_CHECK(size >= 1 && rank >= 0 && rank < size, "a group of ", size, " has no rank ", rank);
  peers = std::make_unique<Peers>(*store, rank, size, options->timeout);
  queue = std::make_unique<Queue>();
}

ProcessGroupGloo::~ProcessGroupGloo() = default;

intrusive_ptr<Work> ProcessGroupGloo::broadcast(std::vector<Tensor> &tensors,
                                                const BroadcastOptions &options) {
  checkTensors(Collective::Broadcast, tensors);
  TORCH_CHECK(options.rootRank >= 0 && options.rootRank < size_,
              "ProcessGroupGloo::broadcast: invalid root rank: ", options.rootRank);
  return queue->add([this, tensors, root = static_cast<std::size_t>(options.rootRank)] {
    for (const Tensor &tensor : tensors) {
      Tensor values = tensor.detach().contiguous();
      auto *data = static_cast<char *>(values.data_ptr());
      std::size_t bytes = values.nbytes();
      peers->meet(
          {Collective::Broadcast, static_cast<int32_t>(values.scalar_type()), values.numel(),
           static_cast<int64_t>(root)},
          [&] {
            if (root != 0)
              peers->of(root).receive(data, bytes);
            for (std::size_t r = 1; r < peers->size; ++r)
              if (r != root)
                peers->of(r).send(data, bytes);
          },
          [&](Socket &toRoot) {
            if (static_cast<std::size_t>(peers->rank) == root)
              toRoot.send(data, bytes);
            else
              toRoot.receive(data, bytes);
          });
      tensor.detach().copy_(values);
    }
  });
}

intrusive_ptr<Work> ProcessGroupGloo::allreduce(std::vector<Tensor> &tensors,
                                                const AllreduceOptions &options) {
  checkTensors(Collective::Allreduce, tensors);
  TORCH_CHECK(options.reduceOp != ReduceOp::AVG, "Cannot use ReduceOp.AVG with Gloo");
  return queue->add([this, tensors, op = options.reduceOp] {
    for (const Tensor &tensor : tensors) {
      Tensor values = tensor.detach().contiguous();
      std::size_t bytes = values.nbytes();
      peers->meet(
          {Collective::Allreduce, static_cast<int32_t>(values.scalar_type()), values.numel(), op},
          [&] {
            Tensor theirs = empty_like(values);
            for (std::size_t r = 1; r < peers->size; ++r) {
              peers->of(r).receive(theirs.data_ptr(), bytes);
              combine(values, theirs, op);
            }
            for (std::size_t r = 1; r < peers->size; ++r)
              peers->of(r).send(values.data_ptr(), bytes);
          },
          [&](Socket &root) {
            root.send(values.data_ptr(), bytes);
            root.receive(values.data_ptr(), bytes);
          });
      tensor.detach().copy_(values);
    }
  });
}

intrusive_ptr<Work> ProcessGroupGloo::allgather(std::vector<std::vector<Tensor>> &outputs,
                                                std::vector<Tensor> &inputs,
                                                const AllgatherOptions &) {
  checkTensors(Collective::Allgather, inputs);
  TORCH_CHECK(outputs.size() == inputs.size(),
              "ProcessGroupGloo::allgather: requires input/output tensor lists to have the same "
              "length");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TORCH_CHECK(outputs[i].size() == static_cast<std::size_t>(size_),
                "ProcessGroupGloo::allgather: invalid output tensor list at index ", i,
                " (expected length ", size_, ", got ", outputs[i].size(), ")");
    for (const Tensor &output : outputs[i])
      TORCH_CHECK(output.sizes() == inputs[i].sizes() &&
                      output.scalar_type() == inputs[i].scalar_type(),
                  "ProcessGroupGloo::allgather: outputs must have the shape and type of the input");
  }
  return queue->add([this, outputs, inputs] {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Tensor own = inputs[i].detach().contiguous();
      std::size_t bytes = own.nbytes(), ranks = peers->size;
      // All inputs, one behind the other.
      std::vector<char> all(bytes * ranks);
      std::memcpy(all.data() + bytes * static_cast<std::size_t>(rank_), own.data_ptr(), bytes);
      peers->meet(
          {Collective::Allgather, static_cast<int32_t>(own.scalar_type()), own.numel(), 0},
          [&] {
            for (std::size_t r = 1; r < ranks; ++r)
              peers->of(r).receive(all.data() + bytes * r, bytes);
            for (std::size_t r = 1; r < ranks; ++r)
              peers->of(r).send(all.data(), all.size());
          },
          [&](Socket &root) {
            root.send(own.data_ptr(), bytes);
            root.receive(all.data(), all.size());
          });
      for (std::size_t r = 0; r < ranks; ++r) {
        std::memcpy(own.data_ptr(), all.data() + bytes * r, bytes);
        outputs[i][r].detach().copy_(own);
      }
    }
  });
}

intrusive_ptr<Work> ProcessGroupGloo::barrier(const BarrierOptions &) {
  return queue->add(
      [this] { peers->meet({Collective::Barrier, 0, 0, 0}, [] {}, [](Socket &) {}); });
}

} // namespace gradtidy::runtime::distributed
