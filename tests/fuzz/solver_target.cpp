// Solvers as oracles of each other: random graphs on which each ends within its limits, says truly how, leaves finite
// reactions no worse than it found, and agrees with the judge; or refuses what has no meaning.

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/registry.hpp>
#include <random>
#include <string>
#include <vector>

#include "byte_source.hpp"
#include "refusal.hpp"
#include "solver_target.hpp"
#include "target_list.hpp"

namespace locdyn::fuzz {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Law any_law(ByteSource& source) {
  const auto mu = [&] { return source.below(16) == 0 ? 1e6 * source.share() : 1.5 * source.share(); };
  const auto number = [&] { return source.below(2) == 0 ? 0 : 0.2 * source.signed_share(); };
  switch (source.below(9)) {
    case 0: return ContactLaw{.friction = mu(), .planar = true};
    case 1: return ContactLaw{};
    case 2: {
      BilateralLaw law;
      law.block[0].rows = static_cast<RowMask>(1 + source.below(7));
      if (source.below(2) == 0) law.block[0].compliance[2] = source.share();
      if (source.below(4) == 0) law.block_count = 2;
      return law;
    }
    case 3: return EllipticLaw{.friction = {mu(), mu()}, .shift = {number(), number(), number()}};
    case 4:
      return RollingLaw{.friction = mu(),
                        .rolling = source.share(),
                        .torsional = number() == 0 ? 0 : source.share(),
                        .length = 0.5 + source.share()};
    case 5: return CompliantLaw{.friction = mu(), .give = {0, 0, source.share()}};
    default: return ContactLaw{.friction = mu(), .shift = {number(), number(), number()}};
  }
}

// Where the rows in use of the graph lie in G.
std::vector<bool> rows_that_count(const LocalDynamics& ldy) {
  std::vector<bool> used(3 * ldy.row_count(), false);
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const auto at = static_cast<std::size_t>(&ldy.row(id, k) - ldy.diagonal_arena().data());
      for (int axis = 0; axis < 3; ++axis)
        used[3 * at + static_cast<std::size_t>(axis)] = uses(rows(ldy.law(id), k), axis);
    }
  }
  return used;
}

// What a residual is worth: where reactions have run away rounding hides it (solver/iterate_watch.cpp).
double worth(const Residual& residual) {
  constexpr double kHidingFloor = 1e-6;
  return residual.floor > kHidingFloor ? std::max(residual.scaled, residual.floor) : residual.scaled;
}

}  // namespace

RandomGraph random_graph(Bytes bytes) {
  ByteSource source(bytes);
  RandomGraph made;
  LocalDynamics& ldy = made.ldy;
  const int count = 1 + source.below(6);
  for (int k = 0; k < count; ++k) ldy.insert(any_law(source));
  for (ConstraintId i{0}; i < ldy.id_bound(); ++i) {
    for (ConstraintId j{0}; j < i; ++j) {
      if (source.below(4) > 0) ldy.couple(i, j);
    }
  }

  // W = G Gᵀ of full rank or less, then unsymmetric, with blocks of zeros, in other units, with numbers that are none.
  std::mt19937 random(source.take<std::uint32_t>());
  const auto normal = [&random] { return static_cast<double>(random()) / 2147483648.0 - 1; };
  const std::vector<bool> used = rows_that_count(ldy);
  const auto n = static_cast<Eigen::Index>(used.size());
  const Eigen::Index rank = source.below(2) == 0 ? n : 1 + source.below(static_cast<int>(n));
  Eigen::MatrixXd G(n, rank);
  for (Eigen::Index row = 0; row < n; ++row) {
    for (Eigen::Index column = 0; column < rank; ++column)
      G(row, column) = used[static_cast<std::size_t>(row)] ? normal() : 0;
  }
  Eigen::MatrixXd W = G * G.transpose() / static_cast<double>(rank);
  const bool consistent = rank < n && source.below(2) == 0;  // B = G u: a solution exists
  Eigen::VectorXd u(rank);
  for (double& velocity : u) velocity = normal();
  const double skew = source.below(4) == 0 ? 0.1 : 0, zero = source.below(8) == 0 ? 0.2 : 0;
  constexpr double kUnits[] = {1, 1, 1, 1, 1e-6, 1e6, 1e-30, 1e30, 1e-100, 1e100};
  const double W_unit = kUnits[source.below(10)], B_unit = kUnits[source.below(10)];
  for (DiagonalBlock& row : ldy.rows()) {
    const Eigen::Index at = 3 * (&row - ldy.diagonal_arena().data());
    row.W = W_unit * W.block<3, 3>(at, at);
    if (zero > 0 && std::abs(normal()) < zero) row.W.setZero();
    for (int axis = 0; axis < 3; ++axis) {
      if (used[static_cast<std::size_t>(at + axis)])
        row.B[axis] = B_unit * (consistent ? G.row(at + axis).dot(u) : normal() - (axis == 2 ? 0.5 : 0));
    }
    if (source.below(4) == 0) {  // one after the other: the same R whatever the compiler evaluates first
      const double normal_part = 1 + normal(), t2 = normal(), t1 = normal();
      row.R = B_unit / W_unit * Eigen::Vector3d(t1, t2, normal_part);
    }
    for (OffDiagonalBlock& block : ldy.adjacent(row)) {
      block.W = W_unit * (1 + skew * normal()) * W.block<3, 3>(at, 3 * static_cast<Eigen::Index>(block.other));
      if (zero > 0 && std::abs(normal()) < zero) block.W.setZero();
    }
  }
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {  // rows that a law does not use hold R = 0
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(rows(ldy.law(id), k), axis)) ldy.row(id, k).R[axis] = 0;
      }
    }
  }
  if (source.below(16) == 0) {  // one number that is none, in a row in use
    const ConstraintId id{static_cast<std::uint32_t>(source.below(count))};
    const RowMask mask = rows(ldy.law(id), 0);
    const int axis = uses(mask, 2) ? 2 : uses(mask, 0) ? 0 : 1;
    (source.below(2) == 0 ? ldy.row(id).B[axis] : ldy.row(id).W(axis, axis)) = kNaN;
    made.meaningless = true;
  }
  return made;
}

Outcome try_solver(const SolverEntry& solver, const RandomGraph& problem) {
  LocalDynamics ldy = problem.ldy;
  const std::string name(solver.name);
  const StopOptions stop{.max_iterations = 200, .max_work = 3e7};
  SolveReport report;
  const std::clock_t begin = std::clock();  // of the processor: other programs take none of it
  if (refused([&] { report = solver.solve(ldy, stop, SolverChoices(8)); })) return Outcome::refused;
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  promise(!problem.meaningless, name + ": expected a refusal of a number that is none");
  promise(took < 8, name + ": expected an end within the limits, found " + std::to_string(took) + " s");
  promise(report.iterations <= stop.max_iterations,
          name + ": expected at most 200 iterations, found " + std::to_string(report.iterations));
  const bool converged = report.status == SolveStatus::converged;
  promise(report.reason.empty() == converged, name + ": expected a reason where it is not solved, and only there");
  for (const DiagonalBlock& row : ldy.rows()) promise(row.R.allFinite(), name + ": expected finite reactions");
  const Residual judged = evaluate_residual(ldy);
  promise(report.residual.scaled == judged.scaled || (std::isnan(report.residual.scaled) && std::isnan(judged.scaled)),
          name + ": expected the judge's residual " + std::to_string(judged.scaled) + ", found " +
              std::to_string(report.residual.scaled));
  if (solver.pyramid) {
    promise(!converged || report.own_residual <= std::max(stop.tolerance, judged.floor),
            name + ": told converged, and is not");
    return converged ? Outcome::converged : Outcome::unsolved;
  }
  promise(converged == (judged.scaled <= std::max(stop.tolerance, judged.floor)) || !converged,
          name + ": told converged, and is not");
  LocalDynamics before = problem.ldy;
  const double start = worth(evaluate_residual(before)), end = worth(judged);
  promise(!(end > start * (1 + 1e-12)) || converged, name + ": expected reactions no worse than those it began with, " +
                                                         std::to_string(start) + ", found " + std::to_string(end));
  return converged ? Outcome::converged : Outcome::unsolved;
}

void run_solvers(Bytes bytes) {
  const RandomGraph problem = random_graph(bytes);
  for (const SolverEntry& solver : solvers()) (void)try_solver(solver, problem);
}

std::vector<Input> seeds_of_numbers() {
  std::vector<Input> seeds;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    Input input(200);
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
    seeds.push_back(input);
  }
  return seeds;
}

}  // namespace locdyn::fuzz
