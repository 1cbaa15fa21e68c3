#pragma once
// The convex problem of contacts with the De Saxcé shifts s = μ ‖U_t + σ_t‖ held at the current iterate R̄,
//
//   min ½ Rᵀ(W + a I)R + (b + s n − a R̄)ᵀR   over K:   K ∋ R ⟂ Û = W R + b + s n + a (R − R̄) ∈ K*,
//   bilateral rows free: W R + b + C R + a (R − R̄) = 0,
//
// in scaled variables: rows by w_α = √(tr W_αα/d), so that each block of W has the trace d, velocities by the root mean
// square of b, so that all are about 1. W is the symmetric part; what is left of W acts at R̄, in b.
//
// Source: Cadoux (2009); Acary, Cadoux, Lemaréchal & Malick, ZAMM 91 (2011) 155–175 (s held: a convex problem);
// Friedlander & Orban, Math. Program. Comput. 4 (2012) 71–107 (a I: a primal regularisation that vanishes with R − R̄).

#include <Eigen/Core>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Has the graph no law but contacts with Coulomb friction and bilateral ones, of which a ConeProgram can be made?
[[nodiscard]] bool suits_convex(const LocalDynamics& ldy);

class ConeProgram {
 public:
  struct Row {
    Index place;       ///< in the graph's arena
    int first, count;  ///< its unknowns, at most 3
    bool contact;
    double friction;            ///< μ of a contact
    Eigen::Vector3d stiffness;  ///< C of bilateral rows, scaled
    Eigen::Vector3d in_use;     ///< 1 where a row is an unknown, else 0: R_t of a contact without friction is not
    double scale;               ///< w
  };
  /// Half of W_αβ + W_βαᵀ, scaled, α ≥ β by number of the row.
  struct Block {
    int row, column;
    Eigen::Matrix3d W;
  };

  /// What a I weighs: each row by its own w, or all rows by their mean, so that forces of one size count the same.
  enum class Scaling { by_row, equal };

  /// Reads W and the laws. Throws std::invalid_argument naming the first constraint whose law is neither a contact with
  /// Coulomb friction nor bilateral. Cost: one pass over the blocks.
  explicit ConeProgram(const LocalDynamics& ldy, Scaling scaling = Scaling::by_row);

  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }
  /// By column, the diagonal block first, then by row.
  [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }
  /// The row at a place of the graph's arena; −1 where there is none.
  [[nodiscard]] int number(Index place) const { return number_[place]; }
  [[nodiscard]] int unknowns() const noexcept { return unknowns_; }

  /// b without s, by row and scaled.
  [[nodiscard]] std::vector<Eigen::Vector3d> free_velocity(const LocalDynamics& ldy) const;

  /// Takes R̄ and its U = B + W R̄ from the graph: centre and load.
  void centre_on(const LocalDynamics& ldy);
  /// After `centre_on`, puts the centre at 0 and the load where `held` (by row) has V as it is at R̄: with a > 0 the
  /// solution is then the least R whose W R is near W `held`.
  void centre_on_zero(const std::vector<Eigen::Vector3d>& held);
  [[nodiscard]] const std::vector<Eigen::Vector3d>& centre() const noexcept { return centre_; }
  /// b + s n.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& load() const noexcept { return load_; }

  /// V = W R̄ + b + s n.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& velocity_at_centre() const noexcept { return velocity_at_centre_; }

  /// W R into `product`, both by row. Cost: one pass over the blocks.
  void multiply(const std::vector<Eigen::Vector3d>& R, std::vector<Eigen::Vector3d>& product) const;

  /// The scaled residual (ldy/residual) of this problem for R and its V = W R + b + s n + a (R − R̄).
  [[nodiscard]] double residual(const std::vector<Eigen::Vector3d>& R, const std::vector<Eigen::Vector3d>& V) const;

  /// R, by row, into the graph.
  void write(const std::vector<Eigen::Vector3d>& R, LocalDynamics& ldy) const;

 private:
  void list_rows(const LocalDynamics& ldy, Scaling scaling);
  void list_blocks(const LocalDynamics& ldy);

  std::vector<Row> rows_;
  std::vector<int> number_;  // by place
  std::vector<Block> blocks_;
  std::vector<Eigen::Vector3d> centre_, load_, velocity_at_centre_;
  int unknowns_ = 0;
  double velocity_ = 1;   // root mean square of the scaled b
  double load_norm_ = 1;  // ‖b‖ in velocities of the graph
};

}  // namespace locdyn::detail
