#include <locdyn/contact/material_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/surface_material.hpp>

namespace locdyn {
using namespace detail;

SurfaceMaterial PairMaterial::of_contact(bool slips) const noexcept {
  SurfaceMaterial material{.friction = slips ? kinetic_friction : static_friction,
                           .restitution = restitution,
                           .rolling = rolling,
                           .torsional = torsional,
                           .stiffness = stiffness,
                           .hertz_stiffness = hertz_stiffness,
                           .damping = damping,
                           .tangential_stiffness = tangential_stiffness,
                           .tangential_damping = tangential_damping};
  if (directed()) {
    const double falls = slips && static_friction > 0 ? kinetic_friction / static_friction : 1;
    material.cross_friction = falls * *cross_friction;
  }
  return material;
}

void validate(const PairMaterial& material) {
  SurfaceMaterial slipping = material.of_contact(true);
  slipping.cross_friction = material.cross_friction;
  validate(slipping);
  validate(SurfaceMaterial{material.static_friction, material.restitution});
  if (material.static_friction < material.kinetic_friction) {
    throw std::invalid_argument("static friction: expected at least the kinetic friction " +
                                spelled(material.kinetic_friction) + ", found " + spelled(material.static_friction));
  }
}

namespace {

// Spring and damper of two surfaces. Each surface is half of what it is against itself: 2k, 2c. One behind the other
// they share the give by their flexibility, and the dampers what flows.
struct Half {
  double stiffness, damping;
};
Half in_a_row(const Half& a, const Half& b) {
  const double flexibility = 1 / a.stiffness + 1 / b.stiffness;
  if (flexibility == 0) return {std::numeric_limits<double>::infinity(), 0};
  const double share_a = 1 / a.stiffness / flexibility, share_b = 1 / b.stiffness / flexibility;
  return {2 / flexibility, 2 * (a.damping * share_a * share_a + b.damping * share_b * share_b)};
}

[[nodiscard]] bool gives(const PairMaterial& material) {
  return std::isfinite(material.stiffness) || std::isfinite(material.hertz_stiffness);
}

// A damper goes with the spring of its surface. Where one surface has a linear spring and the other one Hertz's, which
// do not share the give alike at all depths, each has half of the flow.
double combined_damping(const PairMaterial& a, const PairMaterial& b, const Half& linear, const Half& hertz) {
  if (!gives(a)) return 2 * b.damping;
  if (!gives(b)) return 2 * a.damping;
  if (!std::isfinite(hertz.stiffness)) return linear.damping;
  if (!std::isfinite(linear.stiffness)) return hertz.damping;
  return (a.damping + b.damping) / 2;
}

void combine_compliance(const PairMaterial& a, const PairMaterial& b, PairMaterial& both) {
  const Half linear = in_a_row({a.stiffness, a.damping}, {b.stiffness, b.damping});
  const Half hertz = in_a_row({a.hertz_stiffness, a.damping}, {b.hertz_stiffness, b.damping});
  const Half tangential =
      in_a_row({a.tangential_stiffness, a.tangential_damping}, {b.tangential_stiffness, b.tangential_damping});
  both.stiffness = linear.stiffness;
  both.hertz_stiffness = hertz.stiffness;
  both.tangential_stiffness = tangential.stiffness;
  both.tangential_damping = tangential.damping;
  both.damping = combined_damping(a, b, linear, hertz);
  if (gives(both)) both.restitution = 0;
}

// Of a surface that has the same friction in all directions, that one.
std::optional<double> combined_cross_friction(const PairMaterial& a, const PairMaterial& b) {
  if (!a.cross_friction && !b.cross_friction) return std::nullopt;
  return std::sqrt(a.cross_friction.value_or(a.static_friction) * b.cross_friction.value_or(b.static_friction));
}

}  // namespace

MaterialTable::MaterialTable() {
  add_surface("default", {});
}

void MaterialTable::not_there(std::size_t surface) const {
  throw std::out_of_range("surface: expected an id below " + std::to_string(names_.size()) + ", found " +
                          std::to_string(surface));
}

SurfaceId MaterialTable::add_surface(std::string name, const PairMaterial& with_itself) {
  validate(with_itself);
  if (name.empty()) throw std::invalid_argument("surface: expected a name, found none");
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
    throw std::invalid_argument("surface: expected a new name, found \"" + name + "\" again");
  }
  const auto id = static_cast<SurfaceId>(names_.size());
  names_.push_back(std::move(name));
  pairs_.resize(pairs_.size() + id + 1);
  set_.resize(pairs_.size(), 0);
  set_pair(id, id, with_itself);
  return id;
}

void MaterialTable::set_pair(SurfaceId a, SurfaceId b, const PairMaterial& material) {
  validate(material);
  const std::size_t at = place(a, b);
  pairs_[at] = material;
  set_[at] = 1;
  if (a == b) combine(a);
}

// The pairs of `a` that nobody has set.
void MaterialTable::combine(SurfaceId a) {
  const PairMaterial& own = pairs_[place(a, a)];
  for (SurfaceId b{0}; b < names_.size(); ++b) {
    const std::size_t at = place(a, b);
    if (set_[at]) continue;
    const PairMaterial& other = pairs_[place(b, b)];
    pairs_[at] = {.static_friction = std::sqrt(own.static_friction * other.static_friction),
                  .kinetic_friction = std::sqrt(own.kinetic_friction * other.kinetic_friction),
                  .cross_friction = combined_cross_friction(own, other),
                  .restitution = std::max(own.restitution, other.restitution),
                  .rolling = std::sqrt(own.rolling * other.rolling),
                  .torsional = std::sqrt(own.torsional * other.torsional)};
    combine_compliance(own, other, pairs_[at]);
  }
}

SurfaceId MaterialTable::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return static_cast<SurfaceId>(at - names_.begin());
  std::string known;
  for (const std::string& one : names_) known += (known.empty() ? "" : ", ") + one;
  throw std::invalid_argument("surface: expected one of " + known + ", found \"" + std::string(name) + "\"");
}

}  // namespace locdyn
