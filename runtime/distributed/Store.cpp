#include "Store.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace gradtidy::runtime::distributed {
namespace {

std::vector<uint8_t> bytesOf(int64_t number) {
  std::string text = std::to_string(number);
  return {text.begin(), text.end()};
}

int64_t plus(const std::optional<std::vector<uint8_t>> &before, int64_t amount) {
  return (before ? std::stoll(std::string(before->begin(), before->end())) : 0) + amount;
}

/// The value under a key of a table.
std::optional<std::vector<uint8_t>>
valueIn(const std::map<std::string, std::vector<uint8_t>> &table, const std::string &key) {
  auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

[[noreturn]] void failWaiting(const std::chrono::milliseconds &timeout,
                              const std::vector<std::string> &keys) {
  std::string names;
  for (const std::string &key : keys)
    names += (names.empty() ? "" : ", ") + key;
  fail("Wait timeout after ", static_cast<int64_t>(timeout.count()),
       "ms waiting for keys: ", names);
}

/// A file that no other process or thread reads or writes meanwhile.
class LockedFile {
public:
  LockedFile(const std::string &path, bool write)
      : file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    TORCH_CHECK(file >= 0 && flock(file, write ? LOCK_EX : LOCK_SH) == 0, "cannot open the store ",
                path);
  }
  ~LockedFile() { close(file); }
  LockedFile(const LockedFile &) = delete;
  LockedFile &operator=(const LockedFile &) = delete;

private:
  int file;
};

// One line for each change: length and bytes of the key, then those of the value; "-1" for a value
// says that the key was deleted.

void append(const std::string &path, const std::string &key, const std::vector<uint8_t> *value) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << key.size() << ' ' << key << ' ';
  if (value)
    file << value->size() << ' ' << std::string(value->begin(), value->end()) << '\n';
  else
    file << "-1 \n";
  TORCH_CHECK(file.flush().good(), "cannot write to the store ", path);
}

std::map<std::string, std::vector<uint8_t>> read(const std::string &path) {
  std::map<std::string, std::vector<uint8_t>> table;
  std::ifstream file(path, std::ios::binary);
  auto text = [&](std::size_t size) {
    std::string bytes(size, '\0');
    file.get(); // the space before it
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    return bytes;
  };
  int64_t size = 0;
  while (file >> size) {
    std::string key = text(static_cast<std::size_t>(size));
    file >> size;
    if (size < 0) {
      table.erase(key);
      continue;
    }
    std::string value = text(static_cast<std::size_t>(size));
    table[key] = {value.begin(), value.end()};
  }
  return table;
}

} // namespace

std::vector<uint8_t> Store::get(const std::string &key) {
  wait({key}, timeout);
  return find(key).value();
}

void Store::lookUntilThere(const std::vector<std::string> &keys,
                           const std::chrono::milliseconds &timeout) {
  auto end = std::chrono::steady_clock::now() + timeout;
  while (!check(keys)) {
    if (std::chrono::steady_clock::now() >= end)
      failWaiting(timeout, keys);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool Store::check(const std::vector<std::string> &keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](const std::string &key) { return find(key).has_value(); });
}

void HashStore::set(const std::string &key, const std::vector<uint8_t> &value) {
  std::lock_guard lock(mutex);
  values[key] = value;
  changed.notify_all();
}

int64_t HashStore::add(const std::string &key, int64_t amount) {
  std::lock_guard lock(mutex);
  int64_t sum = plus(valueIn(values, key), amount);
  values[key] = bytesOf(sum);
  changed.notify_all();
  return sum;
}

void HashStore::wait(const std::vector<std::string> &keys,
                     const std::chrono::milliseconds &timeout) {
  std::unique_lock lock(mutex);
  auto allThere = [&] {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const std::string &key) { return values.contains(key); });
  };
  if (!changed.wait_for(lock, timeout, allThere))
    failWaiting(timeout, keys);
}

bool HashStore::deleteKey(const std::string &key) {
  std::lock_guard lock(mutex);
  return values.erase(key) != 0;
}

int64_t HashStore::getNumKeys() {
  std::lock_guard lock(mutex);
  return static_cast<int64_t>(values.size());
}

std::optional<std::vector<uint8_t>> HashStore::find(const std::string &key) {
  std::lock_guard lock(mutex);
  return valueIn(values, key);
}

FileStore::FileStore(std::string path, int) : path(std::move(path)) {
  LockedFile lock(this->path, true); // makes it
}

void FileStore::set(const std::string &key, const std::vector<uint8_t> &value) {
  LockedFile lock(path, true);
  append(path, key, &value);
}

int64_t FileStore::add(const std::string &key, int64_t amount) {
  LockedFile lock(path, true);
  int64_t sum = plus(valueIn(read(path), key), amount);
  std::vector<uint8_t> bytes = bytesOf(sum);
  append(path, key, &bytes);
  return sum;
}

void FileStore::wait(const std::vector<std::string> &keys,
                     const std::chrono::milliseconds &timeout) {
  lookUntilThere(keys, timeout);
}

bool FileStore::deleteKey(const std::string &key) {
  LockedFile lock(path, true);
  bool there = read(path).contains(key);
  if (there)
    append(path, key, nullptr);
  return there;
}

int64_t FileStore::getNumKeys() {
  LockedFile lock(path, false);
  return static_cast<int64_t>(read(path).size());
}

std::optional<std::vector<uint8_t>> FileStore::find(const std::string &key) {
  LockedFile lock(path, false);
  return valueIn(read(path), key);
}

} // namespace gradtidy::runtime::distributed
