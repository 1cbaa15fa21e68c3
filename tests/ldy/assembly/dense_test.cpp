// W, B and the momentum balance against dense algebra; bits against the number of threads.

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>

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

TEST_CASE("Rows of rigid bodies that are filled in one go are those of the general way") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Eigen::Vector3d(uniform(random), uniform(random), uniform(random)); };
  BodySet bodies;
  const auto body = [&] {
    const Eigen::Vector3d axis = vector();
    const Eigen::Matrix3d root = Eigen::Matrix3d::Identity() + 0.1 * Eigen::Matrix3d(axis * axis.transpose());
    MassProperties properties;
    properties.mass = 2 + uniform(random);
    properties.inertia = root * root.transpose();
    return bodies.emplace<RigidBody>(properties, vector(), exponential(vector()));
  };
  const BodyId floor = bodies.emplace<Obstacle>(vector(), vector(), vector());
  const BodyId a = body(), b = body();

  LocalDynamics plain, general;
  Assembly in_one_go(bodies, plain), piece_by_piece(bodies, general);
  for (int k = 0; k < 20; ++k) {
    const BodyId master = k % 2 == 0 ? floor : a;
    ContactPoint point{.master = master, .slave = b, .point = vector(), .frame = local_frame(vector().normalized())};
    point.material.friction = 0.5;
    in_one_go.insert(std::make_unique<Contact>(point));
    point.surface_velocity[0] = 1e-300;  // no longer plain, but nothing else has changed
    piece_by_piece.insert(std::make_unique<Contact>(point));
  }
  REQUIRE(in_one_go.constraint(ConstraintId{0}).plain_point() != nullptr);
  REQUIRE(piece_by_piece.constraint(ConstraintId{0}).plain_point() == nullptr);
  in_one_go.update(0.01);
  piece_by_piece.update(0.01);
  const auto difference = [](std::span<const double> x, std::span<const double> y) {
    REQUIRE(x.size() == y.size());
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
    return largest;
  };
  const DelassusFactor one = in_one_go.kinematics().factor(0.01), other = piece_by_piece.kinematics().factor(0.01);
  CHECK(difference(one.H, other.H) <= 2e-15);  // arms of some metres, sums of three products
  CHECK(difference(one.Y, other.Y) <= 2e-16);  // h / m and h / J of some 1e-2
  for (ConstraintId id{0}; id < plain.id_bound(); ++id) {
    CHECK((plain.row(id).W - general.row(id).W).cwiseAbs().maxCoeff() <= 2e-15 * plain.row(id).W.trace());
    CHECK((plain.row(id).B - general.row(id).B).norm() <= 1e-15);  // the obstacle's, or 0
  }
}
