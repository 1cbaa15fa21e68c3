#pragma once
// A scene told once, in no engine's words; each engine builds it in its own.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/bodies/rotation.hpp>
#include <locdyn/contact/shape.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::peers {

/// The shape's origin is the mass centre and its axes are the principal axes of inertia, for every body that moves.
struct SceneBody {
  Shape shape;
  MassProperties mass;  ///< not used where `fixed`
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Orientation orientation = Orientation::Identity();
  bool fixed = false;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), angular_velocity = Eigen::Vector3d::Zero();  ///< in space
  std::optional<double> friction = {};  ///< of a pair √(μ₁ μ₂); absent: the scene's
  double restitution = 0;               ///< of a pair the larger
  int carrier = -1;                     ///< of a fixed body that moves: place in Scene::carriers; −1: it does not
  std::optional<Eigen::Vector3d> slides = {};  ///< the one direction that it moves along, of length 1; absent: any way
};

/// What moves fixed bodies: an obstacle where it is at start, and how it goes.
struct Carrier {
  Obstacle obstacle;
  Drive drive;
};

/// Means over the step from t to t + h, in space, about the mass centre but for the force's point.
struct AppliedForce {
  int body;
  std::function<Eigen::Vector3d(double t, double h)> force, torque;  ///< [N], [N m]
  Eigen::Vector3d point = Eigen::Vector3d::Zero();                   ///< that the force acts at, in the body's axes
};

struct Scene {
  std::string name;
  double h = 1.0 / 240;  ///< [s]
  double friction = 0;   ///< μ of every pair; e = 0
  std::vector<SceneBody> bodies;
  int warm_up = 0;                                 ///< steps before the clock runs
  int timed = 200;                                 ///< steps on the clock
  std::vector<double> tolerances = {1e-8, 1e-11};  ///< of locdyn, on the scaled residual
  Eigen::Vector3d gravity = {0, 0, -9.81};         ///< [m/s²]
  std::vector<Carrier> carriers = {};
  std::vector<AppliedForce> forces = {};

  /// Of the i-th body.
  [[nodiscard]] double friction_of(std::size_t i) const { return bodies[i].friction.value_or(friction); }
};

/// Bricks in running bond, half bricks at the ends of every second course. 20 courses of 20: 410 bricks, 780 pairs of
/// faces.
[[nodiscard]] Scene wall(int courses = 20, int bricks = 20);
/// A semicircle of 20 voussoirs between two fixed springers, thickness over centre-line radius 0.18.
[[nodiscard]] Scene arch();
/// A block between a fixed jaw (body 0) and one that a force F presses along x (body 2), at `share` of what friction
/// bears, m (g + a) = share · 2 μ F. It is shaken up and down with an amplitude a, of the period of `kGripPeriod`, seen
/// from the gripper: as a force on the block (body 1).
[[nodiscard]] Scene grip(double share = 0.98);
inline constexpr double kGripPeriod = 0.5;  ///< [s]
/// `spheres` and `boxes` of mixed sizes, placed by the seed, falling into a heap on the ground.
[[nodiscard]] Scene pile(int spheres, int boxes, std::uint32_t seed);

}  // namespace locdyn::peers
