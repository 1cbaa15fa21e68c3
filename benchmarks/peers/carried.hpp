#pragma once
// Fixed bodies that move: where they are and how fast, step by step.

#include <vector>

#include "engine.hpp"

namespace locdyn::peers {

class Carried {
 public:
  explicit Carried(const Scene& scene);

  /// Over the step from t to t + h.
  void advance(double t, double h);
  /// Of a body with a carrier: where it is now, and its velocity in the last step.
  [[nodiscard]] BodyState state(int body) const;
  [[nodiscard]] const std::vector<int>& bodies() const noexcept { return bodies_; }

 private:
  struct Part {
    int carrier;
    Eigen::Vector3d X;        // in the carrier's coordinates
    Orientation orientation;  // from the body's axes to the carrier's
  };
  std::vector<Carrier> carriers_;
  std::vector<ObstacleMotion> motions_;
  std::vector<Part> parts_;  // by place in Scene::bodies
  std::vector<int> bodies_;
};

}  // namespace locdyn::peers
