#include <locdyn/queries/ray_caster.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/height_field_mesh.hpp>
#include <locdyn/queries/bounds_tree.hpp>
#include <locdyn/queries/placed_colliders.hpp>
#include <locdyn/queries/ray_shape.hpp>
#include <locdyn/queries/triangle_tree.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
namespace detail {

// A hull is its faces and corners, a mesh its tree.
struct RayHull {
  std::vector<Face> faces;
  std::vector<Eigen::Vector3d> corners;
};
using RayForm = std::variant<Sphere, Box, Capsule, Cylinder, Plane, RayHull, std::shared_ptr<const TriangleTree>>;

}  // namespace detail
using namespace detail;
namespace {

constexpr std::int64_t kRaysAtOnce = 256;

RayForm form_of(const Shape& shape) {
  return std::visit(
      [](const auto& s) -> RayForm {
        using Kind = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<Kind, ConvexHull>) {
          return RayHull{faces_of(s), s.points};
        } else if constexpr (std::is_same_v<Kind, TriangleMesh>) {
          return std::make_shared<const TriangleTree>(s);
        } else if constexpr (std::is_same_v<Kind, HeightField>) {
          return std::make_shared<const TriangleTree>(mesh_of(s));
        } else {
          return s;
        }
      },
      shape);
}

std::optional<ShapeHit> meet(const RayForm& form, const LocalRay& ray) {
  return std::visit(
      [&](const auto& f) {
        using Kind = std::decay_t<decltype(f)>;
        if constexpr (std::is_same_v<Kind, RayHull>) {
          return enter(f.faces, ray);
        } else if constexpr (std::is_same_v<Kind, std::shared_ptr<const TriangleTree>>) {
          return f->enter(ray);
        } else {
          return enter(f, ray);
        }
      },
      form);
}

// In coordinates of the shape.
Bounds local_bounds(const RayForm& form) {
  const auto about = [](const Eigen::Vector3d& half) { return Bounds{-half, half}; };
  if (const auto* s = std::get_if<Sphere>(&form)) return about(Eigen::Vector3d::Constant(s->radius));
  if (const auto* s = std::get_if<Box>(&form)) return about(0.5 * s->size);
  if (const auto* s = std::get_if<Capsule>(&form)) return about({s->radius, s->radius, s->radius + 0.5 * s->length});
  if (const auto* s = std::get_if<Cylinder>(&form)) return about({s->radius, s->radius, 0.5 * s->height});
  if (const auto* s = std::get_if<std::shared_ptr<const TriangleTree>>(&form)) return (*s)->bounds();
  if (const auto* s = std::get_if<RayHull>(&form)) {
    Bounds all{s->corners[0], s->corners[0]};
    for (const Eigen::Vector3d& corner : s->corners) {
      all.low = all.low.cwiseMin(corner);
      all.high = all.high.cwiseMax(corner);
    }
    return all;
  }
  return about(Eigen::Vector3d::Constant(kInfinite));
}

Bounds bounds_of(const RayForm& form, const PlacedCollider& at) {
  if (std::holds_alternative<Plane>(form)) return local_bounds(form);
  return moved(local_bounds(form), at.Q, at.middle);
}

void check(const Ray& ray, const std::string& what) {
  if (!ray.origin.allFinite()) {
    throw std::invalid_argument(what + ": expected a finite origin, found " + spelled_vector(ray.origin));
  }
  const double length = ray.direction.stableNorm();
  if (!(length > 0 && std::isfinite(length))) {
    throw std::invalid_argument(what + ": expected a direction of finite length > 0, found " +
                                spelled_vector(ray.direction));
  }
  if (!(ray.reach >= 0)) {
    throw std::invalid_argument(what + ": expected a reach of at least 0, found " + spelled(ray.reach));
  }
}

}  // namespace

struct RayCaster::Parts {
  const System& system;
  std::vector<std::optional<RayForm>> forms;  // by collider, made once
  std::vector<PlacedCollider> placed;
  BoundsTree tree;

  explicit Parts(const System& asked) : system(asked) {}

  // Calls found(hit) for shapes on the way, near ones first as a rule; it returns how far to look on.
  template <class Found>
  void along(const Ray& ray, const QueryFilter& filter, const Found& found) const {
    const Eigen::Vector3d u = ray.direction.stableNormalized();
    tree.along(BoxRay(ray.origin, u), ray.reach, [&](std::uint32_t k, double most) {
      const PlacedCollider& at = placed[k];
      if (at.body == filter.without || (at.groups & filter.groups) == 0) return most;
      const auto hit = meet(*forms[at.id], {at.inverse * (ray.origin - at.middle), at.inverse * u});
      if (!hit || !(hit->t <= ray.reach)) return most;
      const Eigen::Vector3d normal =
          hit->t == 0 ? Eigen::Vector3d(at.Q * hit->normal) : Eigen::Vector3d(at.inverse.transpose() * hit->normal);
      return found(RayHit{hit->t, ray.origin + hit->t * u, normal.normalized(), at.id, at.body}, most);
    });
  }

  [[nodiscard]] std::optional<RayHit> first(const Ray& ray, const QueryFilter& filter) const {
    std::optional<RayHit> best;
    along(ray, filter, [&](const RayHit& hit, double most) {
      if (!best || std::tie(hit.distance, hit.collider) < std::tie(best->distance, best->collider)) best = hit;
      return std::min(most, hit.distance);
    });
    return best;
  }
};

RayCaster::RayCaster(const System& system) : parts_(std::make_unique<Parts>(system)) {
  update();
}
RayCaster::~RayCaster() = default;
RayCaster::RayCaster(RayCaster&&) noexcept = default;
RayCaster& RayCaster::operator=(RayCaster&&) noexcept = default;

void RayCaster::update() {
  const System& system = parts_->system;
  std::vector<PlacedCollider> placed = placed_colliders(system, "ray caster");
  parts_->forms.resize(system.colliders().size());
  for (ColliderId id{0}; id < parts_->forms.size(); ++id) {
    if (!system.contains(id)) parts_->forms[id].reset();
  }
  std::vector<Bounds> boxes;
  for (const PlacedCollider& at : placed) {
    std::optional<RayForm>& form = parts_->forms[at.id];
    if (!form) form = form_of(system.colliders()[at.id].shape);
    boxes.push_back(bounds_of(*form, at));
  }
  parts_->tree = BoundsTree(std::move(boxes));
  parts_->placed = std::move(placed);
}

std::optional<RayHit> RayCaster::first(const Ray& ray, const QueryFilter& filter) const {
  check(ray, "ray");
  return parts_->first(ray, filter);
}

std::vector<RayHit> RayCaster::all(const Ray& ray, const QueryFilter& filter) const {
  check(ray, "ray");
  std::vector<RayHit> hits;
  parts_->along(ray, filter, [&](const RayHit& hit, double most) {
    hits.push_back(hit);
    return most;
  });
  std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
    return std::tie(a.distance, a.collider) < std::tie(b.distance, b.collider);
  });
  return hits;
}

std::vector<std::optional<RayHit>> RayCaster::first_of_each(std::span<const Ray> rays, int threads,
                                                            const QueryFilter& filter) const {
  if (threads < 1) {
    throw std::invalid_argument("ray caster: expected at least 1 thread, found " + std::to_string(threads));
  }
  for (std::size_t i = 0; i < rays.size(); ++i) check(rays[i], "ray " + std::to_string(i));
  std::vector<std::optional<RayHit>> hits(rays.size());
  parallel_for(std::ssize(rays), threads, kRaysAtOnce,
               [&](std::int64_t i) { hits[i] = parts_->first(rays[i], filter); });
  return hits;
}

}  // namespace locdyn
