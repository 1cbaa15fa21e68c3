#include "placed_shape.hpp"

#include <type_traits>
#include <utility>

namespace locdyn::detection {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

template <class T>
inline constexpr bool is_polytope = requires(const T& shape) {
  polytope_of(shape);
};

void place_form(PosedPolytope& form, const Matrix3d& rotation, const Vector3d& translation) {
  form.place(rotation, translation);
}
void place_form(PosedCylinder& form, const Matrix3d& rotation, const Vector3d& translation) {
  form.rotation = rotation;
  form.center = translation;
}
void place_form(HalfSpace& form, const Matrix3d& rotation, const Vector3d& translation) {
  form.normal = rotation.col(2).normalized();
  form.origin = translation;
}
void place_form(PosedSurface& form, const Matrix3d& rotation, const Vector3d& translation) {
  form.rotation = rotation;
  form.center = translation;
}

Bounds bounds_of(const PosedPolytope& form) {
  const Vector3d radius = Vector3d::Constant(form.shape->radius);
  return {form.center + form.low - radius, form.center + form.high + radius};
}
Bounds bounds_of(const PosedCylinder& form) {
  const Vector3d axis = form.rotation.col(2);
  const Vector3d half = form.half_height * axis.cwiseAbs() + form.radius * form.rotation.leftCols<2>().rowwise().norm();
  return {form.center - half, form.center + half};
}
// A plane across an axis bounds it there, any other nowhere.
Bounds bounds_of(const HalfSpace& form) {
  const Vector3d everywhere = Vector3d::Constant(kBoundless);
  Bounds bounds{-everywhere, everywhere};
  for (int axis = 0; axis < 3; ++axis) {
    if (form.normal == Vector3d::Unit(axis)) bounds.high[axis] = form.origin[axis];
    if (form.normal == -Vector3d::Unit(axis)) bounds.low[axis] = form.origin[axis];
  }
  return bounds;
}
Bounds bounds_of(const PosedSurface& form) {
  const Bounds& local = form.surface->bounds();
  const Vector3d center = form.center + form.rotation * (0.5 * (local.low + local.high));
  const Vector3d half = form.rotation.cwiseAbs() * (0.5 * (local.high - local.low));
  return {center - half, center + half};
}

// The points of one pair, about the center that is returned.
Vector3d meet(const PosedPolytope& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return first.center;
}
Vector3d meet(const PosedCylinder& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return first.center;
}
Vector3d meet(const PosedCylinder& first, const PosedCylinder& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return first.center;
}
Vector3d meet(const HalfSpace& first, const PosedCylinder& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return second.center;
}
Vector3d meet(const HalfSpace& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return second.center;
}
Vector3d meet(const PosedSurface& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return first.center;
}
Vector3d meet(const PosedSurface& first, const PosedCylinder& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return first.center;
}

}  // namespace

PlacedShape::PlacedShape(const Shape& shape) {
  std::visit(
      [this]<class T>(const T& alternative) {
        if constexpr (is_polytope<T>) {
          auto polytope = std::make_shared<Polytope>(polytope_of(alternative));
          form_.emplace<PosedPolytope>().shape = polytope.get();
          polytope_ = std::move(polytope);
        } else if constexpr (std::is_same_v<T, Cylinder>) {
          form_ = PosedCylinder{.radius = alternative.radius, .half_height = 0.5 * alternative.height};
        } else if constexpr (std::is_same_v<T, Plane>) {
          form_ = HalfSpace{};
        } else {
          auto surface = std::make_shared<Surface>(alternative);
          form_.emplace<PosedSurface>().surface = surface.get();
          surface_ = std::move(surface);
        }
      },
      shape);
}

void PlacedShape::place(const Matrix3d& rotation, const Vector3d& translation) {
  std::visit([&](auto& form) { place_form(form, rotation, translation); }, form_);
}

Bounds PlacedShape::bounds() const {
  return std::visit([](const auto& form) { return bounds_of(form); }, form_);
}

void PlacedShape::collide(const PlacedShape& first, const PlacedShape& second, double reach,
                          std::vector<PairPoint>& points) {
  const std::size_t start = points.size();
  // What most shapes are, asked for first.
  const auto *polytope = std::get_if<PosedPolytope>(&first.form_), *other = std::get_if<PosedPolytope>(&second.form_);
  if (polytope != nullptr && other != nullptr) {
    detection::collide(*polytope, *other, reach, points);
    for (std::size_t p = start; p < points.size(); ++p) points[p].point += polytope->center;
    return;
  }
  std::visit(
      [&](const auto& a, const auto& b) {
        Vector3d center = Vector3d::Zero();
        bool swapped = false;
        if constexpr (requires { meet(a, b, reach, points); }) {
          center = meet(a, b, reach, points);
        } else if constexpr (requires { meet(b, a, reach, points); }) {
          center = meet(b, a, reach, points);
          swapped = true;
        }
        for (std::size_t p = start; p < points.size(); ++p) {
          points[p].point += center;
          if (swapped) points[p].normal = -points[p].normal;
        }
      },
      first.form_, second.form_);
}

}  // namespace locdyn::detection
