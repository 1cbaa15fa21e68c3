#include <locdyn/simulation/stepping/contact_horizon.hpp>

#include <Eigen/Geometry>
#include <iterator>

#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr double kLeast = 1e-3;             // of the extent
constexpr double kCreep = 1e-2;             // of the least reach: travel below it is a resting body's
constexpr double kImpactShare = 0.25;       // of the travel, for velocities that change within the step
constexpr std::int64_t kLooksAtOnce = 256;  // bodies or contacts that a thread takes

}  // namespace

void ContactHorizon::look(const System& system, std::span<const BodyId> ids, std::span<const double> extent, double h,
                          int threads) {
  const BodySet& bodies = system.bodies();
  h_ = h;
  motion_.resize(bodies.id_bound());
  centre_.resize(bodies.id_bound());
  reach_.resize(bodies.id_bound());
  margin_.resize(bodies.id_bound());
  in_parallel(std::ssize(ids), threads, kLooksAtOnce, [&](std::int64_t i) {
    const BodyId id = ids[i];
    const Body& body = bodies[id];
    motion_[id] = motion_of(body);
    centre_[id] = body.to_space(Eigen::Vector3d::Zero());
    const double travel = h * (motion_[id].velocity.norm() + motion_[id].angular_velocity.norm() * extent[id]);
    const bool obstacle = body.freedoms() == 0;
    const double least = obstacle ? 0 : h * h * system.gravity.norm() + kLeast * extent[id];
    const double moves = obstacle || travel > kCreep * least ? travel : 0;
    reach_[id] = least + moves;
    margin_[id] = least + kImpactShare * moves;
  });
}

std::span<const DetectedContact> ContactHorizon::closing(const System& system, std::span<const DetectedContact> found,
                                                         std::span<const std::uint8_t> active, int threads) {
  const auto velocity = [&](BodyId body, const Eigen::Vector3d& x) {
    return Eigen::Vector3d(motion_[body].velocity + motion_[body].angular_velocity.cross(x - centre_[body]));
  };
  closes_.resize(found.size());
  in_parallel(std::ssize(found), threads, kLooksAtOnce, [&](std::int64_t i) {
    const DetectedContact& contact = found[i];
    closes_[i] = 0;
    const BodyId master = system.colliders()[contact.master].body;
    const BodyId slave = system.colliders()[contact.slave].body;
    if (!active[master] && !active[slave]) return;
    const double approach = contact.normal.dot(velocity(slave, contact.point) - velocity(master, contact.point));
    closes_[i] = contact.gap <= 0 || contact.gap + h_ * approach <= margin_[master] + margin_[slave];
  });
  closing_.clear();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (closes_[i] != 0) closing_.push_back(found[i]);
  }
  return closing_;
}

}  // namespace locdyn::detail
