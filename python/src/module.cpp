// The compiled half of the package: each file of this folder binds one part of the library and is called from here.

#include "bindings.hpp"

PYBIND11_MODULE(_locdyn, module) {
  using namespace locdyn::python;
  module.doc() = "The compiled half of the package locdyn.";
  module.attr("__version__") = LOCDYN_VERSION;
  bind_errors(module);
  bind_solve(module);
  bind_problem(module);
  bind_shapes(module);
  bind_system(module);
  bind_queries(module);
  bind_stepper(module);
  bind_sensitivity(module);
  bind_scene(module);
  bind_mechanism(module);
  bind_page(module);
}
