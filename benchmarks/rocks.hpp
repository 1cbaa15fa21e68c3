#pragma once
// A pile of rocks: bodies of random size, inertia and orientation on a cubic lattice, each pressed on its six
// neighbours at one to three points of a patch, with normals that differ. What a pile of polyhedra gives its solver,
// without the detection.

#include <cmath>
#include <cstddef>
#include <random>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include "builtin/builtin.hpp"
#include <locdyn/ldy/assembly/constraints/contact.hpp>

namespace locdyn::benchmark {

/// About `size` contacts, μ = 0.5.
inline BuiltinProblem make_rocks(std::size_t size, unsigned seed = 1) {
  BuiltinProblem problem;
  problem.name = "rocks:" + std::to_string(size);
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  const auto vector = [&] {
    const double x = uniform(), y = uniform(), z = uniform();
    return Eigen::Vector3d(x, y, z);
  };
  const auto edge =
      std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(size) / 6))));
  const BodyId ground = problem.bodies->emplace<Obstacle>();
  std::vector<BodyId> ids;
  std::vector<Eigen::Vector3d> centers;
  const auto touch = [&](BodyId master, BodyId slave, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    const auto points = 1 + random() % 3;
    for (std::size_t k = 0; k < points; ++k) {
      const Eigen::Vector3d normal = ((to - from).normalized() + 0.2 * vector()).normalized();
      problem.assembly->emplace<Contact>(ContactPoint{.master = master,
                                                      .slave = slave,
                                                      .point = 0.5 * (from + to) + 0.2 * vector(),
                                                      .frame = local_frame(normal),
                                                      .gap = 0,
                                                      .material = {.friction = 0.5, .restitution = 0}});
    }
  };
  for (std::size_t k = 0; k < edge; ++k) {
    for (std::size_t j = 0; j < edge; ++j) {
      for (std::size_t i = 0; i < edge; ++i) {
        const Eigen::Vector3d center =
            Eigen::Vector3d(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)) + 0.1 * vector();
        const Eigen::Vector3d edges = Eigen::Vector3d::Constant(0.9) + 0.1 * vector();
        const Eigen::Vector3d turn = vector();
        const Orientation orientation(Eigen::Quaterniond(uniform(), turn.x(), turn.y(), turn.z()).normalized());
        const BodyId id = problem.bodies->emplace<RigidBody>(box_mass(2500, edges), center, orientation);
        const std::size_t at = ids.size();
        ids.push_back(id);
        centers.push_back(center);
        touch(k == 0 ? ground : ids[at - edge * edge], id,
              k == 0 ? Eigen::Vector3d(center - Eigen::Vector3d::UnitZ()) : centers[at - edge * edge], center);
        if (j > 0) touch(ids[at - edge], id, centers[at - edge], center);
        if (i > 0) touch(ids[at - 1], id, centers[at - 1], center);
      }
    }
  }
  problem.bodies->predict(problem.h, problem.gravity);
  problem.assembly->update(problem.h);
  return problem;
}

}  // namespace locdyn::benchmark
