#include <locdyn/solver/nsgs/velocity_sweep.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <locdyn/base/fetch.hpp>
#include <locdyn/base/instruction_set.hpp>
#include <locdyn/solver/local/planar_contact.hpp>
#include <locdyn/solver/nsgs/for_each_batch.hpp>
#include <locdyn/solver/nsgs/velocity_moments.hpp>

namespace locdyn::detail {
namespace {

// As in GaussSeidelSweep: what wakes a constraint, and what is worth telling.
constexpr double kVelocityAwake = 1;
constexpr double kVelocityHeard = 1e-3;

// Contacts are fetched so many places ahead.
constexpr std::uintptr_t kAhead = 6;

// So are the velocities of its bodies where that is asked for, the contact itself being there already. A sweep over
// 1 029 000 contacts of a lattice, colour by colour: 67 ms in place of 81 to 86; in an order that keeps neighbours
// together it takes 1 to 3 % longer on 300 to 1000 contacts.
constexpr std::ptrdiff_t kBodiesAhead = 4;

// Addresses are computed as integers, since they may lie past the end.
template <class Contact>
[[gnu::always_inline]] inline void fetch_ahead_of(const Contact* contact) {
  constexpr std::uintptr_t kPlaces = std::max<std::uintptr_t>(1, kAhead * sizeof(RigidContact) / sizeof(Contact));
  fetch(reinterpret_cast<std::uintptr_t>(contact) + kPlaces * sizeof(Contact), sizeof(Contact));
}

[[gnu::always_inline]] inline void fetch_bodies_of(const RigidContact& contact, const SweptVelocity* velocities) {
  __builtin_prefetch(velocities + contact.second);
  if (contact.first != kNone) __builtin_prefetch(velocities + contact.first);
}
[[gnu::always_inline]] inline void fetch_bodies_of(const WideContact& contact, const SweptVelocity* velocities) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    __builtin_prefetch(velocities + contact.first[l]);
    __builtin_prefetch(velocities + contact.second[l]);
  }
}

}  // namespace

// Six scenes that fall, slide and turn take 0.97 of the time to 1e-3 and 1e-4 that they take with 1e-13, and as long to
// 1e-6; 1e-5 to 1e-2 in place of 1e-4 are as good.
double VelocitySweep::exactness_for(double tolerance) noexcept {
  constexpr double kOfTolerance = 1e-4;
  return std::max(kExact, kOfTolerance * tolerance);
}

// --- one constraint --------------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline double VelocitySweep::visit_rigid(RigidContact& c, double relaxation) {
  auto* velocities = reinterpret_cast<SweptVelocity*>(velocity_.data());
  fetch_ahead_of(&c);
  if (fetches_bodies_ && rigid_.data() + rigid_.size() - &c > kBodiesAhead) {
    fetch_bodies_of(*(&c + kBodiesAhead), velocities);
  }
  std::array<double, 4> b;
  rigid::load_of(c, velocities, b.data());
  const Eigen::Vector3d before(c.R[0], c.R[1], c.R[2]);
  if (!rigid_C_.empty()) {
    const Eigen::Vector3d& C = rigid_C_[&c - rigid_.data()];
    for (int i = 0; i < 3; ++i) b[i] += C[i] * before[i];
  }
  Eigen::Vector3d R = c.block.solve({b[0], b[1], b[2]}, before).R;
  if (relaxation != 1) R = project_on_cone(before + relaxation * (R - before), c.block.friction());
  const std::array<double, 4> change = {R[0] - before[0], R[1] - before[1], R[2] - before[2], 0};
  rigid::push(c, change.data(), velocities);
  for (int i = 0; i < 3; ++i) c.R[i] = R[i];
  return (change[0] * change[0] + change[1] * change[1] + change[2] * change[2]) * c.inverse_rho * c.inverse_rho;
}

Eigen::Vector3d VelocitySweep::motion(const Row& row) const {
  Eigen::Vector3d U = Eigen::Vector3d::Zero();
  for (Index i = row.first; i < row.last; ++i) {
    const Coupled& c = coupled_[i];
    const double* H = H_.data() + c.H;
    const double* v = velocity_.data() + c.velocity;
    for (Index j = 0; j < c.n; ++j, H += 3) {
      for (int axis = 0; axis < 3; ++axis) U[axis] += H[axis] * v[j];
    }
  }
  return U;
}

void VelocitySweep::push(const Row& row, const Eigen::Vector3d& change) {
  for (Index i = row.first; i < row.last; ++i) {
    const Coupled& c = coupled_[i];
    const double* H = H_.data() + c.H;
    double* v = velocity_.data() + c.velocity;
    for (Index j = 0; j < c.n; ++j, H += 3) v[j] += H[0] * change[0] + H[1] * change[1] + H[2] * change[2];
  }
}

// R (one vector a row) of a joint, or of a contact whose friction is not one disc.
void VelocitySweep::solve_other(const Constraint& constraint, double relaxation, std::span<Eigen::Vector3d> R) const {
  const Row* row = rows_.data() + constraint.row;
  const int size = 3 * constraint.blocks;
  const Eigen::Map<const Eigen::MatrixXd> W(own_W_.data() + constraint.own_W, size, size);
  std::array<Eigen::Vector3d, kMaxLawBlocks> b;
  for (int k = 0; k < constraint.blocks; ++k) {
    b[k] = row[k].load + motion(row[k]);
    for (int l = 0; l < constraint.blocks; ++l) b[k] -= W.block<3, 3>(3 * k, 3 * l) * row[l].R;
    R[k] = row[k].R;
  }
  solve(others_[constraint.prepared], {b.data(), constraint.blocks}, R);
  if (relaxation == 1) return;
  for (int k = 0; k < constraint.blocks; ++k) R[k] = row[k].R + relaxation * (R[k] - row[k].R);
  project(ldy_.law(constraint.id), R);
}

double VelocitySweep::visit_general(const Constraint& constraint, Kind kind, double relaxation) {
  Row* row = rows_.data() + constraint.row;
  std::array<Eigen::Vector3d, kMaxLawBlocks> R;
  if (kind == Kind::other) {
    solve_other(constraint, relaxation, {R.data(), constraint.blocks});
  } else {
    const ContactBlock& block = contacts_[constraint.prepared];
    const Eigen::Vector3d b =
        (row->load - block.W() * row->R) + motion(*row) + constraint.compliance.cwiseProduct(row->R);
    R[0] = kind == Kind::planar ? solve_planar_contact(block.W(), block.friction(), b).R : block.solve(b, row->R).R;
    if (relaxation != 1) R[0] = project_on_cone(row->R + relaxation * (R[0] - row->R), block.friction());
  }
  double change2 = 0;
  for (int k = 0; k < constraint.blocks; ++k) {
    const Eigen::Vector3d change = R[k] - row[k].R;
    row[k].R = R[k];
    push(row[k], change);
    change2 += change.squaredNorm();
  }
  return change2 * constraint.inverse_rho * constraint.inverse_rho;
}

[[gnu::always_inline]] inline void VelocitySweep::visit_four(Index at, const double* relaxation, double* change2) {
  auto* velocities = reinterpret_cast<SweptVelocity*>(velocity_.data());
  const WideContact& c = wide_[at];
  fetch_ahead_of(&c);
  constexpr std::ptrdiff_t kFoursAhead = kBodiesAhead / static_cast<std::ptrdiff_t>(kLanes);
  if (fetches_bodies_ && wide_.data() + wide_.size() - &c > kFoursAhead) {
    fetch_bodies_of(*(&c + kFoursAhead), velocities);
  }
  const WideCompliance* compliance = wide_C_.empty() ? nullptr : &wide_C_[at];
  wide::visit(c, compliance, wide_R_[at], velocities, exactness_, relaxation, change2);
}

[[gnu::always_inline]] inline double VelocitySweep::visit(const Step& step, double relaxation) {
  if (step.kind == Kind::four) {
    const std::array<double, kLanes> omega = {relaxation, relaxation, relaxation, relaxation};
    std::array<double, kLanes> change2;
    visit_four(step.at, omega.data(), change2.data());
    return (change2[0] + change2[1]) + (change2[2] + change2[3]);
  }
  if (step.kind == Kind::rigid_contact) return visit_rigid(rigid_[step.at], relaxation);
  return visit_general(constraints_[step.at], step.kind, relaxation);
}

// --- all of them -----------------------------------------------------------------------------------------------------

double VelocitySweep::products() const noexcept {
  // In a sweep. A rigid contact: the frame and two angular parts, both ways, and W. Ĥ of the others both ways, and W.
  const double products = 7 * static_cast<double>(rigid_.size() + kLanes * wide_.size()) +
                          static_cast<double>(rows_.size()) + 2.0 / 9 * static_cast<double>(H_.size());
  return products / static_cast<double>(std::max<std::size_t>(1, schedule_.sequence.size())) * visits_;
}

inline double VelocitySweep::change_seen_by(const Watcher& watcher) const {
  double sum = 0;
  for (Index i = watcher.first; i < watcher.last; ++i) sum += moved_[watched_[i]];
  return sum;
}

[[gnu::always_inline]] inline void VelocitySweep::sweep_batch_anywhere(Index batch, const Pass& pass, Sum& sum) {
  const Index first = first_step_[batch], last = first_step_[batch + 1];
  Sum own;
  if (!pass.active_only) {
    for (Index k = first; k < last; ++k) {
      const Index i = pass.direction == SweepDirection::forward ? k : first + last - 1 - k;
      own.change2 += visit(steps_[i], pass.relaxation);
      if (!moments_.empty()) own.change2 += visit_moments(i, pass.relaxation);
    }
    own.visited = static_cast<double>(schedule_.first[batch + 1] - schedule_.first[batch]);
    sum = own;
    return;
  }
  for (Index i = first; i < last; ++i) {
    Watcher& watcher = watchers_[i];
    if (change_seen_by(watcher) - watcher.seen < least_change_) continue;
    double change2 = visit(steps_[i], pass.relaxation);
    if (!moments_.empty()) change2 += visit_moments(i, pass.relaxation);
    const double change = std::sqrt(change2);
    if (change > kVelocityHeard * least_change_) {
      for (Index k = watcher.first; k < watcher.last; ++k) moved_[watched_[k]] += change;
    }
    watcher.seen = change_seen_by(watcher);
    own.change2 += change2;
    own.visited += steps_[i].kind == Kind::four ? static_cast<double>(kLanes) : 1;
  }
  sum = own;
}

void VelocitySweep::sweep_batch(Index batch, const Pass& pass, Sum& sum) {
#if defined(__x86_64__)
  if (has_avx2()) return sweep_batch_avx2(batch, pass, sum);
#endif
  sweep_batch_anywhere(batch, pass, sum);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void VelocitySweep::sweep_batch_avx2(Index batch, const Pass& pass, Sum& sum) {
  sweep_batch_anywhere(batch, pass, sum);
}
#endif

// Sums over batches are added in order.
VelocitySweep::Sum VelocitySweep::sweep_all(const Pass& pass, int threads) {
  for_each_batch(schedule_, pass.direction, threads, [&](Index batch) { sweep_batch(batch, pass, sums_[batch]); });
  Sum total;
  for (const Sum& sum : sums_) {
    total.change2 += sum.change2;
    total.visited += sum.visited;
  }
  visits_ += total.visited;
  return total;
}

double VelocitySweep::run(SweepDirection direction, double relaxation, int threads) {
  return std::sqrt(sweep_all({direction, relaxation, false}, threads).change2);
}

double VelocitySweep::run_batches(std::span<const Index> batches, double relaxation) {
  const Pass pass{SweepDirection::forward, relaxation, false};
  Sum total;
  for (const Index batch : batches) {
    sweep_batch(batch, pass, sums_[batch]);
    total.change2 += sums_[batch].change2;
    total.visited += sums_[batch].visited;
  }
  visits_ += total.visited;
  return total.change2;
}

void VelocitySweep::find_watchers() {
  const DelassusFactor& factor = *ldy_.factor();
  moved_.assign(factor.group_count(), 0.0);
  watchers_.reserve(steps_.size());
  watched_.reserve(2 * schedule_.sequence.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto first = static_cast<Index>(watched_.size());
    const std::size_t count = steps_[i].kind == Kind::four ? kLanes : 1;
    for (const ConstraintId id : std::span(schedule_.sequence).subspan(step_at_[i], count)) {
      const auto place = static_cast<Index>(&ldy_.row(id) - ldy_.diagonal_arena().data());
      for (const Coupling& c : factor.couplings(place)) watched_.push_back(c.body);
    }
    watchers_.push_back({0, first, static_cast<Index>(watched_.size())});
  }
}

double VelocitySweep::run_active(double relaxation, int threads) {
  if (watchers_.empty()) find_watchers();
  const auto count = static_cast<double>(schedule_.sequence.size());
  Sum pass;
  for (double visited = 0; visited < count; visited += pass.visited) {
    pass = sweep_all({SweepDirection::forward, relaxation, true}, threads);
    least_change_ = kVelocityAwake * std::sqrt(pass.change2 / count);
  }
  return std::sqrt(pass.change2 + count * least_change_ * least_change_);
}

// --- parts -----------------------------------------------------------------------------------------------------------

void VelocitySweep::divide(std::vector<Index> part) {
  part_ = std::move(part);
  open_.resize(steps_.size());
  std::iota(open_.begin(), open_.end(), Index{0});
}

[[gnu::always_inline]] inline void VelocitySweep::sweep_parts_anywhere(std::span<const double> relaxation,
                                                                       std::span<double> change2) {
  std::array<double, kLanes> omega, own;
  for (const Index i : open_) {
    const Step& step = steps_[i];
    const Index* part = part_.data() + step_at_[i];
    if (step.kind == Kind::four) {
      const bool of_one = part[0] == part[1] && part[0] == part[2] && part[0] == part[3];  // as nearly all
      for (std::size_t l = 0; l < kLanes; ++l) omega[l] = relaxation[of_one ? *part : part[l]];
      visit_four(step.at, omega.data(), own.data());
      if (of_one) {
        change2[*part] += (own[0] + own[1]) + (own[2] + own[3]);
      } else {
        for (std::size_t l = 0; l < kLanes; ++l) change2[part[l]] += own[l];
      }
      visits_ += kLanes;
    } else {
      change2[*part] += visit(step, relaxation[*part]);
      visits_ += 1;
    }
    if (moments_.empty()) continue;
    for_each_moment(i, [&](std::size_t lane, const Moment& moment) {
      change2[part[lane]] += visit_moment(moment, normal_reaction(step, lane), relaxation[part[lane]]);
    });
  }
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void VelocitySweep::sweep_parts_avx2(std::span<const double> relaxation,
                                                             std::span<double> change2) {
  sweep_parts_anywhere(relaxation, change2);
}
#endif

void VelocitySweep::run_parts(std::span<const double> relaxation, std::span<double> change2) {
  std::fill(change2.begin(), change2.end(), 0.0);
#if defined(__x86_64__)
  if (has_avx2()) return sweep_parts_avx2(relaxation, change2);
#endif
  sweep_parts_anywhere(relaxation, change2);
}

void VelocitySweep::close_parts(std::span<const std::uint8_t> closed) {
  std::erase_if(open_, [&](Index i) {
    const std::size_t count = steps_[i].kind == Kind::four ? kLanes : 1;
    const auto parts = std::span(part_).subspan(step_at_[i], count);
    return std::all_of(parts.begin(), parts.end(), [&](Index part) { return closed[part] != 0; });
  });
}

double VelocitySweep::bytes() const noexcept {
  return static_cast<double>(
      steps_.size() * sizeof(Step) + rigid_.size() * sizeof(RigidContact) +
      wide_.size() * (sizeof(WideContact) + sizeof(WideReaction)) + wide_C_.size() * sizeof(WideCompliance) +
      rigid_C_.size() * sizeof(Eigen::Vector3d) + constraints_.size() * sizeof(Constraint) +
      rows_.size() * sizeof(Row) + coupled_.size() * sizeof(Coupled) + H_.size() * sizeof(double) +
      contacts_.size() * sizeof(ContactBlock) + others_.size() * sizeof(LawBlock) + own_W_.size() * sizeof(double) +
      moments_.size() * sizeof(Moment) + velocity_.size() * sizeof(double));
}

}  // namespace locdyn::detail
