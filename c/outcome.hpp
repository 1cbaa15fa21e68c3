#pragma once
// How a solve ended, as C names it.

#include <locdyn/solver/solve_report.hpp>

#include "locdyn.h"

namespace locdyn::c {

[[nodiscard]] locdyn_outcome outcome_of(SolveStatus status);

}  // namespace locdyn::c
