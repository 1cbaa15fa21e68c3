#pragma once
// A body is n velocities u, a constant inverse inertia A⁻¹, a map H from u to the velocity of one of its points in a
// local frame, and a way to advance its configuration q. One step of size h is
//
//   q* = q ⊕ h/2 u;   u_free = u + A⁻¹ h f(q*, u);   u⁺ = u_free + A⁻¹ h Hᵀ R;   q⁺ = q* ⊕ h/2 u⁺
//
// Source: Koziara & Bićanić, IJNME 81 (2009) 1073–1092 (rotations); IJNME 87 (2011) 437–456 (contact).

#include <Eigen/Core>
#include <cstdint>
#include <utility>
#include <vector>

#include <locdyn/base/typed_id.hpp>
#include <locdyn/bodies/scheme.hpp>

namespace locdyn {

/// In a `BodySet`.
using BodyId = TypedId<class BodyTag>;

/// Velocity of a point of a body, (3) = H (3×n) u (n).
using PointJacobian = Eigen::Matrix<double, 3, Eigen::Dynamic>;

class KinematicBody;
class RigidBody;

/// What stepping with contacts asks of a body. The kinds here tell more (`KinematicBody`, one file each); one of your
/// own may derive from this alone. Bodies do not know who constrains them.
class Body {
 public:
  virtual ~Body() = default;

  /// What joints and mechanisms ask for; nullptr where the kind does not tell.
  [[nodiscard]] virtual const KinematicBody* kinematics() const noexcept { return nullptr; }
  /// The kind that nearly all bodies of a scene are, for loops over contacts; nullptr where it is another.
  [[nodiscard]] virtual const RigidBody* rigid() const noexcept { return nullptr; }
  [[nodiscard]] RigidBody* rigid() noexcept { return const_cast<RigidBody*>(std::as_const(*this).rigid()); }

  /// Number of velocities n: obstacle 0, particle 3, planar 3, rigid 6, pseudo-rigid 12.
  [[nodiscard]] int freedoms() const noexcept { return static_cast<int>(velocity_.size()); }

  /// u (n): the velocity at the start of the step until `receive_impulse`, u⁺ from then on. Throws
  /// std::invalid_argument where the size is not n or a value is not finite.
  [[nodiscard]] const Eigen::VectorXd& velocity() const noexcept { return velocity_; }
  void set_velocity(const Eigen::Ref<const Eigen::VectorXd>& u);

  /// u_free = u + A⁻¹ h f(q*, u) (n), as the last `predict` left it.
  [[nodiscard]] const Eigen::VectorXd& free_velocity() const noexcept { return free_velocity_; }

  /// q ← q ⊕ dt u: the configuration follows the velocity for dt [s]. Obstacles follow their prescribed motion.
  virtual void advance(double dt) = 0;
  /// q ← q ⊕ d, d (n) a displacement: as `advance` does in 1 s at the velocity d; u stays. Throws std::invalid_argument
  /// where the size is not n or a value is not finite.
  void displace(const Eigen::Ref<const Eigen::VectorXd>& d);

  /// q, all that tells where the body is, as numbers: particle 3, planar body 3, rigid body 7 (position,
  /// quaternion scalar first), obstacle 10 (those and the origin of its motion), pseudo-rigid body 12.
  /// `set_configuration` of what `configuration` gave puts the body back bit for bit. Throws std::invalid_argument
  /// where the size is wrong or a number is not finite, and where a quaternion is not of unit length to 1e-6.
  [[nodiscard]] virtual Eigen::VectorXd configuration() const = 0;
  /// q ← `configuration()`, into memory that is there already where the kind knows how.
  virtual void read_configuration(Eigen::VectorXd& q) const { q = configuration(); }
  virtual void set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) = 0;

  /// Evaluates u_free at the configuration and velocity that hold now, for a step h [s] under `gravity` [m/s²] and the
  /// forces added since the last `clear_forces`: q is q* of `scheme` when this is called. Throws std::invalid_argument
  /// for h ≤ 0 or a number that is not finite, std::runtime_error where the kind finds no velocity (its file says
  /// when).
  void predict(double h, const Eigen::Vector3d& gravity, Scheme scheme = Scheme::half_step);

  /// u ← u_free + A⁻¹ p, where p (n) = h Σ Hᵀ R is the generalised impulse of all constraints [N s, N m s].
  void receive_impulse(const Eigen::Ref<const Eigen::VectorXd>& impulse);
  /// The same, to the bit, where no constraint acts on the body: u ← u_free.
  void receive_no_impulse();

  /// H (3×n, columns given by the caller's view): H u = frameᵀ v(x), the velocity of the material point that lies now
  /// at x (space), in a local frame whose columns are (t1, t2, n) in space. No sign: the constraint puts it in.
  virtual void point_jacobian(const Eigen::Vector3d& x, const Eigen::Matrix3d& frame,
                              Eigen::Ref<PointJacobian> H) const = 0;

  /// H (3×n) of the angular velocity in the frame: H u = frameᵀ ω. Zero for kinds that do not turn.
  virtual void spin_jacobian(const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const = 0;

  /// X (n×k) ← A⁻¹ X, in place.
  virtual void apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const = 0;

  /// A (n×n), dense.
  [[nodiscard]] virtual Eigen::MatrixXd inertia() const = 0;

  /// Velocity of the point of an obstacle that lies at x, in space [m/s]: prescribed motion. Zero for moving bodies,
  /// whose velocity is H u.
  [[nodiscard]] virtual Eigen::Vector3d prescribed_velocity(const Eigen::Vector3d& x) const;

  /// Velocity in space of the material point that lies now at x (space) [m/s]: H u, or an obstacle's prescribed one.
  [[nodiscard]] Eigen::Vector3d velocity_at(const Eigen::Vector3d& x) const;

  /// Space position now of the material point `X` given in body coordinates (origin at the mass centre), and back.
  [[nodiscard]] virtual Eigen::Vector3d to_space(const Eigen::Vector3d& X) const = 0;
  [[nodiscard]] virtual Eigen::Vector3d to_body(const Eigen::Vector3d& x) const = 0;

  /// In space [rad/s]: that of `spin_jacobian`; zero for kinds that do not turn, and for an obstacle, which is moved.
  [[nodiscard]] virtual Eigen::Vector3d angular_velocity() const;
  /// Mass [kg]; infinite for an obstacle.
  [[nodiscard]] virtual double mass() const = 0;
  /// About the mass centre, in space [kg m²/s]; zero for an obstacle.
  [[nodiscard]] virtual Eigen::Vector3d angular_momentum() const { return Eigen::Vector3d::Zero(); }
  /// ½ uᵀ A u [J].
  [[nodiscard]] virtual double kinetic_energy() const;
  /// −m g·x_c, and the strain energy of kinds that deform [J].
  [[nodiscard]] virtual double potential_energy(const Eigen::Vector3d& gravity) const = 0;

  /// Adds a force [N] acting at the point x, both in space, until `clear_forces`. Its moment is taken in the
  /// configuration that holds now: call it at q*, between `advance` and `predict`.
  virtual void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) = 0;
  /// Adds a torque [N m] in space, until `clear_forces`. Throws std::logic_error for kinds that do not turn.
  virtual void add_torque(const Eigen::Vector3d& torque) = 0;
  /// Adds a generalised force Q (n), of power Q·u, until `clear_forces`: −∂V/∂q of a potential, say. Throws
  /// std::invalid_argument where the size is not n or a number is not finite, std::logic_error for what has no mass.
  void add_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q);
  /// Q (n), the generalised force of all that was added since the last `clear_forces`, in the configuration that holds
  /// now; without gravity, stresses and inertia.
  [[nodiscard]] virtual Eigen::VectorXd added_force() const = 0;
  virtual void clear_forces() = 0;

  /// Does the kind tell by `written` of every change from outside? One that does not never sleeps
  /// (simulation/stepping/sleeping.hpp).
  [[nodiscard]] virtual bool tells_of_changes() const noexcept { return false; }

 protected:
  /// At rest, with so many velocities.
  explicit Body(int freedoms)
      : velocity_(Eigen::VectorXd::Zero(freedoms)), free_velocity_(Eigen::VectorXd::Zero(freedoms)) {}

  /// `add_generalised_force` with checked arguments.
  virtual void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) = 0;

  /// `displace` with checked arguments.
  virtual void take_displacement(const Eigen::Ref<const Eigen::VectorXd>& d);

  /// `predict` with checked arguments.
  virtual void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) = 0;

  /// Whoever changes a configuration, a motion or a force from outside calls it: the first time after
  /// `BodySet::watch` the body is noted.
  void written() {
    if (watch_.list == nullptr) return;
    watch_.list->push_back(watch_.id);
    watch_.list = nullptr;
  }

  Eigen::VectorXd velocity_;       ///< u (n)
  Eigen::VectorXd free_velocity_;  ///< u_free (n)

 private:
  friend class BodySet;
  // Where it notes its id while it is watched. A copy of the body is not.
  struct Watch {
    Watch() = default;
    Watch(const Watch&) noexcept {}
    Watch& operator=(const Watch&) noexcept { return *this; }
    std::vector<BodyId>* list = nullptr;
    BodyId id = {};
  };
  Watch watch_;
};

}  // namespace locdyn
