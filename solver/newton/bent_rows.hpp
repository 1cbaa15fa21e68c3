#pragma once
// Few rows on whose maps a Newton step goes wrong, while it is right for a thousand others: those that it takes from
// one state into another, or round much of their cone. They are solved as they are, all others stay as linear as in the
// step and answer: three equations for each of the few, by the response of the matrix that the step was found with. Of
// steps that leave more than half of the merit of the one before 0.96 are better so, most by three to ten times, and
// solves take half of the factorisations (towers, piles of balls and boxes, bins, walls, Jenga, silos, rubble at 1e-8).
//
// Source: nonlinear elimination, Lanzkron, Rose & Wilkes, SIAM J. Sci. Comput. 17 (1996) 538–559; Cai & Li, SIAM J.
// Sci. Comput. 33 (2011) 746–762.

#include <Eigen/Core>
#include <span>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/friction_map.hpp>
#include <locdyn/solver/newton/row_responses.hpp>

namespace locdyn::detail {

/// A Newton step of all rows, by place in the arena.
struct NewtonStep {
  explicit NewtonStep(std::size_t places) : R(places, Eigen::Vector3d::Zero()), U(R), by_R(R), by_U(R) {}

  std::vector<Eigen::Vector3d> R, U;        ///< before it
  std::vector<Eigen::Vector3d> by_R, by_U;  ///< what the whole of it adds
};

class BentRows {
 public:
  /// `rows` and `linear` by place; all outlive it.
  BentRows(const LocalDynamics& ldy, std::span<const NewtonRow> rows, std::span<const LinearisedRow> linear);

  /// A new step, with no such rows yet.
  void clear() { few_.clear(); }
  /// Takes the rows that have most of ‖F‖² after the step to those that are there: `squares` has each row's. False
  /// where none is new, or few do not have most.
  [[nodiscard]] bool choose(std::span<const double> squares);
  /// The step with these rows solved. False, and the step as it was, where they cannot be.
  [[nodiscard]] bool solve(RowResponses& responses, FrictionMap map, double augmentation, NewtonStep& step);
  /// The step as it was before the last `solve`.
  void take_back(NewtonStep& step);

 private:
  struct Few;  // their equations

  const LocalDynamics& ldy_;
  std::span<const NewtonRow> rows_;
  std::span<const LinearisedRow> linear_;
  std::vector<Index> few_, marked_;
  std::vector<Eigen::Vector3d> by_R_, by_U_;   // of the step before
  std::vector<Eigen::Vector3d> more_, moved_;  // what q adds to dR and to W dR
};

}  // namespace locdyn::detail
