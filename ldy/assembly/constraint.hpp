#pragma once
// A constraint ties bodies: a span of {body, H_k} with the sign inside H, so that U = Σ_k H_k u_k, and the law that
// (U, R) must follow. One file each in constraints/; the assembly sees nothing but this interface.

#include <Eigen/Core>
#include <span>
#include <string_view>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/ldy/assembly/kinematics.hpp>
#include <locdyn/ldy/law.hpp>

namespace locdyn {

struct ContactPoint;

/// What a constraint does to its slave, as it is felt there.
struct ConstraintLoad {
  double force = 0;   ///< ‖F‖ [N]
  double moment = 0;  ///< ‖M‖ [N m]
};

class Constraint {
 public:
  virtual ~Constraint() = default;

  /// What it is, for messages: "contact", "rigid link", ….
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;

  /// The bodies it ties, each once; the same for life. Obstacles may be among them: they move but couple nothing.
  [[nodiscard]] virtual std::span<const BodyId> bodies() const noexcept = 0;

  /// Takes hold of the bodies where they lie now (material points, rest lengths). The assembly calls it once, at
  /// insertion, after it has checked that the bodies exist. Throws std::invalid_argument naming the value at fault.
  virtual void attach(const BodySet& bodies) = 0;

  /// Fills H and the drive of each of its blocks at the configuration q* that holds now. Rows that the law does not use
  /// are masked by the caller. Called from several threads, each constraint by one. Throws std::invalid_argument.
  virtual void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) = 0;

  /// What its rows have lost in position at the configuration that holds now, one a block [m]: a gap (along n) for a
  /// contact, the closing error in the rows in use for what is bilateral. A change of position δ with H δ = −error
  /// takes it back. Zero for what is posed on velocities alone.
  virtual void position_error(const BodySet&, std::span<Eigen::Vector3d> error) const {
    for (Eigen::Vector3d& e : error) e.setZero();
  }

  /// The rows of a block whose U is the rate of `position_error`; the others are posed on velocities alone.
  [[nodiscard]] virtual RowMask holonomic_rows(int /*block*/) const { return kRowsAll; }

  /// What U̇ is while the bodies' own velocities do not change, one a block [m/s²]: U̇ = H u̇ + bias, bias = Ḣ u + ∂/∂t of
  /// the drive, at the configuration, velocities and time that hold now; 0 in rows that are not in use. Obstacles go on
  /// as they move. Throws std::logic_error where the kind has none (contacts, springs).
  virtual void acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const;

  /// The reactions R of its blocks as a force and a moment. Friction and motors are parts of it.
  [[nodiscard]] virtual ConstraintLoad load_of(std::span<const Eigen::Vector3d> R) const {
    return {.force = R[0].norm(), .moment = 0};
  }

  /// Do H or the drive change with `BodySet::time`, even where no body has moved?
  [[nodiscard]] virtual bool depends_on_time() const noexcept { return false; }

  /// What it remembers beside the configuration, such as angles over many turns; part of the state of a run.
  [[nodiscard]] virtual std::span<const double> memory() const noexcept { return {}; }
  /// Puts back what `memory` gave. Throws std::invalid_argument where the size is another.
  virtual void set_memory(std::span<const double> memory);

  /// Where there lies, for its life, what it reads in each update and does not hold itself, some hundred bytes: they
  /// are brought into the cache ahead.
  [[nodiscard]] virtual const void* reads() const noexcept { return nullptr; }

  /// The point of what is no more than one: U = frameᵀ (v_slave − v_master) at it in all three rows, no drive of its
  /// own, and nothing that `evaluate` would note. The assembly then fills H without it. Nullptr for all others.
  [[nodiscard]] virtual const ContactPoint* plain_point() const noexcept { return nullptr; }

  /// The law of the step of size h [s] at the place last evaluated; V (one a block) is the relative velocity before the
  /// step. The number of blocks and the rows in use are the same for life (the assembly asks for them right after
  /// `attach`, with h = 1 and V = 0).
  [[nodiscard]] virtual Law law(double h, std::span<const Eigen::Vector3d> V) const = 0;
};

}  // namespace locdyn
