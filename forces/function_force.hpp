#pragma once
// A force and a torque on a body by a function of its owner: of the time, and of the place and velocity of a point.

#include <functional>
#include <string>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/forces/force.hpp>
#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn {

/// What such a function is told, all in space.
struct PointState {
  double time = 0;                                             ///< [s]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();          ///< of the point [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of the point [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< of the body [rad/s]; 0 of a particle
};
/// What it answers, all in space.
struct Wrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< at the point [N]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  ///< [N m]; 0 on a particle
};

class FunctionForce final : public Force {
 public:
  /// Called once a step, at its middle.
  using Function = std::function<Wrench(const PointState&)>;

  /// `at`: in space where it lies when it is added, on a body. The name is for messages. Throws std::invalid_argument
  /// where there is no body or no function; when evaluated, where the function returns what is not finite, or a torque
  /// for a body that does not turn.
  FunctionForce(const Anchor& at, Function function, std::string name = "function force");

  [[nodiscard]] std::string_view kind() const noexcept override { return name_; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return ids_; }
  void attach(const BodySet& bodies) override;
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return true; }

 private:
  [[nodiscard]] Wrench evaluate(const BodySet& bodies, const MaterialMotion& point) const;

  Anchor anchor_;
  Function function_;
  std::string name_;
  std::vector<BodyId> ids_;
  MaterialPoint point_;
};

}  // namespace locdyn
