#include "Finding.h"

#include "analyzer/ir/Event.h"

namespace gradtidy {

Place::Place(const ir::Node &code) : Place(code.range) {}

Place::Place(const ir::Symbol &symbol) : Place(symbol.location, symbol.range) {}

Place::Place(const Event &event) : Place(*event.site) {}

void Finding::noteOthers(const Place &last, size_t more) {
  notes.push_back({last, "so do " + std::to_string(more) + " more of this function, up to here"});
}

} // namespace gradtidy
