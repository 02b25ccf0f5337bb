// Which elements of a list hold nothing.
#pragma once

#include "analyzer/flow/Tables.h"

namespace gradtidy {

class State;
class Words;

/// What is known of the elements of a list of tensors, or of pointers to modules.
struct ListFacts {
  bool isEmpty = false;         ///< It certainly has none.
  const Event *sized = nullptr; ///< What has given it elements that hold nothing, and still do.
  bool isGrown = false;         ///< Others may have been added to these.
  Witness grown = {};           ///< What has added them.

  bool operator==(const ListFacts &) const = default;
};

/// What is known of the list whose elements the event reads, all of them or one after the other in
/// a loop, if some hold nothing and others were added to these; or null.
const ListFacts *readsEmptyElements(const Event &event, const State &state);

/// The list that the event changes: `list.push_back(x)`, `std::back_inserter(list)`.
PathId listOf(const Event &event);

void describe(Words &words, const ListFacts &list);

} // namespace gradtidy
