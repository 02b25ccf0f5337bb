#include "DanglingViews.h"

#include "Fixes.h"

namespace gradtidy {

static Value tensorAt(const Visit &visit, PathId path) {
  return visit.before.valueOf({.path = path, .role = TypeRole::Tensor, .isTensor = true});
}

std::optional<Level> levelOfDanglingView(const Visit &visit) {
  const DanglingView &left = visit.event.details->danglingView;
  switch (left.ending) {
  case Ending::None:
    return std::nullopt;
  case Ending::Always:
    return Level::Certain;
  case Ending::Mostly:
    return Level::Likely;
  case Ending::Packed: {
    const Value original = tensorAt(visit, left.original);
    if (original.layout.permuted)
      return Level::Certain;
    if (original.origin.made && original.origin.made->kind == EventKind::Create)
      return std::nullopt; // It is contiguous.
    return Level::Advice;  // As nearly all are.
  }
  case Ending::Copied: {
    const Device from = tensorAt(visit, left.original).placement.device;
    const Device to = tensorAt(visit, left.copy).placement.device;
    if (!from.isKnown() || !to.isKnown())
      return Level::Likely;
    if (from == to)
      return std::nullopt;
    const bool isChosen = from.kind == Device::Symbol || to.kind == Device::Symbol;
    return isChosen ? Level::Likely : Level::Certain;
  }
  }
  return std::nullopt;
}

Note noteOnTemporary(const Visit &visit, llvm::StringRef what) {
  const DanglingView &left = visit.event.details->danglingView;
  const char *unless = "";
  if (levelOfDanglingView(visit) == Level::Certain)
    unless = "";
  else if (left.ending == Ending::Copied)
    unless = ", unless the tensor is on that device already";
  else if (left.ending == Ending::Packed)
    unless = ", unless the tensor is contiguous already";
  return {left.temporary->begin(), (what + unless).str()};
}

} // namespace gradtidy
