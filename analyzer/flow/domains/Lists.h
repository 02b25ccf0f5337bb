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
  /// The modules of which it, or the groups in it, certainly have all parameters.
  SourcesId whole = noSources;
  const Event *doubled = nullptr; ///< What has added parameters that it had.

  bool operator==(const ListFacts &) const = default;
};

/// What is known of the list whose elements the event reads, all of them or one after the other in
/// a loop, if some hold nothing and others were added to these; or null.
const ListFacts *readsEmptyElements(const Event &event, const State &state);

/// Whether lists that have all parameters of these modules certainly have some in common.
bool haveInCommon(SourcesId some, SourcesId others, const State &state);

/// The modules of which the list, or the groups in it, certainly have all parameters.
SourcesId wholeOf(const Operand &list, const State &state);

/// The list that the event changes: `list.push_back(x)`, `std::back_inserter(list)`.
PathId listOf(const Event &event);

void describe(Words &words, const ListFacts &list);

} // namespace gradtidy
