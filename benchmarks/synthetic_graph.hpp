#pragma once
// Graphs of contacts with random blocks and a banded pattern, for measuring what a graph costs apart from where its
// numbers come from.

#include <algorithm>
#include <random>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::benchmark {

/// Packs by id and fills in diagonally dominant W, and B and R of order one.
inline void pack_and_fill(LocalDynamics& ldy, unsigned seed) {
  ldy.pack(SweepOrder::by_id);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto randomise = [&](auto& matrix, double size) {
    for (double& entry : matrix.reshaped()) entry = size * number(random);
  };
  const double size = static_cast<double>(ldy.row_count()) / static_cast<double>(ldy.off_diagonal_count());
  for (DiagonalBlock& row : ldy.rows()) {
    row.W = 2 * Eigen::Matrix3d::Identity();
    randomise(row.B, 1);
    randomise(row.R, 1);
    for (OffDiagonalBlock& block : ldy.adjacent(row)) randomise(block.W, size);
  }
}

struct BandedGraph {
  ConstraintId contacts = 1000;
  ConstraintId half_band = 60;  ///< a contact couples only with those less than this far away by id
  double neighbours = 27;       ///< on average, away from the ends
  unsigned seed = 1;
};

inline LocalDynamics banded_graph(const BandedGraph& graph) {
  std::mt19937 random(graph.seed);
  std::uniform_real_distribution<double> chance(0, 1);
  const double fill = graph.neighbours / (2.0 * (graph.half_band - 1));
  LocalDynamics ldy;
  for (ConstraintId id = 0; id < graph.contacts; ++id) ldy.insert(ContactLaw{.friction = 0.5});
  for (ConstraintId id = 0; id < graph.contacts; ++id) {
    const ConstraintId end = std::min(graph.contacts, id + graph.half_band);
    for (ConstraintId other = id + 1; other < end; ++other) {
      if (chance(random) < fill) ldy.couple(id, other);
    }
  }
  pack_and_fill(ldy, graph.seed);
  return ldy;
}

/// Running bond without head joints: an interface between two bricks carries four contacts, an inner brick has four
/// interfaces, so that a contact has 27 neighbours. Contacts are numbered course by course.
struct BrickPattern {
  ConstraintId courses = 80;  ///< of bricks, the lowest on the floor
  ConstraintId bricks = 79;   ///< in a course
  unsigned seed = 1;
};

inline LocalDynamics brick_pattern(const BrickPattern& wall) {
  LocalDynamics ldy;
  std::vector<std::vector<ConstraintId>> contacts_of(wall.courses * wall.bricks);
  for (ConstraintId course = 0; course + 1 < wall.courses; ++course) {
    for (ConstraintId joint = 0; joint + 1 < 2 * wall.bricks; ++joint) {
      auto& below = contacts_of[course * wall.bricks + joint / 2];
      auto& above = contacts_of[(course + 1) * wall.bricks + (joint + 1) / 2];
      for (int corner = 0; corner < 4; ++corner) {
        const ConstraintId contact = ldy.insert(ContactLaw{.friction = 0.5});
        for (auto* brick : {&below, &above}) {
          for (ConstraintId other : *brick) ldy.couple(contact, other);
          brick->push_back(contact);
        }
      }
    }
  }
  pack_and_fill(ldy, wall.seed);
  return ldy;
}

}  // namespace locdyn::benchmark
