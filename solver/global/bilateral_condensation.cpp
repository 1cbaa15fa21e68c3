#include <locdyn/solver/global/bilateral_condensation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace locdyn::detail {
namespace {

constexpr double kDependent = 1e-10;  // of a row's own response
constexpr double kOutOfRange = 1e-8;
constexpr std::size_t kMostRows = 2000, kMostBlocks = 2000;

Index place_in(const LocalDynamics& ldy, const DiagonalBlock& row) {
  return static_cast<Index>(&row - ldy.diagonal_arena().data());
}

}  // namespace

std::unique_ptr<BilateralCondensation> BilateralCondensation::of(const LocalDynamics& whole) {
  auto condensed = std::make_unique<BilateralCondensation>();
  if (!condensed->take_components(whole)) return nullptr;
  condensed->copy_contacts(whole);
  condensed->subtract();
  return condensed;
}

// Bilateral constraints that the blocks of R tie together.
bool BilateralCondensation::take_components(const LocalDynamics& whole) {
  const auto arena = whole.diagonal_arena();
  std::vector<ConstraintId> parent(whole.id_bound());
  std::iota(parent.begin(), parent.end(), ConstraintId{0});
  const auto root = [&](ConstraintId id) {
    while (parent[id] != id) id = parent[id] = parent[parent[id]];
    return id;
  };
  const auto held = [&](ConstraintId id) { return whole.contains(id) && is_bilateral(whole.law(id)); };
  std::vector<ConstraintId> bilateral;
  for (ConstraintId id{0}; id < whole.id_bound(); ++id) {
    if (!held(id)) continue;
    bilateral.push_back(id);
    for (int k = 0; k < block_count(whole.law(id)); ++k) {
      for (const OffDiagonalBlock& block : whole.adjacent(whole.row(id, k))) {
        const ConstraintId other = arena[block.other].constraint;
        if (!held(other)) continue;
        const ConstraintId a = root(id), b = root(other);
        parent[std::max(a, b)] = std::min(a, b);
      }
    }
  }
  std::vector<int> number(whole.id_bound(), -1);
  for (const ConstraintId id : bilateral) {
    int& mine = number[root(id)];
    if (mine < 0) {
      mine = static_cast<int>(components_.size());
      components_.emplace_back();
    }
    components_[mine].members.push_back(id);
  }
  return !components_.empty() && std::all_of(components_.begin(), components_.end(),
                                             [&](Component& component) { return factorise(whole, component); });
}

bool BilateralCondensation::factorise(const LocalDynamics& whole, Component& component) {
  const auto arena = whole.diagonal_arena();
  std::vector<std::array<int, 3>> number(arena.size(), {-1, -1, -1});
  std::vector<double> s, C;
  for (const ConstraintId id : component.members) {
    const Law& law = whole.law(id);
    for (int k = 0; k < block_count(law); ++k) {
      const DiagonalBlock& row = whole.row(id, k);
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(rows(law, k), axis)) continue;
        number[place_in(whole, row)][axis] = static_cast<int>(s.size());
        component.places.push_back(place_in(whole, row));
        component.axes.push_back(static_cast<Index>(axis));
        s.push_back(row.B[axis] + offset(law, k)[axis]);
        C.push_back(compliance(law, k)[axis]);
      }
      for (const OffDiagonalBlock& block : whole.adjacent(row)) {
        if (!is_bilateral(whole.law(arena[block.other].constraint))) component.contacts.push_back(block.other);
      }
    }
  }
  auto& contacts = component.contacts;
  std::sort(contacts.begin(), contacts.end());
  contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
  if (s.size() > kMostRows || contacts.size() > kMostBlocks) return false;

  const auto p = static_cast<Eigen::Index>(s.size()), m = static_cast<Eigen::Index>(3 * contacts.size());
  component.s = Eigen::Map<const Eigen::VectorXd>(s.data(), p);
  Eigen::MatrixXd R = Eigen::Map<const Eigen::VectorXd>(C.data(), p).asDiagonal();
  component.from = Eigen::MatrixXd::Zero(p, m);
  component.onto = Eigen::MatrixXd::Zero(m, p);
  for (Eigen::Index i = 0; i < p; ++i) {
    const DiagonalBlock& row = arena[component.places[i]];
    const Index axis = component.axes[i];
    const auto add = [&](Index place, const Eigen::Matrix3d& W) {
      for (int j = 0; j < 3; ++j) {
        if (number[place][j] >= 0) R(i, number[place][j]) += W(axis, j);
      }
    };
    add(component.places[i], row.W);
    for (const OffDiagonalBlock& block : whole.adjacent(row)) {
      add(block.other, block.W);
      const auto at = std::lower_bound(contacts.begin(), contacts.end(), block.other);
      if (at != contacts.end() && *at == block.other) {
        component.from.block<1, 3>(i, 3 * (at - contacts.begin())) = block.W.row(axis);
      }
    }
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    for (const OffDiagonalBlock& block : whole.adjacent(arena[contacts[k]])) {
      for (int j = 0; j < 3; ++j) {
        if (number[block.other][j] >= 0)
          component.onto.block<3, 1>(3 * Eigen::Index(k), number[block.other][j]) = block.W.col(j);
      }
    }
  }

  component.scale = R.diagonal().cwiseAbs();
  for (double& response : component.scale) response = response > 0 ? 1 / std::sqrt(response) : 0;
  const Eigen::MatrixXd scaled = component.scale.asDiagonal() * R * component.scale.asDiagonal();
  component.R.factorise(scaled, kDependent);
  // What a pseudo-inverse may do: the contacts see nothing of the null space of R.
  const auto sees = [&](const Eigen::MatrixXd& x, const Eigen::MatrixXd& A) {
    return (A * component.inverse_of(x) - x).cwiseAbs().maxCoeff() > kOutOfRange * x.cwiseAbs().maxCoeff();
  };
  if (m > 0) {
    // W_cb R⁺ R = W_cb, and R R⁺ W_bc = W_bc.
    const Eigen::MatrixXd back = component.onto * component.inverse_of(R) - component.onto;
    if (sees(component.from, R) || back.norm() > kOutOfRange * component.onto.norm()) return false;
  }
  if (component.s.cwiseAbs().maxCoeff() > 0 && sees(component.s, R)) {
    throw std::invalid_argument(
        "R and s: expected bilateral rows that some force meets, found rows that contradict each "
        "other from constraint " +
        std::to_string(component.members.front()));
  }
  return true;
}

void BilateralCondensation::copy_contacts(const LocalDynamics& whole) {
  const auto arena = whole.diagonal_arena();
  std::vector<ConstraintId> name(whole.id_bound(), ConstraintId{kNone});
  row_of_.assign(arena.size(), kNone);
  std::vector<ConstraintId> of_row;
  for (ConstraintId id{0}; id < whole.id_bound(); ++id) {
    if (!whole.contains(id) || is_bilateral(whole.law(id))) continue;
    name[id] = contacts_.insert(whole.law(id));
    ids_.push_back(id);
    for (int k = 0; k < block_count(whole.law(id)); ++k) {
      row_of_[place_in(whole, whole.row(id, k))] = static_cast<Index>(of_row.size());
      of_row.push_back(name[id]);
    }
  }
  for (const ConstraintId id : ids_) {
    for (const OffDiagonalBlock& block : whole.adjacent(whole.row(id))) {
      const ConstraintId other = name[arena[block.other].constraint];
      if (other != kNone && other < name[id]) contacts_.couple(other, name[id]);
    }
  }
  for (const Component& component : components_) {
    for (std::size_t i = 0; i < component.contacts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const ConstraintId a = of_row[row_of_[component.contacts[i]]], b = of_row[row_of_[component.contacts[j]]];
        if (a != b) contacts_.couple(a, b);
      }
    }
  }
  contacts_.pack(SweepOrder::by_id);
  const auto rows = contacts_.diagonal_arena();
  std::vector<Eigen::Matrix3d*> target(rows.size(), nullptr);
  for (std::size_t place = 0; place < arena.size(); ++place) {
    if (row_of_[place] == kNone) continue;
    DiagonalBlock& row = rows[row_of_[place]];
    row.W = arena[place].W;
    row.B = arena[place].B;
    row.R = arena[place].R;
    for (OffDiagonalBlock& block : contacts_.adjacent(row)) target[block.other] = &block.W;
    for (const OffDiagonalBlock& block : whole.adjacent(arena[place])) {
      if (row_of_[block.other] != kNone) *target[row_of_[block.other]] = block.W;
    }
  }
}

void BilateralCondensation::subtract() {
  const auto rows = contacts_.diagonal_arena();
  std::vector<Eigen::Matrix3d*> target(rows.size(), nullptr);
  for (const Component& component : components_) {
    const Eigen::MatrixXd change = component.onto * component.inverse_of(component.from);
    const Eigen::VectorXd drift = component.onto * component.inverse_of(component.s);
    for (std::size_t i = 0; i < component.contacts.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(3 * i);
      DiagonalBlock& row = rows[row_of_[component.contacts[i]]];
      row.B -= drift.segment<3>(at);
      target[row_of_[component.contacts[i]]] = &row.W;
      for (OffDiagonalBlock& block : contacts_.adjacent(row)) target[block.other] = &block.W;
      for (std::size_t j = 0; j < component.contacts.size(); ++j) {
        *target[row_of_[component.contacts[j]]] -= change.block<3, 3>(at, static_cast<Eigen::Index>(3 * j));
      }
    }
  }
}

void BilateralCondensation::recover(const LocalDynamics& solved, LocalDynamics& whole) const {
  const auto rows = solved.diagonal_arena();
  const auto arena = whole.diagonal_arena();
  for (std::size_t place = 0; place < arena.size(); ++place) {
    if (row_of_[place] != kNone) arena[place].R = rows[row_of_[place]].R;
  }
  for (const Component& component : components_) {
    Eigen::VectorXd left = component.s;
    for (std::size_t k = 0; k < component.contacts.size(); ++k) {
      left += component.from.middleCols<3>(static_cast<Eigen::Index>(3 * k)) * arena[component.contacts[k]].R;
    }
    const Eigen::VectorXd l = -component.inverse_of(left);
    for (const Index place : component.places) arena[place].R.setZero();
    for (std::size_t i = 0; i < component.places.size(); ++i) {
      arena[component.places[i]].R[component.axes[i]] = l[static_cast<Eigen::Index>(i)];
    }
  }
}

}  // namespace locdyn::detail
