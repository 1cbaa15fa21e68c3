#include <locdyn/solver/step/pressed_together.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <locdyn/ldy/velocities.hpp>
#include <locdyn/solver/nsgs/normal_sweep.hpp>

namespace locdyn::detail {
namespace {

constexpr int kNormal = 2;
// Each run has twice as many sweeps as the one before: r settles slowly where bodies may turn a little.
constexpr int kRuns = 4, kFirstRun = 250;
// Of a run in which r settles: where it does no better there is a solution, or r is too slow.
constexpr double kLeastGrowth = 2;

NormalSweep::Load load_of(const LocalDynamics& ldy, ConstraintId id) {
  const Law& law = ldy.law(id);
  const double c = gives_way(law) ? compliance(law, 0)[kNormal] : 0;
  return {.b = ldy.row(id).B[kNormal] + offset(law, 0)[kNormal], .c = c};
}

std::vector<ConstraintId> contacts_of(const LocalDynamics& ldy) {
  std::vector<ConstraintId> ids;
  for (const DiagonalBlock& row : ldy.rows()) {
    const bool leads = &row == &ldy.row(row.constraint);
    if (leads && is_contact(ldy.law(row.constraint))) ids.push_back(row.constraint);
  }
  return ids;
}

std::vector<double> reactions(const NormalSweep& sweep) {
  std::vector<double> r;
  sweep.for_each_row([&](const NormalSweep::Row& row) { r.push_back(row.R); });
  return r;
}

// The bound on √(R·W R) by r, over that of reactions which stop what closes, a contact each, with the heaviest mass.
double reach(const LocalDynamics& ldy, const NormalSweep& sweep, const std::vector<double>& r, double largest_mass) {
  const DelassusFactor& factor = *ldy.factor();
  const auto* arena = ldy.diagonal_arena().data();
  const auto couplings = [&](const DiagonalBlock& row) { return factor.couplings(static_cast<Index>(&row - arena)); };
  PaddedVelocities velocities(factor);
  const auto of = [&](const Coupling& c) {
    return Eigen::Map<Eigen::VectorXd>(velocities.of(c.body).data(), c.freedoms);
  };

  auto at = r.begin();
  sweep.for_each_row([&](const NormalSweep::Row& row) {
    for (const Coupling& c : couplings(*row.block)) of(c) += *at * factor.response(c).col(kNormal);
    ++at;
  });
  double work = 0, energy = 0, closing = 0;
  at = r.begin();
  sweep.for_each_row([&](const NormalSweep::Row& row) {
    double opening = row.c * *at;
    for (const Coupling& c : couplings(*row.block)) opening += factor.jacobian(c).row(kNormal).dot(of(c));
    work -= *at * row.b;
    energy += *at * opening;
    if (*at > 0 && row.b < 0) closing += row.b * row.b;
    ++at;
  });
  return work > 0 ? work / std::sqrt(std::max(energy, std::numeric_limits<double>::min()) * closing * largest_mass) : 0;
}

}  // namespace

MassRange masses_at_contacts(const LocalDynamics& ldy) {
  const DelassusFactor& factor = *ldy.factor();
  const auto* arena = ldy.diagonal_arena().data();
  MassRange masses;
  for (const ConstraintId id : contacts_of(ldy)) {
    for (const Coupling& c : factor.couplings(static_cast<Index>(&ldy.row(id) - arena))) {
      const double W = factor.jacobian(c).row(kNormal).dot(factor.response(c).col(kNormal));
      if (!(W > 0)) continue;
      masses.least = std::min(masses.least, 1 / W);
      masses.largest = std::max(masses.largest, 1 / W);
    }
  }
  return masses;
}

PressingSearch search_pressing(const LocalDynamics& ldy, const StopOptions& stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  PressingSearch search;
  PaddedVelocities velocities(*ldy.factor());
  NormalSweep sweep(
      contacts_of(ldy), stop.threads, ldy, *ldy.factor(), [&](ConstraintId id) { return load_of(ldy, id); },
      velocities);
  const double products = velocity_products(ldy) / 3;  // of a sweep
  const auto over = [&] {
    search.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return search.seconds >= stop.max_seconds || search.work() >= stop.max_work ||
           (stop.interrupt != nullptr && *stop.interrupt);
  };

  const double largest_mass = masses_at_contacts(ldy).largest;
  std::vector<double> before, step;
  for (int run = 0; run < kRuns; ++run) {
    before = reactions(sweep);
    for (int k = 0; k < kFirstRun << run; ++k) {
      if (over()) return search;
      sweep.run();
      search.block_products += products;
    }
    step = reactions(sweep);
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = std::max(0.0, step[i] - before[i]);
    const double before_it = std::exchange(search.reach, std::max(search.reach, reach(ldy, sweep, step, largest_mass)));
    if (over() || search.pressed() || !(search.reach > kLeastGrowth * before_it)) return search;
  }
  return search;
}

}  // namespace locdyn::detail
