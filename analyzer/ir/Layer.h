// What is known of layers of the framework and of modules made of them.
#pragma once

#include "Answer.h"
#include "Typing.h"
#include "analyzer/model/Role.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gradtidy {

/// What a window does along one dimension of space. Sizes that are not known are Shape::unknown.
struct WindowAxis {
  std::int64_t kernel = 1; ///< Of adaptive pooling the size of the result.
  std::int64_t stride = 1, padding = 0, dilation = 1;
  std::int64_t added = 0; ///< To the result of a transposed convolution.
  bool operator==(const WindowAxis &) const = default;
};

/// What a layer of the framework, or an operator like it, makes of the shape of its input.
struct SizedLayer {
  enum Kind : unsigned char {
    Other,      ///< Nobody knows what it makes of its input.
    Linear,     ///< Gives `features` in place of the last dimension.
    Embed,      ///< Gives `features` behind the last dimension.
    Convolve,   ///< Moves a window over the last `axes` dimensions, and gives `features`.
    Transposed, ///< The other way round.
    Pool,       ///< Moves a window over them, and gives as many features as it gets.
    Adaptive,   ///< Gives sizes of its own to the last `axes` dimensions.
    Flatten,    ///< Makes one dimension of those from `first` to `last`.
    Normalize,  ///< Keeps the shape, and takes so many features.
    Same,       ///< Keeps the shape.
  };
  Kind kind = Other;
  bool keepsInput = false; ///< Its backward needs it.
  /// How many features it has to get; of Embed how many rows it has.
  std::int64_t takes = Shape::unknown;
  std::int64_t features = Shape::unknown; ///< That it gives.
  std::vector<WindowAxis> axes = {};
  bool isCeiled = false; ///< The last window may stand over the end.
  std::int64_t first = 1, last = -1;
  std::int64_t groups = 1; ///< Of features, which do not meet each other.

  /// Whether it multiplies its input by weights.
  bool isWeighted() const { return kind >= Linear && kind <= Transposed; }

  /// Whether it throws for another number of features than it takes.
  bool asksForFeatures() const { return (isWeighted() && kind != Embed) || kind == Normalize; }

  /// The shape of its result, as far as that of \p input tells.
  Shape apply(const Shape &input) const;

  /// The size along \p axis of the result for one of \p size; below 1 if no window fits in.
  std::int64_t sizeAfter(std::int64_t size, const WindowAxis &axis) const;

  /// How many weights it has; 0 if it has none, or that is not known.
  std::int64_t weights() const;

  /// How many features \p input has for it, or Shape::unknown.
  std::int64_t featuresOf(const Shape &input) const;

  bool operator==(const SizedLayer &) const = default;
};

/// A layer of the framework, or what a container of layers begins and ends with.
struct Layer {
  Operation operation = Operation::None; ///< Of the last of a container's.
  ResultRule rule = ResultRule::None;    ///< The same.
  /// What it makes of the shape of its input, layer by layer. Empty where nothing is known.
  std::vector<SizedLayer> steps = {};
  Reduction reduction = Reduction::Unknown; ///< Of a loss.
  Answer batchFirst = Answer::Unknown;      ///< Of one that runs over sequences.
  bool isPlain = false; ///< Of a loss of classes: it counts all of them, each the same.

  bool isKnown() const {
    return operation != Operation::None || rule != ResultRule::None || !steps.empty();
  }
  bool operator==(const Layer &) const = default;
};

/// What the container \p whole is when it is given \p added, too.
Layer grown(const Layer &whole, const Layer &added);

} // namespace gradtidy
