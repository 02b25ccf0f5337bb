// What is known of layers of the framework and of modules made of them.
#pragma once

#include "Answer.h"
#include "Typing.h"
#include "analyzer/model/Role.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gradtidy {

/// What a linear layer or a convolution takes, or the container that begins with one.
struct Intake {
  std::int64_t features = Shape::unknown;
  unsigned axes = 0; ///< How many dimensions of space stand behind them.
  bool operator==(const Intake &) const = default;
};

/// A layer of the framework.
struct Layer {
  Operation operation = Operation::None;
  ResultRule rule = ResultRule::None;
  /// How many features a linear layer or a convolution gives.
  std::int64_t features = Shape::unknown;
  unsigned axes = 0; ///< How many dimensions of space stand behind the features.
  Intake intake = {};
  Reduction reduction = Reduction::Unknown; ///< Of a loss.
  Answer batchFirst = Answer::Unknown;      ///< Of one that runs over sequences.
  bool isPlain = false; ///< Of a loss of classes: it counts all of them, each the same.

  bool isKnown() const { return operation != Operation::None || rule != ResultRule::None; }
  bool operator==(const Layer &) const = default;
};

/// What a layer of the framework makes of the shape of its input.
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

} // namespace gradtidy
