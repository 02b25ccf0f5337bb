// Data loaders: what they are made with, the order of their samples, and loops over them.
#pragma once

#include "analyzer/ir/Event.h"

namespace gradtidy {

/// What the loader that \p make makes is made with, as the source says.
LoaderOptions optionsOf(const ir::Node &make, const FunctionBody &function);

/// Whether the sampler of the loader \p loader keeps the order of the samples, and neither the
/// function that makes it nor the class of its dataset draws a random one.
bool keepsOrder(const ir::Symbol &loader);

/// Whether the code of a user's class among the template arguments of \p loader, the type of a
/// loader, mentions page-locked memory.
bool mayPinMemory(const ir::Type *loader);

/// Whether the batches of \p loader, the type of a loader, are samples that a transform has put
/// beside each other, in an order that is drawn, and nothing has changed after that.
bool stacksSamples(const ir::Type *loader);

/// Whether \p code, as it is written, asks for page-locked memory.
bool pinsMemory(const ir::Node *code);

/// How the loop that \p begin begins is left before the last batch. Nothing where what is asked
/// before that may tell the last batch, or may keep the loops around from another round.
EarlyEnd earlyEndOf(const ir::Node &begin, const FunctionBody &function);

/// The call that has given a loader a copy of the sampler on which \p setEpoch, in \p function,
/// sets the epoch, if that gets to no loader any more; else null.
const ir::Node *missedLoader(const ir::Node &setEpoch, const FunctionBody &function);

} // namespace gradtidy
