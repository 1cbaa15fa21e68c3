#pragma once
// Functions of Python that a step calls: loads, torques, drives and what changes contacts.

#include <locdyn/simulation/system.hpp>

#include "bindings.hpp"

namespace locdyn::python {

void bind_callables(py::module_& module, py::class_<System, std::shared_ptr<System>>& system);

}  // namespace locdyn::python
