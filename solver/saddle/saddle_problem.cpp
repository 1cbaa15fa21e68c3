#include <locdyn/solver/saddle/saddle_problem.hpp>

#include <stdexcept>

namespace locdyn::detail {
namespace {

using Triplet = Eigen::Triplet<double>;

// Groups in the order in which rows meet them, and A/h of each.
class Groups {
 public:
  explicit Groups(const DelassusFactor& factor) : factor_(factor), first_(factor.first_inertia.size(), -1) {}

  Eigen::Index place(const Coupling& c) {
    if (first_[c.body] >= 0) return first_[c.body];
    const Eigen::Index at = size_;
    const auto A = factor_.inertia_of(c);
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      for (Eigen::Index i = 0; i < A.rows(); ++i) {
        inertia_.emplace_back(static_cast<int>(at + i), static_cast<int>(at + j), A(i, j) / factor_.h);
      }
    }
    size_ += static_cast<Eigen::Index>(c.freedoms);
    return first_[c.body] = at;
  }
  void finish(BilateralSystem& system) {
    system.problem.A.resize(size_, size_);
    system.problem.A.setFromTriplets(inertia_.begin(), inertia_.end());
    system.first = std::move(first_);
  }
  [[nodiscard]] Eigen::Index size() const noexcept { return size_; }

 private:
  const DelassusFactor& factor_;
  std::vector<Eigen::Index> first_;
  std::vector<Triplet> inertia_;
  Eigen::Index size_ = 0;
};

}  // namespace

std::string spelled(const SaddleRow& row) {
  const std::string number = "row " + std::to_string(row.row);
  return row.constraint == kNone ? number : "constraint " + std::to_string(row.constraint) + ", " + number;
}

BilateralSystem bilateral_system(const LocalDynamics& ldy, std::span<const ConstraintId> ids) {
  if (ldy.factor() == nullptr) {
    throw std::invalid_argument("bilateral system: expected a graph that knows W as h H A⁻¹ Hᵀ, found blocks alone");
  }
  const DelassusFactor& factor = *ldy.factor();
  BilateralSystem system;
  Groups groups(factor);
  std::vector<Triplet> jacobian;
  std::vector<double> C;
  const auto* arena = ldy.diagonal_arena().data();
  for (const ConstraintId id : ids) {
    if (!ldy.contains(id)) {
      throw std::invalid_argument("bilateral system: expected constraints of the graph, found id " +
                                  std::to_string(id));
    }
    const Law& law = ldy.law(id);
    if (is_contact(law)) continue;
    system.members.push_back(id);
    for (int k = 0; k < block_count(law); ++k) {
      const auto couplings = factor.couplings(static_cast<Index>(&ldy.row(id, k) - arena));
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(bilateral_rows(law, k), axis)) continue;
        const auto row = static_cast<int>(system.problem.rows.size());
        system.problem.rows.push_back({.constraint = id, .row = 3 * k + axis});
        C.push_back(compliance(law, k)[axis]);
        for (const Coupling& c : couplings) {
          const Eigen::Index at = groups.place(c);
          const auto H = factor.jacobian(c);
          for (Eigen::Index j = 0; j < H.cols(); ++j) jacobian.emplace_back(row, static_cast<int>(at + j), H(axis, j));
        }
      }
    }
  }
  groups.finish(system);
  SaddleProblem& problem = system.problem;
  problem.G.resize(static_cast<Eigen::Index>(problem.rows.size()), groups.size());
  problem.G.setFromTriplets(jacobian.begin(), jacobian.end());
  problem.compliance = Eigen::Map<const Eigen::VectorXd>(C.data(), problem.G.rows());
  system.gamma = bilateral_load(ldy, problem);
  return system;
}

BilateralSystem bilateral_system(const LocalDynamics& ldy) {
  std::vector<ConstraintId> ids;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (ldy.contains(id) && is_bilateral(ldy.law(id))) ids.push_back(id);
  }
  return bilateral_system(ldy, ids);
}

Eigen::VectorXd bilateral_load(const LocalDynamics& ldy, const SaddleProblem& problem) {
  Eigen::VectorXd gamma(problem.G.rows());
  for (Eigen::Index i = 0; i < gamma.size(); ++i) {
    const auto [id, row] = problem.name(i);
    gamma[i] = -(ldy.row(id, row / 3).B[row % 3] + offset(ldy.law(id), row / 3)[row % 3]);
  }
  return gamma;
}

}  // namespace locdyn::detail
