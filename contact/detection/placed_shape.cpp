#include "placed_shape.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>

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
void place_form(HalfSpace& form, const Matrix3d& rotation, const Vector3d& translation) {
  form.normal = rotation.col(2).normalized();
  form.origin = translation;
}

Bounds bounds_of(const PosedPolytope& form) {
  const Vector3d radius = Vector3d::Constant(form.shape->radius);
  return {form.center + form.low - radius, form.center + form.high + radius};
}
Bounds bounds_of(const HalfSpace&) {
  const Vector3d everywhere = Vector3d::Constant(1e100);  // finite: the tree takes differences
  return {-everywhere, everywhere};
}

// The points of one pair, about the center that is returned.
Vector3d meet(const PosedPolytope& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return first.center;
}
Vector3d meet(const HalfSpace& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  collide(first, second, reach, points);
  return second.center;
}

}  // namespace

PlacedShape::PlacedShape(const Shape& shape) {
  std::visit(
      [this]<class T>(const T& alternative) {
        if constexpr (is_polytope<T>) {
          auto polytope = std::make_shared<Polytope>(polytope_of(alternative));
          form_.emplace<PosedPolytope>().shape = polytope.get();
          polytope_ = std::move(polytope);
        } else if constexpr (std::is_same_v<T, Plane>) {
          form_ = HalfSpace{};
        } else {
          throw std::invalid_argument("shape: no contact detection yet for a " +
                                      std::string(name_of(Shape(alternative))));
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
