#pragma once
// Contacts over time: what detection finds is matched with what it found before, so that a contact keeps its identity,
// its frame (transported, it never jumps; t1 along the direction of friction where there is one), its reaction (the
// warm start), its velocity, the stretch of its spring along the surface and whether it sticks. Only what comes and
// goes is inserted and removed.
//
// Restitution is for impacts. A step of h resolves no bounce of a body that gravity alone has given its speed within
// one step: it would leave, fall back and hit for ever, once every two steps at h |g| / (1 + e), where in truth the
// bounces have come to an end. So what approaches at no more than h |g| has e = 0, and comes to rest.

#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/stepping/kept_contacts.hpp>
#include <locdyn/simulation/stepping/placed_contact.hpp>
#include <locdyn/simulation/stepping/point_matching.hpp>

namespace locdyn::detail {

class ContactTracker {
 public:
  /// `system` outlives the tracker.
  explicit ContactTracker(System& system) : system_(system) {}
  /// Takes the contacts out of the graph: another tracker may follow.
  ~ContactTracker();
  ContactTracker(const ContactTracker&) = delete;
  ContactTracker& operator=(const ContactTracker&) = delete;

  /// Takes what was detected at the configuration that holds now. `moved` and `extent` have one entry a body. A gap of
  /// rounding size (1e-9 of the smaller body) counts as closed. Cost: linear in the contacts, quadratic in those of
  /// one pair. Where the system's modifier throws, or leaves what has no meaning, so does this, and no contact is left.
  /// The modifier is asked by one thread, in the order of `contacts`.
  void update(std::span<const DetectedContact> detected, std::span<const std::uint8_t> moved,
              std::span<const double> extent, const TrackingOptions& options);

  /// Reads R and U of the solved step back, and who slips: a sticking contact on the cone's edge that moves along it,
  /// until it stops. `slip_speed` [m/s]: below it counts as stopped. The bits do not depend on `threads`.
  void read_reactions(double slip_speed, int threads = 1);

  /// In the order of their pairs; each stays where it is for its life.
  [[nodiscard]] std::span<const TrackedContact* const> contacts() const noexcept { return contacts_; }
  /// By contact, as of the last `update`: kNone where it is not in the graph.
  [[nodiscard]] std::span<const ConstraintId> constraints() const noexcept { return constraint_; }
  [[nodiscard]] std::uint64_t next_identity() const noexcept { return next_identity_; }

  /// Takes the contacts of islands that fall asleep, those of bodies marked in `asleep` (one entry a body), out of the
  /// graph and hands them over in the order of `contacts`.
  [[nodiscard]] std::vector<TrackedContact> release(std::span<const std::uint8_t> asleep);
  /// The contacts of an island that wakes, in that order; the graph gets them at the next `update`.
  void take_back(std::span<const TrackedContact> woken);

  /// Ends contacts of shapes that were removed from the system.
  void forget_removed();

  /// Takes over contacts of a saved run; the graph gets them at the next `update`.
  void restore(std::span<const TrackedContact> contacts, std::uint64_t next_identity);

 private:
  // The contacts of one pair: as found, which is where they lie in `contacts_`, too, and in `before_`.
  struct TrackedPair {
    std::size_t first, count, first_before, count_before;
    bool still = false;   // nothing has moved
    bool changes = true;  // a contact of it comes, goes or is another in the graph
  };
  // Of one run of pairs.
  struct Workspace {
    const BodyMotion& drive_of(const Body& obstacle);

    PointMatching matching;
    const Body* driven = nullptr;  // the obstacle asked for last, and its motion
    BodyMotion drive;
  };
  // What is to become of a contact in the graph: it stays, it goes, or it comes, anew where it was there already.
  enum class InGraph : std::uint8_t { as_it_is, out, in };

  void find_pairs(std::span<const DetectedContact> detected);
  void follow(TrackedPair& pair, std::span<const DetectedContact> detected, std::span<const std::uint8_t> moved,
              std::span<const double> extent, const TrackingOptions& options, Workspace& work);
  [[nodiscard]] bool hits(const TrackedContact& contact) const {
    return contact.pair.restitution != 0 && comes_fast(contact);
  }
  [[nodiscard]] bool comes_fast(const TrackedContact& contact) const;
  [[nodiscard]] InGraph settle(TrackedContact& contact, bool still, double time) const;
  [[nodiscard]] InGraph renew(TrackedContact& contact) const;
  void put_into_graph(TrackedContact& contact, InGraph change);
  void insert(TrackedContact& contact);
  void renew_ids();  // where many of the graph are in disuse, so that arrays by id are as long as what is awake
  void take_out(TrackedContact& contact);
  void end_one(TrackedContact* contact);
  void end_those_before(std::size_t& at, std::size_t end);
  void end_all() noexcept;

  System& system_;
  KeptContacts kept_;
  std::vector<TrackedContact*> contacts_, before_;        // of this step; of that before, without those that go on
  std::vector<PairContacts> found_pairs_, before_pairs_;  // of those two
  bool other_contacts_ = false;                           // than those of the pairs found last
  std::vector<TrackedPair> pairs_;
  std::vector<Workspace> work_;  // by run of pairs
  std::vector<InGraph> change_;  // by contact
  std::vector<ConstraintId> constraint_;
  std::uint64_t next_identity_ = 1;
  double step_ = 0;          // h of the step that `update` was for
  double impact_speed_ = 0;  // and what gravity makes of a speed in it [m/s]
};

}  // namespace locdyn::detail
