#pragma once
// The page as a file: the viewer's own text with the head of the data and its chunks put in.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace locdyn::detail {

/// What a page shows. `chunks` are zlib streams of packed columns, to which the head refers by their number.
struct PageData {
  nlohmann::ordered_json head;
  std::vector<std::string> chunks;
};

/// Writes the page whole or not at all. Throws FileError where it cannot be written.
void write_page_file(const std::filesystem::path& out, const PageData& data);

/// The viewer's page, built from viewer/, with one place for data.
[[nodiscard]] std::string_view page_template() noexcept;

}  // namespace locdyn::detail
