#include <locdyn/simulation/stepping/contact_reaction.hpp>

#include <algorithm>
#include <utility>

#include <locdyn/ldy/assembly/constraints/contact.hpp>

namespace locdyn::detail {
namespace {

// The spring along the surface follows U_t to the middle of the next step, and slides where it would carry more than
// μ R_n. Source: Cundall & Strack, Géotechnique 29 (1979) 47–65.
void stretch_spring(TrackedContact& contact, const DiagonalBlock& row, double h) {
  const SurfaceMaterial& material = contact.point.material;
  ContactPast& past = contact.point.past;
  past.stretching = row.U.head<2>();
  past.stretch += h * past.stretching;
  const double most = material.friction * std::max(row.R[2], 0.0) / material.tangential_stiffness;
  const double stretch = past.stretch.norm();
  if (!(stretch > most)) return;
  past.stretch *= most / stretch;
  past.stretching.setZero();
}

}  // namespace

bool take_reaction(const System& system, const Kinematics& kinematics, double h, double slip_speed,
                   TrackedContact& contact) {
  const LocalDynamics& graph = system.graph();
  const DiagonalBlock& row = graph.row(contact.constraint);
  contact.reaction = row.R;
  contact.velocity_before = kinematics.velocity_before(static_cast<Index>(&row - graph.diagonal_arena().data()));
  contact.moment_length = 0;
  if (contact.point.material.rolls()) {
    contact.moment = graph.row(contact.constraint, 1).R;
    const Constraint& constraint = system.assembly().constraint(contact.constraint);
    contact.moment_length = static_cast<const Contact&>(constraint).moment_length();
  }
  const Law& law = graph.law(contact.constraint);
  const Eigen::Vector3d shifted = row.U + offset(law, 0) + compliance(law, 0).cwiseProduct(row.R);
  ContactPast& past = contact.point.past;
  past.pressed = row.R[2] > 0;
  past.velocity = row.U;
  past.slip = shifted.head<2>().norm();
  if (contact.point.material.gives_tangentially()) stretch_spring(contact, row, h);
  if (contact.pair.static_friction == contact.pair.kinetic_friction) return false;
  const bool slips = on_edge_of_cone(contact.point.material, row.R) && row.U.head<2>().norm() > slip_speed;
  return std::exchange(contact.slips, slips) != slips;
}

}  // namespace locdyn::detail
