#include "Trigonometry.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Pointwise.h"
#include "kernels/Unary.h"

#include <cmath>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

GRADTIDY_FORMULA(Sin, std::sin(x))
GRADTIDY_FORMULA(Cos, std::cos(x))
GRADTIDY_FORMULA(Tan, std::tan(x))
GRADTIDY_FORMULA(Asin, std::asin(x))
GRADTIDY_FORMULA(Acos, std::acos(x))
GRADTIDY_FORMULA(Atan, std::atan(x))
GRADTIDY_FORMULA(Sinh, std::sinh(x))
GRADTIDY_FORMULA(Cosh, std::cosh(x))
GRADTIDY_FORMULA(Asinh, std::asinh(x))
GRADTIDY_FORMULA(Acosh, std::acosh(x))
GRADTIDY_FORMULA(Atanh, std::atanh(x))

} // namespace

Tensor sin(const Tensor &x) {
  return record(floating("sin", Sin(), x), "SinBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * cos(c.saved(0))}; });
}

Tensor cos(const Tensor &x) {
  return record(floating("cos", Cos(), x), "CosBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * -sin(c.saved(0))}; });
}

Tensor tan(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return tan(cast(x));
  Tensor y = floating("tan", Tan(), x);
  return record(y, "TanBackward0", {x}, {y},
                [](G g, C c) -> Gradients { return {g * (square(c.saved(0)) + 1)}; });
}

Tensor asin(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return asin(cast(x));
  return record(floating("asin", Asin(), x), "AsinBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * rsqrt(1 - square(c.saved(0)))}; });
}

Tensor acos(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return acos(cast(x));
  return record(floating("acos", Acos(), x), "AcosBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * -rsqrt(1 - square(c.saved(0)))}; });
}

Tensor atan(const Tensor &x) {
  return record(floating("atan", Atan(), x), "AtanBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g / (square(c.saved(0)) + 1)}; });
}

Tensor sinh(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return sinh(cast(x));
  return record(floating("sinh", Sinh(), x), "SinhBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * cosh(c.saved(0))}; });
}

Tensor cosh(const Tensor &x) {
  if (Casting cast = autocast::widen(x, autocast::onCuda))
    return cosh(cast(x));
  return record(floating("cosh", Cosh(), x), "CoshBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * sinh(c.saved(0))}; });
}

Tensor asinh(const Tensor &x) {
  return record(floating("asinh", Asinh(), x), "AsinhBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * rsqrt(square(c.saved(0)) + 1)}; });
}

Tensor acosh(const Tensor &x) {
  return record(floating("acosh", Acosh(), x), "AcoshBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g * rsqrt(square(c.saved(0)) - 1)}; });
}

Tensor atanh(const Tensor &x) {
  return record(floating("atanh", Atanh(), x), "AtanhBackward0", {x}, {x},
                [](G g, C c) -> Gradients { return {g / (1 - square(c.saved(0)))}; });
}

Tensor Tensor::sin() const { return runtime::sin(*this); }
Tensor Tensor::cos() const { return runtime::cos(*this); }
Tensor Tensor::tan() const { return runtime::tan(*this); }
Tensor Tensor::asin() const { return runtime::asin(*this); }
Tensor Tensor::acos() const { return runtime::acos(*this); }
Tensor Tensor::atan() const { return runtime::atan(*this); }
Tensor Tensor::sinh() const { return runtime::sinh(*this); }
Tensor Tensor::cosh() const { return runtime::cosh(*this); }
Tensor Tensor::asinh() const { return runtime::asinh(*this); }
Tensor Tensor::acosh() const { return runtime::acosh(*this); }
Tensor Tensor::atanh() const { return runtime::atanh(*this); }

Tensor &Tensor::sin_() const { return changeInPlace(*this, {}, runtime::sin); }
Tensor &Tensor::cos_() const { return changeInPlace(*this, {}, runtime::cos); }
Tensor &Tensor::tan_() const { return changeInPlace(*this, {}, runtime::tan); }
Tensor &Tensor::asin_() const { return changeInPlace(*this, {}, runtime::asin); }
Tensor &Tensor::acos_() const { return changeInPlace(*this, {}, runtime::acos); }
Tensor &Tensor::atan_() const { return changeInPlace(*this, {}, runtime::atan); }
Tensor &Tensor::sinh_() const { return changeInPlace(*this, {}, runtime::sinh); }
Tensor &Tensor::cosh_() const { return changeInPlace(*this, {}, runtime::cosh); }
Tensor &Tensor::asinh_() const { return changeInPlace(*this, {}, runtime::asinh); }
Tensor &Tensor::acosh_() const { return changeInPlace(*this, {}, runtime::acosh); }
Tensor &Tensor::atanh_() const { return changeInPlace(*this, {}, runtime::atanh); }

} // namespace gradtidy::runtime
