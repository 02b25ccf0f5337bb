// Archives: trees of named values, written to and read from files and streams.
//
// The format is our own (docs/runtime.md); files of LibTorch are neither read nor written. Tensors
// are stored with type, shape and values, and are loaded onto the CPU or the device asked for.
#pragma once

#include "../core/IValue.h"

#include <iosfwd>
#include <map>
#include <memory>

namespace gradtidy::runtime::serialize {

/// A node of the tree: values and further nodes by name.
struct ArchiveNode {
  std::map<std::string, IValue> values;
  std::map<std::string, std::shared_ptr<ArchiveNode>> children;
};

class OutputArchive {
public:
  OutputArchive() : root(std::make_shared<ArchiveNode>()) {}
  OutputArchive(OutputArchive &&) = default;
  OutputArchive &operator=(OutputArchive &&) = default;

  void write(const std::string &key, const IValue &value);
  void write(const std::string &key, const Tensor &tensor, bool isBuffer = false);
  /// Puts all that `nested` holds under `key`.
  void write(const std::string &key, OutputArchive &nested);
  void save_to(const std::string &fileName);
  void save_to(std::ostream &stream);
  /// Saves through a function that takes the bytes and returns how many it took.
  void save_to(const std::function<std::size_t(const void *, std::size_t)> &write);
  template <class... Ts> void operator()(Ts &&...values) { write(std::forward<Ts>(values)...); }

private:
  std::shared_ptr<ArchiveNode> root;
};

class InputArchive {
public:
  InputArchive() : root(std::make_shared<ArchiveNode>()) {}
  InputArchive(InputArchive &&) = default;
  InputArchive &operator=(InputArchive &&) = default;

  /// Throw where there is no such value.
  void read(const std::string &key, IValue &value);
  /// A tensor that is defined stays where it is and takes the loaded values.
  void read(const std::string &key, Tensor &tensor, bool isBuffer = false);
  void read(const std::string &key, InputArchive &nested);
  bool try_read(const std::string &key, IValue &value);
  bool try_read(const std::string &key, Tensor &tensor, bool isBuffer = false);
  bool try_read(const std::string &key, InputArchive &nested);
  /// Throw where the file cannot be read, or is no archive.
  void load_from(const std::string &fileName, optional<Device> device = nullopt);
  void load_from(std::istream &stream, optional<Device> device = nullopt);
  void load_from(const char *data, std::size_t size, optional<Device> device = nullopt);
  std::vector<std::string> keys();
  template <class... Ts> void operator()(Ts &&...values) { read(std::forward<Ts>(values)...); }

private:
  std::shared_ptr<ArchiveNode> root;
  std::string prefix;
  optional<Device> device;
};

} // namespace gradtidy::runtime::serialize
