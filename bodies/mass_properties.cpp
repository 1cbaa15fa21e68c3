#include <locdyn/bodies/mass_properties.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

using std::numbers::pi;

Eigen::Matrix3d shift_inertia(double mass, const Eigen::Vector3d& r) {
  return mass * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
}

MassProperties centred(double mass, const Eigen::Vector3d& principal) {
  return {mass, Eigen::Vector3d::Zero(), principal.asDiagonal()};
}

// Every edge must be run through once in each sense: the surface is then closed and its triangles agree on outside.
void require_closed(std::span<const std::array<int, 3>> triangles, std::size_t vertex_count) {
  std::vector<std::pair<int, int>> edges;
  edges.reserve(3 * triangles.size());
  for (const auto& triangle : triangles) {
    for (int k = 0; k < 3; ++k) {
      if (triangle[k] < 0 || static_cast<std::size_t>(triangle[k]) >= vertex_count) {
        throw std::invalid_argument("polyhedron: expected a vertex index from 0 to " +
                                    std::to_string(static_cast<long>(vertex_count) - 1) + ", found " +
                                    std::to_string(triangle[k]));
      }
      edges.emplace_back(triangle[k], triangle[(k + 1) % 3]);
    }
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [from, to] = edges[i];
    const bool twice = i + 1 < edges.size() && edges[i + 1] == edges[i];
    if (twice || !std::binary_search(edges.begin(), edges.end(), std::pair{to, from})) {
      throw std::invalid_argument("polyhedron: expected each edge in two triangles, once in each sense, found edge " +
                                  std::to_string(from) + "–" + std::to_string(to) +
                                  (twice ? " twice in one sense" : " in one triangle alone"));
    }
  }
}

}  // namespace

void validate(const MassProperties& properties) {
  require_positive(properties.mass, "mass");
  require_finite(properties.center, "mass centre");
  require_positive_definite(properties.inertia, "inertia tensor");
  const Eigen::Vector3d J =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(properties.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (J[2] - J[0] - J[1] > 1e-9 * J.sum()) {
    throw std::invalid_argument("inertia tensor: expected no principal moment above the sum of the other two, found " +
                                spelled(J[2]) + " > " + spelled(J[0]) + " + " + spelled(J[1]));
  }
}

MassProperties sphere_mass(double density, double radius) {
  require_positive(density, "density");
  require_positive(radius, "radius");
  const double mass = density * 4 / 3 * pi * radius * radius * radius;
  return centred(mass, Eigen::Vector3d::Constant(0.4 * mass * radius * radius));
}

MassProperties box_mass(double density, const Eigen::Vector3d& size) {
  require_positive(density, "density");
  for (int axis = 0; axis < 3; ++axis) require_positive(size[axis], "size");
  const double mass = density * size.prod();
  const Eigen::Vector3d square = size.cwiseAbs2();
  return centred(mass, mass / 12 * (Eigen::Vector3d::Constant(square.sum()) - square));
}

MassProperties cylinder_mass(double density, double radius, double height) {
  require_positive(density, "density");
  require_positive(radius, "radius");
  require_positive(height, "height");
  const double mass = density * pi * radius * radius * height;
  const double across = mass * (3 * radius * radius + height * height) / 12;
  return centred(mass, {across, across, 0.5 * mass * radius * radius});
}

MassProperties capsule_mass(double density, double radius, double length) {
  const MassProperties barrel = cylinder_mass(density, radius, length);
  const MassProperties ends = sphere_mass(density, radius);  // the two halves together
  // A half-sphere's centre lies 3/8 r beyond its flat face; 2/5 m r² is its inertia about the centre of that face.
  const double face = 0.5 * length;
  const double across = ends.inertia(0, 0) + ends.mass * (face * face + 0.75 * radius * face);
  return centred(barrel.mass + ends.mass, {barrel.inertia(0, 0) + across, barrel.inertia(0, 0) + across,
                                           barrel.inertia(2, 2) + ends.inertia(2, 2)});
}

MassProperties polyhedron_mass(double density, std::span<const Eigen::Vector3d> vertices,
                               std::span<const std::array<int, 3>> triangles) {
  require_positive(density, "density");
  for (const Eigen::Vector3d& vertex : vertices) require_finite(vertex, "polyhedron vertex");
  require_closed(triangles, vertices.size());

  // Moments about the mean vertex, where they cancel least.
  Eigen::Vector3d reference = Eigen::Vector3d::Zero();
  Eigen::Vector3d low = Eigen::Vector3d::Constant(HUGE_VAL);
  Eigen::Vector3d high = -low;
  for (const Eigen::Vector3d& vertex : vertices) {
    reference += vertex / static_cast<double>(vertices.size());
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }

  // The tetrahedron (0, a, b, c) has volume det/6, first moment det/24 (a + b + c) and second moment
  // det/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ), s = a + b + c.
  double volume = 0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const auto& triangle : triangles) {
    Eigen::Matrix3d abc;
    for (int k = 0; k < 3; ++k) abc.col(k) = vertices[triangle[k]] - reference;
    const double det = abc.col(0).dot(abc.col(1).cross(abc.col(2)));
    const Eigen::Vector3d sum = abc.rowwise().sum();
    volume += det / 6;
    first += det / 24 * sum;
    second += det / 120 * (abc * abc.transpose() + sum * sum.transpose());
  }
  const double diagonal = (high - low).norm();
  if (!(volume > 1e-12 * diagonal * diagonal * diagonal)) {
    throw std::invalid_argument("polyhedron: expected a volume > 0 (triangles anticlockwise from outside), found " +
                                spelled(triangles.empty() ? 0 : volume));
  }

  const Eigen::Vector3d offset = first / volume;
  const Eigen::Matrix3d euler = density * (second - volume * offset * offset.transpose());
  return {density * volume, reference + offset, euler.trace() * Eigen::Matrix3d::Identity() - euler};
}

MassProperties moved(const MassProperties& properties, const Eigen::Matrix3d& Q, const Eigen::Vector3d& d) {
  require_finite(d, "displacement");
  require_finite(Q, "rotation");
  if ((Q * Q.transpose() - Eigen::Matrix3d::Identity()).norm() > 1e-6 || Q.determinant() < 0) {
    throw std::invalid_argument("rotation: expected an orthogonal matrix of determinant 1, found determinant " +
                                spelled(Q.determinant()));
  }
  return {properties.mass, Q * properties.center + d, Q * properties.inertia * Q.transpose()};
}

MassProperties combined(std::span<const MassProperties> parts) {
  if (parts.empty()) throw std::invalid_argument("parts: expected at least one, found none");
  MassProperties whole;
  for (const MassProperties& part : parts) {
    validate(part);
    whole.mass += part.mass;
    whole.center += part.mass * part.center;
  }
  whole.center /= whole.mass;
  for (const MassProperties& part : parts) whole.inertia += inertia_about(part, whole.center);
  return whole;
}

Eigen::Matrix3d inertia_about(const MassProperties& properties, const Eigen::Vector3d& point) {
  return properties.inertia + shift_inertia(properties.mass, point - properties.center);
}

Eigen::Matrix3d euler_tensor(const MassProperties& properties) {
  return 0.5 * properties.inertia.trace() * Eigen::Matrix3d::Identity() - properties.inertia;
}

}  // namespace locdyn
