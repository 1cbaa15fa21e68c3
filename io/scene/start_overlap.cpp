#include <locdyn/io/scene/start_overlap.hpp>

#include <algorithm>
#include <limits>
#include <map>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::scene_format {
using namespace locdyn::detail;
namespace {

constexpr std::size_t kMostLines = 10;
constexpr double kOverlapShare = 1e-4;  // of the smaller shape

// The least extent of a shape; unbounded for those that have no inside.
struct LeastExtent {
  double operator()(const Sphere& s) const { return 2 * s.radius; }
  double operator()(const Box& s) const { return s.size.minCoeff(); }
  double operator()(const Capsule& s) const { return 2 * s.radius; }
  double operator()(const Cylinder& s) const { return std::min(2 * s.radius, s.height); }
  double operator()(const ConvexHull& s) const {
    Eigen::Vector3d low = s.points.front(), high = low;
    for (const Eigen::Vector3d& point : s.points) {
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    return (high - low).minCoeff();
  }
  template <class Surface>
  double operator()(const Surface&) const {
    return std::numeric_limits<double>::infinity();
  }
};

}  // namespace

std::vector<std::string> overlaps_at_start(System& system, const std::vector<std::string>& labels,
                                           std::optional<double> allowed) {
  const std::size_t count = system.bodies().id_bound();
  const std::vector<double> reach(count, 0.0);
  const std::vector<std::uint8_t> moved(count, 1);
  std::map<std::pair<BodyId, BodyId>, double> depths;  // of those that are too deep
  for (const DetectedContact& contact : system.detector()->detect(system.bodies(), reach, moved)) {
    const Collider& a = system.colliders()[contact.master];
    const Collider& b = system.colliders()[contact.slave];
    const double size = std::min(std::visit(LeastExtent{}, a.shape), std::visit(LeastExtent{}, b.shape));
    if (-contact.gap <= allowed.value_or(kOverlapShare * size)) continue;
    double& depth = depths[{std::min(a.body, b.body), std::max(a.body, b.body)}];
    depth = std::max(depth, -contact.gap);
  }

  std::vector<std::pair<double, std::pair<BodyId, BodyId>>> sorted;
  for (const auto& [pair, depth] : depths) sorted.emplace_back(-depth, pair);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> lines;
  for (const auto& [depth, pair] : sorted) {
    if (lines.size() == kMostLines) {
      lines.push_back("expected bodies apart at start, found " + std::to_string(sorted.size() - kMostLines) +
                      " more pairs that overlap");
      break;
    }
    lines.push_back("expected bodies apart at start, or within allow_overlap, found " + labels[pair.first] + " and " +
                    labels[pair.second] + " overlapping by " + spelled(-depth) + " m");
  }
  return lines;
}

}  // namespace locdyn::scene_format
