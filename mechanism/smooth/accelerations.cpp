#include <locdyn/mechanism/smooth/accelerations.hpp>

#include <algorithm>
#include <stdexcept>

#include <locdyn/mechanism/smooth/acceleration_solve.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kSolved = 1e-9;  // of the residual of both equations, where rounding leaves no better

}  // namespace

// Which rows are redundant, and of those which were not in the best position so far.
void Accelerations::describe_rank(AccelerationReport& report) {
  std::vector<Eigen::Index> redundant;
  for (const RedundantRow& row : system_.redundant()) redundant.push_back(row.row);
  for (const Eigen::Index row : redundant) report.redundant.push_back(mechanism_.spelled(row));
  report.rank_lost = system_.rank_lost();
  if (report.rank_lost == 0) usual_ = redundant;
  if (report.rank_lost > 0) {
    const auto is_new = [&](Eigen::Index row) { return !std::binary_search(usual_.begin(), usual_.end(), row); };
    const auto lost = std::find_if(redundant.begin(), redundant.end(), is_new);
    report.weakest = 0;
    report.weakest_row = mechanism_.spelled(lost == redundant.end() ? redundant.back() : *lost);
  } else if (const WeakestRow weakest = system_.weakest(); weakest.row >= 0) {
    report.weakest = weakest.singular_value;
    report.weakest_row = mechanism_.spelled(weakest.row);
  }
}

AccelerationReport Accelerations::solve(const AppliedLoads& loads) {
  mechanism_.evaluate();
  const Eigen::VectorXd gamma = -mechanism_.bias(), f = smooth_forces(mechanism_, loads);
  system_.factorise({.A = A_, .G = mechanism_.G(), .compliance = {}, .rows = {}});
  const SaddleSolution solution = system_.solve(f, gamma);

  AccelerationReport report{.acceleration = solution.a, .multipliers = solution.lambda};
  report.met = solution.residual <= kSolved && !solution.contradictory;
  describe_rank(report);
  if (gamma.size() == 0) return report;
  Eigen::Index worst = 0;
  report.residual = (mechanism_.G() * solution.a - gamma).cwiseAbs().maxCoeff(&worst);
  if (solution.contradictory) worst = solution.contradiction.row;
  if (!report.met) report.at_fault = mechanism_.spelled(worst);
  return report;
}

std::vector<Eigen::Index> Accelerations::independent() const {
  std::vector<Eigen::Index> rows;
  auto next = system_.redundant().begin();
  for (Eigen::Index row = 0; row < system_.problem().G.rows(); ++row) {
    if (next != system_.redundant().end() && next->row == row) {
      ++next;
    } else {
      rows.push_back(row);
    }
  }
  return rows;
}

AccelerationReport accelerations(Mechanism& mechanism, const AppliedLoads& loads) {
  return Accelerations(mechanism).solve(loads);
}

Eigen::VectorXd drive_forces(const Mechanism& mechanism, const Eigen::VectorXd& multipliers) {
  if (multipliers.size() != static_cast<Eigen::Index>(mechanism.rows().size())) {
    throw std::invalid_argument("multipliers: expected " + std::to_string(mechanism.rows().size()) +
                                " numbers, found " + std::to_string(multipliers.size()));
  }
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(mechanism.drive_count()));
  for (DriveId drive = 0; drive < mechanism.drive_count(); ++drive) {
    const Eigen::Index row = mechanism.row_of(drive);
    if (row >= 0) {
      forces[static_cast<Eigen::Index>(drive)] = mechanism.drive(drive).length() * multipliers[row];
    }
  }
  return forces;
}

}  // namespace locdyn
