// ScalarType: the element type of a tensor, and the rules by which types combine.
#pragma once

#include "Error.h"
#include "Half.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace gradtidy::runtime {

// The numbers are LibTorch's, gaps included.
enum class ScalarType : int8_t {
  Byte = 0,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  Bool = 11,
  BFloat16 = 15,
  Undefined = 47
};
using Dtype = ScalarType;

constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kUInt8 = ScalarType::Byte;
constexpr ScalarType kU8 = ScalarType::Byte;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kInt32 = ScalarType::Int;
constexpr ScalarType kI32 = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kInt64 = ScalarType::Long;
constexpr ScalarType kI64 = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat16 = ScalarType::Half;
constexpr ScalarType kF16 = ScalarType::Half;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kFloat32 = ScalarType::Float;
constexpr ScalarType kF32 = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kFloat64 = ScalarType::Double;
constexpr ScalarType kF64 = ScalarType::Double;
constexpr ScalarType kBool = ScalarType::Bool;

/// "Float", "Long", …: the word in LibTorch's messages.
const char *toString(ScalarType type);
/// "float", "long int", …: the C++ type.
const char *cppName(ScalarType type);
/// Bytes of one element.
std::size_t elementSize(ScalarType type);

/// Half or BFloat16.
constexpr bool isReducedFloatingType(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16;
}
constexpr bool isFloatingType(ScalarType type) {
  return type == ScalarType::Float || type == ScalarType::Double || isReducedFloatingType(type);
}
constexpr bool isIntegralType(ScalarType type, bool includeBool) {
  return type == ScalarType::Byte || type == ScalarType::Int || type == ScalarType::Long ||
         (includeBool && type == ScalarType::Bool);
}

constexpr bool isSignedType(ScalarType type) {
  return type != ScalarType::Byte && type != ScalarType::Bool;
}

/// The smallest type that holds both.
ScalarType promoteTypes(ScalarType a, ScalarType b);
inline ScalarType promote_types(ScalarType a, ScalarType b) { return promoteTypes(a, b); }
/// Whether a result of type `from` may be stored into `to` (no float into an integer, no number
/// into a bool).
bool canCast(ScalarType from, ScalarType to);

template <class T> struct ScalarTypeOf;
template <> struct ScalarTypeOf<uint8_t> { static constexpr ScalarType value = ScalarType::Byte; };
template <> struct ScalarTypeOf<int32_t> { static constexpr ScalarType value = ScalarType::Int; };
template <> struct ScalarTypeOf<int64_t> { static constexpr ScalarType value = ScalarType::Long; };
template <> struct ScalarTypeOf<Half> { static constexpr ScalarType value = ScalarType::Half; };
template <> struct ScalarTypeOf<BFloat16> {
  static constexpr ScalarType value = ScalarType::BFloat16;
};
template <> struct ScalarTypeOf<float> { static constexpr ScalarType value = ScalarType::Float; };
template <> struct ScalarTypeOf<double> { static constexpr ScalarType value = ScalarType::Double; };
template <> struct ScalarTypeOf<bool> { static constexpr ScalarType value = ScalarType::Bool; };
/// The element type that holds a C++ T.
template <class T> constexpr ScalarType scalarTypeOf = ScalarTypeOf<T>::value;

inline std::string toText(ScalarType type) { return toString(type); }

std::ostream &operator<<(std::ostream &out, ScalarType type);

/// What Tensor::dtype() answers; it compares with and converts to a ScalarType.
class TypeMeta {
public:
  TypeMeta() = default;
  TypeMeta(ScalarType type) : type(type) {}
  template <class T> static TypeMeta Make() { return scalarTypeOf<T>; }
  ScalarType toScalarType() const { return type; }
  operator ScalarType() const { return type; }
  std::size_t itemsize() const { return elementSize(type); }
  std::string name() const { return cppName(type); }
  friend bool operator==(TypeMeta a, TypeMeta b) { return a.type == b.type; }
  friend bool operator==(TypeMeta a, ScalarType b) { return a.type == b; }

private:
  ScalarType type = ScalarType::Undefined;
};

std::ostream &operator<<(std::ostream &out, TypeMeta type);

inline ScalarType typeMetaToScalarType(TypeMeta type) { return type.toScalarType(); }
inline TypeMeta scalarTypeToTypeMeta(ScalarType type) { return type; }

} // namespace gradtidy::runtime
