#include <locdyn/io/scene/generators.hpp>

#include <cmath>
#include <numbers>
#include <random>

#include <locdyn/io/scene/placement.hpp>

namespace locdyn::scene_format {
namespace {

using std::numbers::pi;

/// Numbers that are the same everywhere: the standard fixes the engine, not its distributions.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  /// In [low, high).
  double operator()(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// Uniform over all rotations. Source: Shoemake, Graphics Gems III (1992) 124–132.
  Orientation orientation() {
    const double share = (*this)(0, 1), a = (*this)(0, 2 * pi), b = (*this)(0, 2 * pi);
    const double r = std::sqrt(1 - share), s = std::sqrt(share);
    return Orientation(s * std::cos(b), r * std::sin(a), r * std::cos(a), s * std::sin(b)).normalized();
  }

 private:
  std::mt19937_64 engine_;
};

SceneBody solid(SceneGeometry geometry, double density, const Eigen::Vector3d& position) {
  SceneBody body;
  SceneRigid rigid;
  rigid.density = density;
  body.kind = rigid;
  body.placement.position = position;
  body.shapes.emplace_back().geometry = std::move(geometry);
  return body;
}

// Each writes its bodies in the generator's coordinates.
struct GeneratorMaker {
  std::vector<SceneBody>& bodies;

  void operator()(const SceneWall& g) {
    const double length = g.brick_size.x(), height = g.brick_size.z();
    for (int course = 0; course < g.courses; ++course) {
      const bool staggered = course % 2 == 1;
      double x = -0.5 * g.bricks * length + (staggered && !g.half_bricks ? 0.5 * length : 0);
      const int count = g.bricks + (staggered ? (g.half_bricks ? 1 : -1) : 0);
      for (int k = 0; k < count; ++k) {
        const bool half = staggered && g.half_bricks && (k == 0 || k + 1 == count);
        const Eigen::Vector3d size(half ? 0.5 * length : length, g.brick_size.y(), height);
        bodies.push_back(solid(Box{size}, g.density, {x + 0.5 * size.x(), 0, (course + 0.5) * height}));
        x += size.x();
      }
    }
  }

  void operator()(const SceneTower& g) {
    const Eigen::Vector3d& size = g.plank_size;
    for (int layer = 0; layer < g.layers; ++layer) {
      const bool along_x = layer % 2 == 0;
      for (int k = 0; k < g.planks; ++k) {
        // The outer planks end flush with those of the layer below.
        const double across = (size.x() - size.y()) * (static_cast<double>(k) / (g.planks - 1) - 0.5);
        const double z = (layer + 0.5) * size.z();
        SceneBody plank = solid(Box{size}, g.density, {along_x ? 0 : across, along_x ? across : 0, z});
        if (!along_x) plank.placement.orientation = exponential({0, 0, 0.5 * pi});
        bodies.push_back(std::move(plank));
      }
    }
  }

  void operator()(const SceneArch& g) {
    const double sector = pi / g.voussoirs;
    for (int k = 0; k < g.voussoirs; ++k) {
      const auto at = [&](double radius, double angle, double y) {
        return Eigen::Vector3d(-radius * std::cos(angle), y, radius * std::sin(angle));
      };
      const Eigen::Vector3d center = at(g.radius, (k + 0.5) * sector, 0);
      SceneHull hull;
      for (const double angle : {k * sector, (k + 1) * sector}) {
        for (const double radius : {g.radius - 0.5 * g.thickness, g.radius + 0.5 * g.thickness}) {
          for (const double y : {-0.5 * g.depth, 0.5 * g.depth}) hull.points.push_back(at(radius, angle, y) - center);
        }
      }
      bodies.push_back(solid(hull, g.density, center));
    }
  }

  // A shape of bounding diameter d.
  static SceneGeometry of_diameter(const std::string& name, double d, Random& random) {
    if (name == "sphere") return Sphere{0.5 * d};
    if (name == "capsule") return Capsule{0.25 * d, 0.5 * d};
    if (name == "cylinder") return Cylinder{d / std::sqrt(8.0), d / std::sqrt(2.0)};
    Eigen::Vector3d size;
    for (double& edge : size) edge = random(0.5, 1);
    return Box{size * (d / size.norm())};
  }

  void operator()(const ScenePile& g) {
    Random random(g.seed);
    const double pitch = 1.01 * g.size[1];
    const int layer_size = g.across[0] * g.across[1];
    for (int k = 0; k < g.count; ++k) {
      const int in_layer = k % layer_size;
      const Eigen::Vector3d position((in_layer % g.across[0] - 0.5 * (g.across[0] - 1)) * pitch,
                                     (in_layer / g.across[0] - 0.5 * (g.across[1] - 1)) * pitch,
                                     (k / layer_size + 0.5) * pitch);
      const std::string& shape = g.shapes[static_cast<std::size_t>(k) % g.shapes.size()];
      const double d = random(g.size[0], g.size[1]);
      SceneBody body = solid(of_diameter(shape, d, random), g.density, position);
      body.placement.orientation = random.orientation();
      bodies.push_back(std::move(body));
    }
  }

  void operator()(const SceneRow& g) {
    for (int k = 0; k < g.count; ++k) {
      bodies.push_back(g.body);
      bodies.back().placement.position += k * g.spacing;
    }
  }
};

}  // namespace

std::vector<SceneBody> generate(const SceneGenerator& generator) {
  std::vector<SceneBody> bodies;
  std::visit(GeneratorMaker{bodies}, generator.type);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    SceneBody& body = bodies[k];
    body.placement = within(generator.placement, body.placement);
    body.name = generator.name + "[" + std::to_string(k) + "]";
    if (body.surface.empty()) body.surface = generator.surface;
    body.place = generator.place;
    for (SceneShape& shape : body.shapes) {
      if (shape.place.empty()) shape.place = generator.place;
    }
  }
  return bodies;
}

}  // namespace locdyn::scene_format
