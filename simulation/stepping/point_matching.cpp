#include <locdyn/simulation/stepping/point_matching.hpp>

#include <algorithm>
#include <cmath>
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
      least = std::min(least, (contacts[i]->point.point - contacts[j]->point.point).squaredNorm());
    }
  }
  return std::sqrt(least) / 2;
}

// Where either body has carried the point of a contact.
struct Carried {
  Carried(const TrackedContact& contact, const TwoBodies& bodies)
      : by_master(bodies.master.to_space(contact.on_master)), by_slave(bodies.slave.to_space(contact.on_slave)) {}

  Eigen::Vector3d by_master, by_slave;
};

// Nearly all points of bodies that press lie near where they lay, and in the same order: each within half the reach of
// where both bodies have carried the one of before, so that all others of before, twice the reach from there, are
// beyond it (but where a body that deforms shrinks by a quarter in one step).
bool match_in_order(std::span<const DetectedContact> found, std::span<const TrackedContact* const> before,
                    const TwoBodies& bodies, double reach, std::span<Match> matches) {
  if (found.size() != before.size()) return false;
  const double near = reach * reach / 4;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Carried carried(*before[i], bodies);
    const double to_master = (found[i].point - carried.by_master).squaredNorm();
    const double to_slave = (found[i].point - carried.by_slave).squaredNorm();
    if (std::max(to_master, to_slave) > near) return false;
    matches[i] = {static_cast<int>(i), std::sqrt(std::min(to_master, to_slave))};
  }
  return true;
}

}  // namespace

bool same_points(std::span<const DetectedContact> found, std::span<const TrackedContact* const> known) {
  return std::equal(found.begin(), found.end(), known.begin(), known.end(),
                    [](const DetectedContact& f, const TrackedContact* k) { return f.point == k->point.point; });
}

bool leaps(const TrackedContact& before, const DetectedContact& found, double distance, double extent) {
  return distance > kLeap * extent || found.normal.dot(before.normal) < 1 - kLeap;
}

std::span<const Match> PointMatching::match(std::span<const DetectedContact> found,
                                            std::span<const TrackedContact* const> before, const TwoBodies& bodies) {
  const double reach = reach_of(before);
  matches_.resize(found.size());
  if (match_in_order(found, before, bodies, reach, matches_)) return matches_;
  candidates_.clear();
  for (std::size_t j = 0; j < before.size(); ++j) {
    const Carried carried(*before[j], bodies);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double distance = std::sqrt(std::min((found[i].point - carried.by_master).squaredNorm(),
                                                 (found[i].point - carried.by_slave).squaredNorm()));
      if (distance <= reach) candidates_.push_back({distance, i, j});
    }
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.distance, a.found, a.before) < std::tie(b.distance, b.found, b.before);
  });
  std::ranges::fill(matches_, Match{});
  taken_.assign(before.size(), 0);
  for (const Candidate& c : candidates_) {
    if (matches_[c.found].from >= 0 || taken_[c.before]) continue;
    matches_[c.found] = {static_cast<int>(c.before), c.distance};
    taken_[c.before] = 1;
  }
  return matches_;
}

}  // namespace locdyn::detail
