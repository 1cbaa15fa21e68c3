#pragma once
// A system to be simulated: bodies with shapes, materials, constraints, forces, loads and prescribed motions. It holds
// what is there; TimeStepper moves it.

#include <Eigen/Core>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/contact/contact_detector.hpp>
#include <locdyn/contact/material_table.hpp>
#include <locdyn/forces/force_set.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/simulation/breaking.hpp>
#include <locdyn/simulation/contact_modifier.hpp>

namespace locdyn {

/// Adds forces and torques to bodies (`Body::add_force`, `Body::add_torque`) at q*, for the step from t to t + h [s].
using Load = std::function<void(double t, double h, BodySet& bodies)>;

/// Mean motion of an obstacle over the step from t to t + h, about the origin of its body coordinates.
struct ObstacleMotion {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< [m/s], in space
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< [rad/s], in space
};
/// The mean motion of an obstacle over the step from t to t + h [s].
using Drive = std::function<ObstacleMotion(double t, double h)>;

namespace detail {
/// While it lives a step runs, and nothing may be added or removed.
class StepRuns;
class StepperPlace;
}  // namespace detail

/// The members refer to each other: a System stays where it is made.
class System {
 public:
  /// Without a detector (nullptr) there are no shapes: `add_collider` throws.
  explicit System(std::unique_ptr<ContactDetector> detector = nullptr);
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  // --- what there is: all of it comes between steps, else std::logic_error -------------------------------------------

  /// Takes the body. A name may be empty, else it must be new. Throws std::invalid_argument.
  BodyId add(std::unique_ptr<Body> body, std::string name = {});
  template <class Kind, class... Args>
  BodyId emplace(Args&&... args) {
    return add(std::make_unique<Kind>(std::forward<Args>(args)...));
  }

  /// A shape on a body. Throws std::invalid_argument for what `validate(Collider)` refuses, a surface that is not in
  /// the table, or a system without detector.
  ColliderId add_collider(const Collider& collider);
  /// How the surface of a shape runs, as `Collider::surface_velocity`: a belt that starts or stops. What rests on the
  /// body wakes. Throws std::out_of_range where there is no such shape, std::invalid_argument for what is not finite.
  void set_surface_velocity(ColliderId id, const Eigen::Vector3d& velocity);
  /// Along which the friction of a shape counts, as `Collider::friction_direction`; zero: none. Errors as above.
  void set_friction_direction(ColliderId id, const Eigen::Vector3d& direction);
  /// No contact between these two bodies.
  void exclude_pair(BodyId a, BodyId b);

  /// A constraint for life, beside the contacts that come and go. Errors as in `Assembly::insert`.
  ConstraintId add_constraint(std::unique_ptr<Constraint> constraint, std::string name = {});

  /// The joint breaks beyond `load`: after the step in which it carries more it is removed, with the constraints `with`
  /// that act on its coordinate (limits, motors, friction). Said again it replaces what was said before. Throws
  /// std::invalid_argument for a load out of range, std::out_of_range for a constraint that is not there. Cost: one
  /// look at its reaction a step.
  void set_breaking(ConstraintId joint, const BreakingLoad& load, std::span<const ConstraintId> with = {});

  /// An applied force for life (forces): a function of the state, taken half-way through each step. Errors as
  /// in `ForceSet::add`.
  ForceId add_force(std::unique_ptr<Force> force, std::string name = {});
  void add_load(Load load);
  /// Asked for every contact of each step; an empty one: nobody. While there is one nothing sleeps.
  void set_contact_modifier(ContactModifier modifier);
  /// Throws std::invalid_argument where the body is not an obstacle.
  void add_drive(BodyId obstacle, Drive drive);

  // --- what goes, between steps --------------------------------------------------------------------------------------

  /// Ids of others stay as they are, and none is given again but a constraint's; a name is free again. What slept and
  /// is touched by it wakes. Throws std::out_of_range naming what was removed before or never added, std::logic_error
  /// while a step runs (from a load or a drive); then nothing has changed.

  /// The body, and with it its shapes, drives, constraints for life and forces. A load that goes on acting on it is
  /// refused by the body set. Cost: one look at shapes, constraints and forces.
  void remove(BodyId id);
  void remove(ColliderId id);
  /// One of `add_constraint`.
  void remove(ConstraintId id);
  void remove(ForceId id);

  Eigen::Vector3d gravity = {0, 0, -9.81};  ///< [m/s²]
  MaterialTable materials;                  ///< surfaces and what pairs of them have in common

  // --- views ---------------------------------------------------------------------------------------------------------

  /// What it is made of; what an accessor hands out is changed between steps alone.
  [[nodiscard]] BodySet& bodies() noexcept { return bodies_; }
  [[nodiscard]] const BodySet& bodies() const noexcept { return bodies_; }
  /// By id. One that was removed has the body kNoBody.
  [[nodiscard]] const std::vector<Collider>& colliders() const noexcept { return colliders_; }
  [[nodiscard]] bool contains(ColliderId id) const noexcept {
    return id < colliders_.size() && colliders_[id].body != kNoBody;
  }
  [[nodiscard]] const std::vector<ConstraintId>& constraints() const noexcept { return constraints_; }
  /// In the order in which they were made breakable; those that are broken stay in the list.
  [[nodiscard]] const std::vector<BreakableJoint>& breakables() const noexcept { return breakables_; }
  [[nodiscard]] ForceSet& forces() noexcept { return forces_; }
  [[nodiscard]] const ForceSet& forces() const noexcept { return forces_; }
  [[nodiscard]] const std::vector<Load>& loads() const noexcept { return loads_; }
  [[nodiscard]] const ContactModifier& contact_modifier() const noexcept { return contact_modifier_; }
  [[nodiscard]] const std::vector<std::pair<BodyId, Drive>>& drives() const noexcept { return drives_; }
  [[nodiscard]] Assembly& assembly() noexcept { return assembly_; }
  [[nodiscard]] const Assembly& assembly() const noexcept { return assembly_; }
  [[nodiscard]] LocalDynamics& graph() noexcept { return graph_; }
  [[nodiscard]] const LocalDynamics& graph() const noexcept { return graph_; }
  [[nodiscard]] ContactDetector* detector() noexcept { return detector_.get(); }
  [[nodiscard]] const ContactDetector* detector() const noexcept { return detector_.get(); }

  /// Throws std::logic_error "WHAT: expected no step …" while a step runs: what adds, removes or steps again asks it,
  /// since a load, a drive or another thread may have called.
  void require_between_steps(const char* what) const;
  /// The same, but what a load or a drive reads in the thread of the step is let pass: all is then as it was before it.
  void require_readable(const char* what) const;

  /// How often something was added or removed: bodies, shapes, constraints, forces, drives.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

  /// Empty where it was given none. Of a body that was removed, too.
  [[nodiscard]] const std::string& name(BodyId body) const { return names_.at(body); }
  /// Throws std::invalid_argument where no body has that name.
  [[nodiscard]] BodyId find(std::string_view name) const;
  [[nodiscard]] const std::string& constraint_name(std::size_t place) const { return constraint_names_.at(place); }

 private:
  void require_collider(ColliderId id) const;
  [[nodiscard]] std::size_t place_of(ConstraintId id) const;
  void take_out(ConstraintId id);
  void break_joint(std::size_t number);

  friend class detail::StepRuns;
  friend class detail::StepperPlace;
  friend class TimeStepper;

  BodySet bodies_;
  LocalDynamics graph_;
  Assembly assembly_{bodies_, graph_};
  std::unique_ptr<ContactDetector> detector_;
  std::vector<Collider> colliders_;
  std::vector<ConstraintId> constraints_;  // those for life, in the order in which they came
  std::vector<BreakableJoint> breakables_;
  std::vector<std::string> names_, constraint_names_;
  std::map<std::string, BodyId, std::less<>> body_of_name_;  // those that have one
  ForceSet forces_;
  std::vector<Load> loads_;
  ContactModifier contact_modifier_;
  std::vector<std::pair<BodyId, Drive>> drives_;
  std::map<ConstraintId, std::string> removed_constraints_;  // their names, until the id is given again
  std::uint64_t changes_ = 0;
  std::atomic<bool> has_stepper_ = false;
  std::atomic<std::thread::id> step_of_{};  // the thread in which a step runs; no thread between steps
};

}  // namespace locdyn
