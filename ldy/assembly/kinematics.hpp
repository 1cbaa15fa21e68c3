#pragma once
// The kinematics of all constraints, packed by row of the graph: what W, B and the matrix-free product are made of.
// Row α acts on the bodies of its couplings, which the graph knows as groups of velocities: those that rows act on
// alone, numbered in the order of their ids, so that bodies without rows cost nothing. Each coupling holds H_αk, padded
// to 4 rows so that a column is one vector, and Y_αk = h A_k⁻¹ H_αkᵀ, the change of the body's velocity by a unit
// reaction. Then W_αβ = Σ_k H_αk Y_βk.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/ldy/coupling_layout.hpp>
#include <locdyn/ldy/delassus_factor.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// H (3×n) as it lies in memory, to be written.
using JacobianMap = Eigen::Map<PointJacobian, Eigen::Unaligned, Eigen::OuterStride<4>>;
/// H (3×n) as it lies in memory, to be read.
using ConstJacobianMap = ConstFactorMap;

class Kinematics {
 public:
  /// One coupling of one row by its place: how a body finds the rows that act on it.
  struct Hold {
    Index row;       ///< by arena index
    Index coupling;  ///< its place among all
  };

  /// Lays the storage out for the rows of a graph as they lie in its arena; `bodies_of(id)` is the span of bodies of a
  /// constraint. Cost: one pass over rows and couplings.
  template <class BodiesOf>
  void lay_out(const LocalDynamics& ldy, const BodySet& bodies, const BodiesOf& bodies_of);
  /// Completes a layout of many rows with the levels of its groups, which the numbers of H and Y are not needed for:
  /// whoever fills those may do so at the same time. Cost: some passes over the couplings.
  void find_levels();
  /// Is it what the graph's factor views, as `factor` gave it? Then no constraint has come or gone since the layout,
  /// and none has another place.
  [[nodiscard]] bool is_of(const LocalDynamics& ldy) const noexcept {
    return ldy.factor() != nullptr && ldy.factor()->first.data() == layout_.first().data();
  }

  /// The couplings of a row, by arena index, in the order of the constraint's bodies, obstacles left out.
  [[nodiscard]] std::span<const Coupling> couplings(Index row) const noexcept { return layout_.couplings(row); }
  /// The bodies that rows act on, by group: ascending.
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept { return layout_.bodies(); }
  [[nodiscard]] BodyId body(const Coupling& c) const noexcept { return layout_.bodies()[c.body]; }
  /// kNone where no row acts on the body.
  [[nodiscard]] Index group(BodyId body) const noexcept { return layout_.group(body); }
  /// What acts on the body of a group, rows ascending by arena index.
  [[nodiscard]] std::span<const Hold> holds_of_group(Index group) const noexcept {
    return {holds_.data() + first_hold_[group], first_hold_[group + 1] - first_hold_[group]};
  }
  [[nodiscard]] const Coupling& coupling(const Hold& hold) const noexcept { return layout_.couplings()[hold.coupling]; }
  /// First velocity of a group in a vector of all their velocities, and the length of that vector.
  [[nodiscard]] std::size_t first_freedom(Index group) const noexcept { return first_freedom_[group]; }
  [[nodiscard]] std::size_t freedom_count() const noexcept {
    return first_freedom_.empty() ? 0 : first_freedom_.back();
  }
  /// Of the set that the layout was made for.
  [[nodiscard]] std::size_t body_count() const noexcept { return layout_.body_count(); }

  /// H (3×n, its fourth row zero) and Y (n×3) of a coupling.
  [[nodiscard]] double* jacobian(const Coupling& c) noexcept { return H_.data() + 4 * c.place; }
  [[nodiscard]] const double* jacobian(const Coupling& c) const noexcept { return H_.data() + 4 * c.place; }
  [[nodiscard]] double* response(const Coupling& c) noexcept { return Y_.data() + 3 * c.place; }
  [[nodiscard]] const double* response(const Coupling& c) const noexcept { return Y_.data() + 3 * c.place; }
  [[nodiscard]] JacobianMap H(const Coupling& c) noexcept { return {jacobian(c), 3, Eigen::Index(c.freedoms)}; }
  [[nodiscard]] ConstJacobianMap H(const Coupling& c) const noexcept {
    return {jacobian(c), 3, Eigen::Index(c.freedoms)};
  }

  /// W as its factors, for a step h: a view of what lies here.
  [[nodiscard]] DelassusFactor factor(double h) const;

  /// By arena index: the velocity that moving obstacles give the row, and V = H u + drive.
  [[nodiscard]] Eigen::Vector3d& drive(Index row) noexcept { return drive_[row]; }
  [[nodiscard]] Eigen::Vector3d& velocity_before(Index row) noexcept { return V_[row]; }
  [[nodiscard]] const Eigen::Vector3d& velocity_before(Index row) const noexcept { return V_[row]; }
  /// V ← drive + Σ H u and B ← drive + Σ H u_free of rows first … last − 1 of the graph's arena; `velocities` holds the
  /// n numbers of u and then those of u_free of each group, which begin at twice its first freedom.
  void set_velocities(Index first, Index last, const double* velocities, DiagonalBlock* arena);

 private:
  void start_layout(const LocalDynamics& ldy, const BodySet& bodies);
  void keep_inertia(const BodySet& bodies);
  void end_layout(const BodySet& bodies);
  void set_velocities_anywhere(Index first, Index last, const double* velocities, DiagonalBlock* arena);
#if defined(__x86_64__)
  void set_velocities_avx2(Index first, Index last, const double* velocities, DiagonalBlock* arena);
#endif

  std::vector<ConstraintId> constraint_;  // by arena index: what the layout was made for
  detail::CouplingLayout<BodyId> layout_;
  std::vector<Index> first_hold_;  // by group, one more at the end
  std::vector<Hold> holds_;
  std::vector<Index> level_;                // by group, where there are many rows
  std::vector<std::size_t> first_freedom_;  // by group, one more at the end
  std::vector<double> H_, Y_;
  std::vector<double> inertia_;                 // A of the bodies that rows have ever acted on
  std::vector<std::uint64_t> inertia_of_body_;  // by body, where it lies in `inertia_`
  std::vector<std::uint64_t> first_inertia_;    // the same by group, and the length
  std::vector<Eigen::Vector3d> drive_, V_;
};

template <class BodiesOf>
void Kinematics::lay_out(const LocalDynamics& ldy, const BodySet& bodies, const BodiesOf& bodies_of) {
  start_layout(ldy, bodies);
  for (std::size_t row = 0; row < constraint_.size(); ++row) {
    if (constraint_[row] != kNone) {
      for (BodyId body : bodies_of(constraint_[row])) layout_.add(body, bodies[body].freedoms());
    }
    layout_.end_row();
  }
  end_layout(bodies);
}

/// What one constraint sees of the storage while it evaluates itself.
class ConstraintKinematics {
 public:
  /// `first` is the arena index of the constraint's first row.
  ConstraintKinematics(Kinematics& storage, Index first) : storage_(storage), first_(first) {}

  /// H (3×n) of a block and one of the constraint's bodies, the sign inside; 3×0 for an obstacle.
  [[nodiscard]] JacobianMap H(int block, BodyId body);
  /// The part of the block's U that comes from moving obstacles [m/s], zero on entry.
  [[nodiscard]] Eigen::Vector3d& drive(int block) { return storage_.drive(first_ + static_cast<Index>(block)); }

  /// The point of `body` that lies at x (space): H ← sign · H_body(x, frame), or drive += sign · frameᵀ v(x) where the
  /// body is an obstacle.
  void set_point(int block, const BodySet& bodies, BodyId body, const Eigen::Vector3d& x, const Eigen::Matrix3d& frame,
                 double sign);
  /// The spin of `body` in the frame, times `length` [m], so that it is a velocity: H ← sign · length · H_spin, or
  /// drive += sign · length · frameᵀ ω where the body is an obstacle.
  void set_spin(int block, const BodySet& bodies, BodyId body, const Eigen::Matrix3d& frame, double sign,
                double length);

 private:
  Kinematics& storage_;
  Index first_;
};

}  // namespace locdyn
