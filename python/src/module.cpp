// The compiled half of the package: each file of this folder binds one part of the library and is called from here.

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_locdyn, module) {
  module.doc() = "The compiled half of the package locdyn.";
  module.attr("__version__") = LOCDYN_VERSION;
}
