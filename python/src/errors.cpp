// Faults of the library as exceptions of Python, each with the library's own line: std::invalid_argument is ValueError,
// std::out_of_range IndexError, and those below have classes of their own.

#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/ldy/file_error.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "bindings.hpp"

namespace locdyn::python {
namespace {

// Made once and kept as long as the interpreter: exceptions may come after the module is gone.
PyObject* file_error = nullptr;
PyObject* scene_error = nullptr;
PyObject* step_failure = nullptr;

PyObject* new_exception(py::module_& module, const char* name, const char* doc, const py::object& bases) {
  const std::string full = std::string("locdyn.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.attr(name) = py::handle(type);
  return type;
}

void set(PyObject* type, const char* message, const char* attribute, const py::object& value) {
  const py::object fault = py::reinterpret_borrow<py::object>(type)(message);
  fault.attr(attribute) = value;
  PyErr_SetObject(type, fault.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CallbackFault& fault) {
    fault.restore();
  } catch (const SceneError& fault) {
    set(scene_error, fault.what(), "faults", py::cast(fault.faults()));
  } catch (const FileError& fault) {
    PyErr_SetString(file_error, fault.what());
  } catch (const StepFailure& fault) {
    set(step_failure, fault.what(), "report", py::cast(fault.report()));
  }
}

}  // namespace

CallbackFault::CallbackFault(py::error_already_set&& fault)
    : fault_(new py::error_already_set(std::move(fault)), [](py::error_already_set* held) {
        const py::gil_scoped_acquire lock;
        delete held;
      }) {}

void CallbackFault::restore() const {
  py::error_already_set copy(*fault_);
  copy.restore();
}

void bind_errors(py::module_& module) {
  const auto os_error = py::reinterpret_borrow<py::object>(PyExc_OSError);
  file_error = new_exception(module, "FileError",
                             "A file that cannot be read or written, in one line: the file, the place in it, what was "
                             "expected and what was found.",
                             os_error);
  scene_error =
      new_exception(module, "SceneError",
                    "The faults of a scene: a FileError and a ValueError. `faults` is the list of lines, each "
                    "with its place.",
                    py::make_tuple(py::handle(file_error), py::handle(PyExc_ValueError)));
  step_failure = new_exception(module, "StepFailure",
                               "A step that did not converge under on_failure=\"stop\". The system is as it was before "
                               "the step; `report` is its StepReport.",
                               py::reinterpret_borrow<py::object>(PyExc_RuntimeError));
  py::register_exception_translator(&translate);
}

}  // namespace locdyn::python
