// Shapes, one class each; lengths in metres, in coordinates of the shape's own.

#include <cmath>
#include <limits>
#include <locdyn/contact/detection/mesh_file.hpp>
#include <locdyn/contact/shape.hpp>

#include "bindings.hpp"

namespace locdyn::python {
namespace {

std::vector<Eigen::Vector3d> points_of(const py::handle& object, const char* what) {
  const Numbers values = numbers(object, what, {-1, 3});
  std::vector<Eigen::Vector3d> points;
  for (py::ssize_t i = 0; i < values.shape(0); ++i)
    points.emplace_back(values.at(i, 0), values.at(i, 1), values.at(i, 2));
  return points;
}

std::vector<std::array<int, 3>> triangles_of(const py::handle& object) {
  const Numbers values = numbers(object, "triangles", {-1, 3});
  std::vector<std::array<int, 3>> triangles;
  const auto corner = [](double value) {
    if (value == std::floor(value) && std::abs(value) <= std::numeric_limits<int>::max()) {
      return static_cast<int>(value);
    }
    throw std::invalid_argument("triangles: expected whole numbers that index vertices, found " +
                                std::to_string(value));
  };
  for (py::ssize_t i = 0; i < values.shape(0); ++i) {
    triangles.push_back({corner(values.at(i, 0)), corner(values.at(i, 1)), corner(values.at(i, 2))});
  }
  return triangles;
}

template <class Kind>
Kind checked(Kind shape) {
  validate(Shape(shape));
  return shape;
}

Numbers triangle_array(const TriangleMesh& mesh) {
  Numbers out({static_cast<py::ssize_t>(mesh.triangles.size()), py::ssize_t{3}});
  double* next = out.mutable_data();
  for (const auto& triangle : mesh.triangles) {
    for (const int corner : triangle) *next++ = corner;
  }
  return out;
}

HeightField height_field(const py::handle& heights, const py::handle& spacing) {
  const Numbers z = numbers(heights, "heights", {-1, -1});
  const Numbers d = numbers(spacing, "spacing", {2});
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return checked(HeightField{.heights = Eigen::Map<const ByRows>(z.data(), z.shape(0), z.shape(1)),
                             .spacing = {d.at(0), d.at(1)}});
}

}  // namespace

void bind_shapes(py::module_& module) {
  using namespace py::literals;
  py::class_<Sphere>(module, "Sphere", "A ball about the origin.")
      .def(py::init([](double radius) { return checked(Sphere{radius}); }), "radius"_a)
      .def_readonly("radius", &Sphere::radius, "[m]");
  py::class_<Box>(module, "Box", "About the origin, edges along the axes.")
      .def(py::init([](const py::object& size) { return checked(Box{vector3(size, "size")}); }), "size"_a)
      .def_property_readonly(
          "size", [](const Box& box) { return array_of(Eigen::VectorXd(box.size)); }, "Edges [m]: a copy.");
  py::class_<Capsule>(module, "Capsule", "About the origin, axis along z.")
      .def(py::init([](double radius, double length) {
             return checked(Capsule{radius, length});
           }),
           "radius"_a, "length"_a)
      .def_readonly("radius", &Capsule::radius, "[m]")
      .def_readonly("length", &Capsule::length, "Of the cylindrical part [m].");
  py::class_<Cylinder>(module, "Cylinder", "About the origin, axis along z.")
      .def(py::init([](double radius, double height) {
             return checked(Cylinder{radius, height});
           }),
           "radius"_a, "height"_a)
      .def_readonly("radius", &Cylinder::radius, "[m]")
      .def_readonly("height", &Cylinder::height, "From end to end [m].");
  py::class_<ConvexHull>(module, "ConvexHull", "The hull of points (n, 3), at least four that span a volume.")
      .def(py::init([](const py::object& points) { return checked(ConvexHull{points_of(points, "points")}); }),
           "points"_a)
      .def_property_readonly(
          "points", [](const ConvexHull& hull) { return array_of(hull.points); }, "(n, 3) [m]: a copy.");
  py::class_<TriangleMesh>(module, "TriangleMesh",
                           "Triangles (m, 3) that index vertices (n, 3), anticlockwise seen from the free side. "
                           "Obstacles only.")
      .def(py::init([](const py::object& vertices, const py::object& triangles) {
             return checked(TriangleMesh{points_of(vertices, "vertices"), triangles_of(triangles)});
           }),
           "vertices"_a, "triangles"_a)
      .def_property_readonly(
          "vertices", [](const TriangleMesh& mesh) { return array_of(mesh.vertices); }, "(n, 3) [m]: a copy.")
      .def_property_readonly("triangles", &triangle_array, "(m, 3): a copy.");
  py::class_<HeightField>(module, "HeightField",
                          "z = heights[i, j] at x = x0 + i dx, y = y0 + j dy, centred; free above. Obstacles only.")
      .def(py::init(&height_field), "heights"_a, "spacing"_a);
  py::class_<Plane>(module, "Plane", "The half-space z <= 0, free above. Obstacles only.").def(py::init<>());

  module.def("read_mesh", &read_mesh_file, "path"_a, "scale"_a = 1.0,
             "The triangles of an STL or OBJ file, its lengths times scale. Raises ValueError naming the file.");
}

}  // namespace locdyn::python
