#include "Socket.h"
#include "Store.h"

#include <list>
#include <netdb.h>
#include <thread>

namespace gradtidy::runtime::distributed {
namespace {

enum class Request : uint8_t { Set, Add, Delete, Find, Count };

const char *const workersKey = "init/"; // how many stores there are

/// The addresses of a host; of this machine where there is no name.
class Addresses {
public:
  Addresses(const char *host, uint16_t port) {
    addrinfo wanted{};
    wanted.ai_family = AF_INET;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = host ? 0 : AI_PASSIVE;
    int error = getaddrinfo(host, std::to_string(port).c_str(), &wanted, &first);
    TORCH_CHECK(error == 0, "The host ", host ? host : "", " is not known: ", gai_strerror(error));
  }
  ~Addresses() { freeaddrinfo(first); }
  Addresses(const Addresses &) = delete;
  Addresses &operator=(const Addresses &) = delete;
  const addrinfo *operator->() const { return first; }

private:
  addrinfo *first = nullptr;
};

Socket newSocket() { return Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

} // namespace

/// Has the table, and a thread for each store that uses it.
class TCPStore::Server {
public:
  explicit Server(uint16_t wanted) : listener(newSocket()) {
    Addresses here(nullptr, wanted);
    int yes = 1;
    setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    socklen_t length = sizeof address;
    TORCH_CHECK(bind(listener.get(), here->ai_addr, here->ai_addrlen) == 0 &&
                    listen(listener.get(), SOMAXCONN) == 0 &&
                    getsockname(listener.get(), reinterpret_cast<sockaddr *>(&address), &length) ==
                        0,
                "The server socket has failed to listen on port ", static_cast<int64_t>(wanted),
                ": ", std::strerror(errno));
    port = ntohs(address.sin_port);
    acceptor = std::thread([this] { accept(); });
  }
  ~Server() {
    listener.shutDown();
    acceptor.join();
    for (Socket &connection : connections)
      connection.shutDown();
    for (std::thread &thread : threads)
      thread.join();
  }

  uint16_t port;

private:
  /// Until the listener is shut down.
  void accept() {
    while (true) {
      int descriptor = accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED))
        continue;
      if (descriptor < 0)
        return;
      Socket &connection = connections.emplace_back(descriptor);
      threads.emplace_back([this, &connection] { serve(connection); });
    }
  }

  /// Until the connection ends.
  void serve(Socket &store) try {
    while (true) {
      auto request = store.receiveValue<Request>();
      auto key = store.receiveBytes<std::string>();
      switch (request) {
      case Request::Set:
        values.set(key, store.receiveBytes<std::vector<uint8_t>>());
        store.sendValue(true);
        break;
      case Request::Add:
        store.sendValue(values.add(key, store.receiveValue<int64_t>()));
        break;
      case Request::Delete:
        store.sendValue(values.deleteKey(key));
        break;
      case Request::Find: {
        bool there = values.check({key});
        store.sendValue(there);
        if (there)
          store.sendBytes(values.get(key));
        break;
      }
      case Request::Count:
        store.sendValue(values.getNumKeys());
      }
    }
  } catch (const Error &) { // the store is gone
  }

  Socket listener;
  HashStore values;
  std::list<Socket> connections;
  std::list<std::thread> threads;
  std::thread acceptor;
};

/// The connection to the server, for one thread at a time.
class TCPStore::Client {
public:
  Client(const std::string &host, uint16_t port, std::chrono::milliseconds timeout)
      : socket(connected(host, port, timeout)) {
    socket.setTimeout(timeout);
  }

  /// Sends a request and returns the answer.
  template <class Answer> Answer ask(Request request, const std::string &key) {
    return ask(request, key, [](Socket &socket) { return socket.receiveValue<Answer>(); });
  }
  /// The same with something more to say: talk(socket) does so and returns the answer.
  template <class Talk> auto ask(Request request, const std::string &key, Talk talk) {
    std::lock_guard lock(mutex);
    socket.sendValue(request);
    socket.sendBytes(key);
    return talk(socket);
  }

private:
  static Socket connected(const std::string &host, uint16_t port,
                          std::chrono::milliseconds timeout) {
    auto end = std::chrono::steady_clock::now() + timeout;
    while (true) {
      Addresses there(host.c_str(), port);
      Socket socket = newSocket();
      if (connect(socket.get(), there->ai_addr, there->ai_addrlen) == 0)
        return socket;
      TORCH_CHECK(std::chrono::steady_clock::now() < end, "The client socket has timed out after ",
                  static_cast<int64_t>(timeout.count()), "ms while trying to connect to (", host,
                  ", ", static_cast<int64_t>(port), ").");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  std::mutex mutex;
  Socket socket;
};

TCPStore::TCPStore(std::string host, const TCPStoreOptions &options)
    : host(std::move(host)), port(options.port) {
  timeout = options.timeout;
  if (options.isServer) {
    server = std::make_unique<Server>(port);
    port = server->port;
  }
  client = std::make_unique<Client>(this->host, port, timeout);
  if (options.numWorkers && options.waitWorkers)
    waitForWorkers(*options.numWorkers);
}

TCPStore::~TCPStore() = default;

void TCPStore::waitForWorkers(std::size_t count) {
  auto end = std::chrono::steady_clock::now() + timeout;
  for (int64_t here = add(workersKey, 1); here < static_cast<int64_t>(count);
       here = add(workersKey, 0)) {
    TORCH_CHECK(std::chrono::steady_clock::now() < end, "Timed out after ",
                static_cast<int64_t>(timeout.count()), "ms waiting for clients. ", here, "/",
                static_cast<int64_t>(count), " clients joined.");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void TCPStore::set(const std::string &key, const std::vector<uint8_t> &value) {
  client->ask(Request::Set, key, [&](Socket &socket) {
    socket.sendBytes(value);
    return socket.receiveValue<bool>();
  });
}

int64_t TCPStore::add(const std::string &key, int64_t amount) {
  return client->ask(Request::Add, key, [&](Socket &socket) {
    socket.sendValue(amount);
    return socket.receiveValue<int64_t>();
  });
}

void TCPStore::wait(const std::vector<std::string> &keys,
                    const std::chrono::milliseconds &timeout) {
  lookUntilThere(keys, timeout);
}

bool TCPStore::deleteKey(const std::string &key) { return client->ask<bool>(Request::Delete, key); }

int64_t TCPStore::getNumKeys() { return client->ask<int64_t>(Request::Count, ""); }

std::optional<std::vector<uint8_t>> TCPStore::find(const std::string &key) {
  return client->ask(Request::Find, key, [](Socket &socket) {
    return socket.receiveValue<bool>() ? std::optional(socket.receiveBytes<std::vector<uint8_t>>())
                                       : std::nullopt;
  });
}

} // namespace gradtidy::runtime::distributed
