#pragma once
// The faults of a scene as they are found: one line each, so that one run finds them all.

#include <string>
#include <vector>

#include <locdyn/io/scene/time_series.hpp>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::scene_format {
using namespace locdyn::detail;  // checks of numbers and words about them, in all files of this folder

struct FaultList {
  std::vector<std::string> faults;  ///< "place: expected …, found …"

  /// Notes one. The place of the scene itself is empty.
  void fault(const std::string& place, const std::string& expected, const std::string& found);
};

/// Notes a series that is there, in order, and not zero at time 0.
template <class T>
void require_zero_start(const std::string& place, const TimeSeries<T>& series, FaultList& list) {
  if (series.values.empty() || series.times.size() > series.values.size()) return;
  if (series.at(0) != T(0 * series.at(0))) list.fault(place, "zero at time 0", "another value");
}

}  // namespace locdyn::scene_format
