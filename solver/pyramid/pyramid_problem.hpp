#pragma once
// One island of the graph as a dense linear complementarity problem over its contacts, the bilateral rows eliminated:
//
//   W' = s (W_cc − W_cb (W_bb + C)⁻¹ W_bc) s,   b' = s (b_c − W_cb (W_bb + C)⁻¹ b_b),   R_c = s R'
//
// with one scale s = √(d / tr W_αα) a contact, so that the polygon keeps its shape and W has diagonals of about one.
// The variables z of a contact lie together: R_n; and, where μ > 0, β_1 … β_m and λ. The matrix M of w = q + M z,
//
//   w_n = U_n + σ_n,   w_βj = λ + d_jᵀ (U_t + σ_t),   w_λ = μ R_n − Σ_j β_j,   R_t = Σ_j β_j d_j
//
// is never stored: W' and the directions give its entries and its products.
//
// Source: Stewart & Trinkle, IJNME 39 (1996) 2673–2691; Anitescu & Potra, Nonlinear Dynamics 14 (1997) 231–247.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

#include <locdyn/contact/friction_pyramid.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

class PyramidProblem {
 public:
  /// The scalar rows of an island that the dense matrices will have: what they cost, before they are made.
  [[nodiscard]] static Eigen::Index count_rows(const LocalDynamics& ldy, const std::vector<ConstraintId>& island);

  /// Eliminates the bilateral rows; those that depend on others, to 1e-12 of their diagonal, get R = 0. The pyramid
  /// must outlive the problem. Cost: O(count_rows³) where there are bilateral rows, O(count_rows²) else.
  PyramidProblem(LocalDynamics& ldy, const std::vector<ConstraintId>& island, const FrictionPyramid& pyramid);

  /// The number of complementary pairs (z, w).
  [[nodiscard]] int size() const noexcept { return static_cast<int>(variables_.size()); }
  /// q (size): velocities, over the largest |b'|.
  [[nodiscard]] const Eigen::VectorXd& q() const noexcept { return q_; }
  /// M_ij. Cost: O(1).
  [[nodiscard]] double entry(int i, int j) const noexcept;
  /// w = M z (size). Cost: the entries of W' that are not zero, and `size`.
  void multiply(const Eigen::VectorXd& z, Eigen::VectorXd& w);
  /// Writes R of all rows of the island into the graph.
  void write(const Eigen::VectorXd& z, LocalDynamics& ldy);

  /// Floating point operations of the elimination.
  [[nodiscard]] double flops() const noexcept { return flops_; }

 private:
  struct Contact {
    Index row;     // in the graph's arena
    int first;     // of its rows in W': the tangents, then the normal
    int tangents;  // 0 where μ = 0, 1 where planar, 2 else
    int variable;  // R_n; then the β, then λ
    int directions;
    double friction, scale;
    [[nodiscard]] int normal() const noexcept { return first + tangents; }
  };
  struct Variable {
    enum Kind : unsigned char { normal, facet, slip } kind;
    int contact;
    Eigen::Vector2d direction;  // of a facet's β
  };
  struct BilateralRow {
    Index row;
    int axis;
  };

  void list_contact(Index row, const Law& law, const DiagonalBlock& block);
  void list_bilateral(Index row, const Law& law, const DiagonalBlock* block);
  void fill(const LocalDynamics& ldy, Eigen::MatrixXd& W) const;
  void eliminate(const Eigen::MatrixXd& W);
  void fill_q();
  void reactions(const Eigen::VectorXd& z);

  const FrictionPyramid& pyramid_;
  std::vector<Contact> contacts_;
  std::vector<Variable> variables_;
  std::vector<BilateralRow> bilateral_;
  std::vector<double> contact_b_, contact_scale_, bilateral_b_, compliance_;  // by scalar row
  Eigen::MatrixXd W_;                                                         // W', for its entries
  Eigen::SparseMatrix<double> W_sparse_;                                      // W', for products
  Eigen::VectorXd b_;                                                         // b'
  Eigen::MatrixXd bilateral_by_R_;  // R_b = bilateral_free_ + bilateral_by_R_ R'
  Eigen::VectorXd bilateral_free_;
  Eigen::VectorXd q_, R_, U_;
  double magnitude_ = 1;  // the largest |b'|
  double flops_ = 0;
};

}  // namespace locdyn::detail
