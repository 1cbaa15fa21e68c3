#include <locdyn/ldy/recovered_factor.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <locdyn/ldy/eliminated_blocks.hpp>
#include <locdyn/ldy/recovered_bodies.hpp>
#include <locdyn/ldy/rigid_columns.hpp>
#include <locdyn/ldy/symmetric_blocks.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;

// |W − F Fᵀ| over the root of the largest numbers on the diagonals of both rows.
constexpr double kWrong = 1e-6;

// A of a column.
double inertia(const FactorGroup& group, Eigen::Index column) {
  return column < 3 ? 1 : group.mass;
}

RecoveredFactor lay_out(const LocalDynamics& ldy, const std::vector<FactorGroup>& groups) {
  struct Share {
    std::uint32_t group;
    Eigen::Index row;  // in its F
  };
  const auto arena = ldy.diagonal_arena();
  std::vector<std::vector<Share>> shares(arena.size());
  RecoveredFactor found;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const Eigen::Index n = groups[g].F.cols();
    found.first_inertia.push_back(found.inertia.size());
    for (Eigen::Index i = 0; i < n * n; ++i) found.inertia.push_back(i % (n + 1) == 0 ? inertia(groups[g], i / n) : 0);
    for (std::size_t k = 0; k < groups[g].rows.size(); ++k) {
      shares[groups[g].rows[k]].push_back({g, static_cast<Eigen::Index>(3 * k)});
    }
  }
  found.first_inertia.push_back(found.inertia.size());

  std::uint64_t place = 0;
  for (std::size_t at = 0; at < arena.size(); ++at) {
    found.first.push_back(static_cast<std::uint32_t>(found.coupling.size()));
    if (arena[at].constraint == kNone) continue;
    for (const Share& share : shares[at]) {
      const Eigen::MatrixXd& F = groups[share.group].F;
      const auto n = static_cast<std::uint64_t>(F.cols());
      found.coupling.push_back({share.group, static_cast<std::uint32_t>(n), place});
      found.H.resize(4 * (place + n), 0.0);
      found.Y.resize(3 * (place + n), 0.0);
      for (std::uint64_t j = 0; j < n; ++j) {
        for (std::uint64_t i = 0; i < 3; ++i) {
          const double value = F(share.row + static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
          found.H[4 * (place + j) + i] = value;
          found.Y[3 * place + i * n + j] = value / inertia(groups[share.group], static_cast<Eigen::Index>(j));
        }
      }
      place += n;
    }
  }
  found.first.push_back(static_cast<std::uint32_t>(found.coupling.size()));
  return found;
}

// F_α F_βᵀ; couplings ascend by group.
Matrix3d product(const DelassusFactor& factor, Index a, Index b) {
  Matrix3d sum = Matrix3d::Zero();
  const auto of_a = factor.couplings(a), of_b = factor.couplings(b);
  for (auto at = of_a.begin(), other = of_b.begin(); at != of_a.end() && other != of_b.end();) {
    if (at->body == other->body) sum += factor.jacobian(*at) * factor.response(*other);
    const bool next_a = at->body <= other->body, next_b = other->body <= at->body;
    at += next_a ? 1 : 0;
    other += next_b ? 1 : 0;
  }
  return sum;
}

bool holds(const LocalDynamics& ldy, const DelassusFactor& factor) {
  const auto arena = ldy.diagonal_arena();
  const auto root = [&](Index place) { return std::sqrt(arena[place].W.diagonal().maxCoeff()); };
  const auto near = [&](const Matrix3d& W, Index a, Index b) {
    const double most = kWrong * root(a) * root(b);
    return (W - product(factor, a, b)).cwiseAbs().maxCoeff() <= most;
  };
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<Index>(&row - arena.data());
    if (!near(row.W, place, place)) return false;
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      if (block.other < place && !near(block.W, place, block.other)) return false;
    }
  }
  return true;
}

// Where the bodies told and what elimination leaves of the rest sum up to W with no more than this share of its
// numbers.
std::optional<RecoveredFactor> factor_beside(std::vector<FactorGroup> told, const LocalDynamics& ldy,
                                             double most_numbers) {
  auto rest = eliminate_blocks(ldy, told, most_numbers);
  if (!rest) return std::nullopt;
  turn_to_rigid_columns(told, ldy.diagonal_arena().size());
  std::ranges::move(*rest, std::back_inserter(told));
  RecoveredFactor found = lay_out(ldy, told);
  const double W = 9 * static_cast<double>(ldy.row_count() + ldy.off_diagonal_count());
  if (static_cast<double>(found.Y.size()) > most_numbers * W || !holds(ldy, found.view())) return std::nullopt;
  return found;
}

}  // namespace

std::optional<RecoveredFactor> recover_factor(const LocalDynamics& ldy, double most_numbers) {
  if (ldy.row_count() == 0) return std::nullopt;
  const auto blocks = SymmetricBlocks::of(ldy);
  if (!blocks) return std::nullopt;
  std::vector<FactorGroup> bodies = recover_bodies(ldy, *blocks);
  const bool told = !bodies.empty();
  if (auto found = factor_beside(std::move(bodies), ldy, most_numbers); found || !told) return found;
  return factor_beside({}, ldy, most_numbers);
}

}  // namespace locdyn::detail
