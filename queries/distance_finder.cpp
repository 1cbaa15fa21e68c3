#include <locdyn/queries/distance_finder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/queries/bounds_tree.hpp>
#include <locdyn/queries/placed_colliders.hpp>
#include <locdyn/queries/shape_gap.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {

using namespace detail;
namespace {

constexpr std::int64_t kProbesAtOnce = 16;

// A probe, or a point, ready to be measured.
struct Asked {
  GapForm form;
  Eigen::Matrix3d Q = Eigen::Matrix3d::Identity();
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();

  [[nodiscard]] PosedForm posed() const { return {&form, Q, middle}; }
};

void check_threads(int threads) {
  if (threads < 1) {
    throw std::invalid_argument("distance finder: expected at least 1 thread, found " + std::to_string(threads));
  }
}
void check_reach(double reach, const std::string& what) {
  if (!(reach >= 0)) {
    throw std::invalid_argument(what + ": expected a reach of at least 0, found " + spelled(reach));
  }
}

Asked asked(const Eigen::Vector3d& point, const std::string& what) {
  if (!point.allFinite()) {
    throw std::invalid_argument(what + ": expected finite coordinates, found " + spelled_vector(point));
  }
  return {.form = ConvexCore{.points = {Eigen::Vector3d::Zero()}}, .middle = point};
}

Asked asked(const Probe& probe, const std::string& what) {
  try {
    validate(probe.shape);
  } catch (const std::invalid_argument& fault) {
    throw std::invalid_argument(what + ": " + fault.what());
  }
  if (!is_solid(probe.shape)) {
    throw std::invalid_argument(what + ": expected a solid shape, found " + std::string(name_of(probe.shape)));
  }
  if (!probe.position.allFinite()) {
    throw std::invalid_argument(what + ": expected a finite position, found " + spelled_vector(probe.position));
  }
  const double length = probe.orientation.coeffs().norm();
  if (!(std::abs(length - 1) <= 1e-6)) {
    throw std::invalid_argument(what + ": expected a quaternion of unit length, found one of length " +
                                spelled(length));
  }
  return {gap_form_of(probe.shape), probe.orientation.normalized().toRotationMatrix(), probe.position};
}

std::string numbered(const char* what, std::size_t i) {
  return std::string(what) + ' ' + std::to_string(i);
}

struct AskedSweep {
  Asked probe;
  Eigen::Vector3d u;
  double reach;
};

AskedSweep asked(const Sweep& sweep, const std::string& what) {
  const double length = sweep.direction.stableNorm();
  if (!(length > 0 && std::isfinite(length))) {
    throw std::invalid_argument(what + ": expected a direction of finite length > 0, found " +
                                spelled_vector(sweep.direction));
  }
  check_reach(sweep.reach, what);
  return {asked(sweep.probe, what), sweep.direction.stableNormalized(), sweep.reach};
}

}  // namespace

struct DistanceFinder::Parts {
  const System& system;
  std::vector<std::optional<GapForm>> forms;  // by collider, made once
  std::vector<std::int64_t> place_of;         // by collider, −1 where it is gone
  std::vector<PlacedCollider> placed;
  BoundsTree tree;

  explicit Parts(const System& of) : system(of) {}

  [[nodiscard]] PosedForm posed(const PlacedCollider& at) const { return {&*forms[at.id], at.Q, at.middle}; }
  [[nodiscard]] const PlacedCollider& at(ColliderId id) const {
    if (id >= place_of.size() || place_of[id] < 0) {
      throw std::invalid_argument("distance finder: expected a collider of the system, found " +
                                  std::to_string(id.value()));
    }
    return placed[static_cast<std::size_t>(place_of[id])];
  }
  static Separation separation(const Gap& gap, const PlacedCollider& second) {
    return {gap.distance, gap.normal, gap.on_first, gap.on_second, second.id, second.body};
  }
  static bool passes(const PlacedCollider& at, const QueryFilter& filter) {
    return at.body != filter.without && (at.groups & filter.groups) != 0;
  }

  [[nodiscard]] Separation between(ColliderId first, ColliderId second) const {
    const PlacedCollider &a = at(first), &b = at(second);
    if (first == second) {
      throw std::invalid_argument("distance finder: expected two colliders, found " + std::to_string(first.value()) +
                                  " twice");
    }
    const auto gap = gap_of(posed(a), posed(b), kInfinite);
    if (!gap) throw std::invalid_argument("distance finder: expected a shape beside a plane, found two planes");
    return separation(*gap, b);
  }

  // Calls found(gap, collider, most) for shapes no farther than `most`; it returns how far to look on.
  template <class Found>
  void around(const Asked& probe, double reach, const QueryFilter& filter, const Found& found) const {
    const PosedForm form = probe.posed();
    tree.around(form.bounds(), reach, [&](std::uint32_t k, double most) {
      if (!passes(placed[k], filter)) return most;
      const auto gap = gap_of(form, posed(placed[k]), most);
      return gap ? found(*gap, placed[k], most) : most;
    });
  }

  [[nodiscard]] std::optional<Separation> nearest(const Asked& probe, double reach, const QueryFilter& filter) const {
    std::optional<Separation> best;
    around(probe, reach, filter, [&](const Gap& gap, const PlacedCollider& at, double most) {
      if (!best || std::pair(gap.distance, at.id) < std::pair(best->distance, best->collider)) {
        best = separation(gap, at);
      }
      return std::min(most, std::max(0.0, gap.distance));
    });
    return best;
  }

  [[nodiscard]] std::optional<RayHit> sweep(const AskedSweep& sweep, const QueryFilter& filter) const {
    const PosedForm form = sweep.probe.posed();
    const Bounds box = form.bounds();
    std::optional<RayHit> best;
    tree.along(BoxRay(0.5 * (box.low + box.high), sweep.u, 0.5 * (box.high - box.low)), sweep.reach,
               [&](std::uint32_t k, double most) {
                 const PlacedCollider& at = placed[k];
                 if (!passes(at, filter)) return most;
                 const auto found = meeting_of(form, sweep.u, most, posed(at));
                 if (!found) return most;
                 const RayHit hit{found->t, found->apart.on_second, -found->apart.normal, at.id, at.body};
                 if (!best || std::tie(hit.distance, hit.collider) < std::tie(best->distance, best->collider)) {
                   best = hit;
                 }
                 return std::min(most, hit.distance);
               });
    return best;
  }

  // What `ask` makes of each of `all`, which is checked first; `what` names one at fault.
  template <class All, class Ask>
  auto each(const All& all, const char* what, int threads, const Ask& ask) const {
    check_threads(threads);
    std::vector<decltype(asked(all[0], ""))> ready;
    ready.reserve(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) ready.push_back(asked(all[i], numbered(what, i)));
    std::vector<decltype(ask(ready[0]))> found(all.size());
    parallel_for(std::ssize(all), threads, kProbesAtOnce,
                 [&](std::int64_t i) { found[static_cast<std::size_t>(i)] = ask(ready[static_cast<std::size_t>(i)]); });
    return found;
  }
};

DistanceFinder::DistanceFinder(const System& system) : parts_(std::make_unique<Parts>(system)) {
  update();
}
DistanceFinder::~DistanceFinder() = default;
DistanceFinder::DistanceFinder(DistanceFinder&&) noexcept = default;
DistanceFinder& DistanceFinder::operator=(DistanceFinder&&) noexcept = default;

void DistanceFinder::update() {
  const System& system = parts_->system;
  std::vector<PlacedCollider> placed = placed_colliders(system, "distance finder");
  parts_->forms.resize(system.colliders().size());
  parts_->place_of.assign(system.colliders().size(), -1);
  std::vector<Bounds> boxes;
  for (std::size_t k = 0; k < placed.size(); ++k) {
    std::optional<GapForm>& form = parts_->forms[placed[k].id];
    if (!form) form = gap_form_of(system.colliders()[placed[k].id].shape);
    parts_->place_of[placed[k].id] = static_cast<std::int64_t>(k);
    boxes.push_back(parts_->posed(placed[k]).bounds());
  }
  parts_->tree = BoundsTree(std::move(boxes));
  parts_->placed = std::move(placed);
}

Separation DistanceFinder::between(ColliderId first, ColliderId second) const {
  return parts_->between(first, second);
}

std::vector<Separation> DistanceFinder::between_each(std::span<const std::pair<ColliderId, ColliderId>> pairs,
                                                     int threads) const {
  check_threads(threads);
  std::vector<Separation> found(pairs.size());
  in_parallel(std::ssize(pairs), threads, kProbesAtOnce, [&](std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    try {
      found[i] = parts_->between(pairs[i].first, pairs[i].second);
    } catch (const std::invalid_argument& fault) {
      throw std::invalid_argument(numbered("pair", i) + ": " + fault.what());
    }
  });
  return found;
}

std::optional<Separation> DistanceFinder::nearest(const Eigen::Vector3d& point, double reach,
                                                  const QueryFilter& filter) const {
  check_reach(reach, "point");
  return parts_->nearest(asked(point, "point"), reach, filter);
}

std::optional<Separation> DistanceFinder::nearest(const Probe& probe, double reach, const QueryFilter& filter) const {
  check_reach(reach, "probe");
  return parts_->nearest(asked(probe, "probe"), reach, filter);
}

std::vector<std::optional<Separation>> DistanceFinder::nearest_of_each(std::span<const Eigen::Vector3d> points,
                                                                       double reach, int threads,
                                                                       const QueryFilter& filter) const {
  check_reach(reach, "points");
  return parts_->each(points, "point", threads,
                      [&](const Asked& point) { return parts_->nearest(point, reach, filter); });
}

std::vector<std::optional<Separation>> DistanceFinder::nearest_of_each(std::span<const Probe> probes, double reach,
                                                                       int threads, const QueryFilter& filter) const {
  check_reach(reach, "probes");
  return parts_->each(probes, "probe", threads,
                      [&](const Asked& probe) { return parts_->nearest(probe, reach, filter); });
}

std::vector<Separation> DistanceFinder::within(const Probe& probe, double reach, const QueryFilter& filter) const {
  check_reach(reach, "probe");
  std::vector<Separation> found;
  parts_->around(asked(probe, "probe"), reach, filter, [&](const Gap& gap, const PlacedCollider& at, double most) {
    found.push_back(Parts::separation(gap, at));
    return most;
  });
  std::sort(found.begin(), found.end(), [](const Separation& a, const Separation& b) {
    return std::tie(a.distance, a.collider) < std::tie(b.distance, b.collider);
  });
  return found;
}

std::optional<RayHit> DistanceFinder::sweep(const Sweep& sweep, const QueryFilter& filter) const {
  return parts_->sweep(asked(sweep, "sweep"), filter);
}

std::vector<std::optional<RayHit>> DistanceFinder::sweep_each(std::span<const Sweep> sweeps, int threads,
                                                              const QueryFilter& filter) const {
  return parts_->each(sweeps, "sweep", threads, [&](const AskedSweep& sweep) { return parts_->sweep(sweep, filter); });
}

}  // namespace locdyn
