#include <locdyn/embedding/contact_rows.hpp>

namespace locdyn::detail {
namespace {

using Transposed = Eigen::Matrix<double, Eigen::Dynamic, 3>;
using PaddedMap = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic>, Eigen::Unaligned, Eigen::OuterStride<4>>;

// Y = h A⁻¹ Hᵀ of a body whose A⁻¹ is regular.
void respond(const VelocityBody& body, double h, const PaddedMap& H, double* Y) {
  if (body.freedoms() == 6) {
    const Eigen::Map<const Eigen::Matrix<double, 6, 6>> inverse(body.inverse_inertia.data());
    Eigen::Map<Eigen::Matrix<double, 6, 3>>(Y).noalias() = h * (inverse * H.leftCols<6>().transpose());
  } else {
    Eigen::Map<Transposed>(Y, body.freedoms(), 3).noalias() = h * (body.inverse_inertia * H.transpose());
  }
}

// H (3×r) and Y (r×3) of one block and one body, from its H (3×n) as it was given.
void fill(const VelocityBody& body, const double* given, int stride, RowMask used, double h, double* H_place,
          double* Y_place) {
  const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>, Eigen::Unaligned, Eigen::OuterStride<>> block(
      given, 3, body.freedoms(), Eigen::OuterStride<>(stride));
  PaddedMap H(H_place, 3, body.rank());
  if (body.reduced()) {
    H.noalias() = block * body.root;
  } else {
    H = block;
  }
  for (int i = 0; i < 3; ++i) {
    if (!uses(used, i)) H.row(i).setZero();
  }
  if (body.reduced()) {
    Eigen::Map<Transposed>(Y_place, body.rank(), 3) = h * H.transpose();
  } else {
    respond(body, h, H, Y_place);
  }
}

}  // namespace

void ContactRows::lay_out(std::span<const StoredContact* const> contacts, const VelocityBodies& bodies) {
  first_row_.clear();
  layout_.start(bodies.size());
  for (const StoredContact* contact : contacts) {
    first_row_.push_back(static_cast<Index>(layout_.first().size() - 1));
    for (int k = 0; k < block_count(contact->law); ++k) {
      for (const BodyIndex body : contact->bodies) layout_.add(body, bodies[body].rank());
      layout_.end_row();
    }
  }
  layout_.number_groups();
  H_.assign(4 * layout_.places(), 0.0);  // the padding of a column stays zero
  Y_.resize(3 * layout_.places());
  refresh_inertia(bodies);
}

void ContactRows::refresh_inertia(const VelocityBodies& bodies) {
  inertia_.clear();
  first_inertia_.clear();
  first_velocity_.clear();
  std::uint64_t velocities = 0;
  for (const BodyIndex body : layout_.bodies()) {
    const Eigen::MatrixXd& A = bodies[body].inertia;
    first_inertia_.push_back(inertia_.size());
    first_velocity_.push_back(velocities);
    inertia_.insert(inertia_.end(), A.data(), A.data() + A.size());
    velocities += static_cast<std::uint64_t>(A.rows());
  }
  first_inertia_.push_back(inertia_.size());
  impulse_.resize(static_cast<Eigen::Index>(velocities));
}

DelassusFactor ContactRows::factor(double h) const {
  return {.first = layout_.first(),
          .coupling = layout_.couplings(),
          .H = H_,
          .Y = Y_,
          .inertia = inertia_,
          .first_inertia = first_inertia_,
          .level = {},
          .h = h,
          .part = nullptr};
}

void ContactRows::evaluate(std::size_t i, const StoredContact& contact, const VelocityBodies& bodies, double h) {
  for (int k = 0; k < block_count(contact.law); ++k) {
    const RowMask used = rows(contact.law, k);
    std::uint32_t at = layout_.first()[first_row_[i] + k];
    for_each_body(contact, bodies, [&](std::size_t body, const double* H, int stride) {
      const VelocityBody& of = bodies[contact.bodies[body]];
      if (of.rank() == 0) return;
      const std::uint64_t place = layout_.couplings()[at++].place;
      fill(of, H + std::ptrdiff_t{3} * k, stride, used, h, H_.data() + 4 * place, Y_.data() + 3 * place);
    });
  }
}

void ContactRows::move_bodies(const LocalDynamics& ldy, double h, VelocityBodies& bodies) {
  impulse_.setZero();
  const auto arena = ldy.diagonal_arena();
  for (std::size_t row = 0; row + 1 < layout_.first().size(); ++row) {
    const Eigen::Vector3d R = h * arena[row].R;
    for (const Coupling& c : layout_.couplings(static_cast<Index>(row))) {
      double* impulse = impulse_.data() + first_velocity_[c.body];
      const double* H = H_.data() + 4 * c.place;
      for (std::uint32_t i = 0; i < c.freedoms; ++i, H += 4) impulse[i] += Eigen::Map<const Eigen::Vector3d>(H).dot(R);
    }
  }
  bodies.forget_impulses();
  for (std::size_t group = 0; group < layout_.bodies().size(); ++group) {
    const auto first = static_cast<Eigen::Index>(first_velocity_[group]);
    bodies.add_impulse(layout_.bodies()[group], impulse_.segment(first, bodies[layout_.bodies()[group]].rank()));
  }
}

}  // namespace locdyn::detail
