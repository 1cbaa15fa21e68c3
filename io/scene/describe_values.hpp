#pragma once
// The keys of values that are objects: series over time, orientations, placements (see describe.hpp).

#include <Eigen/Core>
#include <optional>

#include <locdyn/io/scene/rules.hpp>

namespace locdyn::scene_format {

/// A quantity over time where it is not constant.
template <class V, class T>
void describe(V& v, TimeSeries<T>& s) {
  v.required("times", s.times, "ascending [s]", Count{1});
  v.required("values", s.values, "one for each time; linear between them, constant before and after", Count{1});
}

/// An orientation where it is not a quaternion.
struct SceneTurn {
  std::optional<Eigen::Vector3d> axis, rpy_degrees;
  std::optional<double> degrees;
};
template <class V>
void describe(V& v, SceneTurn& t) {
  v.optional("axis", t.axis, "of any length > 0; z where absent");
  v.optional("degrees", t.degrees, "about the axis");
  v.optional("rpy_degrees", t.rpy_degrees, "about the fixed axes x, y, z in turn");
  v.exactly_one({"degrees", "rpy_degrees"});
  v.needs("axis", {"degrees"});
}

template <class V>
void describe(V& v, ScenePlacement& p) {
  v.optional("position", p.position, "of the origin of coordinates [m]");
  v.optional("orientation", p.orientation,
             "unit quaternion [w, x, y, z], {axis, degrees} (axis z where absent), or {rpy_degrees}: about the fixed "
             "axes x, y, z in turn");
}

}  // namespace locdyn::scene_format
