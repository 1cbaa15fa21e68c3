#pragma once
// Two faces that touch over a rectangle: four contacts at its corners, which carry any pressure that a rigid joint can.

#include <Eigen/Geometry>

#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>

namespace locdyn {

/// Half-edges s and t from the centre of the rectangle; the normal is s × t, from master to slave.
struct FaceRectangle {
  Eigen::Vector3d center, s, t;
};

/// A horizontal rectangle x0 … x1, y0 … y1 at height z, its normal up.
[[nodiscard]] inline FaceRectangle horizontal_face(double x0, double x1, double y0, double y1, double z) {
  return {{0.5 * (x0 + x1), 0.5 * (y0 + y1), z}, {0.5 * (x1 - x0), 0, 0}, {0, 0.5 * (y1 - y0), 0}};
}

inline void insert_face_contact(Assembly& assembly, BodyId master, BodyId slave, const FaceRectangle& face,
                                const SurfaceMaterial& material) {
  ContactPoint contact{.master = master, .slave = slave, .gap = 0, .material = material};
  contact.frame = local_frame(face.s.cross(face.t));
  for (const double along_s : {-1.0, 1.0}) {
    for (const double along_t : {-1.0, 1.0}) {
      contact.point = face.center + along_s * face.s + along_t * face.t;
      assembly.emplace<Contact>(contact);
    }
  }
}

}  // namespace locdyn
