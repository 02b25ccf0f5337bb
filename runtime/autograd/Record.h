// How operations enter the autograd graph.
//
// An operation computes its result first, with no thought of gradients, and then records a
// formula: a function from the gradient of the result to those of the inputs. Formulas are
// written with differentiable operations, so gradients have gradients too. They need not care
// about broadcasting or type promotion: the engine sums and casts each gradient to the shape and
// type of the input it belongs to.
#pragma once

#include "../core/RecordFunction.h"
#include "GradMode.h"
#include "Node.h"

namespace gradtidy::runtime {

/// What a gradient formula may look at.
class GradientContext {
public:
  virtual ~GradientContext() = default;
  /// The saved tensor number `i`; throws where it was changed in place or freed.
  virtual Tensor saved(std::size_t i) const = 0;
  /// Whether anybody wants the gradient of input `i`.
  virtual bool needs(std::size_t i) const = 0;
};

/// One gradient for each input, undefined where there is none.
using Gradients = std::vector<Tensor>;
using GradientFormula = std::function<Gradients(const Tensor &gradient, const GradientContext &)>;

/// Whether an operation on `inputs` must be recorded now.
bool mustRecord(TensorList inputs);

/// Makes `result` a non-leaf that passes its gradient on to `inputs` through `formula`. `saved`
/// are tensors the formula needs; `result` itself may be among them. The formula must keep no
/// tensor in another way, or backward could not check and free it.
Tensor recordAlways(Tensor result, const char *name, TensorList inputs, TensorList saved,
                    GradientFormula formula);

/// recordAlways where mustRecord(inputs).
template <class Formula>
Tensor record(Tensor result, const char *name, std::initializer_list<Tensor> inputs,
              std::initializer_list<Tensor> saved, Formula formula) {
  RecordFunction::setResult(result);
  if (!isFloatingType(result.scalar_type()) || !mustRecord(inputs))
    return result;
  return recordAlways(std::move(result), name, inputs, saved, GradientFormula(std::move(formula)));
}

/// Throws where `argument`, of which `function` has no gradient, asks for one.
void refuseGradient(const char *function, const char *name, const Tensor &argument);

/// Throws where autograd forbids to change `self` in place; `recording` says whether the change
/// enters a graph.
void checkChangeable(const Tensor &self, bool recording);

/// Marks `alias` (made by makeAlias) as a differentiable view of `self`.
void linkView(const Tensor &self, const Tensor &alias);

/// record for an operation whose result shares the memory of its input.
template <class Formula>
Tensor recordView(const Tensor &self, Tensor alias, const char *name, Formula formula) {
  linkView(self, alias);
  return record(std::move(alias), name, {self}, {}, std::move(formula));
}

/// Changes `self` in place. Checks that this is allowed, then either writes with `write` (no
/// graph) or computes `compute`(self before the change), which records, and takes over its result
/// and its place in the graph. `others` are the further inputs.
Tensor &changeInPlace(const Tensor &self, TensorList others, const std::function<void()> &write,
                      const std::function<Tensor(const Tensor &)> &compute);
/// The same where the result is computed apart and copied in either case.
Tensor &changeInPlace(const Tensor &self, TensorList others,
                      const std::function<Tensor(const Tensor &)> &compute);

} // namespace gradtidy::runtime
