#pragma once
// Which of the points found on a pair of shapes go on from which of before.

#include <cstddef>
#include <span>
#include <vector>

#include <locdyn/bodies/body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/contact_detector.hpp>
#include <locdyn/simulation/stepping/tracked_contact.hpp>

namespace locdyn::detail {

/// A body where it lies now, asked without a virtual call where it is rigid.
class PlacedBody {
 public:
  PlacedBody(const Body& body) : body_(body), rigid_(body.rigid()) {}  // a view of it, wherever one is asked for

  /// Where the point X of the body lies, and which of its points lies at x, as `Body` says it.
  [[nodiscard]] Eigen::Vector3d to_space(const Eigen::Vector3d& X) const {
    return rigid_ != nullptr ? rigid_->position() + rigid_->rotation() * X : body_.to_space(X);
  }
  [[nodiscard]] Eigen::Vector3d to_body(const Eigen::Vector3d& x) const {
    return rigid_ != nullptr ? rigid_->rotation().transpose() * (x - rigid_->position()) : body_.to_body(x);
  }

 private:
  const Body& body_;
  const RigidBody* rigid_;
};

/// Of a pair of shapes, where they are now.
struct TwoBodies {
  PlacedBody master, slave;
};

/// The same points as before, found where nothing has moved?
[[nodiscard]] bool same_points(std::span<const DetectedContact> found, std::span<const TrackedContact* const> before);

/// What a point found goes on from.
struct Match {
  int from = -1;        ///< one of before, or −1
  double distance = 0;  ///< to where the nearer of the two bodies has carried that one [m]
};

/// Has detection gone on to another place of the two surfaces, so that what the contact did before says nothing of this
/// one? `distance` is that of its match, `extent` that of the smaller body [m].
[[nodiscard]] bool leaps(const TrackedContact& before, const DetectedContact& found, double distance, double extent);

/// Of one pair after another; its memory is kept.
class PointMatching {
 public:
  /// Of each point found. The closest two first, of equal ones the first, and none further apart than half the least
  /// distance of two of before. Valid until the next call. Cost: the product of their numbers.
  [[nodiscard]] std::span<const Match> match(std::span<const DetectedContact> found,
                                             std::span<const TrackedContact* const> before, const TwoBodies& bodies);

 private:
  // A point found now and one of before that may be the same.
  struct Candidate {
    double distance;
    std::size_t found, before;
  };

  std::vector<Match> matches_;
  std::vector<Candidate> candidates_;
  std::vector<char> taken_;
};

}  // namespace locdyn::detail
