#pragma once
// Numbers as comma-separated values: a header line with units, then a line a time, all digits.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/io/output/line_file.hpp>

namespace locdyn::detail {

class NumberTable {
 public:
  /// Makes the file with the header "time [s]" and `columns`, which are cleaned by `column_name`. Throws FileError.
  NumberTable(const std::filesystem::path& path, const std::vector<std::string>& columns);

  /// The line of time [s], a number for each column. Throws std::invalid_argument for another count, FileError as
  /// LineFile.
  void append(double time, std::span<const double> numbers);
  /// Throws FileError. A second call does nothing.
  void close() { file_.close(); }

 private:
  std::size_t columns_;
  LineFile file_;
};

/// Fit for a header line that any reader splits at commas: commas and quotes go, control characters become '?'.
[[nodiscard]] std::string column_name(std::string_view text);

}  // namespace locdyn::detail
