// R and the velocities of a VelocitySweep, carried on by a share of their last step: v is linear in R, so that the same
// share takes both.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/solver/nsgs/velocity_moments.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/threads/team.hpp>

namespace locdyn::detail {
namespace {

constexpr std::size_t kLine = sizeof(SweptVelocity) / sizeof(double);

// x ← x + share (x − before), before ← x.
void carry(double* x, double* before, std::size_t count, double share) {
  for (std::size_t i = 0; i < count; ++i) {
    const double now = x[i];
    x[i] += share * (now - before[i]);
    before[i] = now;
  }
}

// The same of four numbers.
[[gnu::always_inline]] inline void carry_lanes(double* x, double* before, const FourLanes& share) {
  FourLanes now, then;
  load_lanes(x, now);
  load_lanes(before, then);
  store_lanes(now + share * (now - then), x);
  store_lanes(now, before);
}

// The same of many fours.
[[gnu::always_inline]] inline void carry_all_anywhere(double* x, double* before, std::size_t count, double share) {
  const FourLanes alike = {share, share, share, share};
  for (std::size_t i = 0; i < count; i += kLanes) carry_lanes(x + i, before + i, alike);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void carry_all_avx2(double* x, double* before, std::size_t count, double share) {
  carry_all_anywhere(x, before, count, share);
}
#endif
void carry_all(double* x, double* before, std::size_t count, double share) {
#if defined(__x86_64__)
  if (has_avx2()) return carry_all_avx2(x, before, count, share);
#endif
  carry_all_anywhere(x, before, count, share);
}

// Of `count`, the share of one thread of a team.
struct Share {
  std::size_t begin, end;
  Share(std::size_t count, std::int64_t own, std::int64_t team)
      : begin(count * static_cast<std::size_t>(own) / static_cast<std::size_t>(team)),
        end(count * static_cast<std::size_t>(own + 1) / static_cast<std::size_t>(team)) {}
};

}  // namespace

void VelocitySweep::begin_to_carry() {
  wide_before_ = wide_R_;
  rigid_before_.resize(rigid_.size());
  row_before_.resize(rows_.size());
  for (std::size_t i = 0; i < rigid_.size(); ++i) std::copy_n(rigid_[i].R, 3, rigid_before_[i].data());
  for (std::size_t i = 0; i < rows_.size(); ++i) row_before_[i] = rows_[i].R;
  velocity_before_ = velocity_;
}

// The scales among the velocities do not change, and so are carried nowhere.
void VelocitySweep::carry_on(double share, int threads) {
  if (velocity_before_.size() != velocity_.size()) begin_to_carry();
  if (schedule_.batch_count() == 1) threads = 1;  // as the sweeps
  // Each thread about the fours and the bodies of the batches that it sweeps: they lie in its cache. On two threads it
  // takes 1.2 times the processor time that one needs; runs by whoever is free first, each array apart, took 1.9 times.
  const auto carry_share = [&](std::int64_t own, std::int64_t team) {
    const Share fours(wide_R_.size(), own, team), alone(rigid_.size(), own, team), rows(rows_.size(), own, team),
        lines(velocity_.size() / kLine, own, team);
    if (fours.begin < fours.end) {
      carry_all(&wide_R_[fours.begin].R[0][0], &wide_before_[fours.begin].R[0][0],
                3 * kLanes * (fours.end - fours.begin), share);
    }
    for (std::size_t i = alone.begin; i < alone.end; ++i) carry(rigid_[i].R, rigid_before_[i].data(), 3, share);
    for (std::size_t i = rows.begin; i < rows.end; ++i) carry(rows_[i].R.data(), row_before_[i].data(), 3, share);
    const std::size_t first = kLine * lines.begin;
    carry_all(velocity_.data() + first, velocity_before_.data() + first, kLine * (lines.end - lines.begin), share);
  };
  threads == 1 ? carry_share(0, 1) : on_team(threads, carry_share);
}

// The velocities of now lose the rounding that they have gathered, and those before lose as much: what one has and the
// other has not would be carried on as a step, β / (1 − β) times as large in the end, at each reading anew.
void VelocitySweep::begin_to_correct() {
  for (std::size_t i = 0; i < velocity_before_.size(); ++i) velocity_before_[i] -= velocity_[i];
}
void VelocitySweep::correct_what_was_carried() {
  for (std::size_t i = 0; i < velocity_before_.size(); ++i) velocity_before_[i] += velocity_[i];
}

void VelocitySweep::find_part_of_lines() {
  part_of_line_.assign(velocity_.size() / kLine, 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const Index* part = part_.data() + step_at_[i];
    if (step.kind == Kind::four) {
      const WideContact& four = wide_[step.at];
      for (std::size_t l = 0; l < kLanes; ++l) part_of_line_[four.first[l]] = part_of_line_[four.second[l]] = part[l];
    } else if (step.kind == Kind::rigid_contact) {
      const RigidContact& contact = rigid_[step.at];
      if (contact.first != kNone) part_of_line_[contact.first] = *part;
      part_of_line_[contact.second] = *part;
    } else {
      const Constraint& constraint = constraints_[step.at];
      for (Index k = 0; k < constraint.blocks; ++k) {
        const Row& row = rows_[constraint.row + k];
        for (Index c = row.first; c < row.last; ++c) {
          const std::uint64_t first = coupled_[c].velocity, last = first + coupled_[c].n - 1;
          for (std::uint64_t line = first / kLine; line <= last / kLine; ++line) part_of_line_[line] = *part;
        }
      }
    }
  }
}

[[gnu::always_inline]] inline void VelocitySweep::carry_parts_anywhere(std::span<const double> share) {
  for (const Index i : open_) {
    const Step& step = steps_[i];
    const Index* part = part_.data() + step_at_[i];
    if (step.kind == Kind::four) {
      const FourLanes own = {share[part[0]], share[part[1]], share[part[2]], share[part[3]]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        carry_lanes(wide_R_[step.at].R[axis], wide_before_[step.at].R[axis], own);
      }
    } else if (step.kind == Kind::rigid_contact) {
      carry(rigid_[step.at].R, rigid_before_[step.at].data(), 3, share[*part]);
    } else {
      const Constraint& constraint = constraints_[step.at];
      for (Index row = constraint.row; row < constraint.row + constraint.blocks; ++row) {
        carry(rows_[row].R.data(), row_before_[row].data(), 3, share[*part]);
      }
    }
    for_each_moment(i, [&](std::size_t lane, const Moment& moment) {
      carry(rows_[moment.row].R.data(), row_before_[moment.row].data(), 3, share[part[lane]]);
    });
  }
  for (std::size_t line = 0; line < part_of_line_.size(); ++line) {
    carry_all_anywhere(velocity_.data() + kLine * line, velocity_before_.data() + kLine * line, kLine,
                       share[part_of_line_[line]]);
  }
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void VelocitySweep::carry_parts_avx2(std::span<const double> share) {
  carry_parts_anywhere(share);
}
#endif

// What is closed stays as it is.
void VelocitySweep::carry_parts_on(std::span<const double> share) {
  if (velocity_before_.size() != velocity_.size()) begin_to_carry();
  if (part_of_line_.empty()) find_part_of_lines();
#if defined(__x86_64__)
  if (has_avx2()) return carry_parts_avx2(share);
#endif
  carry_parts_anywhere(share);
}

}  // namespace locdyn::detail
