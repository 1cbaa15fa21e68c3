#pragma once
// The numbers of a run against time, from the comma-separated table that it left.

#include <filesystem>
#include <string>
#include <vector>

namespace locdyn::detail {

struct RunTable {
  std::vector<std::string> columns;         ///< with units, "time [s]" among them
  std::vector<std::vector<float>> numbers;  ///< by column; NaN for what is no number
};

/// At most `rows` lines, evenly taken, the last one too; columns without any number are left out. A last line that
/// was cut short is left out. Throws FileError where the file cannot be read or has no column "time [s]".
[[nodiscard]] RunTable read_run_table(const std::filesystem::path& path, std::size_t rows);

}  // namespace locdyn::detail
