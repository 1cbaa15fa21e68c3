#pragma once
// Drawings by Python scripts: of a bench, whose JSON they read, plot_profiles.py (performance profiles, residual
// against time) and plot_stepping.py (time of a step against residual, distribution of steps); of a run plot_run.py,
// which reads its table; of W plot_spy.py, which reads it as MatrixMarket.

#include <filesystem>
#include <string>
#include <vector>

namespace locdyn::app {

inline constexpr const char* kProfilesScript = "plot_profiles.py";  ///< of bench and compare

/// Where a script is: beside an installed executable (share/locdyn), else in the source tree that this was built from.
/// Throws FileError where it is in neither.
[[nodiscard]] std::filesystem::path plot_script(const std::string& name);

/// Throws UsageError where `option` names a drawing that ends neither in .png nor in .svg, FileError as `plot_script`.
void check_drawing(const std::string& option, const std::filesystem::path& output, const std::string& script);

/// Draws `report` (text that the script reads) by the script `name` into `output`, .png or .svg, whole or not at all.
/// Throws FileError with the script's last line where it fails: no Python, no matplotlib, a folder that cannot be
/// written to.
void plot_report(const std::string& name, const std::string& report, const std::filesystem::path& output,
                 const std::vector<std::string>& options);

}  // namespace locdyn::app
