#pragma once
// Seeded random graphs for the tests: constraints of one and two blocks, random couplings, every number filled in.

#include <random>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::test {

inline Law two_blocks() {
  return BilateralLaw{.block_count = 2, .block = {}};
}

template <class Matrix>
void randomise(Matrix& matrix, std::mt19937& random, double size = 1) {
  std::uniform_real_distribution<double> number(-size, size);
  for (double& entry : matrix.reshaped()) entry = number(random);
}

/// W_αα positive definite, off-diagonal blocks with W_βα = W_αβᵀ, B and R random.
inline void fill_symmetric(LocalDynamics& ldy, std::mt19937& random) {
  for (DiagonalBlock& row : ldy.rows()) {
    Eigen::Matrix3d root;
    randomise(root, random);
    row.W = root * root.transpose() + Eigen::Matrix3d::Identity();
    randomise(row.B, random);
    randomise(row.R, random);
  }
  const auto diagonal = ldy.diagonal_arena();
  for (DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<Index>(&row - diagonal.data());
    for (OffDiagonalBlock& block : ldy.adjacent(row)) {
      if (block.other < place) continue;
      randomise(block.W, random, 0.3);
      for (OffDiagonalBlock& back : ldy.adjacent(diagonal[block.other])) {
        if (back.other == place) back.W = block.W.transpose();
      }
    }
  }
}

/// `count` constraints, one in four with two blocks where `mixed`, else contacts of random friction; each coupled with
/// about `degree` others. Not packed: every link leads somewhere else.
inline LocalDynamics random_graph(std::mt19937& random, ConstraintId count, int degree, bool mixed = true) {
  LocalDynamics ldy;
  std::uniform_real_distribution<double> friction(0, 1.5), shift(-0.5, 0.5);
  for (ConstraintId id{0}; id < count; ++id) {
    if (mixed && random() % 4 == 0) {
      ldy.insert(two_blocks());
    } else {
      ldy.insert(ContactLaw{.friction = friction(random), .shift = {shift(random), shift(random), shift(random)}});
    }
  }
  for (ConstraintId pair{0}; count > 1 && pair < count * static_cast<ConstraintId>(degree) / 2; ++pair) {
    const auto alpha = static_cast<ConstraintId>(random() % count);
    const auto beta = static_cast<ConstraintId>(random() % count);
    if (alpha != beta) ldy.couple(alpha, beta);
  }
  fill_symmetric(ldy, random);
  return ldy;
}

}  // namespace locdyn::test
