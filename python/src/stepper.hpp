#pragma once
// Options of steps by keyword, for steppers and for runs of scenes.

#include <locdyn/simulation/time_stepper.hpp>

#include "bindings.hpp"

namespace locdyn::python {

/// `options` with what the keywords say in its place. Throws TypeError for a keyword that is none,
/// std::invalid_argument for a word that is no choice; numbers are checked by the stepper.
[[nodiscard]] TimeStepperOptions stepping_options(const py::kwargs& given, TimeStepperOptions options = {});

}  // namespace locdyn::python
