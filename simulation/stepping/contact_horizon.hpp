#pragma once
// How far ahead a step looks for contacts. A contact belongs in the graph where its gap may close within the step: by
// the velocities that hold now, with a share for what impacts of the same step may change in them.

#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/contact/contact_detector.hpp>
#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

class ContactHorizon {
 public:
  /// Takes the velocities of the bodies `ids` that hold now, for a step h [s]; `extent` has one entry a body. Cost: one
  /// look at each of them. Here and below the bits do not depend on `threads`.
  void look(const System& system, std::span<const BodyId> ids, std::span<const double> extent, double h,
            int threads = 1);

  /// By body: what it may travel and h² |g| and 1e-3 of its extent; obstacles: what they travel [m]. What a resting
  /// body creeps counts nothing, so that its reach stays the same to the bit.
  [[nodiscard]] std::span<const double> reach() const noexcept { return reach_; }

  /// Those of `found` whose gap may close: gap + h V_n within the margins of both bodies and a quarter of what they may
  /// travel. Touching and penetrating ones always; those of two bodies that are not marked in `active` (one entry a
  /// body) never. In the order found; holds until the next call.
  [[nodiscard]] std::span<const DetectedContact> closing(const System& system, std::span<const DetectedContact> found,
                                                         std::span<const std::uint8_t> active, int threads = 1);

 private:
  double h_ = 0;
  std::vector<BodyMotion> motion_;
  std::vector<double> reach_, margin_;  // by body; the margin is what of its reach every contact gets
  std::vector<DetectedContact> closing_;
  std::vector<std::uint8_t> closes_;  // by contact found
  std::vector<std::size_t> first_;    // by run of those, one more at the end: how many close before
};

}  // namespace locdyn::detail
