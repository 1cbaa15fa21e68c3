#pragma once
// The rows of all contacts as the solvers read them: by row its couplings, H (columns of four numbers) and
// Y = h A⁻¹ Hᵀ, and A of every body that rows act on (`DelassusFactor`). Laid out anew only when contacts come and go;
// between two steps H and Y of what has changed are written in place.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/embedding/stored_contact.hpp>
#include <locdyn/embedding/velocity_bodies.hpp>
#include <locdyn/ldy/coupling_layout.hpp>
#include <locdyn/ldy/delassus_factor.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

class ContactRows {
 public:
  /// For the rows of these contacts, one after the other; each has a body that can move. Cost: one pass over their
  /// couplings.
  void lay_out(std::span<const StoredContact* const> contacts, const VelocityBodies& bodies);
  /// A of the bodies, again. Cost: one pass over the bodies that rows act on.
  void refresh_inertia(const VelocityBodies& bodies);
  /// A view, which holds until the next `lay_out`.
  [[nodiscard]] DelassusFactor factor(double h) const;

  /// The first row of the i-th contact of the layout, which is its place in the graph's arena, too.
  [[nodiscard]] Index first_row(std::size_t i) const noexcept { return first_row_[i]; }

  /// H and Y of the rows of the i-th contact, for a step h [s]. Rows that its law does not use are zero.
  void evaluate(std::size_t i, const StoredContact& contact, const VelocityBodies& bodies, double h);
  /// u⁺ = u + A⁻¹ h Σ Hᵀ R of every body, R as it lies in the graph; rows ascending. Cost: one pass over the rows.
  void move_bodies(const LocalDynamics& ldy, double h, VelocityBodies& bodies);

 private:
  std::vector<Index> first_row_;  // by contact
  CouplingLayout<BodyIndex> layout_;
  std::vector<double> H_, Y_, inertia_;
  std::vector<std::uint64_t> first_inertia_;   // by group, one more at the end
  std::vector<std::uint64_t> first_velocity_;  // by group: of its r in impulse_
  Eigen::VectorXd impulse_;                    // of all groups
};

}  // namespace locdyn::detail
