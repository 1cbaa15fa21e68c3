// Rays, distances and sweeps: rows of arrays in, rows of arrays out, many at once over threads.

#include <limits>
#include <locdyn/queries/distance_finder.hpp>
#include <locdyn/queries/ray_caster.hpp>
#include <optional>

#include "bindings.hpp"

namespace locdyn::python {
namespace {

// A row of what rays and sweeps meet; where they meet nothing the distance is infinite and the ids are the largest.
struct HitRow {
  double distance;
  double point[3], normal[3];
  std::uint32_t collider, body;
};

// A row of distances.
struct SeparationRow {
  double distance;
  double normal[3], on_first[3], on_second[3];
  std::uint32_t collider, body;
};

void copy_to(const Eigen::Vector3d& from, double (&to)[3]) {
  std::copy(from.begin(), from.end(), to);
}

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = 0xffffffffu;

HitRow row_of(const std::optional<RayHit>& hit) {
  HitRow row{.distance = kFar, .point = {kFar, kFar, kFar}, .normal = {}, .collider = kNone, .body = kNone};
  if (!hit) return row;
  row.distance = hit->distance;
  copy_to(hit->point, row.point);
  copy_to(hit->normal, row.normal);
  row.collider = hit->collider;
  row.body = hit->body;
  return row;
}

SeparationRow row_of(const std::optional<Separation>& found) {
  SeparationRow row{.distance = kFar,
                    .normal = {},
                    .on_first = {kFar, kFar, kFar},
                    .on_second = {kFar, kFar, kFar},
                    .collider = kNone,
                    .body = kNone};
  if (!found) return row;
  row.distance = found->distance;
  copy_to(found->normal, row.normal);
  copy_to(found->on_first, row.on_first);
  copy_to(found->on_second, row.on_second);
  row.collider = found->collider;
  row.body = found->body;
  return row;
}

template <class Row, class All>
py::array_t<Row> rows_of(const All& all) {
  py::array_t<Row> rows(static_cast<py::ssize_t>(all.size()));
  Row* next = rows.mutable_data();
  for (const auto& one : all) *next++ = row_of(one);
  return rows;
}

std::vector<Eigen::Vector3d> vectors(const py::handle& object, const char* what) {
  const Numbers values = numbers(object, what, {-1, 3});
  std::vector<Eigen::Vector3d> rows;
  rows.reserve(static_cast<std::size_t>(values.shape(0)));
  for (py::ssize_t i = 0; i < values.shape(0); ++i)
    rows.emplace_back(values.at(i, 0), values.at(i, 1), values.at(i, 2));
  return rows;
}

void same_count(std::size_t expected, std::size_t found, const char* what) {
  if (expected == found) return;
  throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) +
                              " rows, as many as the other array has, found " + std::to_string(found));
}

QueryFilter filter_of(std::uint32_t groups, const std::optional<BodyId>& without) {
  QueryFilter filter{.groups = groups};
  if (without) filter.without = *without;
  return filter;
}

std::vector<Ray> rays_of(const py::handle& origins, const py::handle& directions, double reach) {
  const auto from = vectors(origins, "origins"), along = vectors(directions, "directions");
  same_count(from.size(), along.size(), "directions");
  std::vector<Ray> rays;
  rays.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) rays.push_back({from[i], along[i], reach});
  return rays;
}

std::vector<Probe> probes_of(const Shape& shape, const py::handle& positions, const py::object& orientations) {
  std::vector<Probe> probes;
  for (const Eigen::Vector3d& x : vectors(positions, "positions")) probes.push_back({.shape = shape, .position = x});
  if (orientations.is_none()) return probes;
  const Numbers turns = numbers(orientations, "orientations", {-1, 4});
  same_count(probes.size(), static_cast<std::size_t>(turns.shape(0)), "orientations");
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const auto k = static_cast<py::ssize_t>(i);
    probes[i].orientation = Orientation(turns.at(k, 0), turns.at(k, 1), turns.at(k, 2), turns.at(k, 3));
  }
  return probes;
}

Shape solid(const py::handle& shape) {
  return cast_to<Shape>(shape, "shape", "a shape");
}

// Runs without the interpreter's lock.
template <class Ask>
auto unlocked(const Ask& ask) {
  const py::gil_scoped_release release;
  return ask();
}

}  // namespace

void bind_queries(py::module_& module) {
  using namespace py::literals;
  PYBIND11_NUMPY_DTYPE(HitRow, distance, point, normal, collider, body);
  PYBIND11_NUMPY_DTYPE(SeparationRow, distance, normal, on_first, on_second, collider, body);

  py::class_<RayCaster>(module, "RayCaster",
                        "Rays against the shapes of a system as they lay when it was made or last updated.\n\n"
                        "A row an answer: distance, point, normal, collider, body; where nothing is met the distance "
                        "is infinite. groups: bits, shapes of one of these; without: not those of this body.")
      .def(py::init<const System&>(), "system"_a, py::keep_alive<1, 2>())
      .def("update", &RayCaster::update, "Shapes as they lie now.")
      .def(
          "first",
          [](const RayCaster& caster, const py::object& origins, const py::object& directions, double reach,
             int threads, std::uint32_t groups, const std::optional<BodyId>& without) {
            const auto rays = rays_of(origins, directions, reach);
            return rows_of<HitRow>(
                unlocked([&] { return caster.first_of_each(rays, threads, filter_of(groups, without)); }));
          },
          "origins"_a, "directions"_a, py::kw_only(), "reach"_a = kFar, "threads"_a = 1, "groups"_a = 0xffffffffu,
          "without"_a = py::none(),
          "What each ray meets first, a structured array of n rows: origins (n, 3) [m] and directions (n, 3) of any "
          "length but 0, in space; reach [m]. The same bits on any number of threads.")
      .def(
          "all",
          [](const RayCaster& caster, const py::object& origin, const py::object& direction, double reach,
             std::uint32_t groups, const std::optional<BodyId>& without) {
            const std::vector<RayHit> hits = caster.all(
                {vector3(origin, "origin"), vector3(direction, "direction"), reach}, filter_of(groups, without));
            return rows_of<HitRow>(hits);
          },
          "origin"_a, "direction"_a, py::kw_only(), "reach"_a = kFar, "groups"_a = 0xffffffffu,
          "without"_a = py::none(), "Every shape that one ray meets, by distance: a structured array.");

  py::class_<DistanceFinder>(
      module, "DistanceFinder",
      "Distances, overlaps and sweeps against the shapes of a system as they lay when it was made or last updated.\n\n"
      "A row an answer: distance (< 0: minus the depth of an overlap), normal from the first to the second, the "
      "witness points on_first and on_second, collider and body of the second; where nothing is found the distance "
      "is infinite.")
      .def(py::init<const System&>(), "system"_a, py::keep_alive<1, 2>())
      .def("update", &DistanceFinder::update, "Shapes as they lie now.")
      .def(
          "between",
          [](const DistanceFinder& finder, const std::vector<std::pair<ColliderId, ColliderId>>& pairs, int threads) {
            return rows_of<SeparationRow>(unlocked([&] { return finder.between_each(pairs, threads); }));
          },
          "pairs"_a, py::kw_only(), "threads"_a = 1, "Of pairs of colliders: a row each.")
      .def(
          "nearest",
          [](const DistanceFinder& finder, const py::object& points, double reach, int threads, std::uint32_t groups,
             const std::optional<BodyId>& without) {
            const auto x = vectors(points, "points");
            return rows_of<SeparationRow>(
                unlocked([&] { return finder.nearest_of_each(x, reach, threads, filter_of(groups, without)); }));
          },
          "points"_a, py::kw_only(), "reach"_a = kFar, "threads"_a = 1, "groups"_a = 0xffffffffu,
          "without"_a = py::none(), "The shape nearest to each of points (n, 3) [m] within reach: n rows.")
      .def(
          "nearest_to",
          [](const DistanceFinder& finder, const py::object& shape, const py::object& positions,
             const py::object& orientations, double reach, int threads, std::uint32_t groups,
             const std::optional<BodyId>& without) {
            const auto probes = probes_of(solid(shape), positions, orientations);
            return rows_of<SeparationRow>(
                unlocked([&] { return finder.nearest_of_each(probes, reach, threads, filter_of(groups, without)); }));
          },
          "shape"_a, "positions"_a, "orientations"_a = py::none(), py::kw_only(), "reach"_a = kFar, "threads"_a = 1,
          "groups"_a = 0xffffffffu, "without"_a = py::none(),
          "The shape nearest to a solid that belongs to no system, at positions (n, 3) [m], turned by orientations "
          "(n, 4), quaternions (w, x, y, z): n rows.")
      .def(
          "within",
          [](const DistanceFinder& finder, const py::object& shape, const py::object& position, double reach,
             std::uint32_t groups, const std::optional<BodyId>& without) {
            const Probe probe{.shape = solid(shape), .position = vector3(position, "position")};
            return rows_of<SeparationRow>(finder.within(probe, reach, filter_of(groups, without)));
          },
          "shape"_a, "position"_a, "reach"_a, py::kw_only(), "groups"_a = 0xffffffffu, "without"_a = py::none(),
          "All shapes no farther than reach [m] from a solid, by distance; with reach 0 what touches or overlaps it.")
      .def(
          "sweep",
          [](const DistanceFinder& finder, const py::object& shape, const py::object& positions,
             const py::object& directions, const py::object& orientations, double reach, int threads,
             std::uint32_t groups, const std::optional<BodyId>& without) {
            const auto probes = probes_of(solid(shape), positions, orientations);
            const auto along = vectors(directions, "directions");
            same_count(probes.size(), along.size(), "directions");
            std::vector<Sweep> sweeps;
            for (std::size_t i = 0; i < probes.size(); ++i) sweeps.push_back({probes[i], along[i], reach});
            return rows_of<HitRow>(
                unlocked([&] { return finder.sweep_each(sweeps, threads, filter_of(groups, without)); }));
          },
          "shape"_a, "positions"_a, "directions"_a, "orientations"_a = py::none(), py::kw_only(), "reach"_a = kFar,
          "threads"_a = 1, "groups"_a = 0xffffffffu, "without"_a = py::none(),
          "What a solid meets first that is moved without turning: rows as of RayCaster.first, the distance that it "
          "has come.");
}

}  // namespace locdyn::python
