#include <locdyn/sensitivity/contact_geometry.hpp>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kOnFeature = 1e-6;  // of the shape's size: a point lies on a face, an edge or a vertex
constexpr double kParallel = 1e-9;   // 1 − cos of normals, and cos of edges, that are one

// The part of a core that a contact's point lies on.
struct CoreFeature {
  bool known = false;
  bool endless = false;                          // a plane: its normal is the contact's, whatever lies on it
  double radius = 0, radius_by_size = 0;         // of size[0]
  Vector3d point = Vector3d::Zero();             // p, in space
  std::vector<Vector3d> tangents;                // of the smallest feature that holds it
  std::vector<Vector3d> normals;                 // of the faces that it lies on, outward
  GeometryMatrix move = GeometryMatrix::Zero();  // δp of the material point
  PointMatrix spin = PointMatrix::Zero();
  int first_column = 0;  // of its body
};

struct Side {
  const Collider& shape;
  const BodyLinearisation& body;
  int first_column, size_column, position_column;
};

// The faces of a box that the point lies on; its free directions are tangents.
void on_box(const Box& box, const Matrix3d& axes, const Vector3d& X, const Side& side, CoreFeature& at) {
  const Vector3d half = box.size / 2;
  const double near = kOnFeature * half.norm();
  for (int i = 0; i < 3; ++i) {
    if (std::abs(std::abs(X[i]) - half[i]) > near) {
      at.tangents.push_back(axes.col(i));
      continue;
    }
    const double sign = X[i] > 0 ? 1 : -1;
    at.normals.push_back(sign * axes.col(i));
    at.move.col(side.size_column + i) = 0.5 * sign * axes.col(i);
  }
  at.known = at.tangents.size() < 3;
}

void on_capsule(const Capsule& capsule, const Matrix3d& axes, const Vector3d& X, const Side& side, CoreFeature& at) {
  at.known = true;
  at.radius = capsule.radius;
  at.radius_by_size = 1;
  const double end = capsule.length / 2;
  if (end == 0 || std::abs(std::abs(X[2]) - end) <= kOnFeature * end) {
    at.move.col(side.size_column + 1) = (X[2] > 0 ? 0.5 : -0.5) * axes.col(2);
  } else {
    at.tangents.push_back(axes.col(2));
  }
}

double radius_of_core(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return capsule->radius;
  return 0;
}

CoreFeature feature_of(const Side& side, const Vector3d& x, const Vector3d& outward, double gap) {
  CoreFeature at;
  at.radius = radius_of_core(side.shape.shape);
  at.point = x - (at.radius + gap / 2) * outward;
  at.first_column = side.first_column;
  at.spin = side.body.spin();
  at.move.middleCols<kMostFreedoms>(side.first_column) = side.body.point(at.point);
  at.move.middleCols<3>(side.position_column) = side.body.rotation;
  const Matrix3d axes = side.body.rotation * side.shape.orientation.toRotationMatrix();
  const Vector3d origin = side.body.center + side.body.rotation * side.shape.position;
  const Vector3d X = axes.transpose() * (at.point - origin);
  if (std::holds_alternative<Sphere>(side.shape.shape)) {
    at.known = true;
    at.radius_by_size = 1;
  } else if (const auto* box = std::get_if<Box>(&side.shape.shape)) {
    on_box(*box, axes, X, side, at);
  } else if (const auto* capsule = std::get_if<Capsule>(&side.shape.shape)) {
    on_capsule(*capsule, axes, X, side, at);
  } else if (std::holds_alternative<Plane>(side.shape.shape)) {
    at.known = at.endless = true;
    at.normals.push_back(axes.col(2));
    at.tangents = {axes.col(0), axes.col(1)};
  }
  return at;
}

bool has_face(const CoreFeature& at, const Vector3d& outward) {
  return std::any_of(at.normals.begin(), at.normals.end(),
                     [&](const Vector3d& n) { return n.dot(outward) > 1 - kParallel; });
}

// δd of a direction that turns with the body.
GeometryMatrix turned(const CoreFeature& at, const Vector3d& d) {
  GeometryMatrix D = GeometryMatrix::Zero();
  D.middleCols<kMostFreedoms>(at.first_column) = -skew(d) * at.spin;
  return D;
}

std::vector<Vector3d> plane_of(const Vector3d& n) {
  const Vector3d t = n.unitOrthogonal();
  return {t, n.cross(t)};
}

class Linearised {
 public:
  Linearised(const CoreFeature& master, const CoreFeature& slave, const Vector3d& n, double gap)
      : m_(master), s_(slave), n_(n), gap_(gap), gamma_(gap + master.radius + slave.radius) {}

  ContactGeometry of() {
    if (!m_.known || !s_.known) return carried("between shapes whose features are not known: carried by the master");
    const bool by_master = has_face(m_, n_), by_slave = has_face(s_, -n_);
    if (by_master || by_slave) {
      on_face(by_master);
      if (by_master && by_slave && !m_.endless) result_.edge = "of two faces that lie on each other";
      return result_;
    }
    if (m_.tangents.size() == 1 && s_.tangents.size() == 1) return crossing();
    if (m_.tangents.size() + s_.tangents.size() <= 1 && gamma_ > 0) return closest();
    return carried("of features without a rule: carried by the master");
  }

 private:
  // n and x go with the master's body, the gap as its points do.
  ContactGeometry carried(const char* why) {
    result_.normal = turned(m_, n_);
    finish_gap(n_.transpose() * (s_.move - m_.move));
    result_.point = m_.move;
    result_.edge = why;
    return result_;
  }

  // n is that of a face of the master or, turned round, of the slave.
  void on_face(bool of_master) {
    result_.normal = turned(of_master ? m_ : s_, n_);
    const std::size_t m = m_.tangents.size(), s = s_.tangents.size();
    if (m == 1 && s == 1 && std::abs(m_.tangents[0].cross(s_.tangents[0]).dot(n_)) > kOnFeature) {
      return slide(m_.tangents, s_.tangents);
    }
    // A vertex of one over the plane of the other's face: over a rim, the face goes on.
    if (s == 0 || (m != 0 && of_master)) {
      if (s != 0) return rim();
      slide(of_master || m != 2 ? plane_of(n_) : m_.tangents, {});
      if (m != 2 && !m_.endless) result_.edge = "at a rim above a vertex";
      return;
    }
    if (m != 0) return rim();
    slide({}, s == 2 ? s_.tangents : plane_of(n_));
    if (s != 2) result_.edge = "at a rim below a vertex";
  }

  void rim() { carried("of features without a rule: carried by the master"); }

  ContactGeometry crossing() {
    const Vector3d &u = m_.tangents[0], &v = s_.tangents[0];
    const Vector3d across = u.cross(v);
    if (across.norm() < kOnFeature) return carried("of parallel edges: carried by the master");
    const double sign = across.dot(n_) > 0 ? 1 : -1;
    const Matrix3d tangential = Matrix3d::Identity() - n_ * n_.transpose();
    result_.normal = sign / across.norm() * tangential * (skew(u) * turned(s_, v) - skew(v) * turned(m_, u));
    slide(m_.tangents, s_.tangents);
    return result_;
  }

  // n = (p_s − p_m)/γ; along an edge the point stays the closest.
  ContactGeometry closest() {
    const GeometryMatrix apart = s_.move - m_.move;
    GeometryMatrix along = GeometryMatrix::Zero();  // what slides along an edge, of p_s − p_m
    Matrix3d tangential = Matrix3d::Identity() - n_ * n_.transpose();
    for (const CoreFeature* edge : {&m_, &s_}) {
      if (edge->tangents.empty()) continue;
      const Vector3d& t = edge->tangents[0];
      tangential -= t * t.transpose();
      along = t * (-n_.transpose() * turned(*edge, t));
    }
    result_.normal = tangential * apart / gamma_ + along;
    finish_gap(n_.transpose() * apart);
    GeometryMatrix on_master = m_.move;
    if (!m_.tangents.empty()) {
      const Vector3d& t = m_.tangents[0];
      on_master += t * (t.transpose() * (apart - gamma_ * result_.normal));
    }
    finish_point(on_master);
    return result_;
  }

  // The points slide along the tangents so that p_s − p_m stays along n.
  void slide(const std::vector<Vector3d>& on_master, const std::vector<Vector3d>& on_slave) {
    Matrix3d system;
    int column = 0;
    for (const Vector3d& t : on_master) system.col(column++) = t;
    const int gap_column = column;
    system.col(column++) = n_;
    for (const Vector3d& t : on_slave) system.col(column++) = -t;
    const GeometryMatrix solved = system.partialPivLu().solve(s_.move - m_.move - gamma_ * result_.normal);
    GeometryMatrix moved = m_.move;
    for (int k = 0; k < gap_column; ++k) moved += on_master[static_cast<std::size_t>(k)] * solved.row(k);
    finish_gap(solved.row(gap_column));
    finish_point(moved);
  }

  void finish_gap(const Eigen::Matrix<double, 1, kGeometryColumns>& of_cores) {
    result_.gap = of_cores;
    result_.gap[kMasterSize] -= m_.radius_by_size;
    result_.gap[kSlaveSize] -= s_.radius_by_size;
  }

  void finish_point(const GeometryMatrix& on_master) {
    result_.point = on_master + (m_.radius + gap_ / 2) * result_.normal + 0.5 * n_ * result_.gap;
    result_.point.col(kMasterSize) += m_.radius_by_size * n_;
  }

  const CoreFeature &m_, &s_;
  Vector3d n_;
  double gap_, gamma_;
  ContactGeometry result_;
};

// Γ(m): G(m) = `frame_of(m)`, the least rotation from e_z to m, changes as δG = G [Γ δm]×.
Matrix3d least_rotation_change(const Vector3d& m, const Matrix3d& G) {
  const double c = 1 + m[2];
  const Vector3d w = Vector3d::UnitZ().cross(m);
  const Matrix3d W = skew(w);
  Matrix3d result;
  for (int k = 0; k < 3; ++k) {
    const Vector3d dm = Vector3d::Unit(k) - m[k] * m;
    const Matrix3d dW = skew(Vector3d::UnitZ().cross(dm));
    const Matrix3d dG = dW + (dW * W + W * dW) / c - W * W * (dm[2] / (c * c));
    const Matrix3d S = G.transpose() * dG;
    result.col(k) = 0.5 * Vector3d(S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1));
  }
  return result;
}

}  // namespace

ContactGeometry linearise_contact(const Collider& master, const BodyLinearisation& master_body, const Collider& slave,
                                  const BodyLinearisation& slave_body, const Vector3d& x, const Vector3d& n,
                                  double gap) {
  const CoreFeature m = feature_of({master, master_body, 0, kMasterSize, kMasterPosition}, x, n, gap);
  const CoreFeature s = feature_of({slave, slave_body, kMostFreedoms, kSlaveSize, kSlavePosition}, x, -n, gap);
  return Linearised(m, s, n, gap).of();
}

FrameTransport transport_of_frame(const Matrix3d* past, const Matrix3d& frame) {
  const Vector3d n = frame.col(2);
  const Matrix3d before = past != nullptr ? *past : Matrix3d::Identity();
  const Matrix3d G = before.transpose() * frame;
  if (1 + G(2, 2) < 1e-6) return {skew(n), Matrix3d::Zero()};  // turned right over: no least rotation
  const Matrix3d by_normal = frame * least_rotation_change(G.col(2), G) * before.transpose();
  return {by_normal, Matrix3d::Identity() + by_normal * skew(n)};
}

}  // namespace locdyn::detail
