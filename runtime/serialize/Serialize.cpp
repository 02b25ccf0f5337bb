#include "Serialize.h"

namespace gradtidy::runtime::serialize {

OutputArchive &operator<<(OutputArchive &archive, const Tensor &tensor) {
  archive.write("0", tensor);
  return archive;
}
InputArchive &operator>>(InputArchive &archive, Tensor &tensor) {
  archive.read("0", tensor);
  return archive;
}

OutputArchive &operator<<(OutputArchive &archive, const std::vector<Tensor> &tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    archive.write(std::to_string(i), tensors[i]);
  return archive;
}
InputArchive &operator>>(InputArchive &archive, std::vector<Tensor> &tensors) {
  Tensor tensor;
  for (std::size_t i = 0; archive.try_read(std::to_string(i), tensor); ++i) {
    tensors.push_back(std::move(tensor));
    tensor = Tensor();
  }
  return archive;
}

OutputArchive &operator<<(OutputArchive &archive, const optim::Optimizer &optimizer) {
  optimizer.save(archive);
  return archive;
}
InputArchive &operator>>(InputArchive &archive, optim::Optimizer &optimizer) {
  optimizer.load(archive);
  return archive;
}

OutputArchive &operator<<(OutputArchive &archive, const nn::Module &module) {
  module.save(archive);
  return archive;
}
InputArchive &operator>>(InputArchive &archive, nn::Module &module) {
  module.load(archive);
  return archive;
}

} // namespace gradtidy::runtime::serialize
