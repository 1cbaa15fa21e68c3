// W, B and the momentum balance against dense algebra; bits against the number of threads.

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <locdyn/ldy/assembly/assembly.hpp>

#include "random_scene.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

struct Case {
  Case(unsigned seed, int body_count, int constraint_count) : scene(seed, body_count) {
    for (int i = 0; i < constraint_count; ++i) {
      auto made = scene.make_constraint();
      ids.push_back(assembly.insert(std::move(made.constraint)));
      ties.push_back(std::move(made.tie));
    }
  }
  [[nodiscard]] std::vector<const Tie*> tie_list() const {
    std::vector<const Tie*> list;
    for (const Tie& tie : ties) list.push_back(&tie);
    return list;
  }

  RandomScene scene;
  LocalDynamics ldy;
  Assembly assembly{scene.bodies, ldy};
  std::vector<ConstraintId> ids;
  std::vector<Tie> ties;
};

std::uint64_t hash_of(const LocalDynamics& ldy) {
  std::uint64_t hash = 1469598103934665603u;  // FNV-1a over the bytes of every W and B in sweep order
  const auto eat = [&hash](const double* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, data + i, sizeof bits);
      hash = (hash ^ bits) * 1099511628211u;
    }
  };
  for (const DiagonalBlock& row : ldy.rows()) {
    eat(row.W.data(), 9);
    eat(row.B.data(), 3);
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) eat(block.W.data(), 9);
  }
  return hash;
}

}  // namespace

TEST_CASE("W is h H A⁻¹ Hᵀ and B is H u_free for random scenes of all kinds") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Case c(seed, 4 + static_cast<int>(seed) % 12, 10 + 3 * static_cast<int>(seed));
    c.assembly.update(RandomScene::h);

    const DenseBodies bodies(c.scene.bodies);
    const DenseRows rows(c.scene.bodies, bodies, c.tie_list());
    const Eigen::MatrixXd expected = RandomScene::h * rows.H * bodies.A.ldlt().solve(rows.H.transpose());
    const Eigen::MatrixXd W = dense_w(c.ldy, c.ids);
    const double scale = expected.cwiseAbs().maxCoeff();
    CHECK((W - expected).cwiseAbs().maxCoeff() <= 1e-13 * scale);
    CHECK((W - W.transpose()).cwiseAbs().maxCoeff() <= 1e-14 * scale);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(W, Eigen::EigenvaluesOnly);
    CHECK(eigen.eigenvalues().minCoeff() >= -1e-13 * static_cast<double>(W.rows()) * scale);

    const Eigen::VectorXd B = rows.H * bodies.free_velocity + rows.drive;
    const Eigen::VectorXd V = rows.H * bodies.velocity + rows.drive;
    CHECK((dense_b(c.ldy, c.ids) - B).cwiseAbs().maxCoeff() <= 1e-13 * B.cwiseAbs().maxCoeff());
    Eigen::Index row = 0;
    for (ConstraintId id : c.ids) {
      for (int k = 0; k < block_count(c.ldy.law(id)); ++k, row += 3) {
        CHECK((c.assembly.velocity_before(id, k) - V.segment<3>(row)).cwiseAbs().maxCoeff() <=
              1e-13 * V.cwiseAbs().maxCoeff());
      }
    }
  }
}

TEST_CASE("reactions change momentum by h Hᵀ R") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Case c(seed, 14, 40);
    c.assembly.update(RandomScene::h);
    for (DiagonalBlock& row : c.ldy.rows()) row.R = 100 * c.scene.random_vector();

    const DenseBodies before(c.scene.bodies);
    const DenseRows rows(c.scene.bodies, before, c.tie_list());
    Eigen::VectorXd R(rows.H.rows());
    Eigen::Index at = 0;
    for (ConstraintId id : c.ids) {
      for (int k = 0; k < block_count(c.ldy.law(id)); ++k, at += 3) R.segment<3>(at) = c.ldy.row(id, k).R;
    }
    c.assembly.apply_reactions(2);
    const DenseBodies after(c.scene.bodies);
    const Eigen::VectorXd impulse = RandomScene::h * rows.H.transpose() * R;
    const Eigen::VectorXd change = before.A * (after.velocity - before.free_velocity);
    CHECK((change - impulse).cwiseAbs().maxCoeff() <= 1e-12 * impulse.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("the same bits on any number of threads") {
  std::uint64_t W_hash = 0;
  Eigen::VectorXd velocity;
  for (int threads = 1; threads <= 4; ++threads) {
    CAPTURE(threads);
    Case c(7, 60, 1500);
    c.assembly.update(RandomScene::h, {.threads = threads});
    for (DiagonalBlock& row : c.ldy.rows()) row.R = c.scene.random_vector();
    c.assembly.apply_reactions(threads);
    const DenseBodies after(c.scene.bodies);
    if (threads == 1) {
      W_hash = hash_of(c.ldy);
      velocity = after.velocity;
    }
    CHECK(hash_of(c.ldy) == W_hash);
    CHECK(after.velocity == velocity);
  }
}
