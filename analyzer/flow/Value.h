// What a tensor, a list of tensors or a struct of them is made of: a fact of each domain.
#pragma once

#include "domains/Autograd.h"
#include "domains/Meaning.h"
#include "domains/Placement.h"
#include "domains/Storage.h"

namespace gradtidy {

/// Its elements and shape, and how these lie in memory. Transfer: Types.cpp.
struct Layout {
  TypeId type = unknownType;
  /// What has put its dimensions in another order than that of its memory, or has left out what lies
  /// there between its elements.
  const Event *permuted = nullptr;

  bool operator==(const Layout &) const = default;
};

/// What it comes from.
struct Origin {
  /// What computed it, but for what only rearranges the values of others.
  const Event *made = nullptr;
  /// The modules, or leaf tensors, of which it has, or holds, copies of the parameters.
  SourcesId copied = noSources;

  bool operator==(const Origin &) const = default;
};

struct Value {
  Autograd autograd;
  Storage storage; ///< Of its elements.
  Lending lending;
  Look look; ///< Of what is no tensor.
  Placement placement;
  Layout layout;
  Meaning meaning;
  Origin origin;

  /// Other values in the place of \p before: its shape and device stay.
  void stayOn(const Value &before) {
    placement.stayOn(before.placement);
    layout = before.layout;
    meaning.order = before.meaning.order;
    meaning.padded = before.meaning.padded;
  }

  bool operator==(const Value &) const = default;
};

/// What either of two values may be.
Value joined(const Value &a, const Value &b, Tables &tables);

/// What cuts the gradient of either of two values.
const Event *commonCut(const Value &a, const Value &b);

/// Whether the tensor is certainly one that a factory has made for training, unchanged since:
/// autograd computes its gradient.
inline bool isLeaf(const Value &value) {
  return value.autograd.graph == Graph::Attached && !value.autograd.isRecorded &&
         value.origin.made && value.origin.made->kind == EventKind::Create;
}

/// Whether autograd refuses to record a change of the tensor in place.
inline bool refusesChange(const Value &value) {
  return isLeaf(value) || value.autograd.isParameter;
}

/// \p path is that of the value.
void describe(Words &words, const Value &value, PathId path, const Tables &tables);

} // namespace gradtidy
