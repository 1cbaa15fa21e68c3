#pragma once
// A contact as a ContactProblem keeps it between solves, checked when it was handed in: its bodies, H and law.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <locdyn/embedding/body_jacobian.hpp>
#include <locdyn/embedding/velocity_bodies.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

struct StoredContact {
  std::uint64_t serial = 0;  ///< 1, 2, … in the order of `add_contact`; 0 where the place is free
  ConstraintId constraint{kNone};
  std::vector<BodyIndex> bodies;
  std::vector<double> H;  ///< (3·blocks × n) of one body after the other, column by column
  Law law;
  double gap = 0;       ///< [m]; > 0 adds gap/h to σ_n
  bool changed = true;  ///< H, since rows were last evaluated
};

/// Each throws std::invalid_argument naming what has no meaning, as `ContactProblem::add_contact` says.
[[nodiscard]] StoredContact stored_contact(const PointContact& contact, const VelocityBodies& bodies);
[[nodiscard]] StoredContact stored_contact(std::span<const BodyJacobian> given, const Law& law,
                                           const VelocityBodies& bodies);

/// "contact of bodies 3, 7".
[[nodiscard]] std::string described(const StoredContact& contact);
/// Throws std::invalid_argument where none of its bodies can move.
void require_motion(const StoredContact& contact, const VelocityBodies& bodies);
/// Do both laws have the same blocks, and the same rows in use?
[[nodiscard]] bool same_rows(const Law& a, const Law& b);
/// The law for a step h [s]: an open gap may close within it.
[[nodiscard]] Law law_of_step(const StoredContact& contact, double h);
/// B = Σ_k H_k u_k [m/s] of block `block`, 0 in the rows that the law does not use.
[[nodiscard]] Eigen::Vector3d free_velocity(const StoredContact& contact, int block, const VelocityBodies& bodies);

/// Calls work(k, H, stride) for the k-th body of a contact: H its first number, `stride` the numbers of a column.
template <class Work>
void for_each_body(const StoredContact& contact, const VelocityBodies& bodies, const Work& work) {
  const int stride = 3 * block_count(contact.law);
  const double* H = contact.H.data();
  for (std::size_t k = 0; k < contact.bodies.size(); ++k) {
    work(k, H, stride);
    H += std::ptrdiff_t(stride) * bodies[contact.bodies[k]].freedoms();
  }
}

}  // namespace locdyn::detail
