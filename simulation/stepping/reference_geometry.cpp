#include <locdyn/simulation/stepping/reference_geometry.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>

#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr double kLeftBehind = 1e-10;        // of the extent
constexpr std::int64_t kBodiesAtOnce = 256;  // that a thread takes

double radius_of(const Shape& shape) {
  struct Radius {
    double operator()(const Sphere& s) const { return s.radius; }
    double operator()(const Box& s) const { return s.size.norm() / 2; }
    double operator()(const Capsule& s) const { return s.radius + s.length / 2; }
    double operator()(const Cylinder& s) const { return std::hypot(s.radius, s.height / 2); }
    double operator()(const ConvexHull& s) const { return farthest(s.points); }
    double operator()(const TriangleMesh& s) const { return farthest(s.vertices); }
    double operator()(const HeightField& s) const {
      const double x = s.spacing.x() * static_cast<double>(s.heights.rows() - 1) / 2;
      const double y = s.spacing.y() * static_cast<double>(s.heights.cols() - 1) / 2;
      return std::hypot(x, y, s.heights.cwiseAbs().maxCoeff());
    }
    double operator()(const Plane&) const { return 0; }
    static double farthest(const std::vector<Eigen::Vector3d>& points) {
      double r = 0;
      for (const Eigen::Vector3d& p : points) r = std::max(r, p.norm());
      return r;
    }
  };
  return std::visit(Radius{}, shape);
}

// Is some number of q farther from the reference than the limit? Of a body that moves the first one is, as a rule.
bool any_farther(const Eigen::VectorXd& q, const Eigen::VectorXd& reference, double limit) {
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (std::abs(q[i] - reference[i]) > limit) return true;
  }
  return false;
}

Eigen::Matrix<double, 6, 1> prescribed_motion(const Body& obstacle) {
  const BodyMotion now = motion_of(obstacle);
  Eigen::Matrix<double, 6, 1> motion;
  motion << now.velocity, now.angular_velocity;
  return motion;
}

}  // namespace

void ReferenceGeometry::follow(const BodySet& bodies, std::span<const BodyId> ids, std::span<const double> extent,
                               int threads) {
  const std::size_t known = known_ ? reference_.size() : 0;
  const std::size_t kept = reference_.size();
  all_moved_ = known < bodies.id_bound();
  reference_.resize(bodies.id_bound());
  moved_.resize(bodies.id_bound());
  roused_.resize(bodies.id_bound(), 0);
  motion_.resize(bodies.id_bound(), Eigen::Matrix<double, 6, 1>::Zero());
  actual_.resize(bodies.id_bound());
  at_reference_.resize(bodies.id_bound());
  in_parallel(std::ssize(ids), threads, kBodiesAtOnce, [&](std::int64_t i) {
    const BodyId body = ids[i];
    bodies[body].read_configuration(actual_[body]);
    const Eigen::VectorXd& now = actual_[body];
    const bool left = body >= kept || any_farther(now, reference_[body], kLeftBehind * std::min(extent[body], 1.0));
    if (left) reference_[body] = now;
    at_reference_[body] = left;
    moved_[body] = left || roused_[body] || body >= known;
    roused_[body] = 0;
    if (bodies[body].freedoms() > 0) return;
    // An obstacle may turn back to where it was: what it drives has changed all the same.
    const Eigen::Matrix<double, 6, 1> motion = prescribed_motion(bodies[body]);
    if (motion != motion_[body]) moved_[body] = 1;
    motion_[body] = motion;
  });
  known_ = true;
}

void ReferenceGeometry::enter(BodySet& bodies, std::span<const BodyId> ids) {
  for (const BodyId body : ids) {
    if (at_reference_[body] != 0 || actual_[body] == reference_[body]) continue;
    bodies[body].set_configuration(reference_[body]);
    away_.push_back(body);
  }
}

void ReferenceGeometry::rest(BodyId body) {
  if (body < moved_.size()) moved_[body] = 0;
}

void ReferenceGeometry::rouse(BodyId body) {
  if (body < roused_.size()) roused_[body] = 1;
}

void ReferenceGeometry::leave(BodySet& bodies) {
  for (BodyId body : away_) bodies[body].set_configuration(actual_[body]);
  away_.clear();
}

std::vector<double> ReferenceGeometry::save(const BodySet& bodies) const {
  constexpr std::size_t kOfRigidBody = 7;
  std::vector<double> saved;
  saved.reserve(kOfRigidBody * reference_.size());
  for (BodyId body{0}; body < reference_.size(); ++body) {
    if (bodies.contains(body)) saved.insert(saved.end(), reference_[body].begin(), reference_[body].end());
  }
  return saved;
}

void ReferenceGeometry::restore(const BodySet& bodies, std::span<const double> saved) {
  reference_.clear();
  for (BodyId body{0}; body < bodies.id_bound() && !saved.empty(); ++body) {
    if (!bodies.contains(body)) {
      reference_.emplace_back();
      continue;
    }
    const auto size = static_cast<std::size_t>(bodies[body].configuration().size());
    if (size > saved.size()) break;
    reference_.emplace_back(Eigen::Map<const Eigen::VectorXd>(saved.data(), static_cast<Eigen::Index>(size)));
    saved = saved.subspan(size);
  }
  if (!saved.empty()) {
    throw std::invalid_argument("references: expected those of at most " + std::to_string(bodies.id_bound()) +
                                " bodies, found " + std::to_string(saved.size()) + " numbers more");
  }
  forget();
}

std::vector<double> body_extents(const System& system) {
  std::vector<double> extent(system.bodies().id_bound(), 0);
  for (const Collider& collider : system.colliders()) {
    if (collider.body == kNoBody) continue;
    double& of_body = extent[collider.body];
    of_body = std::max(of_body, collider.position.norm() + radius_of(collider.shape));
  }
  for (double& e : extent) {
    if (!(e > 0)) e = 1;
  }
  return extent;
}

}  // namespace locdyn::detail
