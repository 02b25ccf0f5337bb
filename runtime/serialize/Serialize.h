// torch::save and torch::load: tensors, lists of them, modules and optimizers to files and streams.
//
// Loading puts values into what is there: a module must have the members, an optimizer the groups
// of the one that was saved.
#pragma once

#include "../nn/Module.h"
#include "../optim/Optimizer.h"
#include "Archive.h"

#include <iosfwd>

namespace gradtidy::runtime {
namespace serialize {

OutputArchive &operator<<(OutputArchive &archive, const Tensor &tensor);
InputArchive &operator>>(InputArchive &archive, Tensor &tensor);
OutputArchive &operator<<(OutputArchive &archive, const std::vector<Tensor> &tensors);
InputArchive &operator>>(InputArchive &archive, std::vector<Tensor> &tensors);
OutputArchive &operator<<(OutputArchive &archive, const optim::Optimizer &optimizer);
InputArchive &operator>>(InputArchive &archive, optim::Optimizer &optimizer);
OutputArchive &operator<<(OutputArchive &archive, const nn::Module &module);
InputArchive &operator>>(InputArchive &archive, nn::Module &module);
template <nn::IsModule M>
OutputArchive &operator<<(OutputArchive &archive, const std::shared_ptr<M> &module) {
  TORCH_CHECK(module != nullptr, "Cannot serialize empty module");
  return archive << static_cast<const nn::Module &>(*module);
}
template <nn::IsModule M>
InputArchive &operator>>(InputArchive &archive, const std::shared_ptr<M> &module) {
  TORCH_CHECK(module != nullptr, "Cannot deserialize empty module");
  return archive >> static_cast<nn::Module &>(*module);
}
template <class M>
OutputArchive &operator<<(OutputArchive &archive, const nn::ModuleHolder<M> &holder) {
  return archive << holder.ptr();
}
template <class M> InputArchive &operator>>(InputArchive &archive, nn::ModuleHolder<M> &holder) {
  return archive >> holder.ptr();
}

} // namespace serialize

using serialize::operator<<;
using serialize::operator>>;

/// Saves to a file name, a stream, or a function that takes bytes.
template <class Value, class... To> void save(const Value &value, To &&...to) {
  serialize::OutputArchive archive;
  archive << value;
  archive.save_to(std::forward<To>(to)...);
}

/// Loads from a file name, a stream, or memory (pointer and size), optionally onto a device.
template <class Value, class... From> void load(Value &value, From &&...from) {
  serialize::InputArchive archive;
  archive.load_from(std::forward<From>(from)...);
  archive >> value;
}

} // namespace gradtidy::runtime
