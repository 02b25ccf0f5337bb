// Containers: Sequential, which calls its modules one after the other, ModuleList, which only keeps
// them, and Functional, which holds a function.
#pragma once

#include "AnyModule.h"

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
    std::any value = entries.front().any_forward(std::forward<Inputs>(inputs)...);
    for (std::size_t i = 1; i < entries.size(); ++i)
      value = entries[i].any_forward(std::move(value));
    auto *result = std::any_cast<Return>(&value);
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
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  std::size_t size() const noexcept { return entries.size(); }
  bool is_empty() const noexcept { return entries.empty(); }
  Iterator begin() { return entries.begin(); }
  Iterator end() { return entries.end(); }
  ConstIterator begin() const { return entries.begin(); }
  ConstIterator end() const { return entries.end(); }
  void pretty_print(std::ostream &stream) const override;

private:
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
  template <class T> auto &at(std::size_t index) const {
    return *entries.at(index)->template as<T>();
  }
  template <class T> std::shared_ptr<T> ptr(std::size_t index) const {
    return std::dynamic_pointer_cast<T>(entries.at(index));
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return entries.at(index); }
  std::size_t size() const noexcept { return entries.size(); }
  bool is_empty() const noexcept { return entries.empty(); }
  Iterator begin() { return entries.begin(); }
  Iterator end() { return entries.end(); }
  void pretty_print(std::ostream &stream) const override;

private:
  std::vector<std::shared_ptr<Module>> entries;
};
TORCH_MODULE(ModuleList);

} // namespace gradtidy::runtime::nn
