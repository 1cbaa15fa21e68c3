// What a VelocitySweep streams through, laid out: the velocities of bodies, Ĥ, contacts alone and by four.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/pack_four.hpp>
#include <locdyn/solver/nsgs/velocity_builder.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr int kLinear = 4;  // where the linear part of a SweptVelocity begins
// That a thread takes at a time: some 20 µs.
constexpr std::int64_t kLaidOutAtOnce = 128;

bool rolls(const Law& law) {
  return std::holds_alternative<RollingLaw>(law);
}
// A contact whose force goes by Coulomb's law of one disc, whatever its moment does.
bool slides_alike(const Law& law) {
  return is_coulomb(law) || rolls(law);
}

using Four = std::array<wide::UnpackedContact, kLanes>;

#if defined(__x86_64__)
[[gnu::target("avx2")]] void pack_four_avx2(const Four& contacts, WideContact& packed) {
  wide::pack(contacts, packed);
}
#endif
void pack_four(const Four& contacts, WideContact& packed) {
#if defined(__x86_64__)
  if (has_avx2()) return pack_four_avx2(contacts, packed);
#endif
  wide::pack(contacts, packed);
}

}  // namespace

VelocitySweep::VelocitySweep(LocalDynamics& ldy, SweepSchedule schedule, int threads, double exactness)
    : ldy_(ldy), schedule_(std::move(schedule)), sums_(schedule_.batch_count()), exactness_(exactness) {
  if (ldy.factor() == nullptr) {
    throw std::invalid_argument("velocity sweep: expected a graph that knows its factor, found one that does not");
  }
  const std::size_t count = schedule_.sequence.size();
  std::vector<Place> places(count);
  for (std::size_t i = 0; i < count; ++i) {
    const DiagonalBlock& row = ldy.row(schedule_.sequence[i]);
    places[i] = {&row, ldy.factor()->couplings(static_cast<Index>(&row - ldy.diagonal_arena().data())), Fit::general};
  }
  const Builder builder(*this, *ldy.factor(), places, threads);
  std::atomic<bool> gives = false;
  parallel_for(static_cast<std::int64_t>(count), threads, kLaidOutAtOnce, [&](std::int64_t i) {
    if (!is_rigid_contact(places[i], builder)) return;
    places[i].fit = is_regular(places[i].row->W) ? Fit::four : Fit::alone;
    if (gives_way(ldy.law(places[i].row->constraint))) gives = true;
  });
  lay_out_steps(places, builder);
  if (gives) {
    wide_C_.resize(wide_.size());
    rigid_C_.resize(rigid_.size());
  }
  parallel_for(std::ssize(steps_), threads, kLaidOutAtOnce,
               [&](std::int64_t step) { pack_step(step, places, builder); });
  add_moments(builder);
  line_of_ = builder.lines();
  read_reactions(threads);
}

// Four contacts of rigid bodies that share none go together, anything else alone.
void VelocitySweep::lay_out_steps(std::span<const Place> places, const Builder& builder) {
  steps_.reserve(places.size());
  step_at_.reserve(places.size());
  Index fours = 0, alone = 0;
  first_step_.push_back(0);
  for (Index batch = 0; batch < schedule_.batch_count(); ++batch) {
    const Index last = schedule_.first[batch + 1];
    for (Index i = schedule_.first[batch]; i < last;) {
      const Index taken = last - i >= kLanes && makes_four(places.subspan(i, kLanes)) ? kLanes : 1;
      step_at_.push_back(i);
      if (taken == kLanes) {
        steps_.push_back({fours++, Kind::four});
      } else if (places[i].fit != Fit::general) {
        steps_.push_back({alone++, Kind::rigid_contact});
      } else {
        add_constraint(schedule_.sequence[i], builder);
      }
      i += taken;
    }
    first_step_.push_back(static_cast<Index>(steps_.size()));
  }
  wide_.resize(fours);
  wide_R_.resize(fours);
  rigid_.resize(alone);
}

// Are these contacts for a four that share no body?
bool VelocitySweep::makes_four(std::span<const Place> places) {
  std::array<std::uint32_t, 2 * kLanes> bodies;
  auto end = bodies.begin();
  for (const Place& place : places) {
    if (place.fit != Fit::four) return false;
    const auto before = end;
    for (const Coupling& c : place.couplings) {
      if (std::find(bodies.begin(), before, c.body) != before) return false;
      *end++ = c.body;
    }
  }
  return true;
}

void VelocitySweep::pack_step(std::int64_t step, std::span<const Place> places, const Builder& builder) {
  const auto [at, kind] = steps_[step];
  const Index i = step_at_[step];
  if (kind == Kind::rigid_contact) {
    rigid_[at] = {};
    rigid_[at].block = coulomb_block(ldy_.law(schedule_.sequence[i]), places[i].row->W);
    pack_rigid(places[i], builder, rigid_[at]);
    if (!rigid_C_.empty()) rigid_C_[at] = compliance(ldy_.law(schedule_.sequence[i]), 0);
  }
  if (kind != Kind::four) return;
  WideContact& packed = wide_[at];
  Four contacts;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const auto& [row, couplings, fit] = places[i + l];
    const Law& law = ldy_.law(row->constraint);
    const bool coupled = couplings.size() == 2;
    contacts[l] = {coupled ? builder.side(couplings[0]) : wide::UnscaledSide{}, builder.side(couplings.back()),
                   row->W.data()};
    const Eigen::Vector3d load = row->B + offset(law, 0);
    for (int k = 0; k < 3; ++k) packed.load[k][l] = load[k];
    packed.friction[l] = friction_discs(law).sliding[0];
    packed.inverse_rho[l] = 1 / row_scale(row->W, kRowsAll);
    packed.coupled[l] = coupled;
    packed.first[l] = coupled ? builder.line(couplings[0]) : 0;
    packed.second[l] = builder.line(couplings.back());
  }
  pack_four(contacts, packed);
  if (wide_C_.empty()) return;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Eigen::Vector3d C = compliance(ldy_.law(places[i + l].row->constraint), 0);
    for (int k = 0; k < 3; ++k) {
      wide_C_[at].C[k][l] = C[k];
      packed.W[4 * k][l] += C[k];
    }
  }
}

// A row of `rows_`, with Ĥ of its couplings; its R is read later. Returns its place.
Index VelocitySweep::add_row(ConstraintId id, int block, const Builder& builder) {
  const DelassusFactor& factor = *ldy_.factor();
  const DiagonalBlock& row = ldy_.row(id, block);
  const auto place = static_cast<Index>(&row - ldy_.diagonal_arena().data());
  Row packed{row.B + offset(ldy_.law(id), block), Eigen::Vector3d::Zero(), static_cast<Index>(coupled_.size()), 0};
  for (const Coupling& c : factor.couplings(place)) {
    const Index body = builder.body_of(c);
    const Eigen::MatrixXd H = builder.scaled(c);
    Coupled coupled{builder.velocity(body), H_.size(), c.freedoms};
    if (builder.rigid(body) && H.rightCols<3>().isZero(0)) {
      coupled.n = kLinear - 1;  // turns it alone
      H_.insert(H_.end(), H.data(), H.data() + 3 * coupled.n);
    } else if (builder.rigid(body)) {
      // The scale and the unused number of a rigid velocity keep theirs: their columns are zero.
      coupled.n = Builder::kRigidNumbers;
      H_.resize(H_.size() + 3 * Builder::kRigidNumbers, 0.0);
      Eigen::Map<Eigen::Matrix<double, 3, Builder::kRigidNumbers>> padded(H_.data() + coupled.H);
      padded.leftCols<3>() = H.leftCols<3>();
      padded.middleCols<3>(kLinear) = H.rightCols<3>();
    } else {
      H_.insert(H_.end(), H.data(), H.data() + H.size());
    }
    coupled_.push_back(coupled);
  }
  packed.last = static_cast<Index>(coupled_.size());
  rows_.push_back(packed);
  return static_cast<Index>(rows_.size()) - 1;
}

void VelocitySweep::add_constraint(ConstraintId id, const Builder& builder) {
  const DiagonalBlock& row = ldy_.row(id);
  const Law& law = ldy_.law(id);
  const int blocks = rolls(law) ? 1 : block_count(law);  // a moment comes behind all
  Constraint constraint{static_cast<Index>(rows_.size()), 0, static_cast<std::uint8_t>(blocks),
                        1 / row_scale(row.W, rows(law, 0)), id};
  for (int k = 0; k < blocks; ++k) (void)add_row(id, k, builder);

  Kind kind = Kind::other;
  if (slides_alike(law)) {
    const bool planar = rows(law, 0) == kRowsPlanar;
    kind = planar ? Kind::planar : Kind::contact;
    constraint.prepared = static_cast<Index>(contacts_.size());
    Eigen::Matrix3d W = row.W;
    if (planar) {
      W.row(1).setZero();
      W.col(1).setZero();
    }
    contacts_.push_back(coulomb_block(law, W));
    constraint.compliance = compliance(law, 0);
  } else {
    Eigen::MatrixXd W(3 * constraint.blocks, 3 * constraint.blocks);
    for (int k = 0; k < constraint.blocks; ++k) {
      for (int l = 0; l < constraint.blocks; ++l) {
        W.block<3, 3>(3 * k, 3 * l) =
            k == l ? ldy_.row(id, k).W : product(rows_[constraint.row + k], rows_[constraint.row + l]);
      }
    }
    constraint.own_W = own_W_.size();
    own_W_.insert(own_W_.end(), W.data(), W.data() + W.size());
    constraint.prepared = static_cast<Index>(others_.size());
    others_.push_back(law_block(law, W));
  }
  steps_.push_back({static_cast<Index>(constraints_.size()), kind});
  constraints_.push_back(constraint);
}

// A spatial contact of rigid bodies whose linear parts are the same frame with opposite signs.
bool VelocitySweep::is_rigid_contact(const Place& place, const Builder& builder) const {
  const DelassusFactor& factor = *ldy_.factor();
  const std::span<const Coupling> couplings = place.couplings;
  const Law& law = ldy_.law(place.row->constraint);
  if (!slides_alike(law) || rows(law, 0) != kRowsAll || couplings.empty() || couplings.size() > 2) return false;
  for (const Coupling& c : couplings) {
    if (!builder.rigid(builder.body_of(c))) return false;
  }
  return couplings.size() == 1 ||
         factor.jacobian(couplings[0]).rightCols<3>() == -factor.jacobian(couplings[1]).rightCols<3>();
}

// Without its law and R.
void VelocitySweep::pack_rigid(const Place& place, const Builder& builder, RigidContact& packed) const {
  const auto& [row, couplings, fit] = place;
  FourLanes spin[3];
  const auto put = [&](const Coupling& c, double* H) {  // the fourth lane goes to what is written after it, or nobody's
    wide::scaled_spin(builder.side(c), spin);
    for (int j = 0; j < 3; ++j) store_lanes(spin[j], H + 3 * j);
  };
  packed.first = kNone;
  if (couplings.size() == 2) {
    put(couplings[0], packed.H + 9);
    packed.first = builder.line(couplings[0]);
  }
  put(couplings.back(), packed.H + 18);
  packed.second = builder.line(couplings.back());
  Eigen::Map<Eigen::Matrix3d>(packed.H) = ldy_.factor()->jacobian(couplings.back()).rightCols<3>();
  Eigen::Map<Eigen::Vector3d>(packed.load) = row->B + offset(ldy_.law(row->constraint), 0);
  packed.inverse_rho = 1 / row_scale(row->W, kRowsAll);
}

// Ĥ_k Ĥ_lᵀ of two rows of one law, whose couplings are those of the same bodies in the same order.
Eigen::Matrix3d VelocitySweep::product(const Row& a, const Row& b) const {
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  for (Index i = 0; i < a.last - a.first; ++i) {
    const Coupled& ca = coupled_[a.first + i];
    const Coupled& cb = coupled_[b.first + i];
    const Index n = std::min(ca.n, cb.n);  // one that turns its body alone has the first of the other's columns
    using Factor = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;
    W += Factor(H_.data() + ca.H, 3, n) * Factor(H_.data() + cb.H, 3, n).transpose();
  }
  return W;
}

}  // namespace locdyn::detail
