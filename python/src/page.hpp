#pragma once
// The page of a problem, for whoever holds its graph.

#include <locdyn/ldy/local_dynamics.hpp>

#include "bindings.hpp"

namespace locdyn::python {

/// Throws std::runtime_error in a build without the viewer.
void write_problem_page(LocalDynamics& ldy, const std::string& note, const std::string& title,
                        const std::filesystem::path& out);

}  // namespace locdyn::python
