#pragma once
// The plane z = 0 as a body carries it: coordinates that are those of space when it is taken hold of, and go with the
// body from then on.

#include <optional>

#include <locdyn/bodies/body_set.hpp>

namespace locdyn {

class CarriedPlane {
 public:
  /// Space itself where there is no body.
  explicit CarriedPlane(std::optional<BodyId> body = std::nullopt) : body_(body) {}

  /// Throws std::invalid_argument naming `what` for a body that deforms.
  void attach(const BodySet& bodies, const char* what);

  /// None: space.
  [[nodiscard]] std::optional<BodyId> body() const noexcept { return body_; }
  /// Where its axes and origin are now; taken once for many points.
  struct Pose {
    Eigen::Vector3d origin;  ///< in space [m]
    Eigen::Matrix3d axes;    ///< a rotation: columns in space

    /// Coordinates of a point of space, and back.
    [[nodiscard]] Eigen::Vector3d to_plane(const Eigen::Vector3d& x) const { return axes.transpose() * (x - origin); }
    [[nodiscard]] Eigen::Vector3d to_space(const Eigen::Vector3d& X) const { return origin + axes * X; }
  };
  /// By the body as it lies now.
  [[nodiscard]] Pose pose(const BodySet& bodies) const;

 private:
  std::optional<BodyId> body_;
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();    // in body coordinates
  Eigen::Matrix3d axes_ = Eigen::Matrix3d::Identity();  // in body axes
};

}  // namespace locdyn
