#include <locdyn/mechanism/mobility.hpp>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/ldy/assembly/derivative_check.hpp>
#include <locdyn/solver/saddle/motion_basis.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn {
using namespace detail;

Mobility mobility(Mechanism& mechanism) {
  const SaddleSystem& factor = mechanism.factorise();
  Mobility found{.coordinates = mechanism.coordinates(), .rows = mechanism.G().rows(), .rank = factor.rank()};
  found.freedoms = found.coordinates - found.rank;
  found.rank_lost = factor.rank_lost();
  for (const RedundantRow& row : factor.redundant()) {
    RepeatedRow& named = found.redundant.emplace_back(RepeatedRow{mechanism.spelled(row.row), {}});
    for (const Eigen::Index other : row.others) named.others.push_back(mechanism.spelled(other));
  }
  if (const WeakestRow weakest = factor.weakest(); weakest.row >= 0) {
    found.weakest = weakest.singular_value;
    found.weakest_row = mechanism.spelled(weakest.row);
  }
  for (const BodyId id : mechanism.bodies().ids()) {
    const Eigen::Index at = mechanism.first(id), n = mechanism.bodies()[id].freedoms();
    if (n > 0 && mechanism.G().middleCols(at, n).nonZeros() == 0) found.loose.push_back(id);
  }
  return found;
}

Eigen::MatrixXd free_motions(Mechanism& mechanism) {
  mechanism.evaluate();
  return MotionBasis(mechanism.G()).vectors();
}

std::vector<std::string> wrong_derivatives(Mechanism& mechanism, double tolerance) {
  require_positive(tolerance, "tolerance");
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < mechanism.member_count(); ++i) {
    const DerivativeReport report = check_derivatives(mechanism.member(i), mechanism.bodies());
    const auto add = [&](double difference, const char* what, const std::string& where) {
      if (difference > tolerance) lines.push_back(mechanism.member_name(i) + ": " + what + ": " + where);
    };
    add(report.H, "H", report.worst_H);
    add(report.drive, "drive", report.worst_drive);
    add(report.bias, "bias", report.worst_bias);
  }
  return lines;
}

}  // namespace locdyn
