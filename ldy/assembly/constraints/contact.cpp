#include <locdyn/ldy/assembly/constraints/contact.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/ldy/laws/hertz_spring.hpp>

namespace locdyn {
using namespace detail;
namespace {

// Σ tr(H A⁻¹ Hᵀ) over the bodies that move, in the rows given: h⁻¹ tr W of one block.
double trace_of_block(const BodySet& bodies, std::span<const BodyId> ids, ConstraintKinematics& kinematics, int block,
                      RowMask rows) {
  double trace = 0;
  for (const BodyId id : ids) {
    const JacobianMap H = kinematics.H(block, id);
    if (H.cols() == 0) continue;
    Eigen::MatrixXd Y = H.transpose();
    bodies[id].apply_inverse_inertia(Y);
    for (int row = 0; row < 3; ++row) {
      if (uses(rows, row)) trace += H.row(row).dot(Y.col(row));
    }
  }
  return trace;
}

}  // namespace

void Contact::check(const ContactPoint& point, const BodySet& bodies) const {
  validate(point, bodies);
  if (point.material.rolls() != rolls_) {
    throw std::invalid_argument(std::string("material: expected ") + (rolls_ ? "" : "no ") +
                                "rolling or torsional friction, as the contact was made with, found " +
                                (rolls_ ? "none" : "some"));
  }
  if (rows_ == ContactRows::plane && point.material.cross_friction) {
    throw std::invalid_argument("cross friction: expected none in the plane, found " +
                                spelled(*point.material.cross_friction));
  }
  if (!Contact::acts(point)) {
    throw std::invalid_argument("gap: expected <= 0 where restitution is " + spelled(point.material.restitution) +
                                " (such a contact is absent until it closes), found " + spelled(point.gap));
  }
}

Contact::Contact(const ContactPoint& point, ContactRows rows)
    : own_(std::make_unique<ContactPoint>(point)),
      point_(own_.get()),
      bodies_{point.master, point.slave},
      rows_(rows),
      rolls_(point.material.rolls()) {}

Contact::Contact(std::reference_wrapper<const ContactPoint> kept, ContactRows rows)
    : point_(&kept.get()), bodies_{point_->master, point_->slave}, rows_(rows), rolls_(point_->material.rolls()) {}

ContactPoint& Contact::own_point() {
  if (own_) return *own_;
  throw std::logic_error("contact: expected one that keeps its own point, found one whose point another keeps");
}

void Contact::set_point(const ContactPoint& point, const BodySet& bodies) {
  if (point.master != bodies_[0] || point.slave != bodies_[1]) {
    throw std::invalid_argument("contact: expected master " + std::to_string(bodies_[0]) + " and slave " +
                                std::to_string(bodies_[1]) + ", found " + std::to_string(point.master) + " and " +
                                std::to_string(point.slave));
  }
  check(point, bodies);
  own_point() = point;
}

void Contact::set_past(const ContactPast& past) {
  own_point().past = past;
}

void Contact::attach(const BodySet& bodies) {
  check(*point_, bodies);
}

void Contact::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  const ContactPoint& point = *point_;
  kinematics.set_point(0, bodies, bodies_[0], point.point, point.frame, -1);
  kinematics.set_point(0, bodies, bodies_[1], point.point, point.frame, +1);
  if (!point.surface_velocity.isZero(0)) {
    kinematics.drive(0) -= point.frame.transpose() * point.surface_velocity;
  }
  if (rolls_) evaluate_spin(bodies, kinematics);
  if (point.material.compliant()) response_ = trace_of_block(bodies, bodies_, kinematics, 0, kRowNormal);
  if (point.material.gives_tangentially()) {
    const RowMask rows = static_cast<RowMask>((rows_ == ContactRows::plane ? kRowsPlanar : kRowsAll) & ~kRowNormal);
    tangential_response_ = trace_of_block(bodies, bodies_, kinematics, 0, rows) / rows_in_use(rows);
  }
}

const ContactPoint* Contact::plain_point() const noexcept {
  const bool plain = rows_ == ContactRows::space && !rolls_ && !point_->material.compliant() &&
                     !point_->material.gives_tangentially() && point_->surface_velocity.isZero(0);
  return plain ? point_ : nullptr;
}

// The spins first as they are; then, by their share of W, in the length ℓ.
void Contact::evaluate_spin(const BodySet& bodies, ConstraintKinematics& kinematics) {
  kinematics.set_spin(1, bodies, bodies_[0], point_->frame, -1, 1);
  kinematics.set_spin(1, bodies, bodies_[1], point_->frame, +1, 1);
  const RowMask rows = rows_ == ContactRows::plane ? kRowsPlanar : kRowsAll;
  const double force = trace_of_block(bodies, bodies_, kinematics, 0, rows) / rows_in_use(rows);
  const double moment = trace_of_block(bodies, bodies_, kinematics, 1, moment_rows()) / rows_in_use(moment_rows());
  length_ = force > 0 && moment > 0 ? std::sqrt(force / moment) : 1;
  kinematics.drive(1) *= length_;
  for (const BodyId id : bodies_) kinematics.H(1, id) *= length_;
}

// σ of a hard contact, where it does not give way along the surface.
CompliantLaw Contact::compliant_law(double h, double V_n, const Eigen::Vector3d& shift) const {
  const SurfaceMaterial& material = point_->material;
  KelvinVoigt normal{material.stiffness, material.damping};
  if (std::isfinite(material.hertz_stiffness)) {
    normal = of_step({material.hertz_stiffness, material.stiffness}, material.damping, h, point_->gap, V_n, response_);
  }
  const auto [C, sigma] = kelvin_voigt(normal, h, point_->gap, V_n, response_);
  CompliantLaw law{.friction = material.friction,
                   .shift = {shift[0], shift[1], sigma},
                   .give = {0, 0, C},
                   .planar = rows_ == ContactRows::plane};
  if (!material.gives_tangentially()) return law;
  const KelvinVoigt along{material.tangential_stiffness, material.tangential_damping};
  for (int k = 0; k < (law.planar ? 1 : 2); ++k) {
    const auto [C_t, sigma_t] =
        held_kelvin_voigt(along, h, point_->past.stretch[k], point_->past.stretching[k], tangential_response_);
    law.give[k] = C_t;
    law.shift[k] = sigma_t;
  }
  return law;
}

Law Contact::law(double h, std::span<const Eigen::Vector3d> V) const {
  const ContactPoint& point = *point_;
  const bool open = point.gap > 0;
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
  shift[2] = open ? point.gap / h : point.material.restitution * std::min(V[0][2], 0.0) - point.feedback;
  const Eigen::Vector2d turned = (V[0] - point.past.velocity).head<2>() / 2;
  if (point.past.pressed && point.past.slip < turned.norm()) shift.head<2>() = turned;
  const SurfaceMaterial& material = point.material;
  if (rolls_) {
    return RollingLaw{.friction = material.friction,
                      .rolling = material.rolling,
                      .torsional = material.torsional,
                      .length = length_,
                      .shift = shift,
                      .moment_rows = moment_rows()};
  }
  if (material.cross_friction) {
    return EllipticLaw{.friction = {material.friction, *material.cross_friction}, .shift = shift};
  }
  if (material.compliant()) return compliant_law(h, V[0][2], shift);
  return ContactLaw{.friction = material.friction, .shift = shift, .planar = rows_ == ContactRows::plane};
}

}  // namespace locdyn
