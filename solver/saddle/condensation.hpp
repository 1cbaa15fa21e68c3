#pragma once
// Joints taken out of the local dynamics exactly. Bodies that bilateral rows tie together are a mechanism; its answer
// to a force, with its joints held, is one solve of its saddle point. What is left are the contacts alone, with
//
//   W_c = h H_c P A⁻¹ H_cᵀ,   B_c = B + H_c y₀
//
// where P A⁻¹ is the motion that joints let through and y₀ what they do by themselves. Contacts on one mechanism are
// all coupled; contacts on no mechanism keep their blocks. Whatever R of the contacts, the joints' reactions that go
// with it follow from one solve a mechanism: joint rows hold to rounding, converged or not.

#include <memory>

#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn::detail {

class Condensation {
 public:
  /// The graph knows its factor, which it keeps while this is used. Throws std::invalid_argument where it does not, and
  /// what SaddleSystem::factorise throws. Cost: a factorisation for each mechanism, one solve for each row of a contact
  /// on it, and products for each pair of those: contacts on one mechanism make a dense W.
  explicit Condensation(const LocalDynamics& ldy);

  /// The contacts, in the sweep order of the graph: every constraint that is not bilateral, with the R that it has.
  [[nodiscard]] LocalDynamics& contacts() noexcept { return contacts_; }

  /// Writes the contacts' R into `ldy`, the graph of the constructor, and the reactions of the joints that go with it.
  /// Cost: one solve for each mechanism.
  void recover(LocalDynamics& ldy) const;

  [[nodiscard]] std::size_t mechanisms() const noexcept { return mechanisms_.size(); }
  /// Names of joint rows that follow from others.
  [[nodiscard]] const std::vector<SaddleRow>& redundant() const noexcept { return redundant_; }
  /// "constraint 4, row 2 by 0.1 m/s", of the first mechanism whose joints contradict each other; empty: none.
  [[nodiscard]] const std::string& contradiction() const noexcept { return contradiction_; }

 private:
  // A contact's hold on a mechanism: H (3×n), and what it answers, Y = P A⁻¹ Hᵀ (n×3).
  struct Hold {
    Index row;  // of the contacts' graph
    Eigen::MatrixXd H, Y;
  };
  struct Mechanism {
    BilateralSystem system;
    SaddleSystem saddle;
    Eigen::VectorXd alone;  // y₀
    std::vector<Hold> holds;
  };

  void find_mechanisms(const LocalDynamics& ldy);
  void insert_contacts(const LocalDynamics& ldy);
  void hold(const LocalDynamics& ldy);
  void couple(const LocalDynamics& ldy);
  void fill(const LocalDynamics& ldy);
  [[nodiscard]] Eigen::Matrix3d through_free_bodies(const DelassusFactor& factor, Index alpha, Index beta) const;
  [[nodiscard]] const Hold* find_hold(int mechanism, Index row) const;

  LocalDynamics contacts_;
  std::vector<ConstraintId> ids_;     // of the contacts, in the graph they come from
  std::vector<Index> places_;         // of their rows there, by row of contacts_
  std::vector<std::vector<int>> of_;  // by row of contacts_: the mechanisms it acts on, ascending
  std::vector<int> mechanism_of_;     // by group of velocities; −1: a free body
  std::vector<std::unique_ptr<Mechanism>> mechanisms_;
  std::vector<SaddleRow> redundant_;
  std::string contradiction_;
};

}  // namespace locdyn::detail
