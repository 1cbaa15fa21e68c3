#pragma once
// What a joint of a scene must obey by itself, beyond the types of its values.

#include <locdyn/io/scene/read_values.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// Notes directions of length zero, points that coincide, axes that are parallel, drives that do not start at zero.
void check_joint(const SceneJoint& joint, ReadContext& context);

/// Notes a series that is there, in order, and not zero at time 0.
template <class T>
void require_zero_start(const std::string& place, const TimeSeries<T>& series, ReadContext& context) {
  if (series.values.empty() || series.times.size() > series.values.size()) return;
  if (series.at(0) != T(0 * series.at(0))) context.fault(place, "zero at time 0", "another value");
}

}  // namespace locdyn::scene_format
