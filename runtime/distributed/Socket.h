// Socket: connections of stores and process groups. For the runtime's own code.
#pragma once

#include "../core/Error.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace gradtidy::runtime::distributed {

/// A connection by TCP, or what waits for some. What fails throws.
class Socket {
public:
  explicit Socket(int descriptor) : descriptor(descriptor) {
    TORCH_CHECK(descriptor >= 0, "no connection: ", std::strerror(errno));
  }
  Socket(Socket &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)), waits(other.waits) {}
  ~Socket() {
    if (descriptor >= 0)
      close(descriptor);
  }

  void setTimeout(std::chrono::milliseconds timeout) {
    waits = timeout;
    timeval time{timeout.count() / 1000, timeout.count() % 1000 * 1000};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    int yes = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  void send(const void *data, std::size_t size) {
    transfer("send", data, size, [this](const char *at, std::size_t left) {
      return ::send(descriptor, at, left, MSG_NOSIGNAL);
    });
  }
  void receive(void *data, std::size_t size) {
    transfer("recv", data, size, [this](const char *at, std::size_t left) {
      return ::recv(descriptor, const_cast<char *>(at), left, 0);
    });
  }
  template <class T> void sendValue(const T &value) { send(&value, sizeof value); }
  template <class T> T receiveValue() {
    T value;
    receive(&value, sizeof value);
    return value;
  }
  /// A string or a vector of bytes, with its length.
  template <class Bytes> void sendBytes(const Bytes &bytes) {
    sendValue(uint64_t{bytes.size()});
    send(bytes.data(), bytes.size());
  }
  template <class Bytes> Bytes receiveBytes() {
    Bytes bytes(receiveValue<uint64_t>(), '\0');
    receive(bytes.data(), bytes.size());
    return bytes;
  }
  /// Lets both ends fail from now on.
  void shutDown() { shutdown(descriptor, SHUT_RDWR); }
  int get() const { return descriptor; }

private:
  template <class Step>
  void transfer(const char *what, const void *data, std::size_t size, Step step) {
    auto *at = static_cast<const char *>(data);
    while (size != 0) {
      ssize_t done = step(at, size);
      if (done < 0 && errno == EINTR)
        continue;
      TORCH_CHECK(done >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK), "Timed out waiting ",
                  static_cast<int64_t>(waits.count()), "ms for ", what, " operation to complete");
      TORCH_CHECK(done > 0, "Connection closed by peer");
      at += done;
      size -= static_cast<std::size_t>(done);
    }
  }

  int descriptor;
  std::chrono::milliseconds waits{};
};

} // namespace gradtidy::runtime::distributed
