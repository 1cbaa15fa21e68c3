#include <locdyn/solver/nsgs/velocity_sweep.hpp>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/local/planar_contact.hpp>
#include <locdyn/solver/nsgs/for_each_batch.hpp>

namespace locdyn {
namespace {

// As in GaussSeidelSweep: what wakes a constraint, and what is worth telling.
constexpr double kVelocityAwake = 1;
constexpr double kVelocityHeard = 1e-3;

// Contacts are fetched so many places ahead.
constexpr std::uintptr_t kAhead = 6;

// Addresses are computed as integers, since they may lie past the end.
template <class Contact>
[[gnu::always_inline]] inline void fetch_ahead_of(const Contact* contact) {
  constexpr std::uintptr_t kPlaces = std::max<std::uintptr_t>(1, kAhead * sizeof(RigidContact) / sizeof(Contact));
  const auto at = reinterpret_cast<std::uintptr_t>(contact) + kPlaces * sizeof(Contact);
  for (std::uintptr_t line = 0; line < sizeof(Contact); line += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + line));
  }
}

constexpr Index kRigidNumbers = 8;  // of a RigidVelocity
constexpr int kLinear = 4;          // where its linear part begins

bool known(const Law& law) {
  return std::holds_alternative<ContactLaw>(law) || std::holds_alternative<BilateralLaw>(law);
}

// (J 0; 0 m I).
bool is_rigid(const Eigen::Ref<const Eigen::MatrixXd>& A) {
  return A.rows() == 6 && A.topRightCorner<3, 3>().isZero(0) && A.bottomLeftCorner<3, 3>().isZero(0) &&
         A.bottomRightCorner<3, 3>() == Eigen::Matrix3d(A(5, 5) * Eigen::Matrix3d::Identity());
}

}  // namespace

// Lays out the velocities of the bodies met, and Ĥ of their couplings.
class VelocitySweep::Builder {
 public:
  Builder(VelocitySweep& sweep, const DelassusFactor& factor)
      : sweep_(sweep), factor_(factor), root_h_(std::sqrt(factor.h)), body_(factor.first_inertia.size(), kNone) {
    sweep.velocity_.assign(kRigidNumbers, 0.0);  // nobody's: what an obstacle has
  }

  Index body_of(const Coupling& c) {
    Index& body = body_[c.body];
    if (body == kNone) {
      body = static_cast<Index>(rigid_.size());
      add_body(c);
    }
    return body;
  }
  [[nodiscard]] bool rigid(Index body) const { return rigid_[body] != 0; }
  [[nodiscard]] std::uint64_t velocity(Index body) const { return velocity_[body]; }
  [[nodiscard]] std::size_t count() const { return rigid_.size(); }

  // Ĥ = √h H L⁻ᵀ (3×n).
  [[nodiscard]] Eigen::MatrixXd scaled(const Coupling& c) {
    const Index body = body_of(c);
    const auto n = static_cast<Eigen::Index>(c.freedoms);
    const Eigen::Map<const Eigen::MatrixXd> L(factors_.data() + first_factor_[body], n, n);
    Eigen::MatrixXd transposed = root_h_ * factor_.jacobian(c).transpose();
    L.triangularView<Eigen::Lower>().solveInPlace(transposed);
    return transposed.transpose();
  }
  // The angular part alone, column by column.
  void scaled_spin(const Coupling& c, double* spin) {
    const Eigen::Map<const Eigen::MatrixXd> L(factors_.data() + first_factor_[body_of(c)], 6, 6);
    Eigen::Matrix3d transposed = root_h_ * factor_.jacobian(c).leftCols<3>().transpose();
    L.topLeftCorner<3, 3>().triangularView<Eigen::Lower>().solveInPlace(transposed);
    Eigen::Map<Eigen::Matrix3d> out(spin);
    out = transposed.transpose();
  }

 private:
  void add_body(const Coupling& c) {
    const auto A = factor_.inertia_of(c);
    const Eigen::LLT<Eigen::MatrixXd> cholesky(A);
    if (cholesky.info() != Eigen::Success) {
      throw std::invalid_argument("velocity sweep: body " + std::to_string(c.body) +
                                  ": expected a positive definite inertia, found one that is not");
    }
    const bool rigid = is_rigid(A);
    rigid_.push_back(rigid ? 1 : 0);
    auto& numbers = sweep_.velocity_;
    velocity_.push_back(numbers.size());
    // Whole cache lines, so that rigid bodies lie on one each.
    const std::size_t lines = rigid ? 1 : (c.freedoms + kRigidNumbers - 1) / kRigidNumbers;
    numbers.resize(numbers.size() + lines * kRigidNumbers, 0.0);
    if (rigid) {
      sweep_.scale_at_.push_back(velocity_.back() + 3);
      numbers[velocity_.back() + 3] = root_h_ / std::sqrt(A(5, 5));
    }
    const Eigen::MatrixXd L = cholesky.matrixL();
    first_factor_.push_back(factors_.size());
    factors_.insert(factors_.end(), L.data(), L.data() + L.size());
  }

  VelocitySweep& sweep_;
  const DelassusFactor& factor_;
  double root_h_;
  std::vector<Index> body_;  // by the factor's group
  std::vector<char> rigid_;
  std::vector<std::uint64_t> velocity_;
  std::vector<std::size_t> first_factor_;
  std::vector<double> factors_;
};

bool VelocitySweep::applies(const LocalDynamics& ldy) {
  if (ldy.factor() == nullptr) return false;
  for (const DiagonalBlock& row : ldy.rows()) {
    if (!known(ldy.law(row.constraint))) return false;
  }
  return true;
}

VelocitySweep::VelocitySweep(LocalDynamics& ldy, SweepSchedule schedule)
    : ldy_(ldy), schedule_(std::move(schedule)), sums_(schedule_.batch_count()) {
  if (!applies(ldy)) {
    throw std::invalid_argument(
        "velocity sweep: expected a graph that knows its factor, with contacts and bilateral "
        "laws alone, found another");
  }
  Builder builder(*this, *ldy.factor());
  first_step_.push_back(0);
  for (Index batch = 0; batch < schedule_.batch_count(); ++batch) {
    const Index last = schedule_.first[batch + 1];
    for (Index i = schedule_.first[batch]; i < last;) i += add_step(i, last, builder);
    first_step_.push_back(static_cast<Index>(steps_.size()));
  }
  moved_.assign(builder.count(), 0.0);
  read_reactions();
}

// Four contacts of rigid bodies that share none go together, anything else alone. Returns how many it took.
Index VelocitySweep::add_step(Index i, Index last, Builder& builder) {
  std::array<RigidContact, kLanes> four;
  std::size_t rigid = 0;
  std::array<Index, 2 * kLanes> bodies{};
  std::size_t met = 0;
  for (bool apart = true; rigid < kLanes && i + rigid < last; ++rigid) {
    if (!pack_rigid(schedule_.sequence[i + rigid], builder, four[rigid])) break;
    for (const Index body : {four[rigid].first, four[rigid].second}) {
      if (body == kNone) continue;
      apart = apart && std::find(bodies.begin(), bodies.begin() + met, body) == bodies.begin() + met;
      bodies[met++] = body;
    }
    if (!apart || !four[rigid].block.regular()) {
      rigid = std::max<std::size_t>(rigid, 1);
      break;
    }
  }
  const Index taken = rigid == kLanes ? kLanes : 1;
  Listener listener{0, static_cast<Index>(heard_of_.size()), 0};
  for (Index k = 0; k < taken; ++k) {
    const Index place = place_of(schedule_.sequence[i + k]);
    for (const Coupling& c : ldy_.factor()->couplings(place)) heard_of_.push_back(builder.body_of(c));
  }
  listener.last = static_cast<Index>(heard_of_.size());
  listeners_.push_back(listener);
  step_at_.push_back(i);
  if (rigid == kLanes) {
    steps_.push_back({static_cast<Index>(wide_.size()), Kind::four});
    add_wide(four);
  } else if (rigid > 0) {
    steps_.push_back({static_cast<Index>(rigid_.size()), Kind::rigid_contact});
    rigid_.push_back(four[0]);
  } else {
    add_constraint(schedule_.sequence[i], builder);
  }
  return taken;
}

Index VelocitySweep::place_of(ConstraintId id) const {
  return static_cast<Index>(&ldy_.row(id) - ldy_.diagonal_arena().data());
}

void VelocitySweep::add_wide(const std::array<RigidContact, kLanes>& four) {
  WideContact& packed = wide_.emplace_back();
  packed.block = static_cast<Index>(wide_blocks_.size());
  for (std::size_t l = 0; l < kLanes; ++l) {
    const RigidContact& c = four[l];
    for (int k = 0; k < 27; ++k) packed.H[k][l] = c.H[k];
    for (int k = 0; k < 9; ++k) packed.W[k][l] = c.block.W().data()[k];
    for (int k = 0; k < 3; ++k) packed.load[k][l] = c.load[k];
    for (int k = 0; k < 3; ++k) packed.R[k][l] = 0;
    packed.friction[l] = c.block.friction();
    packed.inverse_rho[l] = c.inverse_rho;
    packed.coupled[l] = c.first != kNone;
    packed.first[l] = c.first != kNone ? c.first : 0;
    packed.second[l] = c.second;
    wide_blocks_.push_back(c.block);
  }
}

void VelocitySweep::add_constraint(ConstraintId id, Builder& builder) {
  const DelassusFactor& factor = *ldy_.factor();
  const DiagonalBlock& row = ldy_.row(id);
  const auto place = static_cast<Index>(&row - ldy_.diagonal_arena().data());
  const Law& law = ldy_.law(id);
  Constraint constraint{static_cast<Index>(rows_.size()), 0, static_cast<std::uint8_t>(block_count(law)),
                        1 / row_scale(row.W, rows(law, 0))};
  for (int k = 0; k < constraint.blocks; ++k) {
    Row packed{ldy_.row(id, k).B + offset(law, k), Eigen::Vector3d::Zero(), static_cast<Index>(coupled_.size()), 0};
    for (const Coupling& c : factor.couplings(place + static_cast<Index>(k))) {
      const Index body = builder.body_of(c);
      const Eigen::MatrixXd H = builder.scaled(c);
      Coupled coupled{builder.velocity(body), H_.size(), c.freedoms};
      if (builder.rigid(body)) {
        // The scale and the unused number of a rigid velocity keep theirs: their columns are zero.
        coupled.n = kRigidNumbers;
        H_.resize(H_.size() + 3 * kRigidNumbers, 0.0);
        Eigen::Map<Eigen::Matrix<double, 3, kRigidNumbers>> padded(H_.data() + coupled.H);
        padded.leftCols<3>() = H.leftCols<3>();
        padded.middleCols<3>(kLinear) = H.rightCols<3>();
      } else {
        H_.insert(H_.end(), H.data(), H.data() + H.size());
      }
      coupled_.push_back(coupled);
    }
    packed.last = static_cast<Index>(coupled_.size());
    rows_.push_back(packed);
  }

  Kind kind = Kind::bilateral;
  if (const auto* contact = std::get_if<ContactLaw>(&law)) {
    kind = contact->planar ? Kind::planar : Kind::contact;
    constraint.prepared = static_cast<Index>(contacts_.size());
    Eigen::Matrix3d W = row.W;
    if (contact->planar) {
      W.row(1).setZero();
      W.col(1).setZero();
    }
    contacts_.emplace_back(W, contact->friction);
  } else {
    constraint.prepared = static_cast<Index>(bilaterals_.size());
    Eigen::MatrixXd W(3 * constraint.blocks, 3 * constraint.blocks);
    for (int k = 0; k < constraint.blocks; ++k) {
      for (int l = 0; l < constraint.blocks; ++l) {
        W.block<3, 3>(3 * k, 3 * l) =
            k == l ? ldy_.row(id, k).W : product(rows_[constraint.row + k], rows_[constraint.row + l]);
      }
    }
    own_.push_back(own_W_.size());
    own_W_.insert(own_W_.end(), W.data(), W.data() + W.size());
    bilaterals_.emplace_back(std::get<BilateralLaw>(law), W);
  }
  steps_.push_back({static_cast<Index>(constraints_.size()), kind});
  constraints_.push_back(constraint);
}

// A spatial contact of rigid bodies whose linear parts are the same frame with opposite signs.
bool VelocitySweep::pack_rigid(ConstraintId id, Builder& builder, RigidContact& packed) const {
  const DelassusFactor& factor = *ldy_.factor();
  const DiagonalBlock& row = ldy_.row(id);
  const std::span<const Coupling> couplings = factor.couplings(place_of(id));
  const Law& law = ldy_.law(id);
  const auto* contact = std::get_if<ContactLaw>(&law);
  if (contact == nullptr || contact->planar || couplings.empty() || couplings.size() > 2) return false;
  for (const Coupling& c : couplings) {
    if (!builder.rigid(builder.body_of(c))) return false;
  }
  const Coupling& last = couplings.back();
  const Eigen::Matrix3d frame = factor.jacobian(last).rightCols<3>();
  if (couplings.size() == 2 && factor.jacobian(couplings[0]).rightCols<3>() != -frame) return false;

  packed = {};
  Eigen::Map<Eigen::Matrix3d>(packed.H) = frame;
  builder.scaled_spin(last, packed.H + 18);
  packed.second = static_cast<Index>(builder.velocity(builder.body_of(last)) / kRigidNumbers);
  packed.first = kNone;
  if (couplings.size() == 2) {
    builder.scaled_spin(couplings[0], packed.H + 9);
    packed.first = static_cast<Index>(builder.velocity(builder.body_of(couplings[0])) / kRigidNumbers);
  }
  Eigen::Map<Eigen::Vector3d>(packed.load) = row.B + contact->shift;
  packed.block = ContactBlock(row.W, contact->friction);
  packed.inverse_rho = 1 / row_scale(row.W, kRowsAll);
  return true;
}

// Ĥ_k Ĥ_lᵀ of two rows of one law, whose couplings are those of the same bodies in the same order.
Eigen::Matrix3d VelocitySweep::product(const Row& a, const Row& b) const {
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  for (Index i = 0; i < a.last - a.first; ++i) {
    const Coupled& ca = coupled_[a.first + i];
    const Coupled& cb = coupled_[b.first + i];
    using Factor = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;
    W += Factor(H_.data() + ca.H, 3, ca.n) * Factor(H_.data() + cb.H, 3, cb.n).transpose();
  }
  return W;
}

// --- one constraint --------------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline double VelocitySweep::visit_rigid(RigidContact& c, double relaxation) {
  auto* velocities = reinterpret_cast<RigidVelocity*>(velocity_.data());
  fetch_ahead_of(&c);
  std::array<double, 4> b;
  rigid::load_of(c, velocities, b.data());
  const Eigen::Vector3d before(c.R[0], c.R[1], c.R[2]);
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

double VelocitySweep::visit_general(const Constraint& constraint, Kind kind, double relaxation) {
  Row* row = rows_.data() + constraint.row;
  std::array<Eigen::Vector3d, BilateralLaw::kMaxBlocks> b, R;
  if (kind == Kind::bilateral) {
    const double* W = own_W_.data() + own_[constraint.prepared];
    const int size = 3 * constraint.blocks;
    for (int k = 0; k < constraint.blocks; ++k) {
      b[k] = row[k].load + motion(row[k]);
      for (int l = 0; l < constraint.blocks; ++l) {
        b[k] -= Eigen::Map<const Eigen::MatrixXd>(W, size, size).block<3, 3>(3 * k, 3 * l) * row[l].R;
      }
    }
    bilaterals_[constraint.prepared].solve({b.data(), constraint.blocks}, {R.data(), constraint.blocks});
    for (int k = 0; k < constraint.blocks; ++k) R[k] = row[k].R + relaxation * (R[k] - row[k].R);
  } else {
    const ContactBlock& block = contacts_[constraint.prepared];
    b[0] = (row->load - block.W() * row->R) + motion(*row);
    R[0] =
        kind == Kind::planar ? solve_planar_contact(block.W(), block.friction(), b[0]).R : block.solve(b[0], row->R).R;
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

[[gnu::always_inline]] inline double VelocitySweep::visit_four(WideContact& c, double relaxation) {
  fetch_ahead_of(&c);
  std::array<double, kLanes> change2;
  wide::visit(c, wide_blocks_.data(), reinterpret_cast<RigidVelocity*>(velocity_.data()), relaxation, change2.data());
  return (change2[0] + change2[1]) + (change2[2] + change2[3]);
}

[[gnu::always_inline]] inline double VelocitySweep::visit(const Step& step, double relaxation) {
  if (step.kind == Kind::four) return visit_four(wide_[step.at], relaxation);
  if (step.kind == Kind::rigid_contact) return visit_rigid(rigid_[step.at], relaxation);
  return visit_general(constraints_[step.at], step.kind, relaxation);
}

// --- all of them -----------------------------------------------------------------------------------------------------

void VelocitySweep::read_reactions(int threads) {
  // All velocities are zero, the scales among them stay.
  std::uint64_t from = 0;
  for (const std::uint64_t scale : scale_at_) {
    std::fill(velocity_.begin() + static_cast<std::ptrdiff_t>(from),
              velocity_.begin() + static_cast<std::ptrdiff_t>(scale), 0.0);
    from = scale + 1;
  }
  std::fill(velocity_.begin() + static_cast<std::ptrdiff_t>(from), velocity_.end(), 0.0);
  for_each_batch(schedule_, SweepDirection::forward, threads, [this](Index batch) {
    auto* velocities = reinterpret_cast<RigidVelocity*>(velocity_.data());
    for (Index i = first_step_[batch]; i < first_step_[batch + 1]; ++i) {
      const ConstraintId* id = &schedule_.sequence[step_at_[i]];
      const Step& step = steps_[i];
      if (step.kind == Kind::four) {
        WideContact& four = wide_[step.at];
        for (std::size_t l = 0; l < kLanes; ++l) {
          for (int axis = 0; axis < 3; ++axis) four.R[axis][l] = ldy_.row(id[l]).R[axis];
        }
        wide::push(four, velocities);
      } else if (step.kind == Kind::rigid_contact) {
        RigidContact& contact = rigid_[step.at];
        for (int axis = 0; axis < 3; ++axis) contact.R[axis] = ldy_.row(*id).R[axis];
        rigid::push(contact, contact.R, velocities);
      } else {
        const Constraint& constraint = constraints_[step.at];
        for (int k = 0; k < constraint.blocks; ++k) {
          Row& row = rows_[constraint.row + k];
          row.R = ldy_.row(*id, k).R;
          push(row, row.R);
        }
      }
    }
  });
}

void VelocitySweep::write_reactions() const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const ConstraintId* id = &schedule_.sequence[step_at_[i]];
    const Step& step = steps_[i];
    if (step.kind == Kind::four) {
      const WideContact& four = wide_[step.at];
      for (std::size_t l = 0; l < kLanes; ++l) ldy_.row(id[l]).R = {four.R[0][l], four.R[1][l], four.R[2][l]};
    } else if (step.kind == Kind::rigid_contact) {
      ldy_.row(*id).R = Eigen::Map<const Eigen::Vector3d>(rigid_[step.at].R);
    } else {
      const Constraint& constraint = constraints_[step.at];
      for (int k = 0; k < constraint.blocks; ++k) ldy_.row(*id, k).R = rows_[constraint.row + k].R;
    }
  }
}

void VelocitySweep::write_velocities() const {
  const auto* velocities = reinterpret_cast<const RigidVelocity*>(velocity_.data());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const ConstraintId* id = &schedule_.sequence[step_at_[i]];
    const Step& step = steps_[i];
    if (step.kind == Kind::four) {
      std::array<std::array<double, kLanes>, 3> U;
      wide::motion_of(wide_[step.at], velocities, U);
      for (std::size_t l = 0; l < kLanes; ++l) {
        DiagonalBlock& row = ldy_.row(id[l]);
        for (int axis = 0; axis < 3; ++axis) row.U[axis] = row.B[axis] + U[axis][l];
      }
    } else if (step.kind == Kind::rigid_contact) {
      rigid::Column U;
      rigid::motion_of(rigid_[step.at], velocities, U);
      DiagonalBlock& row = ldy_.row(*id);
      for (int axis = 0; axis < 3; ++axis) row.U[axis] = row.B[axis] + U[axis];
    } else {
      const Constraint& constraint = constraints_[step.at];
      for (int k = 0; k < constraint.blocks; ++k) {
        DiagonalBlock& row = ldy_.row(*id, k);
        row.U = row.B + motion(rows_[constraint.row + k]);
      }
    }
  }
}

double VelocitySweep::products_per_visit() const noexcept {
  // A rigid contact: the frame and two angular parts, both ways, and W. Ĥ of the others both ways, and W.
  const double products = 7 * static_cast<double>(rigid_.size() + kLanes * wide_.size()) +
                          static_cast<double>(rows_.size()) + 2.0 / 9 * static_cast<double>(H_.size());
  return products / static_cast<double>(std::max<std::size_t>(1, schedule_.sequence.size()));
}

inline double VelocitySweep::heard(const Listener& listener) const {
  double sum = 0;
  for (Index i = listener.first; i < listener.last; ++i) sum += moved_[heard_of_[i]];
  return sum;
}

[[gnu::always_inline]] inline void VelocitySweep::sweep_batch_anywhere(Index batch, const Pass& pass, Sum& sum) {
  const Index first = first_step_[batch], last = first_step_[batch + 1];
  Sum own;
  if (!pass.listens) {
    for (Index i = first; i < last; ++i) {
      own.change2 +=
          visit(steps_[pass.direction == SweepDirection::forward ? i : first + last - 1 - i], pass.relaxation);
    }
    own.visited = static_cast<double>(schedule_.first[batch + 1] - schedule_.first[batch]);
    sum = own;
    return;
  }
  for (Index i = first; i < last; ++i) {
    Listener& listener = listeners_[i];
    if (heard(listener) - listener.seen < awake_) continue;
    const double change2 = visit(steps_[i], pass.relaxation);
    const double change = std::sqrt(change2);
    if (change > kVelocityHeard * awake_) {
      for (Index k = listener.first; k < listener.last; ++k) moved_[heard_of_[k]] += change;
    }
    listener.seen = heard(listener);
    own.change2 += change2;
    own.visited += steps_[i].kind == Kind::four ? static_cast<double>(kLanes) : 1;
  }
  sum = own;
}

void VelocitySweep::sweep_batch(Index batch, const Pass& pass, Sum& sum) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return sweep_batch_avx2(batch, pass, sum);
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

double VelocitySweep::run_awake(double relaxation, int threads) {
  const auto count = static_cast<double>(schedule_.sequence.size());
  Sum pass;
  for (double visited = 0; visited < count; visited += pass.visited) {
    pass = sweep_all({SweepDirection::forward, relaxation, true}, threads);
    awake_ = kVelocityAwake * std::sqrt(pass.change2 / count);
  }
  return std::sqrt(pass.change2 + count * awake_ * awake_);
}

double VelocitySweep::bytes() const noexcept {
  return static_cast<double>(
      steps_.size() * sizeof(Step) + rigid_.size() * sizeof(RigidContact) + wide_.size() * sizeof(WideContact) +
      constraints_.size() * sizeof(Constraint) + rows_.size() * sizeof(Row) + coupled_.size() * sizeof(Coupled) +
      H_.size() * sizeof(double) + contacts_.size() * sizeof(ContactBlock) +
      bilaterals_.size() * sizeof(BilateralBlock) + own_W_.size() * sizeof(double) + velocity_.size() * sizeof(double));
}

}  // namespace locdyn
