#pragma once
// Ids as Python sees them: each kind a type of its own, so that a body's is refused where a collider's is meant.

#include <locdyn/base/typed_id.hpp>

#include "bindings.hpp"

namespace locdyn::python {

template <class Id>
void bind_id(py::module_& module, const char* name, const char* doc) {
  py::class_<Id>(module, name, doc)
      .def(py::init([](std::uint32_t value) { return Id{value}; }), py::arg("value"), "From its number.")
      .def("__int__", [](Id id) { return id.value(); })
      .def("__index__", [](Id id) { return id.value(); })
      .def("__eq__", [](Id a, const py::object& b) { return py::isinstance<Id>(b) && a == b.cast<Id>(); })
      .def("__hash__", [](Id id) { return std::hash<Id>()(id); })
      .def("__repr__", [name](Id id) { return std::string(name) + "(" + std::to_string(id.value()) + ")"; })
      .def(py::pickle([](Id id) { return py::make_tuple(id.value()); },
                      [](const py::tuple& state) { return Id{state[0].cast<std::uint32_t>()}; }));
}

}  // namespace locdyn::python
