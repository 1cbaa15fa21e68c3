#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bindings.hpp"

namespace locdyn::python {
namespace {

std::string shape_text(const std::vector<py::ssize_t>& shape) {
  std::string text = "(";
  for (const py::ssize_t n : shape)
    text += (text.size() > 1 ? ", " : "") + (n < 0 ? std::string("n") : std::to_string(n));
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::vector<py::ssize_t> shape_of(const py::array& array) {
  return {array.shape(), array.shape() + array.ndim()};
}

bool fits(const std::vector<py::ssize_t>& found, const std::vector<py::ssize_t>& expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                    [](py::ssize_t n, py::ssize_t wanted) { return wanted < 0 || n == wanted; });
}

}  // namespace

Numbers numbers(const py::handle& object, const char* what, const std::vector<py::ssize_t>& shape) {
  const py::array any = py::array::ensure(object);
  if (!any) PyErr_Clear();
  if (!any || std::string("fiub").find(any.dtype().kind()) == std::string::npos) {
    const std::string found = any ? "an array of " + std::string(py::str(any.dtype()))
                                  : std::string(py::str(py::type::handle_of(object).attr("__name__")));
    throw std::invalid_argument(std::string(what) + ": expected real numbers, found " + found);
  }
  if (!fits(shape_of(any), shape)) {
    throw std::invalid_argument(std::string(what) + ": expected the shape " + shape_text(shape) + ", found " +
                                shape_text(shape_of(any)));
  }
  const Numbers values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(any);
  const double* end = values.data() + values.size();
  const double* bad = std::find_if(values.data(), end, [](double value) { return !std::isfinite(value); });
  if (bad != end) {
    throw std::invalid_argument(std::string(what) + ": expected finite numbers, found " + std::to_string(*bad) +
                                " at place " + std::to_string(bad - values.data()));
  }
  return values;
}

Eigen::Vector3d vector3(const py::handle& object, const char* what) {
  return Eigen::Map<const Eigen::Vector3d>(numbers(object, what, {3}).data());
}

std::vector<double> per_item(const py::handle& object, const char* what, std::size_t count) {
  const py::array any = py::array::ensure(object);
  if (!any) PyErr_Clear();
  if (any && any.ndim() == 0) return std::vector<double>(count, *numbers(object, what, {}).data());
  const Numbers values = numbers(object, what, {static_cast<py::ssize_t>(count)});
  return {values.data(), values.data() + count};
}

Numbers array_of(const Eigen::VectorXd& vector) {
  return Numbers(vector.size(), vector.data());
}

Numbers array_of(const std::vector<Eigen::Vector3d>& rows) {
  static_assert(sizeof(Eigen::Vector3d) == 3 * sizeof(double));
  return Numbers({static_cast<py::ssize_t>(rows.size()), py::ssize_t{3}}, rows.empty() ? nullptr : rows.front().data());
}

}  // namespace locdyn::python
