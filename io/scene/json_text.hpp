#pragma once
// JSON text to values, with what a strict reader needs beyond the grammar: line and column of a fault, and no key
// twice.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace locdyn::scene_format {

/// Throws FileError "file: line 3, column 7: expected …, found …".
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& file);

}  // namespace locdyn::scene_format
