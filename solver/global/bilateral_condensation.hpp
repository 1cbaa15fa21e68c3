#pragma once
// Bilateral rows taken out of a graph that knows no factors, by its own blocks: with R = W_bb + C of the bilateral rows
// and l = −R⁺ (W_bc r + s), what is left are the contacts alone,
//
//   W' = W_cc − W_cb R⁺ W_bc,   B' = B_c − W_cb R⁺ s.
//
// Rows that repeat others share their force. Component by component of R, so that contacts are coupled only where they
// act on the same one. The residual is then that of contacts, whose ‖b‖ does not count what joints are asked.
//
// Source: Acary, Brémond & Huber, On solving contact problems with Coulomb friction (2018), §2.3.

#include <Eigen/Core>
#include <memory>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/least_norm.hpp>

namespace locdyn::detail {

class BilateralCondensation {
 public:
  /// nullptr where there are no bilateral rows, or where they have to stay in the graph: a component of R has a null
  /// space that W_bc or W_cb sees, or more than 2000 rows, or more than 2000 contacts act on it. Throws
  /// std::invalid_argument where s contradicts itself. Cost: an orthogonal decomposition of each component, dense
  /// blocks between its contacts.
  [[nodiscard]] static std::unique_ptr<BilateralCondensation> of(const LocalDynamics& whole);

  /// The contacts in order of id, packed so: to be moved to where it is solved.
  [[nodiscard]] LocalDynamics& contacts() noexcept { return contacts_; }
  /// R of a solved `contacts`, and l that goes with it, into the graph of `of`.
  void recover(const LocalDynamics& solved, LocalDynamics& whole) const;

 private:
  struct Component {
    std::vector<ConstraintId> members;
    std::vector<Index> places, axes;  // of its rows in the arena of the whole
    std::vector<Index> contacts;      // blocks of the contacts that act on it: their places in the arena of the whole
    Eigen::VectorXd s, scale;
    Eigen::MatrixXd from, onto;  // W_bc, W_cb
    LeastNorm R;

    [[nodiscard]] Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& x) const {
      return scale.asDiagonal() * R.solve(scale.asDiagonal() * x);
    }
  };

  [[nodiscard]] bool take_components(const LocalDynamics& whole);
  [[nodiscard]] bool factorise(const LocalDynamics& whole, Component& component);
  void copy_contacts(const LocalDynamics& whole);
  void subtract();

  std::vector<Component> components_;
  std::vector<ConstraintId> ids_;  // of the contacts, in the whole
  std::vector<Index> row_of_;      // by place in the whole: place among the contacts, or kNone
  LocalDynamics contacts_;
};

}  // namespace locdyn::detail
