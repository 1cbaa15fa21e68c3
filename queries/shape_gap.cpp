#include <locdyn/queries/shape_gap.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <locdyn/contact/height_field_mesh.hpp>
#include <locdyn/queries/placed_colliders.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Surface = std::shared_ptr<const TriangleTree>;

Gap turned(const Gap& gap) {
  return {gap.distance, -gap.normal, gap.on_second, gap.on_first};
}

Gap from_plane_to(const PosedForm& plane, const PosedCore& core) {
  const Vector3d normal = plane.Q.col(2).normalized();
  const Vector3d lowest = core.support(-normal) - core.radius() * normal;
  const double distance = normal.dot(lowest - plane.middle);
  return {distance, normal, lowest - distance * normal, lowest};
}

Gap from_plane_to(const PosedForm& plane, const PosedForm& surface) {
  const Vector3d normal = plane.Q.col(2).normalized();
  double least = kInfinite;
  Vector3d lowest = Vector3d::Zero();
  for (const Vector3d& vertex : std::get<Surface>(*surface.form)->mesh().vertices) {
    const Vector3d x = surface.Q * vertex + surface.middle;
    const double distance = normal.dot(x - plane.middle);
    if (distance < least) {
      least = distance;
      lowest = x;
    }
  }
  return {least, normal, lowest - least * normal, lowest};
}

// One triangle of a surface after the other, in coordinates of the surface.
class Triangle {
 public:
  Triangle() { core_.points.resize(3); }
  PosedCore of(const TriangleMesh& mesh, std::uint32_t number) {
    Vector3d middle = Vector3d::Zero();
    for (const int corner : mesh.triangles[number]) middle += mesh.vertices[corner] / 3;
    for (int k = 0; k < 3; ++k) core_.points[k] = mesh.vertices[mesh.triangles[number][k]] - middle;
    return {core_, Matrix3d::Identity(), middle};
  }

 private:
  ConvexCore core_;
};

// A pose as seen from the coordinates of another.
PosedCore seen_from(const PosedForm& surface, const ConvexCore& core, const Matrix3d& Q, const Vector3d& middle) {
  return {core, surface.Q.transpose() * Q, surface.Q.transpose() * (middle - surface.middle)};
}
Gap in_space(const PosedForm& surface, const Gap& gap) {
  return {gap.distance, surface.Q * gap.normal, surface.Q * gap.on_first + surface.middle,
          surface.Q * gap.on_second + surface.middle};
}

std::optional<Gap> gap_to_surface(const PosedCore& core, const TriangleTree& surface, double most) {
  std::optional<std::pair<Gap, std::uint32_t>> best;
  Triangle triangle;
  surface.tree().around(core.bounds(), most, [&](std::uint32_t number, double limit) {
    const Gap gap = gap_of(core, triangle.of(surface.mesh(), number));
    if (!(gap.distance <= most)) return limit;
    if (!best || std::pair(gap.distance, number) < std::pair(best->first.distance, best->second)) {
      best = {gap, number};
    }
    return std::min(limit, std::max(0.0, gap.distance));
  });
  return best ? std::optional(best->first) : std::nullopt;
}

std::optional<Gap> gap_between(const PosedForm& first, const ConvexCore& core, const PosedForm& second,
                               const ConvexCore& other) {
  return gap_of(PosedCore(core, first.Q, first.middle), PosedCore(other, second.Q, second.middle));
}

std::optional<Gap> gap_between_surfaces(const PosedForm& first, const PosedForm& second, double most) {
  const TriangleMesh& mesh = std::get<Surface>(*first.form)->mesh();
  const TriangleTree& other = *std::get<Surface>(*second.form);
  std::optional<Gap> best;
  Triangle triangle;
  for (std::uint32_t k = 0; k < mesh.triangles.size(); ++k) {
    const PosedCore local = triangle.of(mesh, k);
    ConvexCore core;
    for (const int corner : mesh.triangles[k]) core.points.push_back(mesh.vertices[corner] - local.middle());
    const PosedCore seen = seen_from(second, core, first.Q, first.Q * local.middle() + first.middle);
    const auto gap = gap_to_surface(seen, other, best ? std::max(0.0, best->distance) : most);
    if (gap && (!best || gap->distance < best->distance)) best = gap;
  }
  return best ? std::optional(in_space(second, *best)) : std::nullopt;
}

}  // namespace

GapForm gap_form_of(const Shape& shape) {
  return std::visit(
      [](const auto& s) -> GapForm {
        using Kind = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<Kind, Plane>) {
          return s;
        } else if constexpr (std::is_same_v<Kind, TriangleMesh>) {
          return std::make_shared<const TriangleTree>(s);
        } else if constexpr (std::is_same_v<Kind, HeightField>) {
          return std::make_shared<const TriangleTree>(mesh_of(s));
        } else {
          return core_of(s);
        }
      },
      shape);
}

Bounds PosedForm::bounds() const {
  if (const auto* core = std::get_if<ConvexCore>(form)) return PosedCore(*core, Q, middle).bounds();
  if (const auto* surface = std::get_if<Surface>(form)) return moved((*surface)->bounds(), Q, middle);
  return {Vector3d::Constant(-kInfinite), Vector3d::Constant(kInfinite)};
}

std::optional<Gap> gap_of(const PosedForm& first, const PosedForm& second, double most) {
  const auto within = [most](const std::optional<Gap>& gap) {
    return gap && gap->distance <= most ? gap : std::nullopt;
  };
  const auto turned_back = [](const std::optional<Gap>& gap) {
    return gap ? std::optional(turned(*gap)) : std::nullopt;
  };
  const auto* core = std::get_if<ConvexCore>(first.form);
  const auto* other = std::get_if<ConvexCore>(second.form);
  if (core != nullptr && other != nullptr) return within(gap_between(first, *core, second, *other));
  if (std::holds_alternative<Plane>(*second.form)) {
    if (std::holds_alternative<Plane>(*first.form)) return std::nullopt;
    return turned_back(gap_of(second, first, most));
  }
  if (std::holds_alternative<Plane>(*first.form)) {
    return within(other != nullptr ? from_plane_to(first, PosedCore(*other, second.Q, second.middle))
                                   : from_plane_to(first, second));
  }
  if (core == nullptr && other == nullptr) return gap_between_surfaces(first, second, most);
  if (core == nullptr) return turned_back(gap_of(second, first, most));
  const auto gap =
      gap_to_surface(seen_from(second, *core, first.Q, first.middle), *std::get<Surface>(*second.form), most);
  return gap ? std::optional(in_space(second, *gap)) : std::nullopt;
}

std::optional<Meeting> meeting_of(const PosedForm& first, const Vector3d& u, double most, const PosedForm& second) {
  const auto& core = std::get<ConvexCore>(*first.form);
  const PosedCore posed(core, first.Q, first.middle);
  const auto met = [most](const Meeting& found) {
    return found.t <= most && found.t < kInfinite ? std::optional(found) : std::nullopt;
  };
  if (const auto* other = std::get_if<ConvexCore>(second.form)) {
    return met(meeting_of(posed, u, most, PosedCore(*other, second.Q, second.middle)));
  }
  if (std::holds_alternative<Plane>(*second.form)) {
    Meeting found{0, turned(from_plane_to(second, posed))};
    if (found.apart.distance <= 0) return found;
    const double speed = found.apart.normal.dot(u);
    if (!(speed > 0)) return std::nullopt;
    found.t = found.apart.distance / speed;
    found.apart = {0, found.apart.normal, found.apart.on_first + found.t * u, found.apart.on_first + found.t * u};
    return met(found);
  }
  const TriangleTree& surface = *std::get<Surface>(*second.form);
  const PosedCore seen = seen_from(second, core, first.Q, first.middle);
  const Vector3d local = second.Q.transpose() * u;
  const Bounds box = seen.bounds();
  std::optional<std::pair<Meeting, std::uint32_t>> best;
  Triangle triangle;
  surface.tree().along(BoxRay(0.5 * (box.low + box.high), local, 0.5 * (box.high - box.low)), most,
                       [&](std::uint32_t number, double limit) {
                         const Meeting found = meeting_of(seen, local, most, triangle.of(surface.mesh(), number));
                         if (!(found.t <= most && found.t < kInfinite)) return limit;
                         if (!best || std::pair(found.t, number) < std::pair(best->first.t, best->second)) {
                           best = {found, number};
                         }
                         return std::min(limit, found.t);
                       });
  if (!best) return std::nullopt;
  return Meeting{best->first.t, in_space(second, best->first.apart)};
}

}  // namespace locdyn::detail
