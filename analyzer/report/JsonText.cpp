#include "JsonText.h"
#include "Printable.h"

#include <nlohmann/json.hpp>

namespace gradtidy {

std::string jsonText(const nlohmann::ordered_json &document) {
  const std::string text = document.dump(2, ' ', /*ensure_ascii=*/true,
                                         nlohmann::ordered_json::error_handler_t::replace);
  return withoutCommands(text, ":", "\\u0023") + "\n";
}

} // namespace gradtidy
