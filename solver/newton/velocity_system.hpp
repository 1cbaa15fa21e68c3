#pragma once
// A Newton step in the space of velocities. With W = h H A⁻¹ Hᵀ and y = h A⁻¹ Hᵀ dR the change of velocities, each
// pressed row has dR = −G (F + E H y), G = (w E + C)⁻¹ (3×3), and what is left is
//
//   (A/h + Hᵀ G E H) y = −Hᵀ G F + Σ_open Hᵀ dR
//
// in as many unknowns as there are velocities, with the pattern of the bodies' contact graph whatever the active set:
// one symbolic analysis. Moments follow the force of their contact, dR_m = −G_m (F_m + E_m H_m y + E_n (H y)_n +
// (w E_n + C_n) dR_n), and add the block between the two; bounded rows follow the hard rows of their joint in the same
// way. The weight w > 0 keeps G finite; what rounding takes from dR is ε/w of it, and Newton's next step gives it back.
//
// Source: the Woodbury identity; the primal form of Todorov, ICRA (2014) and Castro et al., IEEE T-RO (2022), for the
// linearisation of the exact cone.

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/newton/row_responses.hpp>
#include <locdyn/solver/newton/velocity_matrix.hpp>

namespace locdyn::detail {

/// Do the forces of this row depend on U_n and R_n, but not the other way round: as those of a contact do that presses?
[[nodiscard]] inline bool normal_apart(const MapDerivative& d) {
  return d.E(2, 0) == 0 && d.E(2, 1) == 0 && d.C(2, 0) == 0 && d.C(2, 1) == 0;
}

/// (w E + C)⁻¹ of such a row: [A b; 0 c]⁻¹ = [A⁻¹ −A⁻¹ b/c; 0 1/c] by one division.
[[nodiscard]] inline Eigen::Matrix3d inverse_normal_apart(const LinearisedRow& row) {
  const Eigen::Matrix3d M = row.weight * row.d.E + row.d.C;
  const double determinant = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0);
  const double inverse = 1 / (determinant * M(2, 2)), by_A = inverse * M(2, 2), by_c = inverse * determinant;
  const double a = by_A * M(1, 1), b = -by_A * M(0, 1), c = -by_A * M(1, 0), d = by_A * M(0, 0);
  Eigen::Matrix3d G;
  G << a, b, -by_c * (a * M(0, 2) + b * M(1, 2)),  //
      c, d, -by_c * (c * M(0, 2) + d * M(1, 2)),   //
      0, 0, by_c;
  return G;
}

/// What dR of the row before changes F by, in the regularised problem: w E_before + C_before.
[[nodiscard]] inline Eigen::Matrix3d dependence_on_reaction(const LinearisedRow& row) {
  Eigen::Matrix3d by_R = row.d.C_before;
  by_R.col(2) += row.weight * row.d.E_n + row.d.C_n;
  return by_R;
}

/// By a `Matrix` that has the members of VelocityMatrix which are called here: its unknowns are those that the graph's
/// rows act on.
template <class Matrix>
class VelocitySystemOf : public NewtonSystem {
 public:
  /// The graph knows its factor (`ldy.factor()`). The matrix is made of `by`.
  template <class... By>
  explicit VelocitySystemOf(const LocalDynamics& ldy, By&&... by)
      : ldy_(ldy),
        matrix_(std::forward<By>(by)...),
        response_(ldy.diagonal_arena().size()),
        change_(matrix_.unknowns()),
        motion_(ldy.diagonal_arena().size()),
        pull_(matrix_.unknowns()) {}

  /// Cost: some 300 multiplications a row and pair of its groups, and a sparse LU with one unknown a velocity.
  [[nodiscard]] bool solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) override;
  [[nodiscard]] std::span<const Eigen::Vector3d> velocity_change() const noexcept override {
    return Matrix::kSolvesToRounding ? std::span<const Eigen::Vector3d>(motion_) : std::span<const Eigen::Vector3d>();
  }
  [[nodiscard]] double flops() const noexcept override { return matrix_.flops(); }
  [[nodiscard]] double step_cost() const override;
  /// What the rows of a graph take of that.
  [[nodiscard]] static double cost_of_rows(const LocalDynamics& ldy);
  [[nodiscard]] const Matrix& matrix() const noexcept { return matrix_; }

 protected:
  // What a pressed row makes of its velocity: dR = −G F − K H y.
  struct Response {
    Eigen::Matrix3d G, K;  // K = G E
    Eigen::Vector3d pull;  // −G F
  };

 private:
  bool add_row(const LinearisedRow& row, Index place, const Eigen::Vector3d& open_step);
  void add_dependence(std::span<const LinearisedRow> rows, Index place);

 protected:
  const LocalDynamics& ldy_;
  Matrix matrix_;
  std::vector<Response> response_;  // by place
  std::vector<double> change_;      // y

 private:
  std::vector<Eigen::Vector3d> motion_;  // H y, by place
  std::vector<double> pull_;             // Hᵀ of what acts on the velocities
};

/// On one machine, which also tells how rows answer to few of them.
class VelocitySystem final : public VelocitySystemOf<VelocityMatrix>, public RowResponses {
 public:
  /// As above; the graph outlives it and does not change.
  explicit VelocitySystem(const LocalDynamics& ldy) : VelocitySystemOf(ldy, ldy) {}

  [[nodiscard]] bool solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) override;
  [[nodiscard]] RowResponses* responses() noexcept override { return this; }
  [[nodiscard]] bool find_responses(std::span<const Index> few, FewRowsMatrix& Z) override;
  [[nodiscard]] Eigen::Matrix3d yield(const LinearisedRow& row, Index place) const override;
  void respond(std::span<const LinearisedRow> rows, const FewRowsVector& q, std::span<Eigen::Vector3d> step,
               std::span<Eigen::Vector3d> motion) override;

 private:
  std::array<BlockLu::Half, kMostFewRows> left_, right_;
  std::vector<Index> few_;  // whose halves those are
};

// Adds Hᵀ K H, K = G E, and −Hᵀ G F of a pressed row, Hᵀ dR of an open one. False where w E + C is singular.
template <class Matrix>
bool VelocitySystemOf<Matrix>::add_row(const LinearisedRow& row, Index place, const Eigen::Vector3d& open_step) {
  if (!row.pressed) {
    if (!open_step.isZero(0)) matrix_.add_pull(place, open_step, pull_);
    return true;
  }
  Response& own = response_[place];
  if (row.d.holds) {
    own.G = own.K = Eigen::Matrix3d::Identity() / row.weight;
    own.pull = -row.F / row.weight;
  } else {
    own.G = normal_apart(row.d) ? inverse_normal_apart(row) : (row.weight * row.d.E + row.d.C).inverse().eval();
    own.K.noalias() = own.G * row.d.E;
    own.pull.noalias() = -(own.G * row.F);
  }
  if (!std::isfinite(own.K.sum() + own.pull.sum())) return false;
  matrix_.add_pull(place, own.pull, pull_);
  matrix_.add_block(place, own.K, place);
  return true;
}

// What moments take from their force, and bounded rows from the hard ones, in the row before, beside their own share.
template <class Matrix>
void VelocitySystemOf<Matrix>::add_dependence(std::span<const LinearisedRow> rows, Index place) {
  const LinearisedRow& row = rows[place];
  const LinearisedRow& before = rows[place - 1];
  const Eigen::Matrix3d by_R = response_[place].G * dependence_on_reaction(row) * response_[place - 1].G;
  Eigen::Matrix3d K = -by_R * before.d.E;
  K.col(2) += response_[place].G * row.d.E_n;
  matrix_.add_pull(place, by_R * before.F, pull_);
  matrix_.add_block(place, K, place - 1);
}

template <class Matrix>
bool VelocitySystemOf<Matrix>::solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) {
  const auto* arena = ldy_.diagonal_arena().data();
  matrix_.clear();
  std::fill(pull_.begin(), pull_.end(), 0.0);
  bool regular = true;
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    regular = add_row(rows[place], place, step[place]);
    if (!regular) break;
    if (rows[place].follows && rows[place].pressed) add_dependence(rows, place);
  }
  if (!matrix_.everywhere(regular) || !matrix_.solve(pull_, change_)) return false;

  // dR = −G F − K H y.
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    motion_[place] = matrix_.motion(place, change_);
    if (!rows[place].pressed) continue;
    const Response& own = response_[place];
    step[place] = own.pull - own.K * motion_[place];
    if (!rows[place].follows) continue;
    step[place] -=
        own.G * (rows[place].d.E_n * motion_[place - 1][2] + dependence_on_reaction(rows[place]) * step[place - 1]);
  }
  return true;
}

template <class Matrix>
double VelocitySystemOf<Matrix>::cost_of_rows(const LocalDynamics& ldy) {
  constexpr double kMapsOfRow = 3000;  // and its share of the matrix
  return kMapsOfRow * static_cast<double>(ldy.row_count());
}

template <class Matrix>
double VelocitySystemOf<Matrix>::step_cost() const {
  return cost_of_rows(ldy_) + matrix_.symbolic_cost();
}

extern template class VelocitySystemOf<VelocityMatrix>;

}  // namespace locdyn::detail
