#pragma once
// A scene told once, in no engine's words; each engine builds it in its own.

#include <cstdint>
#include <string>
#include <vector>

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/bodies/rotation.hpp>
#include <locdyn/contact/shape.hpp>

namespace locdyn::peers {

/// The shape's origin is the mass centre and its axes are the principal axes of inertia, for every body that moves.
struct SceneBody {
  Shape shape;
  MassProperties mass;  ///< not used where `fixed`
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Orientation orientation = Orientation::Identity();
  bool fixed = false;
};

struct Scene {
  std::string name;
  double h = 1.0 / 240;  ///< [s]
  double friction = 0;   ///< μ of every pair; e = 0
  std::vector<SceneBody> bodies;
  int warm_up = 0;                                 ///< steps before the clock runs
  int timed = 200;                                 ///< steps on the clock
  std::vector<double> tolerances = {1e-8, 1e-11};  ///< of locdyn, on the scaled residual
};

/// Bricks in running bond, half bricks at the ends of every second course. 20 courses of 20: 410 bricks, 780 pairs of
/// faces.
[[nodiscard]] Scene wall(int courses = 20, int bricks = 20);
/// A semicircle of 20 voussoirs between two fixed springers, thickness over centre-line radius 0.18.
[[nodiscard]] Scene arch();
/// `spheres` and `boxes` of mixed sizes, placed by the seed, falling into a heap on the ground.
[[nodiscard]] Scene pile(int spheres, int boxes, std::uint32_t seed);

}  // namespace locdyn::peers
