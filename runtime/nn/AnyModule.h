// AnyModule: a module of any type, whose forward() can be called with the right arguments.
#pragma once

#include "Module.h"

#include <any>

namespace gradtidy::runtime::nn {

class AnyModule {
public:
  AnyModule() = default;
  template <IsModule M>
  AnyModule(std::shared_ptr<M> module) : content(module), call(callerOf(module, &M::forward)) {}
  template <IsModule M>
    requires(!std::is_same_v<std::decay_t<M>, AnyModule>)
  explicit AnyModule(M &&module)
      : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}
  template <IsModule M> AnyModule(const ModuleHolder<M> &holder) : AnyModule(holder.ptr()) {}

  /// Calls forward(); throws where the types of arguments or result are others.
  template <class Return = Tensor, class... Args> Return forward(Args &&...args) {
    AnyValue value = any_forward(std::forward<Args>(args)...);
    return std::move(value.get<Return>());
  }
  template <class... Args> AnyValue any_forward(Args &&...args) {
    TORCH_CHECK(call, "Cannot call forward() on an empty AnyModule");
    std::vector<std::any> arguments;
    (arguments.push_back(asAny(std::forward<Args>(args))), ...);
    return AnyValue(call(arguments));
  }
  std::shared_ptr<Module> ptr() const { return content; }
  template <IsModule M> std::shared_ptr<M> ptr() const {
    return std::dynamic_pointer_cast<M>(content);
  }
  /// The module as a T; as a new holder where T is one.
  template <class T> decltype(auto) get() const {
    auto *module = content ? content->as<T>() : nullptr;
    TORCH_CHECK(module, "Attempted to cast module to another type than it has");
    if constexpr (IsModule<T>)
      return static_cast<T &>(*module);
    else
      return T(std::static_pointer_cast<typename T::ContainedType>(content));
  }
  const std::type_info &type_info() const {
    TORCH_CHECK(content, "Cannot call type_info() on an empty AnyModule");
    const Module &module = *content;
    return typeid(module);
  }
  bool is_empty() const { return content == nullptr; }
  AnyModule clone(const optional<Device> &device = nullopt) const {
    AnyModule copy;
    TORCH_CHECK(rebind, "this AnyModule cannot be cloned");
    return rebind(content->clone(device));
  }

private:
  using Call = std::function<std::any(std::vector<std::any> &)>;

  template <class T> static std::any asAny(T &&value) {
    if constexpr (std::is_same_v<std::decay_t<T>, std::any>)
      return std::forward<T>(value);
    else if constexpr (std::is_same_v<std::decay_t<T>, AnyValue>)
      return std::forward<T>(value).content;
    else
      return std::any(std::decay_t<T>(std::forward<T>(value)));
  }

  template <class M, class Class, class Return, class... Args>
  Call callerOf(std::shared_ptr<M> module, Return (Class::*)(Args...)) {
    rebind = [](std::shared_ptr<Module> other) {
      return AnyModule(std::dynamic_pointer_cast<M>(other));
    };
    return [module](std::vector<std::any> &arguments) {
      addDefaults(*module, arguments, sizeof...(Args));
      return invoke<Return, Args...>(*module, arguments, std::index_sequence_for<Args...>());
    };
  }

  static void addDefaults(Module &module, std::vector<std::any> &arguments, std::size_t expected) {
    std::vector<DefaultArgument> defaults = module.defaultForwardArguments();
    std::size_t given = arguments.size();
    if (defaults.empty())
      TORCH_CHECK(given == expected, module.name(), "'s forward() method expects ", expected,
                  " argument(s), but received ", given, ". If ", module.name(),
                  "'s forward() method has default arguments, please make sure the forward() "
                  "method is declared with a corresponding `FORWARD_HAS_DEFAULT_ARGS` macro.");
    else
      TORCH_CHECK(given >= defaults[0].first && given <= expected, module.name(),
                  "'s forward() method expects at least ", defaults[0].first,
                  " argument(s) and at most ", expected, " argument(s), but received ", given, ".");
    for (DefaultArgument &argument : defaults)
      if (argument.first >= given)
        arguments.push_back(std::move(argument.second.content));
  }

  template <class Return, class... Args, class M, std::size_t... I>
  static std::any invoke(M &module, std::vector<std::any> &arguments, std::index_sequence<I...>) {
    return std::any(
        std::decay_t<Return>(module.forward(unpack<std::decay_t<Args>>(arguments[I], I)...)));
  }

  template <class T> static T &unpack(std::any &argument, std::size_t index) {
    T *value = std::any_cast<T>(&argument);
    TORCH_CHECK(value, "Expected argument #", index, " to be of another type than the one given");
    return *value;
  }

  std::shared_ptr<Module> content;
  /// Wraps another module of the same type; set by callerOf, so it stands before call.
  AnyModule (*rebind)(std::shared_ptr<Module>) = nullptr;
  Call call;
};

/// A module with the name under which a container registers it.
class NamedAnyModule {
public:
  template <class M>
  NamedAnyModule(std::string name, M &&module)
      : givenName(std::move(name)), content(std::forward<M>(module)) {}
  const std::string &name() const { return givenName; }
  AnyModule &module() { return content; }
  const AnyModule &module() const { return content; }

private:
  std::string givenName;
  AnyModule content;
};

} // namespace gradtidy::runtime::nn
