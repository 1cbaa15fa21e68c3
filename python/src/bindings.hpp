#pragma once
// What the files of this folder share: one function for each part of the library that is bound, and how arrays, faults
// and interrupts pass between Python and it.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <Eigen/Core>
#include <atomic>
#include <csignal>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace locdyn::python {

namespace py = pybind11;

// In the order in which the module calls them: each may name what those before it have bound.
void bind_errors(py::module_& module);
void bind_solve(py::module_& module);
void bind_problem(py::module_& module);
void bind_shapes(py::module_& module);
void bind_system(py::module_& module);
void bind_queries(py::module_& module);
void bind_stepper(py::module_& module);
void bind_sensitivity(py::module_& module);
void bind_scene(py::module_& module);
void bind_mechanism(py::module_& module);
void bind_page(py::module_& module);

// --- arrays ----------------------------------------------------------------------------------------------------------

using Numbers = py::array_t<double, py::array::c_style>;

/// `object` as real finite numbers of this shape, −1 for any length. Throws std::invalid_argument "WHAT: expected …,
/// found …".
[[nodiscard]] Numbers numbers(const py::handle& object, const char* what, const std::vector<py::ssize_t>& shape);
[[nodiscard]] Eigen::Vector3d vector3(const py::handle& object, const char* what);
/// (n) or a single number, which then stands for all n.
[[nodiscard]] std::vector<double> per_item(const py::handle& object, const char* what, std::size_t count);

/// A new array, a copy of what is handed in.
[[nodiscard]] Numbers array_of(const Eigen::VectorXd& vector);
[[nodiscard]] Numbers array_of(const std::vector<Eigen::Vector3d>& rows);  ///< (n, 3)

[[nodiscard]] inline std::span<const double> span_of(const Numbers& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// `object` as a T. Throws std::invalid_argument "WHAT: expected EXPECTED, found …" with the name of its type.
template <class T>
[[nodiscard]] T cast_to(const py::handle& object, const char* what, const char* expected) {
  try {
    return object.cast<T>();
  } catch (const py::cast_error&) {
    throw std::invalid_argument(std::string(what) + ": expected " + expected + ", found " +
                                std::string(py::str(py::type::handle_of(object).attr("__name__"))));
  }
}

// --- faults ----------------------------------------------------------------------------------------------------------

/// An exception of a Python function that the library called: kept as it is until the library has been left.
class CallbackFault : public std::exception {
 public:
  explicit CallbackFault(py::error_already_set&& fault);
  [[nodiscard]] const char* what() const noexcept override { return "a Python function has raised an exception"; }
  void restore() const;  ///< with the interpreter's lock

 private:
  std::shared_ptr<py::error_already_set> fault_;
};

// --- interrupts ------------------------------------------------------------------------------------------------------

/// While it lives Ctrl-C sets a flag that solvers and runs look at, instead of waiting until they are done; `raise`
/// then makes a KeyboardInterrupt of it. A step goes to its end, so that nobody goes on from half of one; a second
/// Ctrl-C ends its solve, too. What comes after `raise` or `take`, or with an exception, is Python's to handle when
/// this has ended: no Ctrl-C is lost. In threads other than the main one, which Python sends no signals to, nothing
/// happens.
class CtrlC {
 public:
  CtrlC();
  ~CtrlC();
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

  /// nullptr in other threads.
  [[nodiscard]] const std::atomic<bool>* flag() const noexcept;
  /// The flag of a second one, for steppers, which outlive one call: false but while somebody watches.
  [[nodiscard]] static const std::atomic<bool>* flag_of_second() noexcept;
  /// Has it been asked for? True once for each.
  [[nodiscard]] bool take() const noexcept;
  void raise() const;

 private:
  bool watches_;
  struct sigaction before_ = {};
};

}  // namespace locdyn::python
