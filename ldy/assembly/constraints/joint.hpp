#pragma once
// A joint is a list of rows, each a quantity C(q, t) that stays zero or a rate D(q, t) u + d(t) that does. A kind says
// which; U, H, drive, bias, error of position and law follow here.
//
// Rows that are lengths form the first block, rows that are angles the second (the first where there are no lengths).
// Angles are scaled by a length ℓ, found once at insertion, so that each row is a velocity and a force [m/s, N]:
//
//   U = ℓ ċ,   R = M/ℓ,   ℓ² = (tr W_ff/d_f)/(tr W_mm/d_m)
//
// Where a joint has angles alone, W_ff is Σ 1/m of its bodies.

// A joint with friction has one more row, its coordinate's own rate, or three of a ball's spin, and the law
// of joint_friction.hpp. Its block, of angles or of lengths, is then the second one.

#include <initializer_list>
#include <optional>
#include <vector>

#include <locdyn/ldy/assembly/constraint.hpp>
#include <locdyn/ldy/assembly/constraints/joint_friction.hpp>
#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn {

/// What a joint's kind fills: at most three rows of lengths and three of angles.
class JointRows {
 public:
  /// One row.
  struct Row {
    Quantity quantity;      ///< that stays zero; of a rate its velocity does, and its value is 0
    bool angle, holonomic;  ///< is it one; has it a C?
    bool friction = false;  ///< is its reaction friction's?
  };
  /// C [m], or [rad], that stays zero.
  void length(const Quantity& c) { add({c, false, true}); }
  /// Its three components in space axes.
  void lengths(const VectorQuantity& c);
  void angle(const Quantity& c) { add({c, true, true}); }
  /// Posed on velocities alone [m/s], or [rad/s].
  void length_rate(const Rate& w) { add_rate(w, false); }
  void angle_rate(const Rate& w) { add_rate(w, true); }
  /// What slides, or turns, against friction [m/s], or [rad/s].
  void length_friction(const Rate& w) { add_rate(w, false, true); }
  void angle_friction(const Rate& w) { add_rate(w, true, true); }

  /// In the order in which they came.
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }

 private:
  void add(Row row) { rows_.push_back(std::move(row)); }
  void add_rate(const Rate& w, bool angle, bool friction = false);
  std::vector<Row> rows_;
};

class Joint : public Constraint {
 public:
  /// ℓ [m], by which its angles are scaled: moments are ℓ times the reactions of their rows.
  [[nodiscard]] double length() const noexcept { return length_; }

  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return ids_; }
  /// Throws std::invalid_argument naming what has no meaning, and for a row that none of the bodies can follow (a
  /// particle that should turn, a planar body pulled across its plane).
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  void position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const override;
  [[nodiscard]] RowMask holonomic_rows(int block) const override { return holonomic_[block]; }
  void acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;
  [[nodiscard]] ConstraintLoad load_of(std::span<const Eigen::Vector3d> R) const override;
  [[nodiscard]] std::span<const double> memory() const noexcept override { return memory_; }
  void set_memory(std::span<const double> memory) override;

 protected:
  /// Of the bodies, those given; `angles` of them it follows over many turns.
  explicit Joint(std::initializer_list<std::optional<BodyId>> bodies, std::size_t angles = 0);
  explicit Joint(std::vector<BodyId> bodies, std::size_t angles = 0);

  /// Finds material points and directions where the bodies lie now.
  virtual void take_hold(const BodySet& bodies) = 0;
  /// The rows; how many of which kind is the same for life.
  virtual void measure(const BodyQuantities& at, JointRows& rows) const = 0;

  /// From now on `measure` gives a row of friction, or three. Throws std::invalid_argument.
  void set_friction(const std::optional<JointFriction>& friction, FrictionOf coordinate);
  [[nodiscard]] const std::optional<JointFriction>& friction() const noexcept { return friction_; }

 private:
  struct Place {
    int block, row;
  };
  [[nodiscard]] JointRows measured(const BodyQuantities& at) const;
  [[nodiscard]] BoundedLaw friction_law() const;
  void lay_out(const JointRows& rows);
  void scale(const BodySet& bodies, const JointRows& rows);

  std::vector<BodyId> ids_;
  std::vector<double> memory_;
  std::vector<Place> places_;  // of the rows
  int block_count_ = 0;
  RowMask used_[2] = {0, 0}, holonomic_[2] = {0, 0};
  bool angles_[2] = {false, true};  // which blocks hold such
  std::optional<JointFriction> friction_;
  RowMask bounded_ = 0;  // rows of friction, in the last block
  double length_ = 1;
};

}  // namespace locdyn
