// Shapes that do not go together.
#pragma once

#include "State.h"

#include "analyzer/ir/Layer.h"

namespace gradtidy {

/// Why an event throws, as the shapes of its tensors say.
struct Mismatch {
  enum Kind : unsigned char {
    Sizes,      ///< Of two tensors of which elements meet: `given` and `wanted`.
    Features,   ///< A layer is given so many, and takes others.
    Window,     ///< That of a layer is larger than what it moves over, which is `given` wide.
    Classes,    ///< Targets are not one class for each sample, nor probabilities of all.
    Elements,   ///< So many do not make the sizes that are listed.
    Rows,       ///< So many for each sample do not make rows of that length.
    Axis,       ///< There is no dimension of that number.
    Number,     ///< One is read from several.
    Dimensions, ///< The tensors of a list have none along which they can be joined.
    Order,      ///< It has so many dimensions, and others are put in order.
    Ranks,      ///< Of a tensor and an index of its elements, which need as many dimensions.
  };
  Kind kind;
  const Operand *tensor;
  const Operand *other = nullptr; ///< Of Sizes, Classes and Ranks.
  std::int64_t given = 0, wanted = 0;
  bool isInside = false; ///< Of Features and Window: what layers before it make of the tensor.
};

/// \p steps are those of the layer that the event runs, if it does. Nothing where nothing is known.
std::optional<Mismatch> mismatchOf(const Event &event, const State &state,
                                   llvm::ArrayRef<SizedLayer> steps);

} // namespace gradtidy
