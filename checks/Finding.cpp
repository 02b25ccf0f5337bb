#include "Finding.h"

#include "analyzer/events/Event.h"

namespace gradtidy {

Place::Place(const ir::Node &code) : Place(code.range) {}

Place::Place(const ir::Symbol &symbol) : Place(symbol.location, symbol.range) {}

Place::Place(const Event &event) : Place(*event.site) {}

} // namespace gradtidy
