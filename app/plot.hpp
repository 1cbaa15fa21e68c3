#pragma once
// Performance profiles and residuals against time, drawn by a Python script that reads the JSON of a bench.

#include <filesystem>
#include <string>

namespace locdyn::app {

/// Where the script is: beside an installed executable (share/locdyn), else in the source tree that this was built
/// from. Throws FileError where it is in neither.
[[nodiscard]] std::filesystem::path plot_script();

/// Draws the runs of `report` (JSON text), timed by "wall" or "cpu", into `output`, .png or .svg, whole or not at all.
/// Throws FileError with the script's last line where it fails: no Python, no matplotlib, a folder that cannot be
/// written to.
void plot_profiles(const std::string& report, const std::filesystem::path& output, const std::string& clock);

}  // namespace locdyn::app
