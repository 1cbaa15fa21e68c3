#pragma once
// A constraint by functions of its owner: up to six rows over the velocities of given bodies,
//
//   C(q, t) = 0,   U = C_q u + C_t,   U̇ = C_q u̇ + Ċ_q u + Ċ_t
//
// or, without C, rows posed on velocities alone, D(q, t) u + d(t) = 0. `check_derivatives` (derivative_check.hpp)
// compares them with differences and says which row and column is wrong.

#include <functional>
#include <string>
#include <vector>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/ldy/assembly/constraint.hpp>

namespace locdyn {

/// Functions of the configurations and velocities that the bodies have when they are called, and of the time t [s].
/// Columns run over the velocities of the constraint's bodies, one body after the other, obstacles left out. Each row
/// should have the unit of a length, so that its reaction is a force. A time step asks for U = 0 with C_t at the time
/// of q*, half a step before its end.
struct UserFunctions {
  /// A vector by the bodies as they are and the time [s].
  using Vector = std::function<Eigen::VectorXd(const BodySet&, double t)>;
  /// A matrix by the same.
  using Matrix = std::function<Eigen::MatrixXd(const BodySet&, double t)>;

  int rows = 1;                          ///< r, 1 … 6
  Vector C = nullptr;                    ///< (r) [m]; none: the rows are posed on velocities alone
  Matrix C_q;                            ///< (r×N), also called H or D: of C by the velocities' directions
  Vector Cdot_q_u;                       ///< (r) Ċ_q u: the whole derivative of C_q by time, times u [m/s²]
  Vector C_t = nullptr;                  ///< (r) ∂C/∂t, or d; moving obstacles belong in it. None: 0 [m/s]
  Vector C_tt = nullptr;                 ///< (r) the whole derivative of C_t by time. None: 0 [m/s²]
  std::string name = "user constraint";  ///< for messages
};

class UserConstraint final : public Constraint {
 public:
  /// Throws std::invalid_argument for r out of range and a function that is missing; at insertion, and whenever they
  /// are called, for a result of the wrong size or that is not finite, naming function, row and column.
  UserConstraint(std::vector<BodyId> bodies, UserFunctions functions);

  [[nodiscard]] std::string_view kind() const noexcept override { return functions_.name; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return ids_; }
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  void position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const override;
  [[nodiscard]] RowMask holonomic_rows(int) const override { return functions_.C ? kRowsAll : RowMask{0}; }
  void acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const override;
  [[nodiscard]] bool depends_on_time() const noexcept override { return true; }
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  [[nodiscard]] Eigen::VectorXd vector(const UserFunctions::Vector& f, const BodySet& bodies, const char* what) const;
  [[nodiscard]] Eigen::MatrixXd matrix(const BodySet& bodies) const;

  std::vector<BodyId> ids_;
  UserFunctions functions_;
};

}  // namespace locdyn
