#include <locdyn/solver/saddle/condensation.hpp>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace locdyn::detail {
namespace {

bool is_bilateral(const LocalDynamics& ldy, ConstraintId id) {
  return locdyn::is_bilateral(ldy.law(id));
}

Index place_of(const LocalDynamics& ldy, ConstraintId id, int k) {
  return static_cast<Index>(&ldy.row(id, k) - ldy.diagonal_arena().data());
}

}  // namespace

Condensation::Condensation(const LocalDynamics& ldy) {
  if (ldy.factor() == nullptr) {
    throw std::invalid_argument("condensation: expected a graph that knows W as h H A⁻¹ Hᵀ, found blocks alone");
  }
  find_mechanisms(ldy);
  insert_contacts(ldy);
  hold(ldy);
  couple(ldy);
  fill(ldy);
}

// Groups that bilateral constraints tie together, numbered by their smallest constraint.
void Condensation::find_mechanisms(const LocalDynamics& ldy) {
  const DelassusFactor& factor = *ldy.factor();
  std::vector<int> parent(factor.first_inertia.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const auto groups_of = [&](ConstraintId id, const auto& work) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      for (const Coupling& c : factor.couplings(place_of(ldy, id, k))) work(static_cast<int>(c.body));
    }
  };
  std::vector<ConstraintId> joints;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id) || !is_bilateral(ldy, id)) continue;
    joints.push_back(id);
    int first = -1;
    groups_of(id, [&](int group) {
      const int a = root(first < 0 ? group : first), b = root(group);
      parent[std::max(a, b)] = std::min(a, b);
      first = group;
    });
  }

  std::vector<int> number(parent.size(), -1);
  std::vector<std::vector<ConstraintId>> members;
  mechanism_of_.assign(parent.size(), -1);
  for (const ConstraintId id : joints) {
    int at = -1;
    groups_of(id, [&](int group) {
      int& mine = number[root(group)];
      if (mine < 0) {
        mine = static_cast<int>(members.size());
        members.emplace_back();
      }
      at = mechanism_of_[group] = mine;
    });
    if (at >= 0) members[at].push_back(id);
  }
  for (const std::vector<ConstraintId>& ids : members) {
    auto mechanism = std::make_unique<Mechanism>();
    mechanism->system = bilateral_system(ldy, ids);
    SaddleSystem& saddle = mechanism->saddle;
    saddle.factorise(mechanism->system.problem);
    for (const RedundantRow& row : saddle.redundant()) redundant_.push_back(saddle.problem().name(row.row));
    const SaddleSolution alone =
        saddle.solve(Eigen::VectorXd::Zero(saddle.problem().A.rows()), mechanism->system.gamma);
    mechanism->alone = alone.a;
    if (alone.contradictory && contradiction_.empty()) {
      std::ostringstream text;
      text << spelled(alone.contradiction.name) << " by " << std::abs(alone.contradiction.residual) << " m/s";
      contradiction_ = text.str();
    }
    mechanisms_.push_back(std::move(mechanism));
  }
}

void Condensation::insert_contacts(const LocalDynamics& ldy) {
  ConstraintId last{kNone};
  for (const DiagonalBlock& row : ldy.rows()) {
    const ConstraintId id = row.constraint;
    if (id == last || is_bilateral(ldy, id)) continue;
    last = id;
    const ConstraintId name = contacts_.insert(ldy.law(id));
    ids_.push_back(id);
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      contacts_.row(name, k).R = ldy.row(id, k).R;
      contacts_.row(name, k).B = ldy.row(id, k).B;
      places_.push_back(place_of(ldy, id, k));
    }
  }
}

// One solve for each row that acts on a mechanism.
void Condensation::hold(const LocalDynamics& ldy) {
  const DelassusFactor& factor = *ldy.factor();
  of_.resize(places_.size());
  ConstraintId id{kNone};
  int k = 0;
  for (Index row = 0; row < places_.size(); ++row) {
    const DiagonalBlock& block = contacts_.diagonal_arena()[row];
    k = block.constraint == id ? k + 1 : 0;
    id = block.constraint;
    const RowMask used = rows(contacts_.law(id), k);
    for (const Coupling& c : factor.couplings(places_[row])) {
      const int at = mechanism_of_[c.body];
      if (at < 0) continue;
      Mechanism& mechanism = *mechanisms_[at];
      if (mechanism.holds.empty() || mechanism.holds.back().row != row) {
        const Eigen::Index n = mechanism.system.problem.A.rows();
        mechanism.holds.push_back({row, Eigen::MatrixXd::Zero(3, n), Eigen::MatrixXd::Zero(n, 3)});
        of_[row].push_back(at);
      }
      const auto first = mechanism.system.first[c.body];
      mechanism.holds.back().H.middleCols(first, c.freedoms) += factor.jacobian(c);
    }
    std::sort(of_[row].begin(), of_[row].end());
    for (const int at : of_[row]) {
      Mechanism& mechanism = *mechanisms_[at];
      Hold& mine = mechanism.holds.back();
      const Eigen::VectorXd rest = Eigen::VectorXd::Zero(mechanism.system.gamma.size());
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(used, axis)) continue;
        mine.Y.col(axis) = mechanism.saddle.solve(mine.H.row(axis).transpose(), rest).a;
      }
      contacts_.diagonal_arena()[row].B += mine.H * mechanism.alone;
    }
  }
}

void Condensation::couple(const LocalDynamics& ldy) {
  std::vector<ConstraintId> name_of(ldy.id_bound(), ConstraintId{kNone});
  for (std::size_t i = 0; i < ids_.size(); ++i) name_of[ids_[i]] = static_cast<ConstraintId>(i);
  const auto arena = ldy.diagonal_arena();
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(ids_[i]))) {
      const ConstraintId other = name_of[arena[block.other].constraint];
      if (other != kNone && other < i) contacts_.couple(static_cast<ConstraintId>(i), other);
    }
  }
  for (const auto& mechanism : mechanisms_) {
    for (std::size_t i = 0; i < mechanism->holds.size(); ++i) {
      const ConstraintId a = contacts_.diagonal_arena()[mechanism->holds[i].row].constraint;
      for (std::size_t j = 0; j < i; ++j) {
        const ConstraintId b = contacts_.diagonal_arena()[mechanism->holds[j].row].constraint;
        if (a != b) contacts_.couple(a, b);
      }
    }
  }
}

const Condensation::Hold* Condensation::find_hold(int mechanism, Index row) const {
  const auto& holds = mechanisms_[mechanism]->holds;
  const auto at = std::lower_bound(holds.begin(), holds.end(), row, [](const Hold& h, Index r) { return h.row < r; });
  return at != holds.end() && at->row == row ? &*at : nullptr;
}

// Σ h H A⁻¹ Hᵀ over shared bodies that are part of no mechanism.
Eigen::Matrix3d Condensation::through_free_bodies(const DelassusFactor& factor, Index alpha, Index beta) const {
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  for (const Coupling& a : factor.couplings(places_[alpha])) {
    if (mechanism_of_[a.body] >= 0) continue;
    for (const Coupling& b : factor.couplings(places_[beta])) {
      if (a.body != b.body) continue;
      const Eigen::MatrixXd answer = factor.inertia_of(b).llt().solve(factor.jacobian(b).transpose());
      W += factor.h * factor.jacobian(a) * answer;
    }
  }
  return W;
}

void Condensation::fill(const LocalDynamics& ldy) {
  const DelassusFactor& factor = *ldy.factor();
  const auto from = ldy.diagonal_arena();
  std::vector<Index> row_of(from.size(), kNone);
  for (Index row = 0; row < places_.size(); ++row) row_of[places_[row]] = row;
  const auto both = [&](Index alpha, Index beta) -> Eigen::Matrix3d {
    Eigen::Matrix3d W = through_free_bodies(factor, alpha, beta);
    for (const int at : of_[alpha]) {
      const Hold* a = find_hold(at, alpha);
      const Hold* b = find_hold(at, beta);
      if (b != nullptr) W += 0.5 * (a->H * b->Y + a->Y.transpose() * b->H.transpose());
    }
    return W;
  };
  for (Index row = 0; row < places_.size(); ++row) {
    DiagonalBlock& block = contacts_.diagonal_arena()[row];
    block.W = of_[row].empty() ? from[places_[row]].W : both(row, row);
    for (OffDiagonalBlock& other : contacts_.adjacent(block)) {
      if (!of_[row].empty() && !of_[other.other].empty()) other.W = both(row, other.other);
    }
    for (const OffDiagonalBlock& kept : ldy.adjacent(from[places_[row]])) {
      const Index beta = row_of[kept.other];
      if (beta == kNone || (!of_[row].empty() && !of_[beta].empty())) continue;
      for (OffDiagonalBlock& other : contacts_.adjacent(block)) {
        if (other.other == beta) other.W = kept.W;
      }
    }
  }
}

void Condensation::recover(LocalDynamics& ldy) const {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    for (int k = 0; k < block_count(ldy.law(ids_[i])); ++k) {
      ldy.row(ids_[i], k).R = contacts_.row(static_cast<ConstraintId>(i), k).R;
    }
  }
  for (const auto& mechanism : mechanisms_) {
    const SaddleProblem& problem = mechanism->system.problem;
    Eigen::VectorXd force = Eigen::VectorXd::Zero(problem.A.rows());
    for (const Hold& hold : mechanism->holds) {
      force.noalias() += hold.H.transpose() * contacts_.diagonal_arena()[hold.row].R;
    }
    const SaddleSolution solution = mechanism->saddle.solve(force, mechanism->system.gamma);
    for (const ConstraintId id : mechanism->system.members) {
      for (int k = 0; k < block_count(ldy.law(id)); ++k) ldy.row(id, k).R.setZero();
    }
    for (Eigen::Index i = 0; i < solution.lambda.size(); ++i) {
      const auto [id, row] = problem.name(i);
      ldy.row(id, row / 3).R[row % 3] = solution.lambda[i];
    }
  }
}

}  // namespace locdyn::detail
