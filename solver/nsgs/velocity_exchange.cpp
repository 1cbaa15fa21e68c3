// What goes between the graph and a VelocitySweep: R in, with the velocities that it gives the bodies, R and U out.

#include <algorithm>
#include <array>
#include <utility>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/solver/nsgs/for_each_batch.hpp>
#include <locdyn/solver/nsgs/velocity_moments.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// Steps whose results a thread writes into the graph in one go.
constexpr std::int64_t kStepsAtOnce = 64;

using Lanes = double[3][kLanes];

#if defined(__x86_64__)
[[gnu::target("avx2")]] void push_four_avx2(const WideContact& c, const WideReaction& R, SweptVelocity* velocities) {
  wide::push(c, R, velocities);
}
[[gnu::target("avx2")]] void motion_of_four_avx2(const WideContact& c, const SweptVelocity* velocities, Lanes& U) {
  wide::motion_of(c, velocities, U);
}
#endif
void push_four(const WideContact& c, const WideReaction& R, SweptVelocity* velocities) {
#if defined(__x86_64__)
  if (has_avx2()) return push_four_avx2(c, R, velocities);
#endif
  wide::push(c, R, velocities);
}
void motion_of_four(const WideContact& c, const SweptVelocity* velocities, Lanes& U) {
#if defined(__x86_64__)
  if (has_avx2()) return motion_of_four_avx2(c, velocities, U);
#endif
  wide::motion_of(c, velocities, U);
}

}  // namespace

void VelocitySweep::read_reactions(int threads) {
  begin_to_correct();
  forget_velocities();
  for_each_batch(schedule_, SweepDirection::forward, threads, [this](Index batch) { read_batch(batch); });
  correct_what_was_carried();
}

// All velocities are zero, the scales among them stay.
void VelocitySweep::forget_velocities() {
  std::uint64_t from = 0;
  for (const std::uint64_t scale : scale_at_) {
    std::fill(velocity_.begin() + static_cast<std::ptrdiff_t>(from),
              velocity_.begin() + static_cast<std::ptrdiff_t>(scale), 0.0);
    from = scale + 1;
  }
  std::fill(velocity_.begin() + static_cast<std::ptrdiff_t>(from), velocity_.end(), 0.0);
}

void VelocitySweep::read_batch(Index batch) {
  for (Index i = first_step_[batch]; i < first_step_[batch + 1]; ++i) read_step<false>(i);
}

void VelocitySweep::read_reactions_of(std::span<const ConstraintId> constraints, int threads) {
  if (step_of_.empty()) find_steps();
  if (watchers_.empty()) find_watchers();
  for (const ConstraintId id : constraints) changed_[step_of_[id]] = 1;
  for_each_batch(schedule_, SweepDirection::forward, threads, [this](Index batch) {
    for (Index i = first_step_[batch]; i < first_step_[batch + 1]; ++i) {
      if (std::exchange(changed_[i], 0) == 0) continue;
      read_step<true>(i);
      for (Index k = watchers_[i].first; k < watchers_[i].last; ++k) moved_[watched_[k]] += least_change_;
    }
  });
}

void VelocitySweep::find_steps() {
  step_of_.assign(ldy_.id_bound(), kNone);
  changed_.assign(steps_.size(), 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::size_t count = steps_[i].kind == Kind::four ? kLanes : 1;
    for (std::size_t l = 0; l < count; ++l) step_of_[schedule_.sequence[step_at_[i] + l]] = static_cast<Index>(i);
  }
}

// R of the constraints of a step from the graph: they move their bodies by it, or by what it differs by.
template <bool only_difference>
inline void VelocitySweep::read_step(Index i) {
  auto* velocities = reinterpret_cast<SweptVelocity*>(velocity_.data());
  const ConstraintId* id = &schedule_.sequence[step_at_[i]];
  const Step& step = steps_[i];
  const auto change = [](double to, double from) { return only_difference ? to - from : to; };
  if (step.kind == Kind::four) {
    WideReaction& four = wide_R_[step.at];
    for (std::size_t l = 0; l < kLanes; ++l) {
      for (int axis = 0; axis < 3; ++axis) four.R[axis][l] = change(ldy_.row(id[l]).R[axis], four.R[axis][l]);
    }
    push_four(wide_[step.at], four, velocities);
    for (std::size_t l = 0; l < kLanes && only_difference; ++l) {
      for (int axis = 0; axis < 3; ++axis) four.R[axis][l] = ldy_.row(id[l]).R[axis];
    }
  } else if (step.kind == Kind::rigid_contact) {
    RigidContact& contact = rigid_[step.at];
    for (int axis = 0; axis < 3; ++axis) contact.R[axis] = change(ldy_.row(*id).R[axis], contact.R[axis]);
    rigid::push(contact, contact.R, velocities);
    for (int axis = 0; axis < 3; ++axis) contact.R[axis] = ldy_.row(*id).R[axis];
  } else {
    const Constraint& constraint = constraints_[step.at];
    for (int k = 0; k < constraint.blocks; ++k) {
      Row& row = rows_[constraint.row + k];
      const Eigen::Vector3d& R = ldy_.row(*id, k).R;
      push(row, only_difference ? R - row.R : R);
      row.R = R;
    }
  }
  for_each_moment(i, [&](std::size_t lane, const Moment& moment) {
    Row& row = rows_[moment.row];
    const Eigen::Vector3d& M = ldy_.row(id[lane], 1).R;
    push(row, only_difference ? M - row.R : M);
    row.R = M;
  });
}

void VelocitySweep::write_reactions(int threads) const {
  parallel_for(std::ssize(steps_), threads, kStepsAtOnce, [this](std::int64_t i) {
    const ConstraintId* id = &schedule_.sequence[step_at_[i]];
    const Step& step = steps_[i];
    if (step.kind == Kind::four) {
      const WideReaction& four = wide_R_[step.at];
      for (std::size_t l = 0; l < kLanes; ++l) ldy_.row(id[l]).R = {four.R[0][l], four.R[1][l], four.R[2][l]};
    } else if (step.kind == Kind::rigid_contact) {
      ldy_.row(*id).R = Eigen::Map<const Eigen::Vector3d>(rigid_[step.at].R);
    } else {
      const Constraint& constraint = constraints_[step.at];
      for (int k = 0; k < constraint.blocks; ++k) ldy_.row(*id, k).R = rows_[constraint.row + k].R;
    }
    for_each_moment(static_cast<Index>(i),
                    [&](std::size_t lane, const Moment& moment) { ldy_.row(id[lane], 1).R = rows_[moment.row].R; });
  });
}

// Σ H v of the rows of a step.
template <class Take>
void VelocitySweep::for_each_motion(Index i, const Take& take) const {
  const auto* velocities = reinterpret_cast<const SweptVelocity*>(velocity_.data());
  const ConstraintId* id = &schedule_.sequence[step_at_[i]];
  const Step& step = steps_[i];
  if (step.kind == Kind::four) {
    Lanes U;
    motion_of_four(wide_[step.at], velocities, U);
    for (std::size_t l = 0; l < kLanes; ++l) take(ldy_.row(id[l]), Eigen::Vector3d(U[0][l], U[1][l], U[2][l]));
  } else if (step.kind == Kind::rigid_contact) {
    rigid::Column U;
    rigid::motion_of(rigid_[step.at], velocities, U);
    take(ldy_.row(*id), Eigen::Vector3d(U[0], U[1], U[2]));
  } else {
    const Constraint& constraint = constraints_[step.at];
    for (int k = 0; k < constraint.blocks; ++k) take(ldy_.row(*id, k), motion(rows_[constraint.row + k]));
  }
  for_each_moment(
      i, [&](std::size_t lane, const Moment& moment) { take(ldy_.row(id[lane], 1), motion(rows_[moment.row])); });
}

void VelocitySweep::write_velocities(int threads) const {
  parallel_for(std::ssize(steps_), threads, kStepsAtOnce, [this](std::int64_t i) {
    for_each_motion(static_cast<Index>(i), [](DiagonalBlock& row, const Eigen::Vector3d& Hv) { row.U = row.B + Hv; });
  });
}

void VelocitySweep::hold_the_rest(int threads) {
  constexpr std::size_t kMost = std::max<std::size_t>(2 * kLanes, BilateralLaw::kMaxBlocks);  // fours, and moments
  parallel_for(std::ssize(steps_), threads, kStepsAtOnce, [this](std::int64_t i) {
    std::array<Eigen::Vector3d, kMost> rest;
    std::size_t count = 0;
    for_each_motion(static_cast<Index>(i),
                    [&](const DiagonalBlock& row, const Eigen::Vector3d& Hv) { rest[count++] = row.U - row.B - Hv; });
    const auto [at, kind] = steps_[i];
    // Forces come first, moments behind them.
    const std::size_t forces = kind == Kind::four ? kLanes : kind == Kind::rigid_contact ? 1 : constraints_[at].blocks;
    std::size_t next = forces;
    for_each_moment(static_cast<Index>(i),
                    [&](std::size_t, const Moment& moment) { rows_[moment.row].load += rest[next++]; });
    for (std::size_t k = 0; k < forces; ++k) {
      if (kind == Kind::four) {
        for (int axis = 0; axis < 3; ++axis) wide_[at].load[axis][k] += rest[k][axis];
      } else if (kind == Kind::rigid_contact) {
        for (int axis = 0; axis < 3; ++axis) rigid_[at].load[axis] += rest[k][axis];
      } else {
        rows_[constraints_[at].row + k].load += rest[k];
      }
    }
  });
}

}  // namespace locdyn::detail
