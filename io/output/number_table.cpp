#include <locdyn/io/output/number_table.hpp>

#include <cstdio>
#include <stdexcept>

namespace locdyn::detail {
namespace {

std::string header(const std::vector<std::string>& columns) {
  std::string line = "time [s]";
  for (const std::string& column : columns) line += ',' + column_name(column);
  return line + '\n';
}

}  // namespace

NumberTable::NumberTable(const std::filesystem::path& path, const std::vector<std::string>& columns)
    : columns_(columns.size()), file_(path, header(columns)) {}

void NumberTable::append(double time, std::span<const double> numbers) {
  if (numbers.size() != columns_) {
    throw std::invalid_argument("table: expected " + std::to_string(columns_) + " numbers, found " +
                                std::to_string(numbers.size()));
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", time);
  std::string line = text;
  for (const double number : numbers) append_number(line, number);
  file_.append(line + '\n');
}

std::string column_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c == ',' || c == '"') continue;
    name += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return name;
}

}  // namespace locdyn::detail
