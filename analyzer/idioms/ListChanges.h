// What is done to lists of tensors, or of pointers to modules.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What a method of a list, or a function that is given one, does to it, by its name.
ListChange changeOfList(const ir::Node &call);

/// What a list is made with.
ListChange madeList(const ir::Node &made);

} // namespace gradtidy
