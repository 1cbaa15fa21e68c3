#include <locdyn/solver/pyramid/pyramid_residual.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/ldy/row_product.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// Sums over one run of rows. Runs have a fixed length and are added in order: the bits do not depend on threads.
struct Partial {
  double scaled2 = 0, absolute2 = 0, b2 = 0, R2 = 0, trace = 0;
};
constexpr Index kRun = 256;

// The vector with zero in the rows that are not in use, whatever they hold.
Eigen::Vector3d in_use(const Eigen::Vector3d& vector, RowMask rows) {
  return {uses(rows, 0) ? vector[0] : 0, uses(rows, 1) ? vector[1] : 0, uses(rows, 2) ? vector[2] : 0};
}

void judge_contact(const Law& law, const FrictionPyramid& pyramid, const DiagonalBlock& row, Partial& sum) {
  const double rho = row_scale(row.W, rows(law, 0));
  const double friction = friction_discs(law).sliding[0];
  const bool planar = rows(law, 0) == kRowsPlanar;
  if (!row.R.allFinite() || !row.U.allFinite()) {
    sum.scaled2 = sum.absolute2 = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  Eigen::Vector3d U_hat = row.U + offset(law, 0);
  if (planar) {
    U_hat[2] += friction * std::abs(U_hat[0]);
  } else {
    U_hat = pyramid.shift(U_hat, friction);
  }
  const auto map = [&](double step) -> Eigen::Vector3d {
    const Eigen::Vector3d z = row.R - step * U_hat;
    return row.R - (planar ? project_on_cone(z, friction) : pyramid.project(z, friction));
  };
  sum.scaled2 += map(rho).squaredNorm() / (rho * rho);
  sum.absolute2 += map(1).squaredNorm();
}

// Bilateral rows: R − (R − ρ Û) = ρ Û on the rows in use, so the scaled map is Û itself.
void judge_bilateral(const Law& law, int k, const DiagonalBlock& row, Partial& sum) {
  const Eigen::Vector3d U_hat = row.U + offset(law, k) + compliance(law, k).cwiseProduct(row.R);
  for (int i = 0; i < 3; ++i) {
    const double map = uses(rows(law, k), i) ? U_hat[i] : row.R[i];
    sum.scaled2 += map * map;
    sum.absolute2 += map * map;
  }
}

void judge_constraint(LocalDynamics& ldy, const FrictionPyramid& pyramid, Index first, Partial& sum) {
  const Law& law = ldy.law(ldy.diagonal_arena()[first].constraint);
  for (int k = 0; k < block_count(law); ++k) {
    DiagonalBlock& row = ldy.diagonal_arena()[first + k];
    row.U = in_use(row.B + row_product(ldy, row), rows(law, k));
    sum.b2 += in_use(row.B + offset(law, k), rows(law, k)).squaredNorm();
    sum.R2 += row.R.squaredNorm();
    sum.trace = std::max(sum.trace, std::abs(row.W.trace()));
    is_contact(law) ? judge_contact(law, pyramid, row, sum) : judge_bilateral(law, k, row, sum);
  }
}

}  // namespace

Judgement evaluate_pyramid_residual(LocalDynamics& ldy, const FrictionPyramid& pyramid, int threads) {
  const auto diagonal = ldy.diagonal_arena();
  const auto places = static_cast<Index>(diagonal.size());
  const Index runs = (places + kRun - 1) / kRun;
  std::vector<Partial> partial(runs);

  parallel_for(runs, threads, 1, [&](std::int64_t i) {
    const auto run = static_cast<Index>(i);
    const Index end = std::min(places, (run + 1) * kRun);
    for (Index at = run * kRun; at < end; ++at) {
      const ConstraintId id = diagonal[at].constraint;
      if (id != kNone && &ldy.row(id) == &diagonal[at]) judge_constraint(ldy, pyramid, at, partial[run]);
    }
  });

  Partial sum;
  for (const Partial& p : partial) {
    sum.scaled2 += p.scaled2;
    sum.absolute2 += p.absolute2;
    sum.b2 += p.b2;
    sum.R2 += p.R2;
    sum.trace = std::max(sum.trace, p.trace);
  }
  const double norm = sum.b2 > 0 ? std::sqrt(sum.b2) : 1.0;
  Judgement residual;
  residual.scaled = std::sqrt(sum.scaled2) / norm;
  residual.absolute = std::sqrt(sum.absolute2);
  residual.relative = residual.absolute / norm;
  residual.floor = 8 * std::numeric_limits<double>::epsilon() * sum.trace * std::sqrt(sum.R2) / norm;
  return residual;
}

}  // namespace locdyn::detail
