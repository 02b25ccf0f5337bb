// How many parameters a module has, and what its layers make of the shape of their input, as far as
// sizes are written where the layers are made.
#pragma once

#include "ModuleUses.h"
#include "analyzer/events/TensorType.h"

#include <optional>
#include <vector>

namespace gradtidy {

/// A layer of the framework.
struct SizedLayer {
  enum Kind : unsigned char {
    Other,  ///< Nobody knows what it makes of its input.
    Linear, ///< Gives `features` in place of the last dimension.
    Window, ///< Moves a window over the last `axes` dimensions: a convolution, or pooling.
    Same,   ///< Keeps the shape.
  };
  Kind kind = Other;
  bool keepsInput = false;    ///< Its backward needs it.
  std::int64_t features = -1; ///< That it gives; of pooling, as many as it gets: -1.
  unsigned axes = 0;
  std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;

  /// The shape of its result, if that of \p input, all sizes of which are known, says it.
  std::optional<Shape> apply(const Shape &input) const;
};

struct ModuleSize {
  std::int64_t parameters = 0; ///< So many at least.
  /// The layers that it runs one after the other, as a layer or a container of some; those before
  /// the first of which that is not certain. Empty of a class of the user's.
  std::vector<SizedLayer> layers;
};

ModuleSize sizeOf(const clang::Expr *module, ModuleUses &uses, Vocabulary &vocabulary,
                  clang::ASTContext &context);

} // namespace gradtidy
