#pragma once
// A mechanism is what its joints leave of the motion of its bodies: the bilateral rows of all its constraints at once,
//
//   C(q, t) = 0,   G u + d = 0,   G u̇ + b = 0,   G = ∂C/∂q,  d = ∂C/∂t,  b = Ġ u + ḋ
//
// over the velocities u (n) of its bodies, one body after the other by id. Rows are lengths [m]: angles are scaled by
// their joint. It is a view: bodies and constraints belong to others, and moving it moves the bodies.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/ldy/assembly/constraint.hpp>
#include <locdyn/ldy/assembly/kinematics.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/mechanism/mechanism_drive.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// Columns compressed.
using SparseMatrix = Eigen::SparseMatrix<double>;
namespace detail {
class SaddleSystem;
}

/// What makes a turn and a shift comparable where rows leave a choice, and the choice is the least ‖u‖.
enum class Metric {
  displacement,  ///< Σ uᵀ A u/m over bodies: mean squares of the speeds of a body's points, whatever it weighs
  kinetic        ///< Σ uᵀ A u: twice the kinetic energy, what impulses would do
};

/// A constraint that is attached to the bodies, and its name, which may be empty.
struct MechanismMember {
  Constraint* constraint = nullptr;  ///< outlives the mechanism
  std::string name = {};             ///< for messages
};

/// What a mechanism has no rows for: a spring, a limit, a contact, an obstacle moved by a function.
struct LeftOut {
  std::string name = {};     ///< as in messages, "spring-damper \"s\""
  std::string instead = {};  ///< what would take part
};

/// A row of the mechanism: `row` of a member, 0 … 2 in its first block, 3 … 5 in its second.
struct MechanismRow {
  std::size_t member = 0;  ///< its place among the members
  int row = 0;             ///< 0 … 5
  bool holonomic = true;   ///< it has a C; else it is posed on velocities alone
};

/// A drive of one mechanism, from 0.
using DriveId = std::size_t;

/// Configurations, velocities, time, and what constraints and drives remember.
struct MechanismState {
  std::vector<Eigen::VectorXd> q, u;        ///< by body
  double time = 0;                          ///< [s]
  std::vector<std::vector<double>> memory;  ///< by member: the turns it has counted
  std::vector<DriveMotion> drives;          ///< by drive
};

class Mechanism {
 public:
  /// Takes the constraints whose rows are bilateral and hard; limits, springs and contacts are `left_out`. Bodies that
  /// no constraint names belong to it too, and move freely. Throws std::invalid_argument for a null constraint, or one
  /// of a body that is not there. Bodies that come later are refused in use: make another mechanism then.
  Mechanism(BodySet& bodies, std::vector<MechanismMember> members, Metric metric = Metric::displacement);
  /// All constraints of a system, by their names there. Its contacts, which come and go, have no part in it; obstacles
  /// move with their own velocities, and those that the system drives are `left_out`.
  explicit Mechanism(System& system, Metric metric = Metric::displacement);
  ~Mechanism();

  // --- drives --------------------------------------------------------------------------------------------------------

  /// One row more, held: x(q) = s, s being x now. Throws std::invalid_argument as Prescribed does at insertion.
  DriveId add_drive(Coordinate coordinate, std::string name = {});
  /// Throw std::out_of_range for an id that is not there; numbers that are not finite: std::invalid_argument.
  void set_drive(DriveId drive, const DriveMotion& motion);
  [[nodiscard]] const MechanismDrive& drive(DriveId drive) const;
  [[nodiscard]] std::size_t drive_count() const noexcept { return drives_.size(); }
  /// x(q) now [rad or m].
  [[nodiscard]] double drive_value(DriveId drive) const;
  /// Takes the row of a drive away, and puts it back; the drive itself stays.
  void release(DriveId drive) { set_held(drive, false); }
  void hold(DriveId drive) { set_held(drive, true); }
  /// The place of a held drive's row among the rows; −1 where it is released.
  [[nodiscard]] Eigen::Index row_of(DriveId drive) const;

  // --- coordinates ---------------------------------------------------------------------------------------------------

  /// Those that it was made of.
  [[nodiscard]] BodySet& bodies() noexcept { return bodies_; }
  [[nodiscard]] const BodySet& bodies() const noexcept { return bodies_; }
  /// n.
  [[nodiscard]] Eigen::Index coordinates() const noexcept { return first_.back(); }
  /// First coordinate of a body.
  [[nodiscard]] Eigen::Index first(BodyId body) const { return first_.at(body); }
  /// u (n) of all bodies.
  [[nodiscard]] Eigen::VectorXd velocity() const;
  void set_velocity(const Eigen::VectorXd& u);
  /// q ← q ⊕ d, d (n): where velocities d lead in a second. Velocities, time and obstacles stay.
  void displace(const Eigen::VectorXd& d);
  /// Time goes on to t [s], and obstacles with it.
  void move_time(double t);

  /// M (n×n): the metric, blocks by body, 0 for coordinates without mass.
  [[nodiscard]] const SparseMatrix& metric() const noexcept { return metric_; }
  /// √(dᵀ M d).
  [[nodiscard]] double length(const Eigen::VectorXd& d) const { return std::sqrt(d.dot(metric_ * d)); }
  /// The largest displacement of a body, as the root of the mean square over its points [m], and the largest turn
  /// [rad].
  [[nodiscard]] double largest_displacement(const Eigen::VectorXd& d) const;
  [[nodiscard]] double largest_turn(const Eigen::VectorXd& d) const;

  // --- rows ----------------------------------------------------------------------------------------------------------

  /// The rows in use: of the members, then of the drives that are held.
  [[nodiscard]] const std::vector<MechanismRow>& rows() const noexcept { return rows_; }
  /// The constraint that a row belongs to, "hinge \"crank\""; and the row, "hinge \"crank\", row 2", "drive \"crank\"".
  [[nodiscard]] std::string constraint_of(Eigen::Index row) const;
  [[nodiscard]] std::string spelled(Eigen::Index row) const;
  /// The rows of the member of that name, ascending: where its multipliers are. Throws std::invalid_argument where
  /// there is none.
  [[nodiscard]] std::vector<Eigen::Index> rows_of(std::string_view name) const;
  [[nodiscard]] std::string spelled(const MechanismRow& row) const;

  /// The members that were taken, and their names as in messages.
  [[nodiscard]] std::size_t member_count() const noexcept { return members_; }
  [[nodiscard]] Constraint& member(std::size_t i) { return *parts_.at(i).constraint; }
  [[nodiscard]] std::string member_name(std::size_t i) const { return described(parts_.at(i)); }

  /// What was not taken, in order. Kinematics go on without it; motions under forces refuse it (`require_complete`).
  [[nodiscard]] const std::vector<LeftOut>& left_out() const noexcept { return left_out_; }
  /// Throws std::invalid_argument naming the first that was left out, and what would take part.
  void require_complete() const;

  /// Evaluates G and d where the bodies are; angles are counted on from here. Throws std::invalid_argument naming the
  /// constraint at fault. Cost: linear in rows.
  void evaluate();
  [[nodiscard]] const SparseMatrix& G() const noexcept { return G_; }     ///< m×n
  [[nodiscard]] const Eigen::VectorXd& d() const noexcept { return d_; }  ///< m [m/s]
  /// ∂x/∂q (n) of a drive, held or not, as `evaluate` left it.
  [[nodiscard]] Eigen::VectorXd drive_gradient(DriveId drive) const;
  /// C (m) [m] where the bodies are now, 0 in rows that are not holonomic. Throws as `evaluate` does.
  [[nodiscard]] Eigen::VectorXd error() const;
  /// b (m) [m/s²] for the velocities and the time that hold now.
  [[nodiscard]] Eigen::VectorXd bias() const;
  /// The part of b that is quadratic in u (n), without what time, drives and obstacles add.
  [[nodiscard]] Eigen::VectorXd curvature(const Eigen::VectorXd& u);

  /// All rows, evaluated and factored where the bodies are. Errors as in `evaluate` and `SaddleSystem::factorise`.
  const detail::SaddleSystem& factorise();
  [[nodiscard]] const detail::SaddleSystem& factor() const noexcept { return *system_; }
  /// For the rows that have a C: kept here for its symbolic analysis, of use to `close`.
  [[nodiscard]] detail::SaddleSystem& closing_system() noexcept { return *closing_system_; }

  // --- state ---------------------------------------------------------------------------------------------------------

  /// Where it is, and back there, bit for bit.
  [[nodiscard]] MechanismState state() const;
  void restore(const MechanismState& state);

 private:
  struct Part {
    Constraint* constraint;
    std::string name;
    int blocks;
    Index first = 0;  // of its rows in the graph's arena
  };
  void take(MechanismMember member);
  void require_same_bodies() const;
  void lay_out_coordinates(Metric metric);
  void lay_out_rows();
  void set_held(DriveId drive, bool held);
  [[nodiscard]] static std::string described(std::string_view kind, const std::string& name,
                                             std::span<const BodyId> bodies);
  [[nodiscard]] std::string described(const Part& part) const;
  [[nodiscard]] double asked_velocity(const MechanismRow& row) const;
  template <class Work>
  auto named(const Part& part, const Work& work) const;
  [[nodiscard]] Eigen::VectorXd collect(const std::vector<std::vector<Eigen::Vector3d>>& values) const;

  BodySet& bodies_;
  std::vector<Part> parts_;  // members, then drives
  std::size_t members_ = 0;
  std::vector<LeftOut> left_out_;
  std::vector<std::unique_ptr<MechanismDrive>> drives_;
  std::vector<bool> held_;  // by drive
  std::vector<Eigen::Index> first_;
  SparseMatrix metric_;
  std::vector<MechanismRow> rows_;

  LocalDynamics graph_;  // of the parts, to evaluate into
  Kinematics kinematics_;
  SparseMatrix G_;
  Eigen::VectorXd d_;
  std::unique_ptr<detail::SaddleSystem> system_, closing_system_;
};

}  // namespace locdyn
