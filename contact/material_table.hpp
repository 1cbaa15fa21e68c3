#pragma once
// Materials per pair of surfaces.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <locdyn/contact/collider.hpp>
#include <locdyn/contact/surface_material.hpp>

namespace locdyn {

/// What two surfaces have in common. A contact that sticks slips beyond μ_s, and from then on follows μ_k until it
/// sticks again.
struct PairMaterial {
  double static_friction = 0;   ///< μ_s ≥ μ_k
  double kinetic_friction = 0;  ///< μ_k ≥ 0
  /// μ_s across the direction of friction where it is not `static_friction`, which is then that along it; of a contact
  /// that slips it falls in the ratio μ_k/μ_s (1 where μ_s = 0). The direction is that of the master's shape
  /// (`Collider::friction_direction`; the master is the obstacle's shape, or the one of lower id), or the slave's where
  /// that has none, turned with its body and projected onto the surface. Where it is normal to the surface, to 1e-6 of
  /// its length, the tangents stay as they were. A contact of two shapes without one is refused in the step in which it
  /// arises. Not beside moments or a stiffness.
  std::optional<double> cross_friction = std::nullopt;
  double restitution = 0;  ///< 0 ≤ e ≤ 1, of what approaches faster than gravity makes it in a step
  double rolling = 0;      ///< μ_r ≥ 0 [m]
  double torsional = 0;    ///< μ_τ ≥ 0 [m]
  double stiffness = std::numeric_limits<double>::infinity();        ///< k > 0 [N/m] of each point, infinite where hard
  double hertz_stiffness = std::numeric_limits<double>::infinity();  ///< K > 0 of F = K d^{3/2} [N/m^{3/2}]
  double damping = 0;                                                ///< c ≥ 0 [N s/m] beside them
  double tangential_stiffness = std::numeric_limits<double>::infinity();  ///< k_t > 0 [N/m], while it sticks
  double tangential_damping = 0;                                          ///< c_t ≥ 0 [N s/m] beside it

  /// Does friction differ along and across its direction?
  [[nodiscard]] bool directed() const noexcept { return cross_friction && *cross_friction != static_friction; }
  /// The material of a contact that sticks, or slips.
  [[nodiscard]] SurfaceMaterial of_contact(bool slips) const noexcept;
  bool operator==(const PairMaterial&) const = default;
};

/// Throws std::invalid_argument naming the field.
void validate(const PairMaterial& material);

class MaterialTable {
 public:
  /// Surface 0, "default", is there from the start: no friction, no restitution.
  MaterialTable();

  /// A new surface and what it has in common with itself. Throws std::invalid_argument for a material out of range or a
  /// name that is taken or empty.
  SurfaceId add_surface(std::string name, const PairMaterial& with_itself);
  /// Sets a pair, a = b included. Throws std::invalid_argument for a material, std::out_of_range for a surface.
  void set_pair(SurfaceId a, SurfaceId b, const PairMaterial& material);

  /// The pair as it was set; else of all friction coefficients the geometric mean of the two surfaces with
  /// themselves, of e the larger, and of springs and dampers what half of each surface's own do in a row, Hertz's by
  /// 1/K = (1/K_a + 1/K_b)/2 as E* has it; a pair that gives way has e = 0. Throws std::out_of_range for a surface that
  /// is not there.
  [[nodiscard]] const PairMaterial& pair(SurfaceId a, SurfaceId b) const { return pairs_[place(a, b)]; }

  /// Surfaces, the default one among them.
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  /// As it was given. Throws std::out_of_range where there is no such surface.
  [[nodiscard]] const std::string& name(SurfaceId surface) const { return names_.at(surface); }
  /// Throws std::invalid_argument naming the surfaces there are.
  [[nodiscard]] SurfaceId find(std::string_view name) const;

  bool operator==(const MaterialTable&) const = default;

 private:
  [[nodiscard]] std::size_t place(SurfaceId a, SurfaceId b) const {
    const std::size_t row = std::max(a, b), column = std::min(a, b);
    if (row >= names_.size()) [[unlikely]]
      not_there(row);
    return row * (row + 1) / 2 + column;
  }
  [[noreturn]] void not_there(std::size_t surface) const;
  void combine(SurfaceId a);

  std::vector<std::string> names_;
  std::vector<PairMaterial> pairs_;  // the lower triangle, row by row
  std::vector<std::uint8_t> set_;    // by place: said by the user
};

}  // namespace locdyn
