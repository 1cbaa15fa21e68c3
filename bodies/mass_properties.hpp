#pragma once
// Mass, mass centre and inertia tensor of homogeneous shapes, and how they shift, turn and add up.
//
// Source of the polyhedron: Mirtich, J. Graphics Tools 1 (1996) 31–50 (the integrals), here by signed tetrahedra.

#include <Eigen/Core>
#include <array>
#include <span>

namespace locdyn {

struct MassProperties {
  double mass = 0;                                   ///< [kg] > 0
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< mass centre in the coordinates of the shape [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the mass centre, ∫ρ(|X|² I − X Xᵀ), same axes [kg m²]
};

/// Throws std::invalid_argument where the mass is not positive, a number is not finite, or the inertia tensor is not
/// symmetric, not positive definite, or violates J1 + J2 ≥ J3 (by more than 1e-9 of its trace).
void validate(const MassProperties& properties);

// --- homogeneous shapes, centred at the origin -----------------------------------------------------------------------
// Density [kg/m³] and every length [m] must be > 0 and finite, else std::invalid_argument.

/// Of homogeneous solids of a density [kg/m³] about their centre, lengths in m.
[[nodiscard]] MassProperties sphere_mass(double density, double radius);
/// `size`: the three edge lengths, along the axes.
[[nodiscard]] MassProperties box_mass(double density, const Eigen::Vector3d& size);
/// Axis along z, `height` from end to end.
[[nodiscard]] MassProperties cylinder_mass(double density, double radius, double height);
/// Axis along z; `length` of the cylindrical part, without the two half-spheres.
[[nodiscard]] MassProperties capsule_mass(double density, double radius, double length);

/// A closed polyhedron, convex or not: triangles index the vertices [m] anticlockwise seen from outside. Throws
/// std::invalid_argument for an index out of range, an edge that is not shared by exactly two triangles of the same
/// sense, or a volume that is not positive (at least 1e-12 of the bounding box, or of its diagonal cubed).
/// Cost: O(t log t) for t triangles.
[[nodiscard]] MassProperties polyhedron_mass(double density, std::span<const Eigen::Vector3d> vertices,
                                             std::span<const std::array<int, 3>> triangles);

// --- moving and adding -----------------------------------------------------------------------------------------------

/// The same matter turned by the rotation Q (3×3) and then moved by d [m]: center ← Q center + d, inertia ← Q J Qᵀ.
[[nodiscard]] MassProperties moved(const MassProperties& properties, const Eigen::Matrix3d& Q,
                                   const Eigen::Vector3d& d);

/// The union of parts that do not overlap, given in the same coordinates. Throws where there is no part.
[[nodiscard]] MassProperties combined(std::span<const MassProperties> parts);

/// The inertia tensor about `point` [m], by the parallel axis theorem: J + m (|r|² I − r rᵀ), r = point − center.
[[nodiscard]] Eigen::Matrix3d inertia_about(const MassProperties& properties, const Eigen::Vector3d& point);

/// The Euler tensor ∫ρ X Xᵀ about the mass centre: ½ tr(J) I − J [kg m²].
[[nodiscard]] Eigen::Matrix3d euler_tensor(const MassProperties& properties);

}  // namespace locdyn
