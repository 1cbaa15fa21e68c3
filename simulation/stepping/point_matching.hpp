#pragma once
// Which of the points found on a pair of shapes go on from which of before.

#include <cstddef>
#include <span>
#include <vector>

#include <locdyn/bodies/body.hpp>
#include <locdyn/contact/contact_detector.hpp>
#include <locdyn/simulation/stepping/tracked_contact.hpp>

namespace locdyn::detail {

/// Of a pair of shapes, where they are now.
struct TwoBodies {
  const Body& master;
  const Body& slave;
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

  bool match_in_order(std::span<const DetectedContact> found, std::span<const TrackedContact* const> before,
                      const TwoBodies& bodies, double reach);

  std::vector<Match> matches_;
  std::vector<Candidate> candidates_;
  std::vector<char> taken_;
};

}  // namespace locdyn::detail
