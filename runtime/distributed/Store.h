// Store: a table of bytes that all ranks of a group see, in which they tell each other where to be
// found. HashStore is for the threads of one process, FileStore for the processes of one machine,
// TCPStore for those of several.
#pragma once

#include "../core/Error.h"
#include "../core/IntrusivePtr.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy::runtime::distributed {

class Store : public CustomClassHolder {
public:
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::seconds(300);

  virtual void set(const std::string &key, const std::vector<uint8_t> &value) = 0;
  void set(const std::string &key, const std::string &value) {
    set(key, std::vector<uint8_t>(value.begin(), value.end()));
  }
  /// Waits for the key; throws where it does not come before the timeout.
  std::vector<uint8_t> get(const std::string &key);
  std::string get_to_str(const std::string &key) {
    std::vector<uint8_t> value = get(key);
    return {value.begin(), value.end()};
  }
  /// Adds to the number under the key, 0 where there is none, and returns the sum.
  virtual int64_t add(const std::string &key, int64_t amount) = 0;
  bool check(const std::vector<std::string> &keys);
  void wait(const std::vector<std::string> &keys) { wait(keys, timeout); }
  virtual void wait(const std::vector<std::string> &keys,
                    const std::chrono::milliseconds &timeout) = 0;
  virtual bool deleteKey(const std::string &key) = 0;
  virtual int64_t getNumKeys() = 0;

  const std::chrono::milliseconds &getTimeout() const noexcept { return timeout; }
  void setTimeout(const std::chrono::milliseconds &value) { timeout = value; }

protected:
  /// What is under the key now, if anything.
  virtual std::optional<std::vector<uint8_t>> find(const std::string &key) = 0;
  /// wait(), for stores that nobody tells of changes.
  void lookUntilThere(const std::vector<std::string> &keys,
                      const std::chrono::milliseconds &timeout);

  std::chrono::milliseconds timeout = kDefaultTimeout;
};

class HashStore : public Store {
public:
  using Store::set;
  using Store::wait;
  void set(const std::string &key, const std::vector<uint8_t> &value) override;
  int64_t add(const std::string &key, int64_t amount) override;
  void wait(const std::vector<std::string> &keys,
            const std::chrono::milliseconds &timeout) override;
  bool deleteKey(const std::string &key) override;
  int64_t getNumKeys() override;

private:
  std::optional<std::vector<uint8_t>> find(const std::string &key) override;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::vector<uint8_t>> values;
};

/// A file that every change is appended to. Whoever starts a group takes a new one; it stays there.
class FileStore : public Store {
public:
  /// `numWorkers` is of no use here.
  explicit FileStore(std::string path, int numWorkers = -1);
  using Store::set;
  using Store::wait;
  void set(const std::string &key, const std::vector<uint8_t> &value) override;
  int64_t add(const std::string &key, int64_t amount) override;
  void wait(const std::vector<std::string> &keys,
            const std::chrono::milliseconds &timeout) override;
  bool deleteKey(const std::string &key) override;
  int64_t getNumKeys() override;
  const std::string &getPath() const noexcept { return path; }

private:
  std::optional<std::vector<uint8_t>> find(const std::string &key) override;

  std::string path;
};

struct TCPStoreOptions {
  static constexpr uint16_t kDefaultPort = 29500;

  uint16_t port = kDefaultPort; ///< 0: any that is free, for the server
  bool isServer = false;        ///< whether the table is here
  std::optional<std::size_t> numWorkers = std::nullopt;
  bool waitWorkers = true; ///< until all of them have their stores
  std::chrono::milliseconds timeout = Store::kDefaultTimeout;
};

/// A table in one of the processes, which the others reach under its host's name.
class TCPStore : public Store {
public:
  /// Throws where there is no server before the timeout.
  explicit TCPStore(std::string host, const TCPStoreOptions &options = {});
  ~TCPStore() override;
  using Store::set;
  using Store::wait;
  void set(const std::string &key, const std::vector<uint8_t> &value) override;
  int64_t add(const std::string &key, int64_t amount) override;
  void wait(const std::vector<std::string> &keys,
            const std::chrono::milliseconds &timeout) override;
  bool deleteKey(const std::string &key) override;
  /// One more than the program has put there, if there are `numWorkers`.
  int64_t getNumKeys() override;
  const std::string &getHost() const noexcept { return host; }
  uint16_t getPort() const noexcept { return port; }

private:
  class Server;
  class Client;
  std::optional<std::vector<uint8_t>> find(const std::string &key) override;
  void waitForWorkers(std::size_t count);

  std::string host;
  uint16_t port;
  std::unique_ptr<Server> server;
  std::unique_ptr<Client> client;
};

} // namespace gradtidy::runtime::distributed
