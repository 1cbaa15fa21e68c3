#include "peer_scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/io/scene/build_scene.hpp>

namespace locdyn::peers {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPlaneExtent = 200, kPlaneDepth = 2;  // of the box in place of a plane [m]
constexpr double kDiagonal = 1e-9;                     // off the diagonal, of the trace: rounding

void require_told(bool told, const char* what) {
  if (!told) throw std::invalid_argument(std::string("expected a scene without ") + what + ", found one with");
}

// How large a body is: the edge of the cube of its bounding box's volume.
double size_of(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return 2 * sphere->radius;
  if (const auto* box = std::get_if<Box>(&shape)) return std::cbrt(box->size.prod());
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    return std::cbrt(4 * capsule->radius * capsule->radius * (capsule->length + 2 * capsule->radius));
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    return std::cbrt(4 * cylinder->radius * cylinder->radius * cylinder->height);
  }
  const auto* hull = std::get_if<ConvexHull>(&shape);
  require_told(hull != nullptr, "meshes and height fields on a body");
  Eigen::AlignedBox3d bounds;
  for (const Vector3d& point : hull->points) bounds.extend(point);
  return std::cbrt(bounds.sizes().prod());
}

Shape scaled_shape(Shape shape, double s) {
  if (auto* sphere = std::get_if<Sphere>(&shape)) sphere->radius *= s;
  if (auto* box = std::get_if<Box>(&shape)) box->size *= s;
  if (auto* capsule = std::get_if<Capsule>(&shape)) capsule->radius *= s, capsule->length *= s;
  if (auto* cylinder = std::get_if<Cylinder>(&shape)) cylinder->radius *= s, cylinder->height *= s;
  if (auto* hull = std::get_if<ConvexHull>(&shape)) {
    for (Vector3d& point : hull->points) point *= s;
  }
  return shape;
}

class Converter {
 public:
  explicit Converter(const locdyn::Scene& scene) : scene_(expanded(scene)), system_(build(scene_)) {
    require_told(scene_.joints.empty(), "joints");
    require_told(scene_.forces.empty(), "applied forces");
    require_told(scene_.pairs.empty() && scene_.excluded_pairs.empty(), "materials or exclusions of pairs");
  }

  Scene run() {
    for (const Collider& collider : system_->colliders()) colliders_[collider.body].push_back(&collider);
    scale_ = 1 / median_size();
    result_.name = scene_.title;
    result_.h = scene_.stepping.step;
    result_.gravity = scale_ * scene_.gravity;
    for (const BodyId id : system_->bodies().ids()) add(id);
    for (const SceneLoad& load : scene_.loads) add_load(load);
    result_.friction = commonest_friction();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const SceneMaterial& material_of(BodyId id) const {
    static const SceneMaterial smooth;
    const locdyn::SceneBody& body = scene_.bodies[id];
    const std::string& surface = body.shapes.front().surface.empty() ? body.surface : body.shapes.front().surface;
    const auto found = scene_.surfaces.find(surface.empty() ? "default" : surface);
    const SceneMaterial& material = found == scene_.surfaces.end() ? smooth : found->second;
    require_told(!material.static_friction && material.rolling_friction == 0 && material.torsional_friction == 0,
                 "friction that is not one number a surface");
    require_told(!material.stiffness, "contact that gives way");
    return material;
  }

  [[nodiscard]] double median_size() const {
    std::vector<double> sizes;
    for (const auto& [id, colliders] : colliders_) {
      if (dynamic_cast<const RigidBody*>(&system_->bodies()[id]) != nullptr) {
        sizes.push_back(size_of(colliders.front()->shape));
      }
    }
    require_told(!sizes.empty(), "no body that moves");
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
    return sizes[sizes.size() / 2];
  }

  void add(BodyId id) {
    first_.push_back(static_cast<int>(result_.bodies.size()));
    if (std::holds_alternative<SceneRigid>(scene_.bodies[id].kind)) {
      add_rigid(id, static_cast<const RigidBody&>(system_->bodies()[id]));
    } else {
      require_told(std::holds_alternative<SceneObstacle>(scene_.bodies[id].kind), "particles or bodies that deform");
      add_obstacle(id, static_cast<const Obstacle&>(system_->bodies()[id]));
    }
  }

  void add_material(BodyId id, peers::SceneBody& body) {
    const SceneMaterial& material = material_of(id);
    body.friction = material.friction.value_or(0);
    body.restitution = material.restitution;
  }

  // The axes of the inertia tensor, or those of the body where these are. Shapes that have axes keep theirs.
  void add_rigid(BodyId id, const RigidBody& rigid) {
    const auto& colliders = colliders_.at(id);
    require_told(colliders.size() == 1, "several shapes on a body that moves");
    const Collider& collider = *colliders.front();
    const Matrix3d J = rigid.inertia().topLeftCorner<3, 3>();
    const double beside = (J - Matrix3d(J.diagonal().asDiagonal())).norm();
    Matrix3d axes = Matrix3d::Identity();
    if (beside > kDiagonal * J.trace()) axes = Eigen::SelfAdjointEigenSolver<Matrix3d>(J).eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;

    peers::SceneBody body;
    body.shape = in_axes(collider, axes);
    body.mass.mass = std::pow(scale_, 3) * rigid.mass();
    body.mass.inertia = std::pow(scale_, 5) * Matrix3d((axes.transpose() * J * axes).diagonal().asDiagonal());
    body.position = scale_ * rigid.position();
    body.orientation = rigid.orientation() * Orientation(axes);
    const Eigen::VectorXd& u = rigid.velocity();
    body.velocity = scale_ * u.tail<3>();
    body.angular_velocity = rigid.rotation() * u.head<3>();
    add_material(id, body);
    result_.bodies.push_back(std::move(body));
  }

  [[nodiscard]] Shape in_axes(const Collider& collider, const Matrix3d& axes) const {
    Shape shape = collider.shape;
    if (auto* hull = std::get_if<ConvexHull>(&shape)) {
      for (Vector3d& point : hull->points) {
        point = axes.transpose() * (collider.position + collider.orientation * point);
      }
    } else {
      const bool centred = collider.position.norm() <= 1e-9 * size_of(shape);
      const bool along = axes.isIdentity() && collider.orientation.angularDistance(Orientation::Identity()) < 1e-9;
      require_told(centred && along, "a shape that lies askew on its body");
    }
    return scaled_shape(std::move(shape), scale_);
  }

  // A fixed body a shape.
  void add_obstacle(BodyId id, const Obstacle& obstacle) {
    int carrier = -1;
    for (const auto& [driven, drive] : system_->drives()) {
      if (driven == id) carrier = add_carrier(obstacle, drive);
    }
    const Orientation turn = orientation_of(Eigen::Vector4d(obstacle.configuration().segment<4>(3)));
    for (const Collider* collider : colliders_[id]) {
      peers::SceneBody body;
      body.fixed = true;
      body.carrier = carrier;
      body.orientation = (turn * collider->orientation).normalized();
      body.position = scale_ * obstacle.to_space(collider->position);
      body.shape = scaled_shape(collider->shape, scale_);
      if (std::holds_alternative<Plane>(collider->shape)) {
        body.shape = Box{scale_ * Vector3d(kPlaneExtent, kPlaneExtent, kPlaneDepth)};
        body.position -= body.orientation * Vector3d(0, 0, 0.5 * scale_ * kPlaneDepth);
      }
      add_material(id, body);
      result_.bodies.push_back(std::move(body));
    }
  }

  int add_carrier(const Obstacle& obstacle, const Drive& drive) {
    Obstacle scaled;
    Eigen::VectorXd q = obstacle.configuration();
    q.head<3>() *= scale_;
    q.tail<3>() *= scale_;
    scaled.set_configuration(q);
    const double s = scale_;
    result_.carriers.push_back({scaled, [drive, s](double t, double h) {
                                  ObstacleMotion motion = drive(t, h);
                                  motion.velocity *= s;
                                  return motion;
                                }});
    return static_cast<int>(result_.carriers.size()) - 1;
  }

  void add_load(const SceneLoad& load) {
    const BodyId id = system_->find(load.body);
    const int place = first_[id];
    const peers::SceneBody& body = result_.bodies[static_cast<std::size_t>(place)];
    const auto mean_of = [](const TimeSeries<Vector3d>& series, double factor) {
      return [series, factor](double t, double h) -> Vector3d {
        if (series.values.empty()) return Vector3d::Zero();
        return factor * series.mean(t, h);
      };
    };
    AppliedForce applied{place, mean_of(load.force, std::pow(scale_, 4)), mean_of(load.torque, std::pow(scale_, 5))};
    if (load.point) applied.point = body.orientation.conjugate() * (scale_ * *load.point - body.position);
    result_.forces.push_back(std::move(applied));
  }

  [[nodiscard]] double commonest_friction() const {
    std::map<double, int> uses;
    for (const peers::SceneBody& body : result_.bodies) ++uses[body.friction.value_or(0)];
    return std::max_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  locdyn::Scene scene_;
  std::unique_ptr<System> system_;
  std::map<BodyId, std::vector<const Collider*>> colliders_;
  std::vector<int> first_;  // of each body, its first place in the result
  double scale_ = 1;
  Scene result_;
};

}  // namespace

Scene peer_scene(const locdyn::Scene& scene) {
  return Converter(scene).run();
}

}  // namespace locdyn::peers
