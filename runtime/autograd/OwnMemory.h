// Who else can see the elements of a tensor. Gradients that nobody else sees are changed in place.
#pragma once

#include "../core/TensorImpl.h"

namespace gradtidy::runtime {

/// Whether nobody but the holder of `x` can see its elements.
inline bool hasMemoryOfItsOwn(const Tensor &x) {
  const TensorImpl &impl = implOf(x);
  const auto &view = impl.autograd.view;
  // The base of a view has the memory, too, though nobody may hold it any more. (A part of it would
  // keep all of it alive.)
  const bool ofBase =
      view && view->base.use_count() == 1 && implOf(view->base).storage == impl.storage;
  return x.use_count() == 1 && impl.storage.use_count() == (ofBase ? 2 : 1);
}

} // namespace gradtidy::runtime
