#pragma once
// Drawings of a bench by Python scripts that read its JSON: plot_profiles.py (performance profiles, residual against
// time) and plot_stepping.py (time of a step against residual, distribution of steps).

#include <filesystem>
#include <string>
#include <vector>

namespace locdyn::app {

/// Where a script is: beside an installed executable (share/locdyn), else in the source tree that this was built from.
/// Throws FileError where it is in neither.
[[nodiscard]] std::filesystem::path plot_script(const std::string& name);

/// Draws the runs of `report` (JSON text) by the script `name` into `output`, .png or .svg, whole or not at all.
/// Throws FileError with the script's last line where it fails: no Python, no matplotlib, a folder that cannot be
/// written to.
void plot_report(const std::string& name, const std::string& report, const std::filesystem::path& output,
                 const std::vector<std::string>& options);

}  // namespace locdyn::app
