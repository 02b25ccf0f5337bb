// TensorImpl: what a Tensor handle points at. For the runtime's own code; programs use Tensor.
//
// Geometry (sizes, strides, offset, all in elements) over a shared Storage, plus what autograd
// needs to know. Views share the version counter of their base, so that a write through any of
// them is seen by every graph that saved one of them.
#pragma once

#include "../autograd/GradMode.h"
#include "Backend.h"
#include "Shape.h"
#include "Storage.h"
#include "Tensor.h"

namespace gradtidy::runtime {

/// How a differentiable view was made: needed when the base or the view is changed in place.
struct ViewInfo {
  Tensor base;
  /// The version at which the view's gradFn was made; a later version means it is out of date.
  uint32_t version;
  /// One of several views that one call made, as split() does.
  bool oneOfMany = false;
  /// Made where nothing is recorded, or a view of such a one.
  bool withoutGrad = false;
};

struct AutogradInfo {
  bool requiresGrad = false;
  bool retainsGrad = false;
  Tensor grad;
  std::shared_ptr<Node> gradFn;
  uint32_t outputNr = 0;
  std::weak_ptr<Node> accumulator;
  std::optional<ViewInfo> view;
  /// Of a leaf; those of other tensors belong to their gradFn.
  std::shared_ptr<std::vector<std::function<Tensor(const Tensor &)>>> hooks;
};

class TensorImpl {
public:
  std::shared_ptr<Storage> storage;
  DimVector sizes;
  DimVector strides;
  int64_t offset = 0;
  ScalarType type = ScalarType::Undefined;
  /// Made from a Scalar: takes part in type promotion like a number, not like a tensor.
  bool isWrappedNumber = false;
  /// Made under InferenceMode: takes no part in any graph.
  bool isInference = InferenceMode::is_enabled();
  /// Counts the changes; null of inference tensors, of which no graph asks for it.
  std::shared_ptr<uint32_t> version = isInference ? nullptr : std::make_shared<uint32_t>(0);
  AutogradInfo autograd;

  void countChange() {
    if (version)
      ++*version;
  }

  char *bytes() const {
    return static_cast<char *>(storage->data()) +
           static_cast<std::size_t>(offset) * elementSize(type);
  }
  template <class T> T *elements() const { return reinterpret_cast<T *>(bytes()); }
};

/// The TensorImpl of `tensor`; throws where it is undefined.
TensorImpl &implOf(const Tensor &tensor);

/// A tensor over new memory, not initialised, in no graph.
Tensor makeEmpty(IntArrayRef sizes, ScalarType type, Device device);
Tensor makeEmptyStrided(IntArrayRef sizes, IntArrayRef strides, ScalarType type, Device device);
/// The same over page-locked memory of the host.
Tensor makeEmptyPinned(IntArrayRef sizes, IntArrayRef strides, ScalarType type);
/// A tensor over the memory of `base`, in no graph, sharing its version counter.
Tensor makeAlias(const Tensor &base, IntArrayRef sizes, IntArrayRef strides, int64_t offset);
Tensor makeAlias(const Tensor &base);
/// A 0-dim tensor on the host that promotes like a number.
Tensor wrapNumber(const Scalar &value);

} // namespace gradtidy::runtime
