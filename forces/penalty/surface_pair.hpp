#pragma once
// Two smooth surfaces in space, each carried by a body: a strictly convex slave, and a master that is strictly convex
// too, or a ground. Of a convex master the gap is the signed distance of the origin from the difference of both bodies,
//
//   gap = max over unit n of −h₁(n) − h₂(−n),   h the support functions
//
// found by Newton's method on the sphere, whose matrix is ∇²h₁ + ∇²h₂ + gap I. It does not change when master and slave
// are exchanged. Of a ground it is that of the deepest point, or the nearest,
//
//   gap = min over unit n of d(p₂(n)),   d the distance from the ground
//
// Both are functions of the configuration alone, found anew each time from samples of n; there both normals lie along
// one line. They are smooth while overlaps are small against the radii of curvature, and the slave is rounder than the
// hollows of the ground that it lies in; where two places are equally deep, only one is felt.
//
// Sources: Schneider, Convex Bodies: The Brunn–Minkowski Theory (2014), §§1.7, 3.1; Wellmann, Lillie & Wriggers, Eng.
// Comput. 25 (2008) 432–442 (the common normal of superellipsoids as the unknown; here gaps are its extremes).

#include <variant>

#include <locdyn/forces/penalty/carried_plane.hpp>
#include <locdyn/forces/penalty/closest_points.hpp>
#include <locdyn/forces/penalty/smooth_surface.hpp>

namespace locdyn {

class SurfacePair final : public ClosestPointFinder {
 public:
  /// A surface and who carries it; the master may be space. Throws std::invalid_argument for what `validate` refuses,
  /// one body for both, a body that deforms; when evaluated, for functions that return what is not finite.
  SurfacePair(ConvexSurface master, std::optional<BodyId> master_body, ConvexSurface slave, BodyId slave_body);
  SurfacePair(HeightSurface master, std::optional<BodyId> master_body, ConvexSurface slave, BodyId slave_body);

  [[nodiscard]] std::vector<BodyId> bodies() const override;
  void attach(const BodySet& bodies) override;
  /// None where the spheres about two convex surfaces are apart. Cost: 96 points of the master and some 5 evaluations
  /// of both, about 10 µs for ellipsoids; on a ground as many searches of its closest point, about 20 µs.
  [[nodiscard]] std::optional<ClosestPoints> find(const BodySet& bodies) const override;

 private:
  struct Sphere {
    Eigen::Vector3d center = Eigen::Vector3d::Zero();
    double radius = 0;
  };
  [[nodiscard]] static Sphere sphere_about(const ConvexSurface& surface, const char* what);
  void start();
  [[nodiscard]] std::optional<ClosestPoints> find_on(const ConvexSurface& master, const BodySet& bodies) const;
  [[nodiscard]] std::optional<ClosestPoints> find_on(const HeightSurface& master, const BodySet& bodies) const;

  std::variant<ConvexSurface, HeightSurface> master_;
  ConvexSurface slave_;
  CarriedPlane master_frame_, slave_frame_;
  Sphere master_sphere_, slave_sphere_;
  std::vector<Eigen::Vector3d> slave_samples_;  // p₂(n) for each direction n
};

}  // namespace locdyn
