#pragma once
// A campaign as JSON: the machine, the build, the settings, and every run with the residual that its time bought.

#include <nlohmann/json.hpp>

#include "campaign.hpp"

namespace locdyn::app {

/// {"machine", "build", "settings", "runs": [{"problem","contacts","blocks","solver","finished_by","pyramid","status",
/// "iterations","time_s","residual","own_residual","reason"}], "unreadable": [lines], "interrupted"}.
[[nodiscard]] nlohmann::ordered_json bench_report(const Campaign& campaign, const SolverOptions& options);

}  // namespace locdyn::app
