// Store: a table of bytes that all ranks of a group see, in which they tell each other where to be
// found. HashStore is for the threads of one process, FileStore for the processes of one machine.
#pragma once

#include "../core/Error.h"
#include "../core/IntrusivePtr.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
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
  using Table = std::map<std::string, std::vector<uint8_t>>;
  /// What is there now.
  virtual Table table() = 0;

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
  Table table() override;

  std::mutex mutex;
  std::condition_variable changed;
  Table values;
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
  Table table() override;

  std::string path;
};

} // namespace gradtidy::runtime::distributed
