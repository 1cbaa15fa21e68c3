#pragma once
// A contact where detection has found it: its frame, its points on both bodies, its gap, and whether what its pair is
// made of is what it was made of.

#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/stepping/point_matching.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

struct TrackingOptions {
  double time = 0;            ///< at q* [s]
  double h = 0;               ///< step [s]
  double feedback_share = 0;  ///< α of Baumgarte, 0: none
  double feedback_speed = 0;  ///< β [m/s]
  double slop = 0;            ///< [m]
  int threads = 1;            ///< ≥ 1; the bits do not depend on it
};

/// What all contacts of a pair have in common, looked up once.
struct TwoShapes {
  TwoShapes(const System& system, const DetectedContact& found, std::span<const double> extent)
      : TwoShapes(system, system.colliders()[found.master], system.colliders()[found.slave], extent) {}
  TwoShapes(const System& system, const Collider& master_shape, const Collider& slave_shape,
            std::span<const double> extent)
      : master(master_shape),
        slave(slave_shape),
        bodies{PlacedBody(system.bodies()[master.body]), PlacedBody(system.bodies()[slave.body])},
        smaller(std::min(extent[master.body], extent[slave.body])),
        material(system.materials.pair(master.surface, slave.surface)),
        runs(master.surface_velocity != Eigen::Vector3d::Zero() || slave.surface_velocity != Eigen::Vector3d::Zero()) {}

  const Collider &master, &slave;
  TwoBodies bodies;
  double smaller;  ///< extent [m]
  const PairMaterial& material;
  bool runs;                          ///< the surface of one beside its body
  const BodyMotion* drive = nullptr;  ///< of a master that is an obstacle
};

/// The contact, which `match` says to be new or known, where `found` is. An obstacle's drive that has changed is no
/// turning of it.
void place(TrackedContact& contact, const DetectedContact& found, const Match& match, const TwoShapes& shapes,
           const TrackingOptions& options);

/// The material of its surfaces, and hits as it did?
[[nodiscard]] bool made_of(const TrackedContact& contact, const TwoShapes& shapes, bool hits);

/// What nearly all contacts do: the surfaces are the same and neither runs, friction has no direction and the contact
/// stays in the graph. Then it is made of what it was made of, at a third of the instructions of settling it anew.
[[nodiscard]] bool goes_on(const TrackedContact& contact, const TwoShapes& shapes, bool hits);

}  // namespace locdyn::detail
