// The mode and device of a module, what its parameters are, and where they come from.
#pragma once

#include "analyzer/flow/Tables.h"
#include "analyzer/ir/Answer.h"
#include "analyzer/ir/Device.h"
#include "analyzer/ir/Layer.h"

namespace gradtidy {

class State;
class Words;

/// What is known of a module.
struct ModuleFacts {
  enum : std::uint8_t {
    Entry = 1 << 0, ///< As the function found it.
    Training = 1 << 1,
    Evaluation = 1 << 2,
    LeftTraining = 1 << 3, ///< In evaluation mode, and was trained before.
    Unknown = 1 << 4,      ///< Computed, or set by code that cannot be seen.
  };
  std::uint8_t mode = Entry;
  bool isNull = false;            ///< There is none: a pointer that leads nowhere.
  bool isTrained = false;         ///< A backward has gone through it.
  bool isTrainedSinceSet = false; ///< The same, since its mode was set.
  bool isFrozen = false;          ///< Its parameters get no gradients.
  bool isNew = false;             ///< Its parameters are what they were made with.
  bool isMade = false; ///< It was made here, and nobody else has it: no part of another module.
  bool isOwn = false;  ///< The program makes it, trains it and does nothing else to its parameters.
  bool isWeighted = false;  ///< It was made with tensors, such as the weights of a loss.
  Layer layer;              ///< The one that it is, or in which it ends.
  bool isContainer = false; ///< It runs modules that it is given.
  Answer dependsOnMode = Answer::Unknown; ///< Whether train() and eval() make a difference.
  Device device;
  ElementType element = ElementType::Unknown; ///< Of its parameters.
  const Event *cast = nullptr;   ///< The call that made them so; null if they were made so.
  const Event *undone = nullptr; ///< The load that has given them those of a file since.
  const Event *loaded =
      nullptr;         ///< What has read all its parameters from a file, or made it of one.
  Witness set = {};    ///< The call that set the mode last.
  Witness placed = {}; ///< What put it on its device.
  /// A load that may have taken it from the device of the program's choice, \c left, to that of a
  /// file; nothing has moved it since. Without one: constructors have put it there, and nothing but
  /// loads takes it away.
  const Event *reloaded = nullptr;
  Device left;

  bool operator==(const ModuleFacts &) const = default;
};

/// Whether the event makes a tensor that its module, or a member of it, has registered as a
/// parameter one of it again.
bool registersTied(const Event &event, const State &state);

void describe(Words &words, const ModuleFacts &module);

} // namespace gradtidy
