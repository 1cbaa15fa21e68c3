#pragma once
// Names of measures, for whoever passes limits to a solver.

#include <locdyn/solver/solve_report.hpp>

#include "bindings.hpp"

namespace locdyn::python {

/// Throws std::invalid_argument for a name that is none.
[[nodiscard]] Measure measure_of(const std::string& name);

}  // namespace locdyn::python
