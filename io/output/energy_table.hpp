#pragma once
// Energies, momenta and the course of the solver as comma-separated values: a header line with units, then a line a
// step, all digits.

#include <filesystem>

#include <locdyn/io/output/line_file.hpp>
#include <locdyn/simulation/step_report.hpp>

namespace locdyn::detail {

class EnergyTable {
 public:
  /// Makes the file, replacing what is there, with the header line. Throws FileError.
  explicit EnergyTable(const std::filesystem::path& path);

  /// Appends the line of a step, handed to the system before this returns. Throws FileError where it cannot be written;
  /// then the file ends with the last whole line.
  void append(const StepReport& report);

  /// Throws FileError. A second call does nothing.
  void close() { file_.close(); }

 private:
  LineFile file_;
};

}  // namespace locdyn::detail
