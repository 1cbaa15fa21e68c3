#pragma once
// A model in MuJoCo: what it says of masses, poses and accelerations, and how it moves, with and without contacts.
// Source: MuJoCo's C API, mujoco.readthedocs.io.

#include <Eigen/Core>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn::robots {

/// Where a body lies in space, and how fast that changes.
struct PeerBody {
  Eigen::Vector3d position;  // of its frame
  Orientation orientation;
  Eigen::Vector3d velocity, angular_velocity;          // of its frame, in space
  Eigen::Vector3d acceleration, angular_acceleration;  // the same
};

/// Of steps with contacts: mean time, mean and worst scaled residual of the contacts' law, most penetration.
struct PeerRun {
  double step_time = 0, residual = 0, worst_residual = 0, penetration = 0;
  double contacts = 0;  // mean number
  bool steady = true;   // all numbers stayed finite
};

class MujocoPeer {
 public:
  /// Throws std::runtime_error with MuJoCo's message.
  explicit MujocoPeer(const std::filesystem::path& file);
  ~MujocoPeer();

  /// Does this version weigh meshes as boxes of the same moments? Those before 2.3 do.
  [[nodiscard]] static bool weighs_boxes();

  [[nodiscard]] int coordinates() const;
  [[nodiscard]] int velocities() const;
  /// Near the reference, from numbers in −1 … 1.
  [[nodiscard]] std::vector<double> state_near_reference(const std::vector<double>& numbers) const;
  [[nodiscard]] std::vector<double> reference() const;
  [[nodiscard]] double timestep() const;

  /// Without contacts, limits, friction in joints, equalities and actuators.
  void move_freely();
  void set_state(const std::vector<double>& qpos, const std::vector<double>& qvel);
  /// Of order 4 with steps no longer than `step`.
  void integrate(double time, double step);

  /// Throws std::runtime_error for a name that is not there.
  [[nodiscard]] PeerBody body(const std::string& name) const;
  /// Of the body and of all that is welded to it, in its frame.
  [[nodiscard]] MassProperties mass(const std::string& name) const;

  /// With all that the model says, cones elliptic, for so many steps of h; residuals from the `from`-th on.
  [[nodiscard]] PeerRun run(double h, int steps, int from);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace locdyn::robots
