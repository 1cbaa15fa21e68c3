#include <locdyn/io/scene/mjcf/single_precision.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <vector>

namespace locdyn::scene_format::mjcf {
namespace {

// Corners in single precision; what comes of them in double.
struct RoundedTriangle {
  std::array<Eigen::Vector3f, 3> corner;

  [[nodiscard]] Eigen::Vector3d center() const {
    const Eigen::Vector3f sum = corner[0] + corner[1] + corner[2];
    return Eigen::Vector3f(sum / 3.0F).cast<double>();
  }
  // Its normal, as long as its area.
  [[nodiscard]] Eigen::Vector3d area() const {
    const Eigen::Vector3f b = corner[1] - corner[0], c = corner[2] - corner[0];
    return 0.5 * b.cast<double>().cross(c.cast<double>());
  }
  [[nodiscard]] double volume(const Eigen::Vector3d& apex) const { return std::abs((center() - apex).dot(area())) / 3; }
  // 20 times ∫ x xᵀ over the pyramid from the origin, by its volume.
  [[nodiscard]] Eigen::Matrix3d moments() const {
    const auto& [a, b, c] = corner;
    Eigen::Matrix3f sum;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        sum(j, i) = sum(i, j) = 2 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) + a[i] * b[j] + a[j] * b[i] +
                                a[i] * c[j] + a[j] * c[i] + b[i] * c[j] + b[j] * c[i];
      }
    }
    return sum.cast<double>();
  }
};

std::vector<RoundedTriangle> rounded(const TriangleMesh& mesh, const Eigen::Vector3d& origin) {
  std::vector<RoundedTriangle> list;
  for (const std::array<int, 3>& t : mesh.triangles) {
    RoundedTriangle& triangle = list.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Vector3f kept = mesh.vertices[static_cast<std::size_t>(t[k])].cast<float>();
      triangle.corner[k] = (kept.cast<double>() - origin).cast<float>();
    }
  }
  return list;
}

Eigen::Vector3d mass_center(const std::vector<RoundedTriangle>& triangles) {
  Eigen::Vector3d apex = Eigen::Vector3d::Zero(), center = Eigen::Vector3d::Zero();
  double area = 0, volume = 0;
  for (const RoundedTriangle& t : triangles) {
    const double part = t.area().norm();
    apex += part * t.center();
    area += part;
  }
  apex /= area;
  for (const RoundedTriangle& t : triangles) {
    const double part = t.volume(apex);
    center += part * (0.75 * t.center() + 0.25 * apex);
    volume += part;
  }
  return center / volume;
}

}  // namespace

void keep_in_single_precision(TriangleMesh& mesh) {
  for (Eigen::Vector3d& vertex : mesh.vertices) vertex = vertex.cast<float>().cast<double>();
}

MassProperties box_mass_in_single_precision(const TriangleMesh& mesh) {
  const Eigen::Vector3d center = mass_center(rounded(mesh, Eigen::Vector3d::Zero()));
  double volume = 0;
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const RoundedTriangle& t : rounded(mesh, center)) {
    const double part = t.volume(Eigen::Vector3d::Zero());
    volume += part;
    second += part / 20 * t.moments();
  }
  const Eigen::Matrix3d inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
  const Eigen::Vector3d J = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues();
  double square = 1;  // of the volume of the box
  for (int i = 0; i < 3; ++i) square *= 6 * (J.sum() - 2 * J[i]) / volume;
  const double mass = std::sqrt(square);
  return {mass, center, inertia * (mass / volume)};
}

}  // namespace locdyn::scene_format::mjcf
