#include <locdyn/sensitivity/contact_linearisation.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/rotation.hpp>
#include <locdyn/ldy/law.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d spin_of(const BodyLinearisation& body, const BodyVector& w) {
  return body.freedoms == 0 ? body.obstacle_spin : Vector3d(body.spin() * w);
}

// What the surfaces run at beside their bodies turns with these.
Vector3d belt_of(const Collider& shape, const BodyLinearisation& body) {
  return body.rotation * (shape.orientation * shape.surface_velocity);
}

// Of the velocity H w + drive in the frame, first block: by q* and by the place.
void set_velocity(const ContactAsked& asked, const BodyVector& of_master, const BodyVector& of_slave,
                  RowByRow<6, kGeometryColumns>& by_in, RowByRow<6, 7>& by_z) {
  const ContactPoint& at = asked.contact.point;
  const Matrix3d turn_back = at.frame.transpose();
  const BodyLinearisation &m = asked.master, &s = asked.slave;
  auto by_master = by_in.block<3, kMostFreedoms>(0, 0), by_slave = by_in.block<3, kMostFreedoms>(0, kMostFreedoms);
  by_master = -turn_back * m.velocity_by_q(of_master, at.point);
  by_slave = turn_back * s.velocity_by_q(of_slave, at.point);
  const Vector3d w = s.velocity(of_slave, at.point) - m.velocity(of_master, at.point) - at.surface_velocity;
  by_z.topLeftCorner<3, 3>() = turn_back * (s.velocity_by_x(of_slave) - m.velocity_by_x(of_master));
  by_z.block<3, 3>(0, 3) = turn_back * skew(w);
  if (!asked.detected || asked.system.contact_modifier()) return;
  const auto& colliders = asked.system.colliders();
  by_master += turn_back * skew(belt_of(colliders[asked.contact.master], m)) * m.spin();
  by_slave -= turn_back * skew(belt_of(colliders[asked.contact.slave], s)) * s.spin();
}

// The same of the spins, times ℓ.
void set_spin(const ContactAsked& asked, double length, ContactLinearisation& result) {
  const Matrix3d turn_back = length * asked.contact.point.frame.transpose();
  const BodyLinearisation &m = asked.master, &s = asked.slave;
  result.H.bottomLeftCorner<3, kMostFreedoms>() = -turn_back * m.spin();
  result.H.bottomRightCorner<3, kMostFreedoms>() = turn_back * s.spin();
  result.detail->U_in.block<3, kMostFreedoms>(3, 0) = -turn_back * m.spin_by_q(m.u_after);
  result.detail->U_in.block<3, kMostFreedoms>(3, kMostFreedoms) = turn_back * s.spin_by_q(s.u_after);
  result.detail->U_z.block<3, 3>(3, 3) = turn_back * skew(spin_of(s, s.u_after) - spin_of(m, m.u_after));
}

void set_pull(const ContactAsked& asked, const Vector3d& force, const Vector3d& moment, ContactLinearisation& result) {
  const Vector3d& x = asked.contact.point.point;
  int first = 0;
  double sign = -1;
  for (const BodyLinearisation* body : {&asked.master, &asked.slave}) {
    if (body->freedoms > 0) {
      const PointMatrix of_point = body->point(x), of_spin = body->spin();
      result.detail->P_q.block<kMostFreedoms, kMostFreedoms>(first, first) =
          sign * (body->pull_by_q(force, x) + body->twist_by_q(moment));
      result.detail->P_z.block<kMostFreedoms, 3>(first, 0) = sign * body->pull_by_x(force);
      result.detail->P_z.block<kMostFreedoms, 3>(first, 3) =
          -sign * (of_point.transpose() * skew(force) + of_spin.transpose() * skew(moment));
    }
    first += kMostFreedoms;
    sign = 1;
  }
}

// σ_n as `Contact::law` makes it, and whether σ_t acts. Gives σ_g.
double set_shift(const ContactAsked& asked, ContactLinearisation& result, const char*& kink) {
  double by_gap = 0;
  const ContactPoint& at = asked.contact.point;
  const double h = asked.options.step, V_n = asked.contact.velocity_before[2];
  const double e = at.material.restitution;
  if (at.gap > 0) {
    by_gap = 1 / h;
  } else {
    if (V_n < 0) {
      result.S[2] = e;
      result.shift_by_e = V_n;
    }
    if (at.feedback > 0 && at.feedback < asked.options.baumgarte_beta) {
      by_gap = asked.options.baumgarte_alpha / h;
    }
    const double slowest_impact = h * asked.system.gravity.norm();
    if (e > 0 && -V_n <= slowest_impact + asked.slow) kink = "hits as slowly as restitution sees";
  }
  const bool moves = asked.detected && (asked.master.freedoms > 0 || asked.slave.freedoms > 0);
  if (moves && std::abs(at.gap) <= asked.slow * h) kink = "with a gap of 0, neither open nor closed";

  const Vector3d shift = asked.contact.shift;
  result.turned = !shift.head<2>().isZero(0);
  if (asked.before != nullptr && !result.turned) {
    const ContactPast& past = asked.before->past;
    const Eigen::Vector2d turning = (asked.contact.velocity_before - past.velocity).head<2>() / 2;
    result.turned = past.pressed && past.slip <= asked.slow && turning.norm() <= asked.slow;
  }
  if (result.turned) result.S.head<2>().setConstant(0.5);
  return by_gap;
}

// L of U and of σ, but for Z.
void add_shift(const ContactAsked& asked, double by_gap, ContactLinearisation& result) {
  RowByRow<6, kGeometryColumns> V_in = RowByRow<6, kGeometryColumns>::Zero();
  RowByRow<6, 7> V_z = RowByRow<6, 7>::Zero();
  set_velocity(asked, asked.master.u, asked.slave.u, V_in, V_z);
  result.L_in = result.detail->U_in;
  result.L_z = result.detail->U_z;
  result.L_in.topRows<3>() += result.S.asDiagonal() * V_in.topRows<3>();
  result.L_z.topRows<3>() += result.S.asDiagonal() * V_z.topRows<3>();
  result.L_z(2, 6) += by_gap;
}

void mask_rows(RowMask used, int first, ContactLinearisation& result) {
  for (int i = 0; i < 3; ++i) {
    if (uses(used, i)) continue;
    result.H.row(first + i).setZero();
    result.detail->U_in.row(first + i).setZero();
    result.L_in.row(first + i).setZero();
    result.detail->U_z.row(first + i).setZero();
    result.L_z.row(first + i).setZero();
  }
}

}  // namespace

ContactLinearisation linearise(const ContactAsked& asked, const char*& geometry, const char*& kink) {
  const ActiveContact& contact = asked.contact;
  const ContactPoint& at = contact.point;
  const Law& law = asked.system.graph().law(contact.constraint);
  ContactLinearisation result;
  result.detail = std::make_unique<ContactDetail>();
  result.constraint = contact.constraint;
  result.identity = contact.identity;
  result.size = 3 * block_count(law);
  result.master = at.master;
  result.slave = at.slave;
  result.reaction = contact.reaction[2];
  result.H.setZero();
  result.detail->U_in.setZero();
  result.detail->U_z.setZero();
  result.detail->P_q.setZero();
  result.detail->P_z.setZero();
  result.detail->Z.setZero();
  result.frame_by_past.setZero();

  result.H.topLeftCorner<3, kMostFreedoms>() = -at.frame.transpose() * asked.master.point(at.point);
  result.H.topRightCorner<3, kMostFreedoms>() = at.frame.transpose() * asked.slave.point(at.point);
  set_velocity(asked, asked.master.u_after, asked.slave.u_after, result.detail->U_in, result.detail->U_z);
  if (result.size == 6) set_spin(asked, friction_discs(law).length, result);
  result.pulls = !contact.reaction.isZero(0) || !contact.moment.isZero(0);
  if (result.pulls) set_pull(asked, at.frame * contact.reaction, at.frame * contact.moment, result);
  add_shift(asked, set_shift(asked, result, kink), result);
  for (int k = 0; 3 * k < result.size; ++k) mask_rows(rows(law, k), 3 * k, result);
  if (!asked.detected) return result;

  const auto& colliders = asked.system.colliders();
  const Collider &master = colliders[contact.master], &slave = colliders[contact.slave];
  result.master_shape = contact.master;
  result.slave_shape = contact.slave;
  result.pair = ParameterVariation::pair(master.surface, slave.surface);
  const ContactGeometry moves =
      linearise_contact(master, asked.master, slave, asked.slave, at.point, at.frame.col(2), at.gap);
  if (moves.edge != nullptr) geometry = moves.edge;
  const FrameTransport carried = transport_of_frame(asked.before != nullptr ? &asked.before->frame : nullptr, at.frame);
  result.detail->Z.topRows<3>() = moves.point;
  result.detail->Z.middleRows<3>(3) = carried.by_normal * moves.normal;
  result.detail->Z.row(6) = moves.gap;
  result.detail->U_in += result.detail->U_z * result.detail->Z;
  result.L_in += result.L_z * result.detail->Z;
  if (asked.before != nullptr) result.frame_by_past = carried.by_past;
  return result;
}

}  // namespace locdyn::detail
