// What a container of layers ends in.
#pragma once

#include "ModuleUses.h"
#include "analyzer/events/Answer.h"
#include "analyzer/events/Typing.h"

namespace gradtidy {

/// A layer of the framework.
struct Layer {
  Operation operation = Operation::None;
  ResultRule rule = ResultRule::None;
  /// How many features a linear layer or a convolution gives.
  std::int64_t features = Shape::unknown;
  unsigned axes = 0; ///< How many dimensions of space stand behind the features.
  Reduction reduction = Reduction::Unknown; ///< Of a loss.
  Answer batchFirst = Answer::Unknown;      ///< Of one that runs over sequences.
  bool isPlain = false; ///< Of a loss of classes: it counts all of them, each the same.
};

/// The last layer of the framework's container that \p module denotes or makes, or the layer that
/// it is. Nothing is known of it where several may be meant, or what is put in is not all to be
/// seen. What leaves the shape as it is has the features of what comes before.
Layer lastLayer(const clang::Expr *module, ModuleUses &uses, Vocabulary &vocabulary,
                clang::ASTContext &context);

} // namespace gradtidy
