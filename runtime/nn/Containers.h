// Containers: Sequential, which calls its modules one after the other, ModuleList and ModuleDict,
// which only keep them, ParameterList and ParameterDict, which keep tensors, and Functional, which
// holds a function.
#pragma once

#include "AnyModule.h"

#include <algorithm>

namespace gradtidy::runtime::nn {

class SequentialImpl : public Cloneable<SequentialImpl> {
public:
  using Iterator = std::vector<AnyModule>::iterator;
  using ConstIterator = std::vector<AnyModule>::const_iterator;

  SequentialImpl() = default;
  SequentialImpl(std::initializer_list<NamedAnyModule> named) {
    for (const NamedAnyModule &entry : named)
      push_back(entry.name(), entry.module());
  }
  explicit SequentialImpl(const OrderedDict<std::string, AnyModule> &named) {
    for (const auto &item : named)
      push_back(item.key(), item.value());
  }
  template <class... Modules>
  explicit SequentialImpl(Modules &&...modules)
    requires(sizeof...(Modules) > 0 &&
             (!std::is_same_v<std::decay_t<Modules>, SequentialImpl> && ...))
  {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device> &device = nullopt) const override {
    auto copy = std::make_shared<SequentialImpl>();
    for (const auto &child : named_children())
      copy->push_back(child.key(), entries[copy->size()].clone(device));
    if (!is_training())
      copy->eval();
    return copy;
  }

  template <class Return = Tensor, class... Inputs> Return forward(Inputs &&...inputs) {
    TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
    std::size_t next = 0;
    AnyValue value = [&] {
      if constexpr (sizeof...(Inputs) == 1 && (std::is_same_v<std::decay_t<Inputs>, Tensor> && ...))
        return AnyValue(std::decay_t<Inputs>(std::forward<Inputs>(inputs))...);
      else
        return entries[next++].any_forward(std::forward<Inputs>(inputs)...);
    }();
    while (next < entries.size())
      next = forwardFrom(next, value);
    auto *result = value.try_get<Return>();
    TORCH_CHECK(result, "The type of the return value is not the one asked for from type "
                        "torch::nn::Sequential::forward()");
    return std::move(*result);
  }

  template <class M> void push_back(M &&module) {
    push_back(std::to_string(size()), std::forward<M>(module));
  }
  template <class M> void push_back(std::string name, M &&module) {
    append(std::move(name), AnyModule(std::forward<M>(module)));
  }
  template <class M> void push_back(std::string name, const ModuleHolder<M> &holder) {
    append(std::move(name), AnyModule(holder.ptr()));
  }

  template <class T> auto &at(std::size_t index) const {
    return entries.at(index).template get<T>();
  }
  std::shared_ptr<Module> ptr(std::size_t index) const { return entries.at(index).ptr(); }
  template <class T> std::shared_ptr<T> ptr(std::size_t index) const {
    auto module = entries.at(index).ptr<T>();
    TORCH_CHECK(module, "Attempted to cast module to another type than it has");
    return module;
  }
  template <class Container> void extend(const Container &container) {
    for (const auto &module : container)
      push_back(module);
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  std::size_t size() const noexcept { return entries.size(); }
  bool is_empty() const noexcept { return entries.empty(); }
  Iterator begin() { return entries.begin(); }
  Iterator end() { return entries.end(); }
  ConstIterator begin() const { return entries.begin(); }
  ConstIterator end() const { return entries.end(); }
  void pretty_print(std::ostream &stream) const override;

private:
  /// Calls the module there, with the next one where both are one kernel. Returns which is next.
  std::size_t forwardFrom(std::size_t position, AnyValue &value);
  void append(std::string name, AnyModule module) {
    entries.push_back(std::move(module));
    register_module(std::move(name), entries.back().ptr());
  }

  std::vector<AnyModule> entries;
};

class Sequential : public ModuleHolder<SequentialImpl> {
public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> named)
      : ModuleHolder(std::make_shared<SequentialImpl>(named)) {}
};

/// A function as a module: Functional(torch::relu), Functional(torch::max_pool2d, 2, ...), where
/// the further arguments are kept.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
public:
  using Function = std::function<Tensor(Tensor)>;

  explicit FunctionalImpl(Function function) : function(std::move(function)) {}
  template <class F, class... Args>
  explicit FunctionalImpl(F original, Args &&...args)
    requires(sizeof...(Args) > 0)
      : function(std::bind(original, std::placeholders::_1, std::forward<Args>(args)...)) {}

  void reset() override {}
  void pretty_print(std::ostream &stream) const override;
  bool is_serializable() const override { return false; }
  Tensor forward(Tensor input) { return function(std::move(input)); }

private:
  Function function;
};
TORCH_MODULE(Functional);

class ModuleListImpl : public Cloneable<ModuleListImpl> {
public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;

  ModuleListImpl() = default;
  template <class... Modules>
  explicit ModuleListImpl(Modules &&...modules)
    requires(sizeof...(Modules) > 0 &&
             (!std::is_same_v<std::decay_t<Modules>, ModuleListImpl> && ...))
  {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device> &device = nullopt) const override {
    auto copy = std::make_shared<ModuleListImpl>();
    for (const auto &entry : entries)
      copy->push_back(entry->clone(device));
    return copy;
  }

  template <IsModule M> void push_back(std::shared_ptr<M> module) {
    entries.push_back(module);
    register_module(std::to_string(entries.size() - 1), entries.back());
  }
  template <IsModule M> void push_back(M &&module) {
    push_back(std::make_shared<std::decay_t<M>>(std::forward<M>(module)));
  }
  template <IsModule M> void push_back(const ModuleHolder<M> &holder) { push_back(holder.ptr()); }
  /// Puts a module in front of the one at `index`; those from there on take other names.
  template <class M> void insert(std::size_t index, M &&module) {
    TORCH_CHECK(index <= size(), "Index out of range");
    push_back(std::forward<M>(module));
    std::rotate(entries.begin() + static_cast<std::ptrdiff_t>(index), entries.end() - 1,
                entries.end());
    for (std::size_t i = index; i < size(); ++i)
      replace_module(std::to_string(i), entries[i]);
  }
  template <class Container> void extend(const Container &container) {
    for (const auto &module : container)
      push_back(module);
  }
  template <class T> auto &at(std::size_t index) const { return *(*this)[index]->template as<T>(); }
  template <class T> std::shared_ptr<T> ptr(std::size_t index) const {
    return std::dynamic_pointer_cast<T>((*this)[index]);
  }
  std::shared_ptr<Module> operator[](std::size_t index) const {
    TORCH_CHECK(index < size(), "Index out of range");
    return entries[index];
  }
  std::size_t size() const noexcept { return entries.size(); }
  bool is_empty() const noexcept { return entries.empty(); }
  Iterator begin() { return entries.begin(); }
  Iterator end() { return entries.end(); }
  auto begin() const { return entries.begin(); }
  auto end() const { return entries.end(); }
  void pretty_print(std::ostream &stream) const override;

private:
  std::vector<std::shared_ptr<Module>> entries;
};
TORCH_MODULE(ModuleList);

class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
public:
  using Modules = OrderedDict<std::string, std::shared_ptr<Module>>;
  using Iterator = Modules::Iterator;
  using ConstIterator = Modules::ConstIterator;

  ModuleDictImpl() = default;
  explicit ModuleDictImpl(
      const std::vector<std::pair<std::string, std::shared_ptr<Module>>> &modules) {
    update(modules);
  }
  explicit ModuleDictImpl(const Modules &modules) { update(modules); }

  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device> &device = nullopt) const override {
    auto copy = std::make_shared<ModuleDictImpl>();
    for (const auto &entry : entries)
      copy->insert(entry.key(), entry.value()->clone(device));
    return copy;
  }

  /// Adds modules, or puts them in the place of those that have their names.
  void update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>> &modules) {
    for (const auto &[key, module] : modules)
      insert(key, module);
  }
  template <class Container> void update(const Container &modules) {
    for (const auto &entry : modules)
      insert(entry.key(), entry.value());
  }
  /// Takes a module out of the dictionary; it stays registered, and so does what clear() takes out.
  std::shared_ptr<Module> pop(const std::string &key) {
    std::shared_ptr<Module> module = entries[key];
    entries.erase(key);
    return module;
  }
  void clear() { entries.clear(); }

  std::shared_ptr<Module> operator[](const std::string &key) const { return entries[key]; }
  template <class T> auto &at(const std::string &key) const {
    auto *module = entries[key]->template as<T>();
    TORCH_CHECK(module, "Unable to cast module[", key, "] to another type than it has");
    return *module;
  }
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const {
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> pairs;
    for (const auto &entry : entries)
      pairs.push_back(entry.pair());
    return pairs;
  }
  std::vector<std::string> keys() const { return entries.keys(); }
  std::vector<std::shared_ptr<Module>> values() const { return entries.values(); }
  bool contains(const std::string &key) const noexcept { return entries.contains(key); }
  std::size_t size() const noexcept { return entries.size(); }
  bool empty() const noexcept { return entries.is_empty(); }
  Iterator begin() { return entries.begin(); }
  Iterator end() { return entries.end(); }
  ConstIterator begin() const { return entries.begin(); }
  ConstIterator end() const { return entries.end(); }
  void pretty_print(std::ostream &stream) const override;

private:
  void insert(const std::string &key, std::shared_ptr<Module> module) {
    if (contains(key)) {
      entries[key] = module;
      replace_module(key, std::move(module));
    } else {
      entries.insert(key, module);
      register_module(key, std::move(module));
    }
  }

  Modules entries;
};
TORCH_MODULE(ModuleDict);

/// What ParameterList and ParameterDict share.
template <class Derived> class ParameterContainer : public Cloneable<Derived> {
public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device> &device = nullopt) const override {
    NoGradGuard guard;
    auto copy = std::make_shared<Derived>();
    for (const auto &entry : *this)
      copy->register_parameter(
          entry.key(), device ? entry.value().to(*device, false, true) : entry.value().clone(),
          entry.value().requires_grad());
    return copy;
  }
  std::size_t size() const noexcept { return this->parameters_.size(); }
  Iterator begin() { return this->parameters_.begin(); }
  Iterator end() { return this->parameters_.end(); }
  ConstIterator begin() const { return this->parameters_.begin(); }
  ConstIterator end() const { return this->parameters_.end(); }
  void pretty_print(std::ostream &stream) const override;
};

class ParameterListImpl : public ParameterContainer<ParameterListImpl> {
public:
  ParameterListImpl() = default;
  template <class... Tensors>
  explicit ParameterListImpl(const Tensors &...tensors)
    requires(sizeof...(Tensors) > 0 && (std::is_convertible_v<Tensors, Tensor> && ...))
  {
    (append(tensors), ...);
  }

  void append(const Tensor &tensor) {
    register_parameter(std::to_string(size()), tensor, tensor.requires_grad());
  }
  void append(const OrderedDict<std::string, Tensor>::Item &named) { append(named.value()); }
  template <class Container> void extend(const Container &container) {
    for (const auto &entry : container)
      append(entry);
  }
  bool is_empty() const noexcept { return parameters_.is_empty(); }
  Tensor &at(std::size_t index) {
    TORCH_CHECK(index < size(), "Index out of range");
    return parameters_[index].value();
  }
  const Tensor &at(std::size_t index) const {
    return const_cast<ParameterListImpl *>(this)->at(index);
  }
  Tensor &operator[](std::size_t index) { return at(index); }
  const Tensor &operator[](std::size_t index) const { return at(index); }
};
TORCH_MODULE(ParameterList);

class ParameterDictImpl : public ParameterContainer<ParameterDictImpl> {
public:
  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor> &tensors) {
    parameters_ = tensors;
  }

  Tensor &insert(const std::string &key, const Tensor &tensor) {
    return register_parameter(key, tensor, tensor.requires_grad());
  }
  Tensor pop(const std::string &key) {
    Tensor tensor = parameters_[key];
    parameters_.erase(key);
    return tensor;
  }
  /// Puts other tensors in the place of those that have their names.
  template <class Container> void update(const Container &container) {
    for (const auto &entry : container)
      parameters_[entry.key()] = entry.value();
  }
  void clear() { parameters_.clear(); }
  std::vector<std::string> keys() const { return parameters_.keys(); }
  std::vector<Tensor> values() const { return parameters_.values(); }
  bool contains(const std::string &key) const noexcept { return parameters_.contains(key); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  Tensor &get(const std::string &key) { return parameters_[key]; }
  const Tensor &get(const std::string &key) const { return parameters_[key]; }
  Tensor &operator[](const std::string &key) { return parameters_[key]; }
  const Tensor &operator[](const std::string &key) const { return parameters_[key]; }
};
TORCH_MODULE(ParameterDict);

} // namespace gradtidy::runtime::nn
