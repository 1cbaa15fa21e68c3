#include <locdyn/io/page/run_table.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0;;) {
    const std::size_t comma = line.find(',', from);
    fields.push_back(line.substr(from, comma - from));
    if (comma == std::string_view::npos) return fields;
    from = comma + 1;
  }
}

float number(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole ? static_cast<float>(value) : std::numeric_limits<float>::quiet_NaN();
}

// Whole lines alone: the last of a run that was killed may lack its end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t from = 0, end; (end = text.find('\n', from)) != std::string_view::npos; from = end + 1) {
    lines.push_back(text.substr(from, end - from));
  }
  return lines;
}

}  // namespace

RunTable read_run_table(const std::filesystem::path& path, std::size_t rows) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  if (!file || !(all << file.rdbuf())) throw FileError(path, "", "a table that can be read", "none");
  const std::string text = all.str();
  const std::vector<std::string_view> lines = lines_of(text);
  RunTable table;
  if (!lines.empty()) {
    for (const std::string_view name : split(lines[0])) table.columns.emplace_back(name);
  }
  if (std::ranges::find(table.columns, "time [s]") == table.columns.end()) {
    throw FileError(path, "line 1", "a column \"time [s]\"", "none");
  }
  table.numbers.resize(table.columns.size());
  const std::size_t count = lines.size() - 1, kept = std::min(count, rows);
  for (std::size_t k = 0; k < kept; ++k) {
    const std::size_t line = 1 + (kept == count ? k : k * (count - 1) / (kept - 1));
    const std::vector<std::string_view> fields = split(lines[line]);
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      table.numbers[column].push_back(column < fields.size() ? number(fields[column]) : NAN);
    }
  }
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    if (std::ranges::any_of(table.numbers[column], [](float x) { return std::isfinite(x); })) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    table.numbers.erase(table.numbers.begin() + static_cast<std::ptrdiff_t>(column));
  }
  return table;
}

}  // namespace locdyn::detail
