#pragma once
// Graphs of contacts with random blocks and a banded pattern, for measuring what a graph costs apart from where its
// numbers come from.

#include <algorithm>
#include <random>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::benchmark {

struct BandedGraph {
  ConstraintId contacts = 1000;
  ConstraintId half_band = 60;  ///< a contact couples only with those less than this far away by id
  double neighbours = 27;       ///< on average, away from the ends
  unsigned seed = 1;
};

/// Contacts with friction 0.5, diagonally dominant W, and B and R of order one; packed by id.
inline LocalDynamics make(const BandedGraph& definition) {
  std::mt19937 random(definition.seed);
  std::uniform_real_distribution<double> number(-1, 1), chance(0, 1);
  const double fill = definition.neighbours / (2.0 * (definition.half_band - 1));
  LocalDynamics ldy;
  for (ConstraintId id = 0; id < definition.contacts; ++id) ldy.insert(ContactLaw{.friction = 0.5});
  for (ConstraintId id = 0; id < definition.contacts; ++id) {
    const ConstraintId end = std::min(definition.contacts, id + definition.half_band);
    for (ConstraintId other = id + 1; other < end; ++other) {
      if (chance(random) < fill) ldy.couple(id, other);
    }
  }
  ldy.pack(SweepOrder::by_id);
  const auto randomise = [&](auto& matrix, double size) {
    for (double& entry : matrix.reshaped()) entry = size * number(random);
  };
  for (DiagonalBlock& row : ldy.rows()) {
    row.W = 2 * Eigen::Matrix3d::Identity();
    randomise(row.B, 1);
    randomise(row.R, 1);
    for (OffDiagonalBlock& block : ldy.adjacent(row)) randomise(block.W, 1 / definition.neighbours);
  }
  return ldy;
}

}  // namespace locdyn::benchmark
