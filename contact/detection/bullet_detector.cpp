#include <locdyn/contact/detection/bullet_detector.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/threads/loops.hpp>

#include "broad_phase.hpp"
#include "placed_shape.hpp"

namespace locdyn {
using namespace detail;
namespace {

using detection::Bounds;
using detection::PairPoint;
using detection::PlacedShape;

// Bodies and pairs that a thread takes at a time.
constexpr std::int64_t kBodies = 64;
constexpr std::size_t kPairs = 256;

std::uint64_t key(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{low} << 32 | high;
}

class BulletDetector final : public ContactDetector {
 public:
  ColliderId add(const Collider& collider, const BodySet& bodies) override {
    validate(collider, bodies);
    if (dynamic_cast<const PseudoRigidBody*>(&bodies[collider.body]) != nullptr) {
      throw std::invalid_argument("body: expected one that keeps its shape, found pseudo-rigid body " +
                                  std::to_string(collider.body));
    }
    const auto id = static_cast<ColliderId>(items_.size());
    Item item{collider.body,
              collider.groups,
              collider.collides_with,
              collider.position,
              collider.orientation.normalized().toRotationMatrix(),
              PlacedShape(collider.shape)};
    item.as_body = item.position == Eigen::Vector3d::Zero() && item.rotation == Eigen::Matrix3d::Identity();
    items_.push_back(std::move(item));
    const bool obstacle = bodies[collider.body].freedoms() == 0;
    obstacles_first_ = obstacles_first_ && (!obstacle || obstacle_.empty() || obstacle_.back() != 0);
    obstacle_.push_back(obstacle ? 1 : 0);
    if (of_body_.size() <= collider.body) of_body_.resize(collider.body + 1);
    of_body_[collider.body].push_back(id);
    fresh_ = true;
    return id;
  }

  void remove(ColliderId id) override {
    std::erase(of_body_[items_[id].body], id);
    broad_.remove(id);
    items_[id].removed = true;
    fresh_ = true;
  }

  void exclude(BodyId a, BodyId b) override {
    const std::uint64_t pair = key(std::min(a, b), std::max(a, b));
    const auto place = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
    if (place == excluded_.end() || *place != pair) excluded_.insert(place, pair);
    broad_.forget_pairs();
    fresh_ = true;
  }

  std::span<const DetectedContact> detect(const BodySet& bodies, std::span<const double> reach,
                                          std::span<const std::uint8_t> moved) override {
    all_.resize(bodies.id_bound());
    std::iota(all_.begin(), all_.end(), BodyId{0});
    return detect_among(bodies, all_, reach, moved);
  }

  std::span<const DetectedContact> detect_among(const BodySet& bodies, std::span<const BodyId> active,
                                                std::span<const double> reach,
                                                std::span<const std::uint8_t> moved) override {
    check(bodies, active, reach, moved);
    if (!find_changes(active, reach, moved)) return now_.contacts;
    known_ = false;  // until the end: an error on the way leaves nothing half done
    place_colliders(bodies, active, reach);
    find_points(reach);
    reach_.resize(reach.size());
    for (const BodyId body : active) {
      reach_[body] = reach[body];
      changed_[body] = 0;
    }
    colliders_known_ = items_.size();
    known_ = true;
    fresh_ = false;
    return now_.contacts;
  }

  void set_threads(int threads) override { threads_ = threads; }

 private:
  struct Item {
    BodyId body;
    std::uint32_t groups, collides_with;
    Eigen::Vector3d position;
    Eigen::Matrix3d rotation;  // from the shape to the body
    PlacedShape shape;
    bool removed = false;
    bool as_body = false;  // does it lie as its body does, so that the body's pose places it?
  };
  // What one call finds.
  struct Found {
    std::vector<std::uint64_t> pairs;  // in order, by the key of master and slave
    std::vector<std::size_t> first;    // by pair, one more at the end: of its contacts
    std::vector<DetectedContact> contacts;
  };
  // What a run of pairs has found; its places are kept from step to step.
  struct Run {
    std::vector<PairPoint> points;
    std::vector<DetectedContact> contacts;
    std::size_t first = 0;  // of them among all
  };

  static void check(const BodySet& bodies, std::span<const BodyId> active, std::span<const double> reach,
                    std::span<const std::uint8_t> moved) {
    const auto sized = [&](std::size_t found, const char* what) {
      if (found == bodies.id_bound()) return;
      throw std::invalid_argument(std::string(what) + ": expected one entry a body, " +
                                  std::to_string(bodies.id_bound()) + ", found " + std::to_string(found));
    };
    sized(reach.size(), "reach");
    sized(moved.size(), "moved");
    for (const BodyId body : active) {
      if (body >= bodies.id_bound()) {
        throw std::invalid_argument("active: expected bodies below " + std::to_string(bodies.id_bound()) + ", found " +
                                    std::to_string(body));
      }
      if (reach[body] >= 0 && std::isfinite(reach[body])) continue;
      throw std::invalid_argument("reach: expected a finite number >= 0, found " + spelled(reach[body]) + " for body " +
                                  std::to_string(body));
    }
  }

  // Which bodies lie elsewhere than at the last call, or reach elsewhere, or have come to rest; false where none does.
  bool find_changes(std::span<const BodyId> active, std::span<const double> reach,
                    std::span<const std::uint8_t> moved) {
    changed_.resize(moved.size(), 0);
    const bool others = follow_active(active);
    bool any = fresh_ || !known_ || others;
    for (const BodyId body : active) {
      changed_[body] = !known_ || body >= reach_.size() || moved[body] || reach[body] != reach_[body];
      any = any || changed_[body];
    }
    return any;
  }

  // Tells the broad phase which bodies have joined or left those that may move; true where any has.
  bool follow_active(std::span<const BodyId> active) {
    if (std::ranges::equal(active, active_)) return false;
    resting_.clear();
    std::ranges::set_difference(active_, active, std::back_inserter(resting_));
    for (const BodyId body : resting_) set_resting(body, true);
    resting_.clear();
    std::ranges::set_difference(active, active_, std::back_inserter(resting_));
    for (const BodyId body : resting_) set_resting(body, false);
    active_.assign(active.begin(), active.end());
    return true;
  }

  void set_resting(BodyId body, bool resting) {
    for (const ColliderId id : colliders_of(body)) {
      if (id < colliders_known_) broad_.set_resting(id, resting);
    }
  }

  [[nodiscard]] std::span<const ColliderId> colliders_of(BodyId body) const {
    return body < of_body_.size() ? std::span<const ColliderId>(of_body_[body]) : std::span<const ColliderId>();
  }

  void place_colliders(const BodySet& bodies, std::span<const BodyId> active, std::span<const double> reach) {
    bounds_.resize(items_.size());
    in_parallel(std::ssize(active), threads_, kBodies, [&](std::int64_t i) {
      if (changed_[active[i]]) place_body(bodies, active[i], 0, reach);
    });
    for (const BodyId body : active) {
      if (!changed_[body]) continue;
      for (const ColliderId id : colliders_of(body)) broad_.set(id, bounds_[id]);
    }
    for (std::size_t id = colliders_known_; id < items_.size(); ++id) {
      const BodyId body = items_[id].body;
      if (changed_[body] || items_[id].removed) continue;
      place_body(bodies, body, id, reach);
      broad_.set(static_cast<ColliderId>(id), bounds_[id]);
    }
  }

  // Its colliders from `first` on.
  void place_body(const BodySet& bodies, BodyId body, std::size_t first, std::span<const double> reach) {
    Eigen::Matrix3d Q;
    Eigen::Vector3d x;
    bool have = false;
    for (const ColliderId id : colliders_of(body)) {
      if (id < first) continue;
      if (!have) pose_of(bodies, body, Q, x);
      have = true;
      Item& item = items_[id];
      item.as_body ? item.shape.place(Q, x) : item.shape.place(Q * item.rotation, x + Q * item.position);
      Bounds& bounds = bounds_[id] = item.shape.bounds();
      const Eigen::Vector3d margin = Eigen::Vector3d::Constant(reach[body]);
      bounds.low -= margin;
      bounds.high += margin;
    }
  }

  static void pose_of(const BodySet& bodies, BodyId id, Eigen::Matrix3d& Q, Eigen::Vector3d& x) {
    const Body& body = bodies[id];
    if (const RigidBody* rigid = body.rigid()) {
      x = rigid->position();
      Q = rigid->rotation();
    } else {
      x = body.to_space(Eigen::Vector3d::Zero());
      for (int axis = 0; axis < 3; ++axis) Q.col(axis) = body.to_space(Eigen::Vector3d::Unit(axis)) - x;
    }
    if (std::isfinite(x.sum() + Q.sum())) return;
    throw std::invalid_argument("body " + std::to_string(id) + ": expected a finite position, found (" + spelled(x[0]) +
                                ", " + spelled(x[1]) + ", " + spelled(x[2]) + ")");
  }

  [[nodiscard]] bool may_pair(ColliderId a, ColliderId b) const {
    const Item &p = items_[a], &q = items_[b];
    if (p.body == q.body || (obstacle_[a] != 0 && obstacle_[b] != 0)) return false;
    if ((p.groups & q.collides_with) == 0 || (q.groups & p.collides_with) == 0) return false;
    return !std::binary_search(excluded_.begin(), excluded_.end(),
                               key(std::min(p.body, q.body), std::max(p.body, q.body)));
  }

  void find_points(std::span<const double> reach) {
    const auto may_pair_up = [this](std::uint32_t a, std::uint32_t b) {
      return may_pair(ColliderId{a}, ColliderId{b});
    };
    const auto& pairs = broad_.pairs(may_pair_up, threads_);
    std::swap(now_, before_);
    obstacles_first_ ? now_.pairs.assign(pairs.begin(), pairs.end()) : put_obstacles_first(pairs, now_.pairs);
    now_.first.resize(now_.pairs.size() + 1);
    const auto runs = static_cast<std::int64_t>((now_.pairs.size() + kPairs - 1) / kPairs);
    if (runs_.size() < static_cast<std::size_t>(runs)) runs_.resize(runs);
    const auto of_run = [](auto& by_pair, std::int64_t run, std::size_t count) {
      const std::size_t first = run * kPairs;
      return std::span(by_pair).subspan(first, std::min(kPairs, count - first));
    };
    in_parallel(runs, threads_, 1, [&](std::int64_t run) {
      find_points(of_run(std::as_const(now_.pairs), run, now_.pairs.size()), reach, runs_[run],
                  of_run(now_.first, run, now_.pairs.size()));
    });
    std::size_t count = 0;
    for (std::int64_t run = 0; run < runs; ++run) {
      runs_[run].first = count;
      count += runs_[run].contacts.size();
    }
    now_.first.back() = count;
    now_.contacts.resize(count);
    in_parallel(runs, threads_, 1, [&](std::int64_t run) {
      const Run& found = runs_[run];
      std::copy(found.contacts.begin(), found.contacts.end(), now_.contacts.begin() + std::ptrdiff_t(found.first));
      for (std::size_t& first : of_run(now_.first, run, now_.pairs.size())) first += found.first;
    });
  }

  // The obstacle's collider comes first, which may be the one of higher id; the others are in order as they are.
  void put_obstacles_first(std::span<const std::uint64_t> pairs, std::vector<std::uint64_t>& order) {
    order.clear();
    turned_.clear();
    for (const std::uint64_t pair : pairs) {
      const auto low = static_cast<ColliderId>(pair >> 32), high = static_cast<ColliderId>(pair);
      obstacle_[high] != 0 ? turned_.push_back(key(high, low)) : order.push_back(pair);
    }
    const auto middle = static_cast<std::ptrdiff_t>(order.size());
    std::sort(turned_.begin(), turned_.end());
    order.insert(order.end(), turned_.begin(), turned_.end());
    std::inplace_merge(order.begin(), order.begin() + middle, order.end());
  }

  // Of a run of pairs: the points of those whose boxes overlap, taken over where neither body has changed, and where
  // they begin among them.
  void find_points(std::span<const std::uint64_t> pairs, std::span<const double> reach, Run& run,
                   std::span<std::size_t> first) const {
    run.contacts.clear();
    auto old = std::lower_bound(before_.pairs.begin(), before_.pairs.end(), pairs[0]);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      first[i] = run.contacts.size();
      if (!broad_.overlap(pairs[i])) continue;
      const auto master = static_cast<ColliderId>(pairs[i] >> 32), slave = static_cast<ColliderId>(pairs[i]);
      const BodyId a = items_[master].body, b = items_[slave].body;
      if (!changed_[a] && !changed_[b]) {
        while (old != before_.pairs.end() && *old < pairs[i]) ++old;
        if (old != before_.pairs.end() && *old == pairs[i]) {
          const auto at = before_.first.begin() + (old - before_.pairs.begin());
          const auto contacts = before_.contacts.begin();
          run.contacts.insert(run.contacts.end(), contacts + std::ptrdiff_t(at[0]), contacts + std::ptrdiff_t(at[1]));
          continue;
        }
      }
      run.points.clear();
      PlacedShape::collide(items_[master].shape, items_[slave].shape, reach[a] + reach[b], run.points);
      for (const PairPoint& point : run.points) {
        run.contacts.push_back({master, slave, point.point, point.normal, point.gap});
      }
    }
  }

  std::vector<Item> items_;
  std::vector<std::uint8_t> obstacle_;  // by item: is its body one?
  bool obstacles_first_ = true;         // none has a higher id than one that is none
  std::vector<std::uint64_t> excluded_;
  detection::BroadPhase broad_;

  int threads_ = 1;
  bool known_ = false;  // is there a last call to go by?
  bool fresh_ = false;  // colliders or exclusions since then
  std::size_t colliders_known_ = 0;
  std::vector<std::vector<ColliderId>> of_body_;
  std::vector<double> reach_;  // of the last call that had the body
  std::vector<std::uint8_t> changed_;
  std::vector<BodyId> active_, all_, resting_;  // those of the last call; every body; a difference of two sets
  std::vector<std::uint64_t> turned_;           // pairs of an obstacle of higher id
  std::vector<Bounds> bounds_;
  std::vector<Run> runs_;
  Found now_, before_;
};

}  // namespace

std::unique_ptr<ContactDetector> make_bullet_detector() {
  return std::make_unique<BulletDetector>();
}

}  // namespace locdyn
