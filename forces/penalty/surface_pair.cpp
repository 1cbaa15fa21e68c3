#include <locdyn/forces/penalty/surface_pair.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/forces/penalty/descent.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr const char* kMaster = "master surface";
constexpr const char* kSlave = "slave surface";
constexpr double kPairRounding = 8 * std::numeric_limits<double>::epsilon();
constexpr DescentOptions kOnSphere{.longest_step = 0.5, .tolerance = 1e-8};  // [rad]

Eigen::Vector3d turned(const Eigen::Vector3d& n, const Eigen::Vector2d& step) {
  return (n + tangents_of(n) * step).normalized();
}

// The slave as the master's coordinates have it.
struct Placed {
  const ConvexSurface& surface;
  Eigen::Matrix3d turn;
  Eigen::Vector3d shift;

  [[nodiscard]] Eigen::Vector3d to_master(const Eigen::Vector3d& X) const { return shift + turn * X; }
  [[nodiscard]] ConvexPoint at(const Eigen::Vector3d& n) const {
    const ConvexPoint own = point_at(surface, turn.transpose() * n, kSlave);
    return {to_master(own.point), turn * own.radii * turn.transpose()};
  }
};

Placed placed(const ConvexSurface& slave, const CarriedPlane::Pose& frame, const CarriedPlane::Pose& master) {
  return {slave, master.axes.transpose() * frame.axes, master.to_plane(frame.origin)};
}

// The deepest-first places to descend from: the least depth, then those within `kNear` of it, each further than
// `kApart` from those before. Surfaces that hardly touch have one: depths elsewhere are many times theirs.
std::vector<std::size_t> starts_apart(const std::array<Eigen::Vector3d, kDirections>& directions,
                                      const std::array<double, kDirections>& depths) {
  constexpr std::size_t kMostStarts = 6;
  constexpr double kNear = 2, kApart = 0.9;  // of the least depth; cos of 26°, two spacings of the directions
  std::array<std::size_t, kDirections> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return depths[i] < depths[j]; });
  std::vector<std::size_t> starts;
  for (const std::size_t k : order) {
    if (!starts.empty() && !(depths[k] < kNear * depths[order[0]])) break;
    const bool apart = std::all_of(starts.begin(), starts.end(),
                                   [&](std::size_t i) { return directions[i].dot(directions[k]) < kApart; });
    if (apart) starts.push_back(k);
    if (starts.size() == kMostStarts) break;
  }
  return starts;
}

}  // namespace

SurfacePair::SurfacePair(ConvexSurface master, std::optional<BodyId> master_body, ConvexSurface slave,
                         BodyId slave_body)
    : master_(std::move(master)), slave_(std::move(slave)), master_frame_(master_body), slave_frame_(slave_body) {
  const ConvexSurface& convex = std::get<ConvexSurface>(master_);
  validate(convex, kMaster);
  master_sphere_ = sphere_about(convex, kMaster);
  start();
}

SurfacePair::SurfacePair(HeightSurface master, std::optional<BodyId> master_body, ConvexSurface slave,
                         BodyId slave_body)
    : master_(std::move(master)), slave_(std::move(slave)), master_frame_(master_body), slave_frame_(slave_body) {
  validate(std::get<HeightSurface>(master_), kMaster);
  start();
}

void SurfacePair::start() {
  validate(slave_, kSlave);
  if (master_frame_.body() == slave_frame_.body()) {
    throw std::invalid_argument("surfaces: expected those of two bodies, found both on body " +
                                std::to_string(*slave_frame_.body()));
  }
  slave_sphere_ = sphere_about(slave_, kSlave);
  for (int k = 0; k < kDirections; ++k) slave_samples_.push_back(slave_.point(direction(k)));
}

// About the box that the extreme points along the axes span, which holds all of it.
SurfacePair::Sphere SurfacePair::sphere_about(const ConvexSurface& surface, const char* what) {
  Eigen::Vector3d low, high;
  for (int axis = 0; axis < 3; ++axis) {
    high[axis] = point_at(surface, Eigen::Vector3d::Unit(axis), what).point[axis];
    low[axis] = point_at(surface, -Eigen::Vector3d::Unit(axis), what).point[axis];
  }
  return {0.5 * (low + high), 0.5 * (high - low).norm()};
}

std::vector<BodyId> SurfacePair::bodies() const {
  std::vector<BodyId> ids = {*slave_frame_.body()};
  if (master_frame_.body()) ids.push_back(*master_frame_.body());
  return ids;
}

void SurfacePair::attach(const BodySet& bodies) {
  master_frame_.attach(bodies, kMaster);
  slave_frame_.attach(bodies, kSlave);
}

std::optional<ClosestPoints> SurfacePair::find(const BodySet& bodies) const {
  return std::visit([&](const auto& master) { return find_on(master, bodies); }, master_);
}

std::optional<ClosestPoints> SurfacePair::find_on(const ConvexSurface& master, const BodySet& bodies) const {
  const CarriedPlane::Pose frame = master_frame_.pose(bodies);
  const Placed slave = placed(slave_, slave_frame_.pose(bodies), frame);
  const Eigen::Vector3d between = slave.to_master(slave_sphere_.center) - master_sphere_.center;
  if (between.norm() > master_sphere_.radius + slave_sphere_.radius) return std::nullopt;

  // −gap is the least n·(p₁(n) − p₂(−n)), of which surfaces deep in each other have several of about one depth: the
  // best of the descents from directions apart whose own depths come near.
  std::array<Eigen::Vector3d, kDirections> directions;
  std::array<double, kDirections> depths;
  for (int k = 0; k < kDirections; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Eigen::Vector3d m = -(slave.turn * direction(k));
    directions[at] = m;
    depths[at] = m.dot(master.point(m) - slave.to_master(slave_samples_[at]));
  }
  const auto overlap = [&](const Eigen::Vector3d& m) {
    const ConvexPoint p = point_at(master, m, kMaster), q = slave.at(-m);
    const Eigen::Matrix<double, 3, 2> T = tangents_of(m);
    SurfaceSlope f;
    f.value = m.dot(p.point - q.point);
    f.first = T.transpose() * (p.point - q.point);
    f.metric = T.transpose() * (p.radii + q.radii) * T;
    f.second = f.metric - f.value * Eigen::Matrix2d::Identity();
    f.rounding = kPairRounding * (p.point.norm() + q.point.norm());
    return f;
  };
  Eigen::Vector3d n = Eigen::Vector3d::UnitZ();
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t start : starts_apart(directions, depths)) {
    const Eigen::Vector3d m = least_near(directions[start], overlap, turned, kOnSphere);
    const double depth = m.dot(master.point(m) - slave.at(-m).point);
    if (!(depth < least)) continue;
    least = depth;
    n = m;
  }

  const Eigen::Vector3d on_master = master.point(n), on_slave = slave.at(-n).point;
  return ClosestPoints{frame.to_space(on_master), frame.to_space(on_slave), frame.axes * n,
                       n.dot(on_slave - on_master)};
}

std::optional<ClosestPoints> SurfacePair::find_on(const HeightSurface& master, const BodySet& bodies) const {
  const CarriedPlane::Pose carried = master_frame_.pose(bodies);
  const CarriedPlane::Pose frame{carried.to_space(master.origin), carried.axes * master.axes};
  const Placed slave = placed(slave_, slave_frame_.pose(bodies), frame);

  Eigen::Vector3d n = -Eigen::Vector3d::UnitZ();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kDirections; ++k) {
    const double value = distance_near(master, slave.to_master(slave_samples_[static_cast<std::size_t>(k)]), kMaster);
    if (!(value < least)) continue;
    least = value;
    n = slave.turn * direction(k);
  }
  // The second derivative is exact where both normals lie along one line: the ground's is −m there, and ∇²h m = 0 gives
  // −m·∂²p/∂m² = ∇²h.
  const auto distance = [&](const Eigen::Vector3d& m) {
    const ConvexPoint p = slave.at(m);
    const Foot foot = foot_of(master, p.point, kMaster);
    const Eigen::Matrix<double, 3, 2> T = tangents_of(m);
    const Eigen::Matrix<double, 3, 2> RT = p.radii * T;
    SurfaceSlope f;
    f.value = foot.distance;
    f.first = RT.transpose() * foot.normal;
    f.metric = T.transpose() * RT;
    f.second = f.metric + RT.transpose() * foot.second * RT;
    f.rounding = kPairRounding * (p.point.norm() + foot.point.norm());
    return f;
  };
  n = least_near(n, distance, turned, kOnSphere);

  const Eigen::Vector3d x = slave.at(n).point;
  const Foot foot = foot_of(master, x, kMaster);
  return ClosestPoints{frame.to_space(foot.point), frame.to_space(x), frame.axes * foot.normal, foot.distance};
}

}  // namespace locdyn
