// Random spheres near a cubic close packing. Neighbours are found through a grid of cells as wide as the reach of a
// contact, in time linear in their number.

#include <algorithm>
#include <cmath>
#include <random>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include "builtin/scenes.hpp"

namespace locdyn {
namespace {

constexpr double kRadius = 0.01;                // largest [m]
constexpr double kLeast = 0.95, kReach = 0.05;  // smallest radius, largest open gap: shares of kRadius
constexpr double kSpacing = 1.96, kJitter = 0.01;
constexpr double kRandomSpeed = 0.3;  // of random velocities [m/s]
constexpr double kSphereDensity = 2500.0;
constexpr SurfaceMaterial kSphereSurface{.friction = 0.4, .restitution = 0};

struct Sphere {
  Eigen::Vector3d center;
  double radius;
  BodyId body;
};

// The same numbers from a seed on every platform: the top 53 bits of the generator, in −1 … 1.
class Uniform {
 public:
  explicit Uniform(unsigned seed) : generator_(seed) {}
  double operator()() { return static_cast<double>(generator_() >> 11) * 0x1p-52 - 1; }
  Eigen::Vector3d vector() {
    const double x = (*this)();
    const double y = (*this)();
    const double z = (*this)();
    return {x, y, z};
  }

 private:
  std::mt19937_64 generator_;
};

// `edge` sites along x and y, `layers` along z, of the half-filled cubic lattice i + j + k even, which is cubic close
// packing.
std::vector<Sphere> place_spheres(BuiltinProblem& problem, std::size_t edge, std::size_t layers, unsigned seed) {
  Uniform uniform(seed);
  const double site = kSpacing * kRadius / std::sqrt(2.0);
  std::vector<Sphere> spheres;
  for (std::size_t k = 0; k < layers; ++k) {
    for (std::size_t j = 0; j < edge; ++j) {
      for (std::size_t i = (j + k) % 2; i < edge; i += 2) {
        const Eigen::Vector3d lattice(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
        const double radius = kRadius * (0.5 * (1 + kLeast) + 0.5 * (1 - kLeast) * uniform());
        const Eigen::Vector3d center =
            site * lattice + Eigen::Vector3d::Constant(kRadius) + kJitter * kRadius * uniform.vector();
        const BodyId id = problem.bodies->emplace<RigidBody>(sphere_mass(kSphereDensity, radius), center);
        Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
        u.tail<3>() = kRandomSpeed * uniform.vector();
        (*problem.bodies)[id].set_velocity(u);
        spheres.push_back({center, radius, id});
      }
    }
  }
  return spheres;
}

void insert_contact(Assembly& assembly, BodyId master, BodyId slave, const Eigen::Vector3d& point,
                    const Eigen::Vector3d& normal, double gap) {
  if (gap > kReach * kRadius) return;
  assembly.emplace<Contact>(ContactPoint{.master = master,
                                         .slave = slave,
                                         .point = point,
                                         .frame = local_frame(normal),
                                         .gap = gap,
                                         .material = kSphereSurface});
}

void insert_pair(Assembly& assembly, const Sphere& a, const Sphere& b) {
  const Eigen::Vector3d apart = b.center - a.center;
  const double gap = apart.norm() - a.radius - b.radius;
  const Eigen::Vector3d normal = apart.normalized();
  insert_contact(assembly, a.body, b.body, a.center + (a.radius + 0.5 * gap) * normal, normal, gap);
}

// Floor and walls: five planes of one obstacle.
void insert_walls(Assembly& assembly, BodyId box, const Sphere& s, double width) {
  for (int axis = 0; axis < 3; ++axis) {
    Eigen::Vector3d normal = Eigen::Vector3d::Unit(axis);
    const double near = s.center[axis];
    insert_contact(assembly, box, s.body, s.center - near * normal, normal, near - s.radius);
    if (axis == 2) break;
    const double far = width - s.center[axis];
    insert_contact(assembly, box, s.body, s.center + far * normal, -normal, far - s.radius);
  }
}

}  // namespace

void build_spheres(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options) {
  problem.h = 1e-3;

  // A layer of edge² sites has (edge − 1)² pairs, 2 edge contacts with walls and 2 edge (edge − 1) pairs with the next.
  const double n = static_cast<double>(size);
  const auto edge = std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(std::cbrt(n / 3))));
  const double e = static_cast<double>(edge);
  const double to_next = 2 * e * (e - 1);
  const auto layers =
      static_cast<std::size_t>(std::max(1.0, std::round((n + to_next - 0.5 * e * e) / (e * e + 1 + to_next))));
  const BodyId box = problem.bodies->emplace<Obstacle>();
  const std::vector<Sphere> spheres = place_spheres(problem, edge, layers, options.seed);
  const double width = kSpacing * kRadius / std::sqrt(2.0) * static_cast<double>(edge - 1) + 2 * kRadius;

  // Cells of the grid, each with its spheres in order.
  const double cell = (2 + kReach) * kRadius;
  const double height = kSpacing * kRadius / std::sqrt(2.0) * static_cast<double>(layers - 1) + 2 * kRadius;
  const std::size_t cells = 1 + static_cast<std::size_t>(std::max(width, height) / cell);
  const auto cell_of = [&](double x) { return std::min(cells - 1, static_cast<std::size_t>(std::max(0.0, x / cell))); };
  std::vector<std::vector<std::uint32_t>> grid(cells * cells * cells);
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    // Each sphere meets those before it in its own and the 26 cells around.
    const Sphere& sphere = spheres[i];
    const std::size_t at[3] = {cell_of(sphere.center.x()), cell_of(sphere.center.y()), cell_of(sphere.center.z())};
    insert_walls(*problem.assembly, box, sphere, width);
    for (std::size_t z = at[2] - (at[2] > 0); z <= std::min(cells - 1, at[2] + 1); ++z) {
      for (std::size_t y = at[1] - (at[1] > 0); y <= std::min(cells - 1, at[1] + 1); ++y) {
        for (std::size_t x = at[0] - (at[0] > 0); x <= std::min(cells - 1, at[0] + 1); ++x) {
          for (const std::uint32_t other : grid[(z * cells + y) * cells + x]) {
            insert_pair(*problem.assembly, spheres[other], sphere);
          }
        }
      }
    }
    grid[(at[2] * cells + at[1]) * cells + at[0]].push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace locdyn
