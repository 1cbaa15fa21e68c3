#pragma once
// The contact problem of a step as an FCLIB file, to be given back to the solvers.

#include <filesystem>
#include <string>

#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/simulation/step_report.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::detail {

/// Time, step, h, solver, status and residual of the step last done, for the info group of its file.
[[nodiscard]] FclibInfo info_of(const TimeStepper& stepper, const StepReport& report, const std::string& title = {});

/// Writes W, q = B + σ and μ of a graph as its solver left it, with R and U = q + W R as the solution. Constraints
/// other than contacts have no place in the file: they are taken out as if their reactions were given, q gaining what
/// they do to each contact. Nothing is written and false comes back where there is no contact. Throws FileError where
/// the file cannot be written. Not thread-safe, as HDF5. Cost: that of a product W R and of the file.
bool dump_problem(const std::filesystem::path& path, const LocalDynamics& graph, const FclibInfo& info);

}  // namespace locdyn::detail
