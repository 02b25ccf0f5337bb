#include "Archive.h"
#include "../autograd/GradMode.h"
#include "../core/TensorImpl.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace gradtidy::runtime::serialize {
namespace {

constexpr std::string_view signature = "gradtidy archive 1\n";
/// Larger counts in a file are damage, not data.
constexpr uint64_t largestCount = uint64_t{1} << 40;

// Numbers are stored as the machine has them; all machines this runs on agree.
class Writer {
public:
  explicit Writer(std::ostream &stream) : stream(stream) {}

  void node(const ArchiveNode &node) {
    number(node.values.size());
    for (const auto &[key, value] : node.values) {
      text(key);
      number(value.value().index());
      std::visit([this](const auto &content) { put(content); }, value.value());
    }
    number(node.children.size());
    for (const auto &[key, child] : node.children) {
      text(key);
      this->node(*child);
    }
  }

private:
  void bytes(const void *data, std::size_t size) {
    stream.write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
  }
  template <class T> void number(T value) {
    auto wide = static_cast<uint64_t>(value);
    bytes(&wide, sizeof wide);
  }
  void text(const std::string &value) {
    number(value.size());
    bytes(value.data(), value.size());
  }
  void put(std::monostate) {}
  void put(const intrusive_ptr<CustomClassHolder> &) {
    fail("an object of the program (IValue::make_capsule) cannot be saved");
  }
  void put(bool value) { number(value); }
  void put(int64_t value) { number(value); }
  void put(double value) { bytes(&value, sizeof value); }
  void put(const std::string &value) { text(value); }
  template <class T> void put(const std::vector<T> &values) {
    number(values.size());
    for (const T &value : values)
      put(value);
  }
  void put(const Tensor &tensor) {
    number(tensor.defined());
    if (!tensor.defined())
      return;
    Tensor dense = tensor.detach().cpu().contiguous();
    number(dense.scalar_type());
    number(tensor.requires_grad());
    text(tensor.device().str());
    number(dense.dim());
    for (int64_t size : dense.sizes())
      number(size);
    bytes(dense.data_ptr(), dense.nbytes());
  }

  std::ostream &stream;
};

class Reader {
public:
  Reader(std::istream &stream, optional<Device> device) : stream(stream), device(device) {}

  void node(ArchiveNode &node) {
    for (std::size_t count = number(); count > 0; --count) {
      std::string key = text();
      node.values[key] = value();
    }
    for (std::size_t count = number(); count > 0; --count) {
      std::string key = text();
      auto child = std::make_shared<ArchiveNode>();
      this->node(*child);
      node.children[key] = child;
    }
  }

private:
  void bytes(void *data, std::size_t size) {
    stream.read(static_cast<char *>(data), static_cast<std::streamsize>(size));
    TORCH_CHECK(stream.good(), "the archive ends too early: it is damaged or cut off");
  }
  uint64_t number() {
    uint64_t value = 0;
    bytes(&value, sizeof value);
    TORCH_CHECK(value < largestCount, "the archive is damaged: it counts ", value, " things");
    return value;
  }
  int64_t whole() {
    int64_t value = 0;
    bytes(&value, sizeof value);
    return value;
  }
  double real() {
    double value = 0;
    bytes(&value, sizeof value);
    return value;
  }
  std::string text() {
    std::string value;
    // Piece by piece: a damaged length must not take all memory.
    for (std::size_t left = number(); left > 0;) {
      std::size_t piece = std::min<std::size_t>(left, 1 << 16), at = value.size();
      value.resize(at + piece);
      bytes(value.data() + at, piece);
      left -= piece;
    }
    return value;
  }
  template <class T, class Element> std::vector<T> list(Element element) {
    std::vector<T> values;
    for (std::size_t count = number(); count > 0; --count)
      values.push_back(element());
    return values;
  }
  IValue value() {
    switch (number()) {
    case 0:
      return {};
    case 1:
      return tensor();
    case 2:
      return real();
    case 3:
      return whole();
    case 4:
      return number() != 0;
    case 5:
      return text();
    case 6:
      return list<int64_t>([this] { return whole(); });
    case 7:
      return list<double>([this] { return real(); });
    case 8:
      return list<Tensor>([this] { return tensor(); });
    default:
      fail("the archive is damaged: it holds a value of an unknown type");
    }
  }
  Tensor tensor() {
    if (number() == 0)
      return {};
    auto type = static_cast<ScalarType>(number());
    bool requiresGrad = number() != 0;
    Device saved(text());
    std::size_t dims = number();
    TORCH_CHECK(dims <= 64, "the archive is damaged: a tensor has ", dims, " dimensions");
    DimVector sizes;
    for (std::size_t d = 0; d < dims; ++d)
      sizes.push_back(whole());
    Tensor result = makeEmpty(sizes, type, kCPU);
    bytes(result.data_ptr(), result.nbytes());
    result = result.to(device.value_or(saved));
    return requiresGrad ? result.set_requires_grad(true) : result;
  }

  std::istream &stream;
  optional<Device> device;
};

} // namespace

void OutputArchive::write(const std::string &key, const IValue &value) {
  root->values[key] = value;
}
void OutputArchive::write(const std::string &key, const Tensor &tensor, bool) {
  root->values[key] = IValue(tensor);
}
void OutputArchive::write(const std::string &key, OutputArchive &nested) {
  root->children[key] = nested.root;
}

void OutputArchive::save_to(std::ostream &stream) {
  stream << signature;
  Writer(stream).node(*root);
  TORCH_CHECK(stream.good(), "could not write the archive to the stream");
}
void OutputArchive::save_to(const std::string &fileName) {
  std::ofstream file(fileName, std::ios::binary);
  TORCH_CHECK(file, "Parent directory of ", fileName, " does not exist or it cannot be written.");
  save_to(file);
}
void OutputArchive::save_to(const std::function<std::size_t(const void *, std::size_t)> &write) {
  std::ostringstream stream;
  save_to(stream);
  std::string text = stream.str();
  TORCH_CHECK(write(text.data(), text.size()) == text.size(), "could not write the archive");
}

bool InputArchive::try_read(const std::string &key, IValue &value) {
  auto found = root->values.find(key);
  if (found == root->values.end())
    return false;
  value = found->second;
  return true;
}
bool InputArchive::try_read(const std::string &key, Tensor &tensor, bool) {
  auto found = root->values.find(key);
  if (found == root->values.end() || !found->second.isTensor())
    return false;
  Tensor loaded = found->second.toTensor();
  NoGradGuard guard;
  if (tensor.defined() && loaded.defined())
    tensor.set_data(loaded);
  else
    tensor = loaded;
  return true;
}
bool InputArchive::try_read(const std::string &key, InputArchive &nested) {
  auto found = root->children.find(key);
  if (found == root->children.end())
    return false;
  nested.root = found->second;
  nested.prefix = prefix + key + ".";
  return true;
}

void InputArchive::read(const std::string &key, IValue &value) {
  TORCH_CHECK(try_read(key, value), "No such serialized IValue '", prefix, key, "'");
}
void InputArchive::read(const std::string &key, Tensor &tensor, bool isBuffer) {
  TORCH_CHECK(try_read(key, tensor, isBuffer), "No such serialized tensor '", prefix, key, "'");
}
void InputArchive::read(const std::string &key, InputArchive &nested) {
  TORCH_CHECK(try_read(key, nested), "No such serialized submodule: '", prefix, key, "'");
}

void InputArchive::load_from(std::istream &stream, optional<Device> device) {
  std::string start(signature.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  TORCH_CHECK(start == signature, "this is no archive of gradtidy's runtime; files written by "
                                  "LibTorch cannot be read");
  root = std::make_shared<ArchiveNode>();
  Reader(stream, device).node(*root);
}
void InputArchive::load_from(const std::string &fileName, optional<Device> device) {
  std::ifstream file(fileName, std::ios::binary);
  TORCH_CHECK(file, "open file failed because of errno ", errno,
              " on fopen: ", std::strerror(errno), ", file path: ", fileName);
  load_from(file, device);
}
void InputArchive::load_from(const char *data, std::size_t size, optional<Device> device) {
  std::istringstream stream(std::string(data, size));
  load_from(stream, device);
}

std::vector<std::string> InputArchive::keys() {
  std::vector<std::string> result;
  for (const auto &entry : root->values)
    result.push_back(entry.first);
  for (const auto &entry : root->children)
    result.push_back(entry.first);
  return result;
}

} // namespace gradtidy::runtime::serialize
