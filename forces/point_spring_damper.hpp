#pragma once
// A spring and a damper between two points at a distance l, unit vector n from the first to the second, rest length l₀:
//
//   force on the second  F = −(k (l − l₀) + c l̇) n, −F on the first;   V = ½ k (l − l₀)²,   dissipated c l̇²
//
// It is evaluated at the state it is given, so that steps have to resolve it: h √(k/m) and h c/m well below 2. The
// constraint of the same name (ldy/assembly/constraints/spring_damper.hpp) is stable at any step, and loses energy.

#include <array>
#include <optional>

#include <locdyn/forces/force.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>
#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn {

class PointSpringDamper final : public Force {
 public:
  /// Points in space where they lie when it is added, each carried by a body or, one of the two, fixed in space.
  /// Without `rest_length` ≥ 0 [m] it is at rest at the length it has then. Throws std::invalid_argument for k, c or l₀
  /// out of range, for two points of one body or none, and, when evaluated with l = 0 and l₀ > 0, where no direction is
  /// better than another. With l₀ = 0 that place is regular: F = −k x − c ẋ there.
  PointSpringDamper(const Anchor& first, const Anchor& second, const SpringProperties& properties,
                    std::optional<double> rest_length = std::nullopt);

  /// l now [m].
  [[nodiscard]] double length(const BodySet& bodies) const;
  /// l₀ [m], known once it is added.
  [[nodiscard]] double rest_length() const noexcept { return rest_length_.value_or(0); }

  [[nodiscard]] std::string_view kind() const noexcept override { return "spring-damper"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return ids_; }
  void attach(const BodySet& bodies) override;
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return properties_.damping > 0; }
  [[nodiscard]] double potential_energy(const BodySet& bodies) const override;
  [[nodiscard]] double dissipated_power(const BodySet& bodies) const override;

 private:
  struct Line {
    Eigen::Vector3d from, to, n;
    double length, rate;  // l, l̇
  };
  [[nodiscard]] Line line(const BodySet& bodies) const;

  std::array<Anchor, 2> anchors_;
  SpringProperties properties_;
  std::optional<double> rest_length_;  // set by `attach` where the caller has not
  std::vector<BodyId> ids_;
  MaterialPoint first_, second_;
};

}  // namespace locdyn
