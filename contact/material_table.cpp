#include <locdyn/contact/material_table.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/surface_material.hpp>

namespace locdyn {
using namespace detail;

void validate(const PairMaterial& material) {
  validate(SurfaceMaterial{.friction = material.kinetic_friction,
                           .restitution = material.restitution,
                           .rolling = material.rolling,
                           .torsional = material.torsional,
                           .stiffness = material.stiffness,
                           .damping = material.damping});
  validate(SurfaceMaterial{material.static_friction, material.restitution});
  if (material.static_friction < material.kinetic_friction) {
    throw std::invalid_argument("static friction: expected at least the kinetic friction " +
                                spelled(material.kinetic_friction) + ", found " + spelled(material.static_friction));
  }
}

namespace {

// Spring and damper of two surfaces. Each surface is half of what it is against itself: 2k, 2c. One behind the other
// they share the give by their flexibility, and the dampers what flows.
void combine_compliance(const PairMaterial& a, const PairMaterial& b, PairMaterial& both) {
  const double flexibility = 1 / a.stiffness + 1 / b.stiffness;
  if (flexibility == 0) return;
  const double share_a = 1 / a.stiffness / flexibility, share_b = 1 / b.stiffness / flexibility;
  both.stiffness = 2 / flexibility;
  both.damping = 2 * (a.damping * share_a * share_a + b.damping * share_b * share_b);
  both.restitution = 0;
}

}  // namespace

MaterialTable::MaterialTable() {
  add_surface("default", {});
}

std::size_t MaterialTable::place(SurfaceId a, SurfaceId b) const {
  if (std::max(a, b) >= names_.size()) {
    throw std::out_of_range("surface: expected an id below " + std::to_string(names_.size()) + ", found " +
                            std::to_string(std::max(a, b)));
  }
  const std::size_t row = std::max(a, b);
  return row * (row + 1) / 2 + std::min(a, b);
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
                  .restitution = std::max(own.restitution, other.restitution),
                  .rolling = std::sqrt(own.rolling * other.rolling),
                  .torsional = std::sqrt(own.torsional * other.torsional)};
    combine_compliance(own, other, pairs_[at]);
  }
}

const PairMaterial& MaterialTable::pair(SurfaceId a, SurfaceId b) const {
  return pairs_[place(a, b)];
}

SurfaceId MaterialTable::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return static_cast<SurfaceId>(at - names_.begin());
  std::string known;
  for (const std::string& one : names_) known += (known.empty() ? "" : ", ") + one;
  throw std::invalid_argument("surface: expected one of " + known + ", found \"" + std::string(name) + "\"");
}

}  // namespace locdyn
