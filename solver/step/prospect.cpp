#include <locdyn/solver/step/prospect.hpp>

#include <algorithm>
#include <span>
#include <vector>

#include <locdyn/solver/newton/friction_map.hpp>

namespace locdyn::detail {
namespace {

// Where rounds creep they have come nowhere near beyond this scaled residual, either, and beyond so many times the
// tolerance: the paddle's steps (pace.hpp), at 4e-3 to 8e-3, took 10 s more in all other solvers.
constexpr double kNearWhereCreeping = 1e-3, kCloseTimesTolerance = 10;
// Where bodies are of so different masses at their contacts a solution may come from afar all the same: heaps of balls
// of densities 1 : 1e6 are given up in 40 of 176 steps where nobody looks at masses, and in none of 144 here.
constexpr double kMassesApart = 1e3;

// Of the W of rows, the weight with which B + σ + H y is made small, and how much of B + σ may be left. Where nothing
// drives a pyramid of 140 balls that begins to stand 3e-5 are, of 45 to 123 contacts that a paddle jams 0.3. Without
// this one step of that pyramid, 637 contacts at 2e-3, was given up at 1e-4 as jammed.
constexpr double kUndoingWeight = 1e-9, kUndone = 1e-4;

// What has to vanish of a row, or nothing where that does not tell. A gap need not.
std::optional<Eigen::Vector3d> given_to(const LocalDynamics& ldy, const DiagonalBlock& row) {
  const Law& law = ldy.law(row.constraint);
  const NewtonRow seen = newton_row(law, ldy.block_of(row), row.W, ldy.row(row.constraint).W);
  if (seen.rows != kRowsAll || seen.bounded != 0 || seen.moment || !seen.compliance.isZero(0)) return std::nullopt;
  Eigen::Vector3d shift = seen.shift;
  if (seen.contact) shift[2] = std::min(shift[2], 0.0);
  return row.B + shift;
}

// By a Newton step from R = 0 with all rows held.
bool can_be_undone(const LocalDynamics& ldy, NewtonSystem& system) {
  const auto* arena = ldy.diagonal_arena().data();
  std::vector<LinearisedRow> rows(ldy.diagonal_arena().size());
  std::vector<Eigen::Vector3d> step(rows.size(), Eigen::Vector3d::Zero());
  double trace = 0, given2 = 0, left2 = 0;
  for (const DiagonalBlock& row : ldy.rows()) trace += row.W.trace();
  const double weight = kUndoingWeight * trace / static_cast<double>(3 * ldy.row_count());
  for (const DiagonalBlock& row : ldy.rows()) {
    const std::optional<Eigen::Vector3d> F = given_to(ldy, row);
    if (!F) return false;
    LinearisedRow& linear = rows[&row - arena];
    linear.F = *F;
    linear.weight = weight;
    linear.pressed = linear.d.holds = true;
    linear.d.E.setIdentity();
    linear.d.C.setZero();
    given2 += F->squaredNorm();
  }
  if (!system.solve(rows, step)) return false;
  const std::span<const Eigen::Vector3d> change = system.velocity_change();
  if (change.empty()) return false;
  for (const DiagonalBlock& row : ldy.rows()) left2 += (rows[&row - arena].F + change[&row - arena]).squaredNorm();
  return left2 <= kUndone * kUndone * given2;
}

}  // namespace

bool Prospect::close() const noexcept {
  return best_ <= kCloseTimesTolerance * tolerance_;
}

bool Prospect::may_be_near() {
  return best_ <= kNear || masses_are_apart() || must_be_one();
}

bool Prospect::may_be_near_though_creeping() {
  return best_ <= std::min(kNear, std::max(kNearWhereCreeping, kCloseTimesTolerance * tolerance_)) ||
         masses_are_apart() || must_be_one();
}

bool Prospect::masses_are_apart() {
  if (!knows_responses()) return false;
  if (!masses_) masses_ = masses_at_contacts(ldy_);
  return masses_->largest > kMassesApart * masses_->least;
}

bool Prospect::must_be_one() {
  if (!must_be_one_) must_be_one_ = can_be_undone(ldy_, newton_.system());
  return *must_be_one_;
}

std::optional<PressingSearch> Prospect::search(const StopOptions& stop) const {
  if (!knows_responses()) return std::nullopt;
  return search_pressing(ldy_, stop);
}

bool Prospect::knows_responses() const noexcept {
  return ldy_.factor() != nullptr && ldy_.factor()->has_responses();
}

}  // namespace locdyn::detail
