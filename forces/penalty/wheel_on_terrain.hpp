#pragma once
// A wheel, or a sphere, of radius r on a terrain y = f(x), solid below and the same for all z: the closest point of the
// terrain to the centre c is a zero of
//
//   (x − c_x) + (f(x) − c_y) f′(x),   gap = (c − p)·n − r,   n = (−f′, 1)/√(1 + f′²)
//
// In a valley that is narrower than the wheel only the nearer side is felt.

#include <functional>

#include <locdyn/forces/penalty/carried_plane.hpp>
#include <locdyn/forces/penalty/closest_points.hpp>
#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn {

/// Heights along x, in coordinates that are those of space when the contact is added.
struct Terrain {
  std::function<double(double)> height;     ///< f [m]
  std::function<double(double)> slope;      ///< f′
  std::function<double(double)> curvature;  ///< f″ [1/m]; none: the closest point takes some steps more
  int samples = 32;  ///< ≥ 4, over a diameter of the wheel: the terrain should have no more than one bend between two
};

class WheelOnTerrain final : public ClosestPointFinder {
 public:
  /// `center`: of the wheel, in space where it lies when it is added, on a body; radius [m] > 0. The terrain lies in
  /// space, or on another body that stays rigid. The wheel is round: its axle is along the terrain's z, or it is a
  /// sphere. Throws std::invalid_argument, also where the terrain's functions return what is not finite.
  WheelOnTerrain(const Anchor& center, double radius, Terrain terrain,
                 std::optional<BodyId> terrain_body = std::nullopt);

  [[nodiscard]] std::vector<BodyId> bodies() const override;
  void attach(const BodySet& bodies) override;
  [[nodiscard]] std::optional<ClosestPoints> find(const BodySet& bodies) const override;

 private:
  Anchor anchor_;
  double radius_;
  Terrain terrain_;
  CarriedPlane plane_;
  MaterialPoint center_;
};

}  // namespace locdyn
