#include <locdyn/simulation/stepping/contact_horizon.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>

#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr double kLeast = 1e-3;            // of the extent
constexpr double kCreep = 1e-2;            // of the least reach: travel below it is a resting body's
constexpr double kImpactShare = 0.25;      // of the travel, for velocities that change within the step
constexpr std::size_t kLooksAtOnce = 256;  // bodies or contacts that a thread takes

}  // namespace

void ContactHorizon::look(const System& system, std::span<const BodyId> ids, std::span<const double> extent, double h,
                          int threads) {
  const BodySet& bodies = system.bodies();
  h_ = h;
  motion_.resize(bodies.id_bound());
  reach_.resize(bodies.id_bound());
  margin_.resize(bodies.id_bound());
  const double falls = h * h * system.gravity.norm();
  in_parallel(std::ssize(ids), threads, std::int64_t{kLooksAtOnce}, [&](std::int64_t i) {
    const BodyId id = ids[i];
    const Body& body = bodies[id];
    const BodyMotion motion = motion_of(body);
    motion_[id] = motion;
    const double travel = h * (motion.velocity.norm() + motion.angular_velocity.norm() * extent[id]);
    const bool obstacle = body.freedoms() == 0;
    const double least = obstacle ? 0 : falls + kLeast * extent[id];
    const double moves = obstacle || travel > kCreep * least ? travel : 0;
    reach_[id] = least + moves;
    margin_[id] = least + kImpactShare * moves;
  });
}

std::span<const DetectedContact> ContactHorizon::closing(const System& system, std::span<const DetectedContact> found,
                                                         std::span<const std::uint8_t> active, int threads) {
  const auto velocity = [&](BodyId body, const Eigen::Vector3d& x) {
    const BodyMotion& motion = motion_[body];
    return Eigen::Vector3d(motion.velocity + motion.angular_velocity.cross(x - motion.centre));
  };
  const std::size_t runs = (found.size() + kLooksAtOnce - 1) / kLooksAtOnce;
  closes_.resize(found.size());
  first_.assign(runs + 1, 0);
  const auto each_of_run = [&](std::int64_t run, const auto& work) {
    const std::size_t first = static_cast<std::size_t>(run) * kLooksAtOnce;
    const std::size_t end = std::min(first + kLooksAtOnce, found.size());
    for (std::size_t i = first; i < end; ++i) work(i);
  };
  in_parallel(std::ssize(first_) - 1, threads, 1, [&](std::int64_t run) {
    each_of_run(run, [&](std::size_t i) {
      const DetectedContact& contact = found[i];
      closes_[i] = 0;
      const BodyId master = system.colliders()[contact.master].body;
      const BodyId slave = system.colliders()[contact.slave].body;
      if (!active[master] && !active[slave]) return;
      const auto approach = [&] {
        return contact.normal.dot(velocity(slave, contact.point) - velocity(master, contact.point));
      };
      closes_[i] = contact.gap <= 0 || contact.gap + h_ * approach() <= margin_[master] + margin_[slave];
      first_[run + 1] += closes_[i];
    });
  });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  closing_.resize(first_.back());
  parallel_for(std::ssize(first_) - 1, threads, 1, [&](std::int64_t run) {
    std::size_t at = first_[run];
    each_of_run(run, [&](std::size_t i) {
      if (closes_[i] != 0) closing_[at++] = found[i];
    });
  });
  return closing_;
}

}  // namespace locdyn::detail
