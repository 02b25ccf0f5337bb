#include "ScalarType.h"
#include "Scalar.h"
#include "TensorOptions.h"

#include <map>
#include <stdexcept>

namespace gradtidy::runtime {
namespace {

struct Row {
  const char *name;
  const char *cpp;
  std::size_t size;
};

Row row(ScalarType type) {
  switch (type) {
  case ScalarType::Byte:
    return {"Byte", "unsigned char", 1};
  case ScalarType::Int:
    return {"Int", "int", 4};
  case ScalarType::Long:
    return {"Long", "long int", 8};
  case ScalarType::Half:
    return {"Half", "c10::Half", 2};
  case ScalarType::BFloat16:
    return {"BFloat16", "c10::BFloat16", 2};
  case ScalarType::Float:
    return {"Float", "float", 4};
  case ScalarType::Double:
    return {"Double", "double", 8};
  case ScalarType::Bool:
    return {"Bool", "bool", 1};
  case ScalarType::Undefined:
    break;
  }
  return {"Undefined", "nullptr (uninitialized)", 0};
}

ScalarType defaultType = ScalarType::Float;

} // namespace

const char *toString(ScalarType type) { return row(type).name; }
const char *cppName(ScalarType type) { return row(type).cpp; }
std::size_t elementSize(ScalarType type) { return row(type).size; }

ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == ScalarType::Undefined || b == ScalarType::Undefined)
    fail("a tensor without a type takes part in no operation");
  // With these types promotion is a total order but for the two of 16 bits, neither of which holds
  // the other.
  if (a != b && isReducedFloatingType(a) && isReducedFloatingType(b))
    return ScalarType::Float;
  auto rank = [](ScalarType type) {
    switch (type) {
    case ScalarType::Bool:
      return 0;
    case ScalarType::Byte:
      return 1;
    case ScalarType::Int:
      return 2;
    case ScalarType::Long:
      return 3;
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return 4;
    case ScalarType::Float:
      return 5;
    default:
      return 6;
    }
  };
  return rank(a) < rank(b) ? b : a;
}

bool canCast(ScalarType from, ScalarType to) {
  if (isFloatingType(from) && !isFloatingType(to))
    return false;
  return to != ScalarType::Bool || from == ScalarType::Bool;
}

void Scalar::failToHold(ScalarType type) {
  static const std::map<ScalarType, const char *> fixedWidth = {{ScalarType::Byte, "uint8_t"},
                                                                {ScalarType::Long, "int64_t"}};
  auto found = fixedWidth.find(type);
  throw std::runtime_error(concat("value cannot be converted to type ",
                                  found == fixedWidth.end() ? cppName(type) : found->second,
                                  " without overflow"));
}

ScalarType get_default_dtype_as_scalartype() { return defaultType; }

void set_default_dtype(TypeMeta type) {
  TORCH_CHECK(isFloatingType(type), "only floating-point types are supported as the default type");
  defaultType = type;
}

} // namespace gradtidy::runtime
