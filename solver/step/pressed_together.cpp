#include <locdyn/solver/step/pressed_together.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <locdyn/ldy/residual.hpp>

namespace locdyn::detail {
namespace {

constexpr int kNormal = 2;
constexpr int kRuns = 8, kSweepsPerRun = 250;
// A heavy body on a light one needs the ratio of their masses: that is what no test of a residual could tell from
// rounding any more.
constexpr double kOutOfReach = 1e11;
// Of a run in which r settles: where it does no better there is a solution, or r is too slow.
constexpr double kLeastGrowth = 2;

// The normal rows of all contacts, and what a reaction along them does to the bodies.
class Normals {
 public:
  explicit Normals(const LocalDynamics& ldy)
      : ldy_(ldy), factor_(*ldy.factor()), first_(factor_.group_count() + 1, 0), arena_(ldy.diagonal_arena().data()) {
    for (const DiagonalBlock& row : ldy.rows()) {
      for (const Coupling& c : couplings(row)) first_[c.body + 1] = c.freedoms;
    }
    for (std::size_t body = 1; body < first_.size(); ++body) first_[body] += first_[body - 1];
    ConstraintId last{kNone};
    for (const DiagonalBlock& row : ldy.rows()) {
      const bool leads = row.constraint != last;
      last = row.constraint;
      const Law& law = ldy.law(row.constraint);
      if (!leads || !is_contact(law) || !(row.W(kNormal, kNormal) > 0)) continue;
      const double give = gives_way(law) ? compliance(law, 0)[kNormal] : 0;
      contacts_.push_back({&row, row.B[kNormal] + offset(law, 0)[kNormal], row.W(kNormal, kNormal) + give, give});
      largest_ = std::max(largest_, std::abs(contacts_.back().b));
    }
    r_.assign(contacts_.size(), 0.0);
    v_.assign(first_.back(), 0.0);
  }

  void sweep() {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      const double U = c.b + c.give * r_[i] + motion(*c.row, v_)[kNormal];
      const double change = std::max(-r_[i], -U / c.W);
      if (change == 0) continue;
      r_[i] += change;
      push(*c.row, change, v_);
    }
  }
  [[nodiscard]] const std::vector<double>& reactions() const noexcept { return r_; }

  // How large reactions would have to be, by r, over what the largest b asks of a contact alone.
  [[nodiscard]] double reach(const std::vector<double>& r) const {
    double work = 0, left = 0;
    std::vector<double> v(v_.size(), 0.0);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      work -= r[i] * contacts_[i].b;
      left += contacts_[i].give * r[i] / contacts_[i].W;
      if (r[i] > 0) push(*contacts_[i].row, r[i], v);
    }
    if (!(work > 0)) return 0;
    for (const DiagonalBlock& row : ldy_.rows()) {
      left += motion(row, v).norm() * row_scale(row.W, rows(ldy_.law(row.constraint), 0));
    }
    return work / (left * largest_);
  }

 private:
  struct Contact {
    const DiagonalBlock* row;
    double b, W, give;
  };

  [[nodiscard]] std::span<const Coupling> couplings(const DiagonalBlock& row) const {
    return factor_.couplings(static_cast<Index>(&row - arena_));
  }
  // H v.
  [[nodiscard]] Eigen::Vector3d motion(const DiagonalBlock& row, const std::vector<double>& v) const {
    Eigen::Vector3d U = Eigen::Vector3d::Zero();
    for (const Coupling& c : couplings(row)) {
      U += factor_.jacobian(c) * Eigen::Map<const Eigen::VectorXd>(v.data() + first_[c.body], c.freedoms);
    }
    return U;
  }
  // v += Y_n r.
  void push(const DiagonalBlock& row, double r, std::vector<double>& v) const {
    for (const Coupling& c : couplings(row)) {
      Eigen::Map<Eigen::VectorXd>(v.data() + first_[c.body], c.freedoms) += r * factor_.response(c).col(kNormal);
    }
  }

  const LocalDynamics& ldy_;
  const DelassusFactor& factor_;
  std::vector<std::size_t> first_;  // by group of velocities
  const DiagonalBlock* arena_;
  std::vector<Contact> contacts_;
  std::vector<double> r_, v_;
  double largest_ = 0;  // ‖b_n‖∞
};

}  // namespace

bool are_pressed_together(const LocalDynamics& ldy) {
  Normals normals(ldy);
  std::vector<double> before, step;
  double reached = 0;
  for (int run = 0; run < kRuns; ++run) {
    before = normals.reactions();
    for (int k = 0; k < kSweepsPerRun; ++k) normals.sweep();
    step = normals.reactions();
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = std::max(0.0, step[i] - before[i]);
    const double reach = normals.reach(step);
    if (reach >= kOutOfReach) return true;
    if (!(reach > kLeastGrowth * reached)) return false;
    reached = reach;
  }
  return false;
}

}  // namespace locdyn::detail
