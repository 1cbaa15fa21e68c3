#include <locdyn/solver/nsgs/velocity_moments.hpp>

#include <algorithm>
#include <cstddef>
#include <variant>

#include <Eigen/Core>

#include <locdyn/contact/rolling_cone.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/local/disc_friction.hpp>
#include <locdyn/solver/nsgs/velocity_builder.hpp>

namespace locdyn::detail {

// In the order of the sequence.
void VelocitySweep::add_moments(const Builder& builder) {
  for (std::size_t i = 0; i < schedule_.sequence.size(); ++i) {
    const ConstraintId id = schedule_.sequence[i];
    const auto* law = std::get_if<RollingLaw>(&ldy_.law(id));
    if (law == nullptr) continue;
    moment_at_.resize(schedule_.sequence.size(), kNone);
    moment_at_[i] = static_cast<Index>(moments_.size());
    const RollingCone cone = law->cone();
    Moment moment{add_row(id, 1, builder), cone.rolling,
                  cone.torsional,          1 / row_scale(ldy_.row(id).W, law->rows(0)),
                  Eigen::Vector3d::Ones(), ldy_.row(id, 1).W};
    for (int k = 0; k < 3; ++k) {
      if (uses(law->moment_rows, k)) continue;
      moment.W.row(k).setZero();
      moment.W.col(k).setZero();
      moment.W(k, k) = 1;
      moment.used[k] = 0;
    }
    moments_.push_back(moment);
  }
}

double VelocitySweep::normal_reaction(const Step& step, std::size_t lane) const {
  if (step.kind == Kind::four) return wide_R_[step.at].R[2][lane];
  return step.kind == Kind::rigid_contact ? rigid_[step.at].R[2] : rows_[constraints_[step.at].row].R[2];
}

// Under the R_n that there is: rolling given torsion, then torsion given rolling.
double VelocitySweep::visit_moment(const Moment& moment, double normal, double relaxation) {
  Row& row = rows_[moment.row];
  const Eigen::Matrix3d& W = moment.W;
  const double rolling = moment.rolling * std::max(normal, 0.0), torsional = moment.torsional * std::max(normal, 0.0);
  const Eigen::Vector3d b = moment.used.cwiseProduct(row.load + motion(row)) - W * row.R;
  Eigen::Vector3d M = row.R;
  M.head<2>() = solve_in_disc(W.topLeftCorner<2, 2>(), b.head<2>() + W.topRightCorner<2, 1>() * M[2], rolling);
  if (W(2, 2) > 0) M[2] = std::clamp(-(b[2] + W(2, 0) * M[0] + W(2, 1) * M[1]) / W(2, 2), -torsional, torsional);
  if (relaxation != 1) {
    M = row.R + relaxation * (M - row.R);
    const double length = M.head<2>().norm();
    if (length > rolling) M.head<2>() *= rolling / length;
    M[2] = std::clamp(M[2], -torsional, torsional);
  }
  const Eigen::Vector3d change = M - row.R;
  row.R = M;
  push(row, change);
  return change.squaredNorm() * moment.inverse_rho * moment.inverse_rho;
}

double VelocitySweep::visit_moments(Index step, double relaxation) {
  double change2 = 0;
  for_each_moment(step, [&](std::size_t lane, const Moment& moment) {
    change2 += visit_moment(moment, normal_reaction(steps_[step], lane), relaxation);
  });
  return change2;
}

}  // namespace locdyn::detail
