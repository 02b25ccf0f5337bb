// Module: a tree of named parameters, buffers and submodules.
//
// Only what is registered is found by parameters(), moved by to(), switched by train() and eval().
// A module starts in training mode. Copying a Module copies handles: both share their parameters;
// clone() of a Cloneable copies them.
#pragma once

#include "../autograd/GradMode.h"
#include "../core/Tensor.h"
#include "OrderedDict.h"

#include <any>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

/// An option `name` of type T with a getter and setters that return the object they changed.
#define TORCH_ARG(T, name)                                                                         \
public:                                                                                            \
  auto name(const T &new_##name) -> decltype(*this) {                                              \
    this->name##_ = new_##name;                                                                    \
    return *this;                                                                                  \
  }                                                                                                \
  auto name(T &&new_##name) -> decltype(*this) {                                                   \
    this->name##_ = std::move(new_##name);                                                         \
    return *this;                                                                                  \
  }                                                                                                \
  const T &name() const noexcept { return this->name##_; }                                         \
  T &name() noexcept { return this->name##_; }                                                     \
                                                                                                   \
private:                                                                                           \
  T name##_

namespace gradtidy::runtime::serialize {
class InputArchive;
class OutputArchive;
} // namespace gradtidy::runtime::serialize

namespace gradtidy::runtime::nn {

class Module;
template <class Contained> class ModuleHolder;

template <class T>
concept IsModule = std::is_base_of_v<Module, std::decay_t<T>>;

/// A value of any type, exactly as it was given.
class AnyValue {
public:
  /// What an std::any holds, or the value itself.
  template <class T>
  explicit AnyValue(T &&value)
    requires(!std::is_same_v<std::decay_t<T>, AnyValue>)
      : content(std::forward<T>(value)) {}
  /// Throws where the value is of another type.
  template <class T> T &get() {
    T *value = try_get<T>();
    TORCH_CHECK(value, "Attempted to cast AnyValue to another type than it has");
    return *value;
  }
  template <class T> const T &get() const { return const_cast<AnyValue *>(this)->get<T>(); }
  /// Null where the value is of another type.
  template <class T> T *try_get() { return std::any_cast<T>(&content); }
  template <class T> const T *try_get() const { return std::any_cast<T>(&content); }
  const std::type_info &type_info() const noexcept { return content.type(); }

  std::any content;
};

/// An argument of forward(), by its position, that may be left out.
using DefaultArgument = std::pair<unsigned, AnyValue>;

class Module : public std::enable_shared_from_this<Module> {
public:
  using ModuleApplyFunction = std::function<void(Module &)>;
  using ConstModuleApplyFunction = std::function<void(const Module &)>;
  using NamedModuleApplyFunction = std::function<void(const std::string &, Module &)>;
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module> &)>;
  using NamedModulePointerApplyFunction =
      std::function<void(const std::string &, const std::shared_ptr<Module> &)>;

  Module() = default;
  explicit Module(std::string name) : givenName(std::move(name)) {}
  Module(const Module &) = default;
  Module &operator=(const Module &) = default;
  virtual ~Module() = default;

  /// The name given, else the C++ type.
  const std::string &name() const;
  virtual std::shared_ptr<Module> clone(const optional<Device> &device = nullopt) const;

  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool includeSelf = true) const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(const std::string &prefix = "",
                                                                  bool includeSelf = true) const;
  std::vector<std::shared_ptr<Module>> children() const { return children_.values(); }
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const { return children_; }
  /// Calls the function with this module and all below it, and their names behind `prefix`.
  void apply(const ModuleApplyFunction &function);
  void apply(const ConstModuleApplyFunction &function) const;
  void apply(const NamedModuleApplyFunction &function, const std::string &prefix = "");
  void apply(const ModulePointerApplyFunction &function) const;
  void apply(const NamedModulePointerApplyFunction &function, const std::string &prefix = "") const;

  virtual void train(bool on = true);
  void eval() { train(false); }
  virtual bool is_training() const noexcept { return training; }

  virtual void to(Device device, Dtype dtype, bool nonBlocking = false);
  virtual void to(Dtype dtype, bool nonBlocking = false);
  virtual void to(Device device, bool nonBlocking = false);
  /// Frees the gradients of all parameters, or fills them with zeros.
  virtual void zero_grad(bool setToNone = true);
  virtual void pretty_print(std::ostream &stream) const;

  /// Parameters, buffers and submodules under their names. Loading throws where one is missing.
  virtual void save(serialize::OutputArchive &archive) const;
  virtual void load(serialize::InputArchive &archive);
  /// Whether saving a module above this one saves this one, too.
  virtual bool is_serializable() const { return true; }

  Tensor &register_parameter(std::string name, Tensor tensor, bool requiresGrad = true);
  Tensor &register_buffer(std::string name, Tensor tensor);
  template <IsModule T>
  std::shared_ptr<T> register_module(std::string name, std::shared_ptr<T> module) {
    registerChild(std::move(name), module);
    return module;
  }
  template <IsModule T>
  std::shared_ptr<T> register_module(std::string name, ModuleHolder<T> holder) {
    return register_module(std::move(name), holder.ptr());
  }
  template <IsModule T>
  std::shared_ptr<T> replace_module(const std::string &name, std::shared_ptr<T> module) {
    children_[name] = module;
    return module;
  }
  template <IsModule T>
  std::shared_ptr<T> replace_module(const std::string &name, ModuleHolder<T> holder) {
    return replace_module(name, holder.ptr());
  }
  void unregister_module(const std::string &name);

  /// What AnyModule passes where fewer arguments are given; see FORWARD_HAS_DEFAULT_ARGS.
  virtual std::vector<DefaultArgument> defaultForwardArguments() { return {}; }

  /// This module as a T (also where T is a holder), null where it is none.
  template <class T> auto as() noexcept {
    if constexpr (IsModule<T>)
      return dynamic_cast<T *>(this);
    else
      return dynamic_cast<typename T::ContainedType *>(this);
  }
  template <class T> auto as() const noexcept { return const_cast<Module *>(this)->as<T>(); }

protected:
  OrderedDict<std::string, Tensor> parameters_{"Parameter"};
  OrderedDict<std::string, Tensor> buffers_{"Buffer"};
  OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};

private:
  template <class Derived> friend class Cloneable;

  void registerChild(std::string name, std::shared_ptr<Module> module);
  void convert(const std::function<Tensor(const Tensor &)> &conversion);
  void collectNames(OrderedDict<std::string, std::shared_ptr<Module>> &found,
                    const std::string &prefix) const;
  virtual void cloneFrom(const Module &other, const optional<Device> &device);

  mutable std::string givenName;
  bool training = true;
};

std::ostream &operator<<(std::ostream &stream, const Module &module);

/// A module whose clone() makes a new one by reset() and copies parameters and buffers into it.
template <class Derived> class Cloneable : public Module {
public:
  using Module::Module;

  /// Registers parameters, buffers and submodules afresh.
  virtual void reset() = 0;

  std::shared_ptr<Module> clone(const optional<Device> &device = nullopt) const override {
    NoGradGuard guard;
    auto copy = std::make_shared<Derived>(static_cast<const Derived &>(*this));
    Module &target = *copy;
    target.parameters_.clear();
    target.buffers_.clear();
    target.children_.clear();
    copy->reset();
    auto copied = [&](const Tensor &from) {
      return device ? from.to(*device, false, true) : from.clone();
    };
    TORCH_CHECK(target.parameters_.size() == parameters_.size() &&
                    target.buffers_.size() == buffers_.size() &&
                    target.children_.size() == children_.size(),
                "The cloned module does not have the same number of parameters as the original "
                "module after calling reset(). Are you sure you called register_parameter() inside "
                "reset() and not the constructor?");
    for (const auto &item : parameters_)
      if (item->defined())
        target.parameters_[item.key()].set_data(copied(*item));
    for (const auto &item : buffers_)
      if (item->defined())
        target.buffers_[item.key()].set_data(copied(*item));
    for (const auto &item : children_)
      target.children_[item.key()]->cloneFrom(**item, device);
    return copy;
  }

private:
  void cloneFrom(const Module &other, const optional<Device> &device) final {
    auto clone = std::dynamic_pointer_cast<Derived>(other.clone(device));
    TORCH_CHECK(clone != nullptr, "Attempted to clone submodule, but it is of a different type "
                                  "than the submodule it was to be cloned into");
    static_cast<Derived &>(*this) = *clone;
  }
};

/// A module without parameters: options, from whatever arguments they can be made of.
template <class Derived, class OptionsType> class Stateless : public Cloneable<Derived> {
public:
  template <class... Args>
  explicit Stateless(Args &&...args)
    requires std::is_constructible_v<OptionsType, Args...>
      : options(std::forward<Args>(args)...) {}
  void reset() override {}

  OptionsType options;
};

/// The value semantics of a shared_ptr to a module, with the constructor arguments of the module.
template <class Contained> class ModuleHolder {
public:
  using ContainedType = Contained;

  /// A new module, made without arguments.
  ModuleHolder() : impl(std::make_shared<Contained>()) {
    static_assert(std::is_default_constructible_v<Contained>,
                  "You are trying to default construct a module which has no default constructor. "
                  "Use = nullptr to give it the empty state (e.g. `Linear linear = nullptr;` "
                  "instead of `Linear linear;`).");
  }
  /// No module yet.
  ModuleHolder(std::nullptr_t) {}
  ModuleHolder(std::shared_ptr<Contained> module) : impl(std::move(module)) {}
  template <class Head, class... Tail>
  explicit ModuleHolder(Head &&head, Tail &&...tail)
    requires(sizeof...(Tail) != 0 || (!std::is_base_of_v<ModuleHolder, std::decay_t<Head>> &&
                                      !std::is_same_v<std::decay_t<Head>, std::nullptr_t> &&
                                      !std::is_convertible_v<Head, std::shared_ptr<Contained>>))
      : impl(std::make_shared<Contained>(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}

  explicit operator bool() const noexcept { return impl != nullptr; }
  bool is_empty() const noexcept { return impl == nullptr; }
  Contained *operator->() { return get(); }
  const Contained *operator->() const { return get(); }
  Contained &operator*() { return *get(); }
  const Contained &operator*() const { return *get(); }
  const std::shared_ptr<Contained> &ptr() const {
    checkFilled();
    return impl;
  }
  Contained *get() const {
    checkFilled();
    return impl.get();
  }
  template <class... Args, class M = Contained>
  auto operator()(Args &&...args)
      -> decltype(std::declval<M &>().forward(std::forward<Args>(args)...)) {
    return get()->forward(std::forward<Args>(args)...);
  }
  template <class Arg> decltype(auto) operator[](Arg &&arg) {
    return (*get())[std::forward<Arg>(arg)];
  }

private:
  void checkFilled() const { TORCH_CHECK(impl, "Accessing empty ModuleHolder"); }

  std::shared_ptr<Contained> impl;
};

template <class Contained>
std::ostream &operator<<(std::ostream &stream, const ModuleHolder<Contained> &holder) {
  return stream << *holder;
}

} // namespace gradtidy::runtime::nn

/// In a module: the arguments of forward() with a default, each as {position, AnyValue(value)}.
/// Without it a Sequential could call forward() with all arguments only.
#define FORWARD_HAS_DEFAULT_ARGS(...)                                                              \
  std::vector<::gradtidy::runtime::nn::DefaultArgument> defaultForwardArguments() override {       \
    return {__VA_ARGS__};                                                                          \
  }

/// Defines class Name, the holder of class ImplType.
#define TORCH_MODULE_IMPL(Name, ImplType)                                                          \
  class Name : public ::gradtidy::runtime::nn::ModuleHolder<ImplType> {                            \
  public:                                                                                          \
    using ::gradtidy::runtime::nn::ModuleHolder<ImplType>::ModuleHolder;                           \
    using Impl = ImplType;                                                                         \
  }

/// Defines class Name, the holder of class NameImpl.
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
