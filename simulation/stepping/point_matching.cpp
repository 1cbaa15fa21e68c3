#include <locdyn/simulation/stepping/point_matching.hpp>

#include <algorithm>
#include <limits>
#include <tuple>

namespace locdyn::detail {
namespace {

constexpr double kLeap = 0.02;  // of the smaller body's extent, and of 1 − cos of the normals

// Half the least distance between two of them: beyond it a point is taken for another one.
double reach_of(std::span<const TrackedContact* const> contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      least = std::min(least, (contacts[i]->point.point - contacts[j]->point.point).norm());
    }
  }
  return least / 2;
}

}  // namespace

bool same_points(std::span<const DetectedContact> found, std::span<const TrackedContact* const> known) {
  return std::equal(found.begin(), found.end(), known.begin(), known.end(),
                    [](const DetectedContact& f, const TrackedContact* k) { return f.point == k->point.point; });
}

bool leaps(const TrackedContact& before, const DetectedContact& found, const TwoBodies& bodies, double extent) {
  const double way = std::min((found.point - bodies.master.to_space(before.on_master)).norm(),
                              (found.point - bodies.slave.to_space(before.on_slave)).norm());
  return way > kLeap * extent || found.normal.dot(before.normal) < 1 - kLeap;
}

std::span<const int> PointMatching::match(std::span<const DetectedContact> found,
                                          std::span<const TrackedContact* const> before, const TwoBodies& bodies) {
  from_.assign(found.size(), -1);
  if (before.empty()) return from_;
  if (found.size() == 1 && before.size() == 1) {  // no other point is near
    from_[0] = 0;
    return from_;
  }
  const double reach = reach_of(before);
  candidates_.clear();
  for (std::size_t j = 0; j < before.size(); ++j) {
    const Eigen::Vector3d on_master = bodies.master.to_space(before[j]->on_master);
    const Eigen::Vector3d on_slave = bodies.slave.to_space(before[j]->on_slave);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double distance = std::min((found[i].point - on_master).norm(), (found[i].point - on_slave).norm());
      if (distance <= reach) candidates_.push_back({distance, i, j});
    }
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.distance, a.found, a.before) < std::tie(b.distance, b.found, b.before);
  });
  taken_.assign(before.size(), 0);
  for (const Candidate& c : candidates_) {
    if (from_[c.found] >= 0 || taken_[c.before]) continue;
    from_[c.found] = static_cast<int>(c.before);
    taken_[c.before] = 1;
  }
  return from_;
}

}  // namespace locdyn::detail
