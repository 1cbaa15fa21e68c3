// The numeric half of the assembly. Each row writes its own blocks alone, from kinematics that every row has finished
// before: no locks, and no sum whose order depends on the number of threads.

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/base/fetch.hpp>
#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/rigid_rows.hpp>
#include <locdyn/ldy/block_product.hpp>
#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr std::int64_t kRun = 256;  // of rows or bodies that a thread takes at a time
// So far ahead the constraint of a row and its bodies are fetched. A step of 2000 bodies and 4800 contacts with ten
// sweeps takes 0.95 of the time with its constraints fetched, and 0.96 of that with their bodies; one of 200 bodies,
// which fits a core's cache, takes as long.
constexpr std::size_t kRowsAhead = 4;

[[noreturn]] void not_up_to_date() {
  throw std::logic_error("assembly: the graph or the bodies have changed since the last update");
}

void check(double h, const AssemblyOptions& options) {
  require_positive(h, "step h");
  if (options.threads < 1) {
    throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(options.threads));
  }
  if (!(options.pack_share >= 0 && options.pack_share <= 1)) {
    throw std::invalid_argument("pack_share: expected 0 … 1, found " + spelled(options.pack_share));
  }
}

// p += Hᵀ R, n numbers.
void add_impulse(std::uint32_t n, const double* H, const Eigen::Vector3d& R, double* p) {
  for (std::uint32_t i = 0; i < n; ++i) p[i] += Eigen::Map<const Eigen::Vector3d>(H + 4 * i).dot(R);
}

using Holds = std::span<const Kinematics::Hold>;

// p = Σ Hᵀ h R of a body of six velocities. Each column of H is one register, and so is its part of the sum: the lanes
// are added at the end.
[[gnu::always_inline]] inline void sum_six_anywhere(const Kinematics& kinematics, Holds holds,
                                                    const DiagonalBlock* rows, double h, double* p) {
  FourLanes parts[8] = {}, column;
  for (const Kinematics::Hold& hold : holds) {
    const double* H = kinematics.jacobian(kinematics.coupling(hold));
    const Eigen::Vector3d& R = rows[hold.row].R;
    const FourLanes impulse = FourLanes{R[0], R[1], R[2], 0} * h;
    for (int i = 0; i < 6; ++i) {
      load_lanes(H + 4 * i, column);
      parts[i] += column * impulse;
    }
  }
  for (int first = 0; first < 8; first += 4) {
    FourLanes lanes[4] = {parts[first], parts[first + 1], parts[first + 2], parts[first + 3]};
    transpose_lanes(lanes);
    const FourLanes sum = (lanes[0] + lanes[1]) + lanes[2];
    for (int i = first; i < std::min(6, first + 4); ++i) p[i] = sum[i - first];
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void sum_six_avx2(const Kinematics& kinematics, Holds holds, const DiagonalBlock* rows,
                                          double h, double* p) {
  sum_six_anywhere(kinematics, holds, rows, h, p);
}
#endif

void sum_six(const Kinematics& kinematics, Holds holds, const DiagonalBlock* rows, double h, double* p) {
#if defined(__x86_64__)
  if (has_avx2()) return sum_six_avx2(kinematics, holds, rows, h, p);
#endif
  sum_six_anywhere(kinematics, holds, rows, h, p);
}

bool any_moved(std::span<const std::uint8_t> moved, const std::optional<std::span<const BodyId>>& active) {
  if (active) return std::ranges::any_of(*active, [&](BodyId body) { return moved[body] != 0; });
  return std::ranges::any_of(moved, [](std::uint8_t m) { return m != 0; });
}

// Y = h A⁻¹ Hᵀ (n×3).
void evaluate_response(const Body& body, double h, ConstJacobianMap H, double* response) {
  if (const RigidBody* rigid = body.rigid()) {
    Eigen::Map<Eigen::Matrix<double, 6, 3>> Y(response);
    const Eigen::Matrix3d turning = h * H.leftCols<3>().transpose();
    Y.topRows<3>().noalias() = rigid->inverse_inertia() * turning;
    Y.bottomRows<3>() = h / rigid->mass() * H.rightCols<3>().transpose();
    return;
  }
  Eigen::Map<Eigen::MatrixXd> Y(response, H.cols(), 3);
  Y = H.transpose();
  body.apply_inverse_inertia(Y);
  Y *= h;
}

}  // namespace

void Assembly::update(double h, const AssemblyOptions& options) {
  update_geometry(h, {}, options);
  update_loads(options);
}

// What the bodies marked in `moved`, or time, reach: their constraints, and all bodies of those, whose other rows have
// off-diagonal blocks with them.
void Assembly::mark_felt(std::span<const std::uint8_t> moved) {
  moved_constraint_.resize(ldy_.id_bound());
  felt_.resize(bodies_.id_bound());
  for (const DiagonalBlock& row : ldy_.rows()) {  // what no row acts on is not asked for
    for (BodyId body : bodies_of(row.constraint)) felt_[body] = 0;
  }
  for (const DiagonalBlock& row : ldy_.rows()) {
    const Constraint& constraint = *constraints_[row.constraint];
    const std::span<const BodyId> ids = constraint.bodies();
    const bool moves =
        constraint.depends_on_time() || std::ranges::any_of(ids, [&](BodyId body) { return moved[body]; });
    moved_constraint_[row.constraint] = moves;
    if (!moves) continue;
    for (BodyId body : ids) felt_[body] = bodies_[body].freedoms() > 0;
  }
}

void Assembly::update_geometry(double h, std::span<const std::uint8_t> moved, const AssemblyOptions& options) {
  check(h, options);
  if (ldy_.scattered() > options.pack_share) pack(h, options);
  const bool same_layout = kinematics_.is_of(ldy_) && kinematics_.body_count() == bodies_.id_bound();
  const bool all = !same_layout || h != step_ || moved.size() != bodies_.id_bound();
  if (!same_layout) lay_out();
  step_ = h;
  ldy_.set_factor(kinematics_.factor(h));
  if (!all) {
    if (timed_ == 0 && !any_moved(moved, options.active)) return;
    mark_felt(moved);
  }
  mark_blocks(all);

  // H, Y, the drive and W_αα of each constraint, run by run.
  const auto diagonal = ldy_.diagonal_arena();
  const std::int64_t rows = std::ssize(diagonal), runs = (rows + kRun - 1) / kRun;
  const auto evaluate = [&](std::int64_t row) {
    fetch_constraint_ahead(row);
    fetch_bodies_ahead(row);
    const ConstraintId id = diagonal[row].constraint;
    if (id == kNone || &ldy_.row(id) != &diagonal[row]) return;
    if (all || moved_constraint_[id] != 0) evaluate_kinematics(static_cast<Index>(row), h);
  };
  try {
    in_parallel(1 + runs, options.threads, 1, [&](std::int64_t i) {
      if (i == 0) return same_layout ? void() : find_structure();
      for (std::int64_t row = (i - 1) * kRun; row < std::min(rows, i * kRun); ++row) evaluate(row);
    });
  } catch (...) {
    ldy_.forget_factor();  // not all rows are done: the next update does them all
    throw;
  }
  if (!same_layout) ldy_.set_factor(kinematics_.factor(h));
}

// The constraint of a row to come, a contact mostly, lies where it was made, and so does what it reads; where that is
// stands in a list of its own, for beside the bodies of each the assembly of 2000 bodies takes 1.05 of the time.
void Assembly::fetch_constraint_ahead(std::int64_t row) const {
  const auto diagonal = ldy_.diagonal_arena();
  const auto ahead = static_cast<std::size_t>(row) + kRowsAhead;
  if (ahead >= diagonal.size() || diagonal[ahead].constraint == kNone) return;
  const ConstraintId id = diagonal[ahead].constraint;
  fetch(constraints_[id].get(), sizeof(Contact));
  fetch(reads_[id], sizeof(ContactPoint));
}

// So do its bodies.
void Assembly::fetch_bodies_ahead(std::int64_t row) const {
  const auto ahead = static_cast<std::size_t>(row) + kRowsAhead;
  if (ahead >= ldy_.diagonal_arena().size()) return;
  for (const Coupling& c : kinematics_.couplings(static_cast<Index>(ahead))) {
    fetch(&bodies_[kinematics_.body(c)], sizeof(RigidBody));
  }
}

// What of the layout H and Y are not needed for.
void Assembly::find_structure() {
  kinematics_.find_levels();
  islands_ = find_islands(ldy_);
}

void Assembly::lay_out() {
  ldy_.forget_factor();  // of the layout before
  kinematics_.lay_out(ldy_, bodies_, [this](ConstraintId id) { return bodies_of(id); });
}

// An order that follows neighbours needs to know them.
void Assembly::pack(double h, const AssemblyOptions& options) {
  if (options.order != SweepOrder::by_id) {
    lay_out();
    ldy_.set_factor(kinematics_.factor(h));
  }
  ldy_.pack(options.order);
}

// Whose off-diagonal blocks, where there are any, will hold another W.
void Assembly::mark_blocks(bool all) {
  if (all || !ldy_.has_links()) return ldy_.blocks_changed();
  const auto diagonal = ldy_.diagonal_arena();
  for (Index at = 0; at < diagonal.size(); ++at) {
    if (diagonal[at].constraint == kNone) continue;
    const std::span<const Coupling> couplings = std::as_const(kinematics_).couplings(at);
    if (std::any_of(couplings.begin(), couplings.end(),
                    [&](const Coupling& c) { return felt_[kinematics_.body(c)] != 0; })) {
      ldy_.blocks_changed(at);
    }
  }
}

void Assembly::update_loads(const AssemblyOptions& options) {
  check(step_, options);
  (void)kinematics();  // still of this graph
  gather_velocities(options.threads);
  const auto diagonal = ldy_.diagonal_arena();
  const auto begins = [&](Index row) {  // what a constraint, or nothing, does
    const ConstraintId id = diagonal[row].constraint;
    return id == kNone || &ldy_.row(id) == &diagonal[row];
  };
  const auto rows = static_cast<Index>(diagonal.size());
  const auto begin_from = [&](std::int64_t row) {
    while (row < rows && !begins(static_cast<Index>(row))) ++row;
    return static_cast<Index>(std::min<std::int64_t>(row, rows));
  };
  in_parallel((std::int64_t{rows} + kRun - 1) / kRun, options.threads, 1, [&](std::int64_t run) {
    const Index first = begin_from(run * kRun), last = begin_from((run + 1) * kRun);
    kinematics_.set_velocities(first, last, velocities_.data(), diagonal.data());
    for (Index row = first; row < last; ++row) {
      fetch_constraint_ahead(row);
      if (diagonal[row].constraint != kNone && begins(row)) evaluate_load(row, step_);
    }
  });
}

// u and u_free of the bodies that rows act on, side by side: a body has several rows.
void Assembly::gather_velocities(int threads) {
  velocities_.resize(2 * kinematics_.freedom_count());
  in_parallel(std::ssize(kinematics_.bodies()), threads, kRun, [&](std::int64_t at) {
    const auto group = static_cast<Index>(at);
    const Body& body = bodies_[kinematics_.bodies()[group]];
    const int n = body.freedoms();
    double* u = &velocities_[2 * kinematics_.first_freedom(group)];
    std::copy_n(body.velocity().data(), n, u);
    std::copy_n(body.free_velocity().data(), n, u + n);
  });
}

void Assembly::not_finite(const DiagonalBlock& row) const {
  throw std::invalid_argument(
      "constraint " + std::to_string(row.constraint) + " (" + std::string(constraints_[row.constraint]->kind()) +
      "): expected finite W and B, found trace W = " + spelled(row.W.trace()) + ", |B| = " + spelled(row.B.norm()));
}

// Is the row one of a point of rigid bodies and obstacles? Then it has its H, Y and W.
bool Assembly::fills_rigid_rows(Index row, const Constraint& constraint, double h) {
  const ContactPoint* point = constraint.plain_point();
  if (point == nullptr) return false;
  std::array<RigidSide, 2> sides;
  std::size_t count = 0;
  for (const Coupling& c : kinematics_.couplings(row)) {
    const BodyId body = kinematics_.body(c);
    const RigidBody* rigid = bodies_[body].rigid();
    if (rigid == nullptr) return false;
    sides[count++] = {rigid, body == point->master ? -1.0 : 1.0, kinematics_.jacobian(c), kinematics_.response(c)};
  }
  kinematics_.drive(row).setZero();
  if (count == 1) {  // an obstacle is the master
    kinematics_.drive(row) -= point->frame.transpose() * bodies_[point->master].prescribed_velocity(point->point);
  }
  fill_rigid_rows(std::span(sides).first(count), point->point, point->frame, h, ldy_.diagonal_arena()[row].W);
  return true;
}

void Assembly::evaluate_kinematics(Index first, double h) {
  const ConstraintId id = ldy_.diagonal_arena()[first].constraint;
  Constraint& constraint = *constraints_[id];
  if (fills_rigid_rows(first, constraint, h)) {
    if (!std::isfinite(ldy_.diagonal_arena()[first].W.sum())) not_finite(ldy_.diagonal_arena()[first]);
    return;
  }
  const auto count = static_cast<Index>(block_count(ldy_.law(id)));

  for (Index row = first; row < first + count; ++row) {
    kinematics_.drive(row).setZero();
    for (const Coupling& c : kinematics_.couplings(row)) kinematics_.H(c).setZero();
  }
  try {
    ConstraintKinematics view(kinematics_, first);
    constraint.evaluate(bodies_, view);
  } catch (const std::invalid_argument& fault) {
    throw std::invalid_argument("constraint " + std::to_string(id) + " (" + std::string(constraint.kind()) +
                                "): " + fault.what());
  }
  for (Index k = 0; k < count; ++k) {
    const RowMask used = rows(ldy_.law(id), static_cast<int>(k));
    for (const Coupling& c : kinematics_.couplings(first + k)) {
      JacobianMap H = kinematics_.H(c);
      for (int i = 0; used != kRowsAll && i < 3; ++i) {
        if (!uses(used, i)) H.row(i).setZero();
      }
      evaluate_response(bodies_[kinematics_.body(c)], h, std::as_const(kinematics_).H(c), kinematics_.response(c));
    }
    DiagonalBlock& row = ldy_.diagonal_arena()[first + k];
    fill_diagonal(*ldy_.factor(), first + k, row.W);
    if (!std::isfinite(row.W.sum())) not_finite(row);
  }
}

void Assembly::evaluate_load(Index first, double h) {
  const auto diagonal = ldy_.diagonal_arena();
  const ConstraintId id = diagonal[first].constraint;
  const Law& before = ldy_.law(id);
  const auto count = static_cast<Index>(block_count(before));
  Eigen::Vector3d* V = &kinematics_.velocity_before(first);
  for (Index k = 0; k < count; ++k) {
    DiagonalBlock& row = diagonal[first + k];
    const RowMask used = rows(before, static_cast<int>(k));
    for (int i = 0; used != kRowsAll && i < 3; ++i) {
      if (!uses(used, i)) V[k][i] = row.B[i] = 0;
    }
    if (!std::isfinite(row.B.sum())) not_finite(row);
  }
  ldy_.set_law(id, constraints_[id]->law(h, {V, count}));
}

void Assembly::apply_reactions(int threads) {
  if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
  impulse_.resize(kinematics().freedom_count());
  in_parallel(static_cast<std::int64_t>(bodies_.id_bound()), threads, kRun,
              [&](std::int64_t at) { apply_reactions_to(static_cast<BodyId>(at)); });
}

void Assembly::apply_reactions(int threads, std::span<const BodyId> ids) {
  if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
  impulse_.resize(kinematics().freedom_count());
  in_parallel(static_cast<std::int64_t>(ids.size()), threads, kRun,
              [&](std::int64_t at) { apply_reactions_to(ids[static_cast<std::size_t>(at)]); });
}

void Assembly::apply_reactions_to(BodyId id) {
  if (!bodies_.contains(id)) return;
  Body& body = bodies_[id];
  if (body.freedoms() == 0) return;
  const Index group = kinematics_.group(id);
  if (group == kNone) return body.receive_no_impulse();
  const auto diagonal = ldy_.diagonal_arena();
  Eigen::Map<Eigen::VectorXd> impulse(&impulse_[kinematics_.first_freedom(group)], body.freedoms());
  const Holds holds = kinematics_.holds_of_group(group);
  if (body.freedoms() == 6) {
    sum_six(kinematics_, holds, diagonal.data(), step_, impulse.data());
    return body.receive_impulse(impulse);
  }
  impulse.setZero();
  for (const Kinematics::Hold& hold : holds) {
    const Coupling& c = kinematics_.coupling(hold);
    add_impulse(c.freedoms, kinematics_.jacobian(c), step_ * diagonal[hold.row].R, impulse.data());
  }
  body.receive_impulse(impulse);
}

Eigen::Vector3d Assembly::velocity_before(ConstraintId id, int k) const {
  return kinematics().velocity_before(static_cast<Index>(&ldy_.row(id, k) - ldy_.diagonal_arena().data()));
}

const Kinematics& Assembly::kinematics() const {
  if (!kinematics_.is_of(ldy_) || kinematics_.body_count() != bodies_.id_bound()) not_up_to_date();
  return kinematics_;
}

}  // namespace locdyn
