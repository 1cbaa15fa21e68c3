#pragma once
// How a detected contact moves with its bodies and with the sizes of its shapes, at the features that touch. Cores are
// points, edges and faces with a radius (spheres, capsules, boxes, half-spaces). With p_m and p_s the points of the
// cores and γ = gap + radii,
//
//   p_s − p_m = γ n,   x = p_m + (r_m + gap/2) n,
//
// where n is the normal of a face, the cross product of two edges, or the line between closest points, and p_m and p_s
// slide along their features so that the line between them stays along n:
//
//   [T_m, n, −T_s] (δs, δγ, δt) = δp_s − δp_m − γ δn,   δp: of the material point, T: tangents of a feature.
//
// That is exact to first order for every pair of features of these shapes: vertex and face, edge and edge, vertex or
// edge and the closest point. Where two faces lie on each other, n is that of the master's, and where a point lies on a
// rim as well as on a face its feature is the face: both are edges of the geometry (`edge`). For other shapes the gap
// is exact, n and x are carried by the master, and `edge` says so.

#include <Eigen/Core>

#include <locdyn/contact/collider.hpp>
#include <locdyn/sensitivity/body_linearisation.hpp>

namespace locdyn::detail {

/// Columns: q* of the master and of the slave, then size and position of either's shape (`ShapeColumns`).
inline constexpr int kGeometryColumns = 2 * kMostFreedoms + 12;
inline constexpr int kMasterSize = 2 * kMostFreedoms, kSlaveSize = kMasterSize + 3, kMasterPosition = kMasterSize + 6,
                     kSlavePosition = kMasterSize + 9;
using GeometryMatrix = Eigen::Matrix<double, 3, kGeometryColumns>;

struct ContactGeometry {
  GeometryMatrix point = GeometryMatrix::Zero();   ///< δx
  GeometryMatrix normal = GeometryMatrix::Zero();  ///< δn
  Eigen::Matrix<double, 1, kGeometryColumns> gap = Eigen::Matrix<double, 1, kGeometryColumns>::Zero();
  const char* edge = nullptr;  ///< why it is not exact, or has no derivative
};

/// At q*: x in space, n from master to slave, gap [m].
[[nodiscard]] ContactGeometry linearise_contact(const Collider& master, const BodyLinearisation& master_body,
                                                const Collider& slave, const BodyLinearisation& slave_body,
                                                const Eigen::Vector3d& x, const Eigen::Vector3d& n, double gap);

/// δφ of the frame, F ← (I + [δφ]×) F, by δn, and by δφ⁻ of the frame it was carried on from.
struct FrameTransport {
  Eigen::Matrix3d by_normal, by_past;
};
/// `past` is the frame before; of a contact that is new it is null, and `local_frame` made the frame.
[[nodiscard]] FrameTransport transport_of_frame(const Eigen::Matrix3d* past, const Eigen::Matrix3d& frame);

}  // namespace locdyn::detail
