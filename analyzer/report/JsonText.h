// Documents of JSON as reports write them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace gradtidy {

/// \p document in ASCII, indented, with a line end. Names are the user's bytes: what is not UTF-8
/// becomes the replacement character, what is not ASCII an escape. No line holds what build servers
/// take for a command.
std::string jsonText(const nlohmann::ordered_json &document);

} // namespace gradtidy
