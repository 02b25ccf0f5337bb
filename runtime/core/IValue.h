// IValue: one value of the few types that archives and custom functions keep.
#pragma once

#include "IntrusivePtr.h"
#include "Tensor.h"

#include <variant>

namespace gradtidy::runtime {

class IValue {
public:
  using Content =
      std::variant<std::monostate, Tensor, double, int64_t, bool, std::string, std::vector<int64_t>,
                   std::vector<double>, std::vector<Tensor>, intrusive_ptr<CustomClassHolder>>;

  IValue() = default;
  IValue(Tensor value) : content(std::move(value)) {}
  IValue(std::floating_point auto value) : content(static_cast<double>(value)) {}
  IValue(bool value) : content(value) {}
  IValue(std::integral auto value) : content(static_cast<int64_t>(value)) {}
  IValue(std::string value) : content(std::move(value)) {}
  IValue(const char *value) : content(std::string(value)) {}
  IValue(std::vector<int64_t> value) : content(std::move(value)) {}
  IValue(std::vector<double> value) : content(std::move(value)) {}
  IValue(std::vector<Tensor> value) : content(std::move(value)) {}

  /// Holds an object of the program. Archives cannot save it.
  static IValue make_capsule(intrusive_ptr<CustomClassHolder> object) {
    IValue value;
    value.content = std::move(object);
    return value;
  }

  bool isNone() const { return is<std::monostate>(); }
  bool isTensor() const { return is<Tensor>(); }
  bool isDouble() const { return is<double>(); }
  bool isInt() const { return is<int64_t>(); }
  bool isBool() const { return is<bool>(); }
  bool isString() const { return is<std::string>(); }
  bool isCapsule() const { return is<intrusive_ptr<CustomClassHolder>>(); }

  Tensor toTensor() const { return get<Tensor>("Tensor"); }
  double toDouble() const { return get<double>("Double"); }
  int64_t toInt() const { return get<int64_t>("Int"); }
  bool toBool() const { return get<bool>("Bool"); }
  const std::string &toStringRef() const { return get<std::string>("String"); }
  std::vector<int64_t> toIntVector() const { return get<std::vector<int64_t>>("IntList"); }
  std::vector<double> toDoubleVector() const { return get<std::vector<double>>("DoubleList"); }
  std::vector<Tensor> toTensorVector() const { return get<std::vector<Tensor>>("TensorList"); }

  intrusive_ptr<CustomClassHolder> toCapsule() const {
    return get<intrusive_ptr<CustomClassHolder>>("Capsule");
  }

  const Content &value() const { return content; }

private:
  template <class T> bool is() const { return std::holds_alternative<T>(content); }
  template <class T> const T &get(const char *name) const {
    TORCH_CHECK(is<T>(), "Expected ", name, " but got an IValue of another type");
    return std::get<T>(content);
  }

  Content content;
};

} // namespace gradtidy::runtime
