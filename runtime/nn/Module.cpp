#include "Module.h"
#include "../serialize/Archive.h"

#include <cstdlib>
#include <cxxabi.h>
#include <ostream>
#include <typeinfo>

namespace gradtidy::runtime::nn {
namespace {

std::string demangled(const char *name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                               std::free);
  return status == 0 ? text.get() : name;
}

std::string joined(const std::string &prefix, const std::string &name) {
  return prefix.empty() ? name : prefix + "." + name;
}

void checkName(const char *what, const std::string &name) {
  TORCH_CHECK(!name.empty(), what, " name must not be empty");
  TORCH_CHECK(name.find('.') == std::string::npos, what, " name must not contain a dot (got '",
              name, "')");
}

} // namespace

const std::string &Module::name() const {
  if (givenName.empty())
    givenName = demangled(typeid(*this).name());
  return givenName;
}

std::shared_ptr<Module> Module::clone(const optional<Device> &) const {
  fail("clone() has not been implemented for ", name(), ". Subclass torch::nn::Cloneable<", name(),
       "> instead of torch::nn::Module to inherit the ability to clone.");
}

void Module::cloneFrom(const Module &, const optional<Device> &) {
  fail("clone() has not been implemented for ", name(), ". Subclass torch::nn::Cloneable<", name(),
       "> instead of torch::nn::Module to inherit the ability to clone.");
}

void Module::collectNames(OrderedDict<std::string, std::shared_ptr<Module>> &found,
                          const std::string &prefix) const {
  for (const auto &child : children_) {
    std::string name = joined(prefix, child.key());
    found.insert(name, child.value());
    child.value()->collectNames(found, name);
  }
}

OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(const std::string &prefix,
                                                                        bool includeSelf) const {
  OrderedDict<std::string, std::shared_ptr<Module>> found;
  if (includeSelf) {
    auto self = const_cast<Module *>(this)->weak_from_this().lock();
    TORCH_CHECK(self,
                "It looks like you attempted to retrieve your top-level module as a "
                "shared_ptr, but it is not stored in a shared_ptr. Use std::make_shared<",
                name(),
                "> instead of creating your module on the stack, or alternatively do not "
                "try to access your top-level module at all by passing "
                "/*include_self=*/false to modules() or named_modules()");
    found.insert(prefix, self);
  }
  collectNames(found, prefix);
  return found;
}

std::vector<std::shared_ptr<Module>> Module::modules(bool includeSelf) const {
  return named_modules("", includeSelf).values();
}

OrderedDict<std::string, Tensor> Module::named_parameters(bool recurse) const {
  OrderedDict<std::string, Tensor> found;
  for (const auto &item : parameters_)
    if (item->defined())
      found.insert(item.key(), *item);
  if (recurse)
    for (const auto &child : children_)
      for (const auto &item : child.value()->named_parameters())
        found.insert(joined(child.key(), item.key()), *item);
  return found;
}

std::vector<Tensor> Module::parameters(bool recurse) const {
  return named_parameters(recurse).values();
}

OrderedDict<std::string, Tensor> Module::named_buffers(bool recurse) const {
  OrderedDict<std::string, Tensor> found;
  for (const auto &item : buffers_)
    if (item->defined())
      found.insert(item.key(), *item);
  if (recurse)
    for (const auto &child : children_)
      for (const auto &item : child.value()->named_buffers())
        found.insert(joined(child.key(), item.key()), *item);
  return found;
}

std::vector<Tensor> Module::buffers(bool recurse) const { return named_buffers(recurse).values(); }

void Module::apply(const ModuleApplyFunction &function) {
  function(*this);
  for (const auto &child : children_)
    child.value()->apply(function);
}

void Module::apply(const ConstModuleApplyFunction &function) const {
  function(*this);
  for (const auto &child : children_)
    std::as_const(*child.value()).apply(function);
}
void Module::apply(const NamedModuleApplyFunction &function, const std::string &prefix) {
  function(prefix, *this);
  for (const auto &child : children_)
    child.value()->apply(function, joined(prefix, child.key()));
}
void Module::apply(const ModulePointerApplyFunction &function) const {
  for (const auto &module : modules())
    function(module);
}
void Module::apply(const NamedModulePointerApplyFunction &function,
                   const std::string &prefix) const {
  for (const auto &entry : named_modules(prefix))
    function(entry.key(), entry.value());
}

void Module::train(bool on) {
  for (const auto &child : children_)
    child.value()->train(on);
  training = on;
}

void Module::convert(const std::function<Tensor(const Tensor &)> &conversion) {
  NoGradGuard guard;
  for (const auto &child : children_)
    child.value()->convert(conversion);
  for (auto *tensors : {&parameters_, &buffers_})
    for (auto &item : *tensors) {
      if (!item->defined())
        continue;
      item->set_data(conversion(*item));
      if (item->grad().defined())
        item->mutable_grad().set_data(conversion(item->grad()));
    }
}

void Module::to(Device device, Dtype dtype, bool nonBlocking) {
  convert([&](const Tensor &x) {
    return x.is_floating_point() ? x.to(device, dtype, nonBlocking) : x.to(device, nonBlocking);
  });
}
void Module::to(Dtype dtype, bool nonBlocking) {
  TORCH_CHECK(isFloatingType(dtype),
              "nn.Module.to only accepts floating point or complex dtypes, "
              "but got desired dtype=",
              dtype);
  convert([&](const Tensor &x) { return x.is_floating_point() ? x.to(dtype, nonBlocking) : x; });
}
void Module::to(Device device, bool nonBlocking) {
  convert([&](const Tensor &x) { return x.to(device, nonBlocking); });
}

void Module::zero_grad(bool setToNone) {
  for (Tensor &parameter : parameters()) {
    Tensor &grad = parameter.mutable_grad();
    if (!grad.defined())
      continue;
    if (setToNone) {
      grad.reset();
    } else {
      grad = grad.detach();
      grad.zero_();
    }
  }
}

void Module::save(serialize::OutputArchive &archive) const {
  for (const auto &item : parameters_)
    archive.write(item.key(), item.value());
  for (const auto &item : buffers_)
    archive.write(item.key(), item.value(), /*isBuffer=*/true);
  for (const auto &child : children_)
    if (child.value()->is_serializable()) {
      serialize::OutputArchive nested;
      child.value()->save(nested);
      archive.write(child.key(), nested);
    }
}

void Module::load(serialize::InputArchive &archive) {
  for (auto &item : parameters_)
    archive.read(item.key(), item.value());
  for (auto &item : buffers_)
    archive.read(item.key(), item.value(), /*isBuffer=*/true);
  for (auto &child : children_)
    if (child.value()->is_serializable()) {
      serialize::InputArchive nested;
      archive.read(child.key(), nested);
      child.value()->load(nested);
    }
}

Tensor &Module::register_parameter(std::string name, Tensor tensor, bool requiresGrad) {
  checkName("Parameter", name);
  if (tensor.defined())
    tensor.set_requires_grad(requiresGrad);
  return parameters_.insert(std::move(name), std::move(tensor));
}

Tensor &Module::register_buffer(std::string name, Tensor tensor) {
  checkName("Buffer", name);
  return buffers_.insert(std::move(name), std::move(tensor));
}

void Module::registerChild(std::string name, std::shared_ptr<Module> module) {
  checkName("Submodule", name);
  children_.insert(std::move(name), std::move(module));
}

void Module::unregister_module(const std::string &name) {
  TORCH_CHECK(children_.contains(name), "No Module with name `", name, "` is registered");
  children_.erase(name);
}

void Module::pretty_print(std::ostream &stream) const { stream << name(); }

namespace {

void printTree(std::ostream &stream, const Module &module, const std::string &indent) {
  module.pretty_print(stream);
  if (module.named_children().is_empty())
    return;
  stream << "(\n";
  for (const auto &child : module.named_children()) {
    stream << indent << "  (" << child.key() << "): ";
    printTree(stream, *child.value(), indent + "  ");
    stream << '\n';
  }
  stream << indent << ")";
}

} // namespace

std::ostream &operator<<(std::ostream &stream, const Module &module) {
  printTree(stream, module, "");
  return stream;
}

} // namespace gradtidy::runtime::nn
