// Files that a program saves and loads, by their names.
#pragma once

#include "State.h"

namespace gradtidy {

/// The name of the file that the event, to which \p callers lead, is about: the first of its
/// arguments that is a string, with what the callers give in place of parameters.
FileId fileOf(const Event &event, llvm::ArrayRef<const Event *> callers, const State &state);

/// The event, or of the calls that lead to it the one that gives the file its name.
const Event &namingOf(const Event &event, llvm::ArrayRef<const Event *> callers);

/// What tells the name by which the event registers something in a module from those of others, if
/// it is the same whenever the event runs.
FileId registeredName(const Event &event, llvm::ArrayRef<const Event *> callers,
                      const State &state);

/// What the event saves or loads: the object of `model->save(archive)`, else the first argument.
const Operand &storedBy(const Event &event);

} // namespace gradtidy
