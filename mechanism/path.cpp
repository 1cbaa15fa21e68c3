#include <locdyn/mechanism/path.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/dead_point.hpp>
#include <locdyn/mechanism/jacobian_check.hpp>
#include <locdyn/mechanism/path_parameter.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kStraight = 0.8;   // cosine between the direction expected and that found
constexpr double kSingular = 1e-6;  // a smallest singular value that counts as none
constexpr double kNearlySingular = 1e-3;
constexpr double kNarrow = 1e-10;  // of a step: how far the place of a rank loss is narrowed
constexpr int kRejectionsForSearch = 3;
constexpr double kMostPoints = 1e15;  // more are no count

void check(const PathOptions& options) {
  require_finite(options.from, "from");
  require_finite(options.to, "to");
  require_positive(options.step, "step");
  if (const double points = std::abs(options.to - options.from) / options.step; !(points <= kMostPoints)) {
    throw std::invalid_argument("step: expected at most 1e15 points from `from` to `to`, found " + spelled(points));
  }
  require_finite(options.rate, "rate");
  const auto require_share = [](double value, const char* what) {
    if (value > 0 && value < 1) return;
    throw std::invalid_argument(std::string(what) + ": expected a number in (0, 1), found " + spelled(value));
  };
  require_share(options.branch, "branch");
  require_share(options.smallest_step, "smallest_step");
}

class Path {
 public:
  Path(Mechanism& mechanism, PathParameter& parameter, std::optional<DriveId> drive, const PathOptions& options,
       const PathVisit& visit)
      : mechanism_(mechanism),
        parameter_(parameter),
        drive_(drive),
        options_(options),
        visit_(visit),
        sign_(options.to < options.from ? -1 : 1) {}

  PathReport run() {
    const MechanismState before = mechanism_.state();
    if (!start()) {
      mechanism_.restore(before);
      return std::move(report_);
    }
    const double length = std::abs(options_.to - options_.from);
    const auto count = static_cast<long>(std::ceil(length / options_.step * (1 - 1e-12)));
    for (long k = 1; k <= count; ++k) {
      const double target = k == count ? options_.to : options_.from + sign_ * static_cast<double>(k) * options_.step;
      if (!go_to(target)) return std::move(report_);
    }
    report_.status = PathStatus::reached;
    return std::move(report_);
  }

 private:
  // A place on the path that was taken.
  struct Place {
    double s = 0;
    MechanismState state;
    PathTangent tangent;
    double residual = 0;
  };

  bool start() {
    parameter_.set(options_.from);
    const CloseReport closing = close(mechanism_, options_.close);
    if (!closing.closed()) {
      report_.rejected = closing;
      return false;
    }
    base_ = {.s = options_.from,
             .state = mechanism_.state(),
             .tangent = parameter_.tangent({}),
             .residual = closing.residual};
    note_rank_loss(base_);
    arrive(0);
    return true;
  }

  // From the base to a point, in as many steps as it takes.
  bool go_to(double target) {
    const double smallest = options_.smallest_step * options_.step;
    int steps = 0, rejections = 0;
    while (base_.s != target) {
      const double left = target - base_.s;
      step_ = std::min(step_, options_.step);
      const bool last = std::abs(left) <= step_ * (1 + 1e-12);
      const double s = last ? target : base_.s + sign_ * step_;
      if (std::optional<Place> next = step_to(s)) {
        take(std::move(*next));
        ++steps;
        rejections = 0;
        step_ *= 2;
        continue;
      }
      ++report_.halvings;
      step_ = std::min(step_, std::abs(left)) / 2;
      if (++rejections == kRejectionsForSearch && search_dead_point(s)) return false;
      if (step_ < smallest) return give_up();
    }
    arrive(steps);
    return true;
  }

  // The bodies at the predicted place for s; returns the largest displacement of one.
  double predict(const Place& from, double s) {
    mechanism_.restore(from.state);
    const double h = s - from.s;
    const Eigen::VectorXd d = h * from.tangent.first + 0.5 * h * h * from.tangent.second;
    mechanism_.displace(d);
    parameter_.set(s);
    return mechanism_.largest_displacement(d);
  }

  std::optional<Place> step_to(double s) {
    if (!base_.tangent.exists) return std::nullopt;
    const double moved = predict(base_, s);
    const CloseReport closing = close(mechanism_, options_.close);
    const bool jumps = closing.moved > options_.branch * moved + 10 * options_.close.tolerance;
    if (!closing.closed() || jumps) {
      report_.rejected = closing;
      mechanism_.restore(base_.state);
      return std::nullopt;
    }
    const Eigen::VectorXd expected = base_.tangent.first + (s - base_.s) * base_.tangent.second;
    Place next{
        .s = s, .state = mechanism_.state(), .tangent = parameter_.tangent(expected), .residual = closing.residual};
    if (next.tangent.exists && !next.tangent.singular && !straight(expected, next.tangent.first)) {
      report_.rejected = closing;
      mechanism_.restore(base_.state);
      return std::nullopt;
    }
    // A singular place that drive and joints ask different things of can still be passed.
    if (next.tangent.singular && !next.tangent.exists) {
      next.tangent.first = expected;
      next.tangent.exists = true;
    }
    return next;
  }

  [[nodiscard]] bool straight(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
    const double lengths = mechanism_.length(a) * mechanism_.length(b);
    return lengths == 0 || a.dot(mechanism_.metric() * b) >= kStraight * lengths;
  }

  void take(Place next) {
    ++report_.steps;
    note_rank_loss(next);
    before_ = std::move(base_);
    base_ = std::move(next);
    if (oldest_) look_between();
    oldest_ = before_;
  }

  void note_rank_loss(const Place& place) {
    if (!place.tangent.singular) return;
    report_.singular.push_back({.kind = SingularPosition::Kind::rank_loss,
                                .value = place.s,
                                .weakest = place.tangent.weakest,
                                .constraints = place.tangent.constraints});
  }

  // Where the smallest singular value has been least in the middle of three places: is it zero beside it?
  void look_between() {
    const Place& middle = *before_;
    const double least = middle.tangent.weakest;
    if (middle.tangent.singular || oldest_->tangent.singular || base_.tangent.singular) return;
    if (!(least < oldest_->tangent.weakest && least < base_.tangent.weakest)) return;
    const auto weakest_at = [&](double s) {
      predict(*oldest_, s);
      close(mechanism_, options_.close);
      return parameter_.tangent(oldest_->tangent.first);
    };
    constexpr double kGolden = 0.6180339887498949;
    std::array<double, 4> s = {oldest_->s, 0, 0, base_.s};
    s[1] = s[3] - kGolden * (s[3] - s[0]);
    s[2] = s[0] + kGolden * (s[3] - s[0]);
    PathTangent one = weakest_at(s[1]), other = weakest_at(s[2]);
    while (std::abs(s[3] - s[0]) > kNarrow * options_.step) {
      if (one.weakest < other.weakest) {
        s = {s[0], s[2] - kGolden * (s[2] - s[0]), s[1], s[2]};
        other = std::move(one);
        one = weakest_at(s[1]);
      } else {
        s = {s[1], s[2], s[1] + kGolden * (s[3] - s[1]), s[3]};
        one = std::move(other);
        other = weakest_at(s[2]);
      }
    }
    const bool first = one.weakest < other.weakest;
    const PathTangent& found = first ? one : other;
    if (found.weakest < kSingular) {
      report_.singular.push_back({.kind = SingularPosition::Kind::rank_loss,
                                  .value = first ? s[1] : s[2],
                                  .weakest = found.weakest,
                                  .constraints = found.constraints});
    }
    mechanism_.restore(base_.state);
  }

  // The bodies there, with the velocities of the rate asked for.
  void stay_at_base() {
    mechanism_.restore(base_.state);
    report_.reached = base_.s;
    const double rate = parameter_.set_rate(options_.rate);
    if (base_.tangent.exists) mechanism_.set_velocity(rate * base_.tangent.first);
  }

  void arrive(int steps) {
    stay_at_base();
    report_.points.push_back(
        {.value = base_.s, .residual = base_.residual, .weakest = base_.tangent.weakest, .steps = steps});
    if (visit_) visit_(report_.points.back());
  }

  // No step of this size is left: does s turn back before `s`?
  bool search_dead_point(double s) {
    if (!drive_ || !base_.tangent.exists) return false;
    mechanism_.restore(base_.state);
    const double length = mechanism_.length(base_.tangent.first) * std::abs(s - base_.s);
    const std::optional<double> found =
        find_dead_point(mechanism_, *drive_, base_.tangent.first, sign_, s, length, options_.close);
    if (!found) return false;
    const PathTangent tangent = parameter_.tangent(base_.tangent.first);
    end_at_dead_point(*found, tangent);
    return true;
  }

  // The bodies stay there at rest: no rate of the drive has velocities.
  void end_at_dead_point(double s, const PathTangent& tangent) {
    mechanism_.set_velocity(Eigen::VectorXd::Zero(mechanism_.coordinates()));
    report_.singular.push_back({.kind = SingularPosition::Kind::dead_point,
                                .value = s,
                                .weakest = tangent.weakest,
                                .constraints = tangent.constraints,
                                .contradiction = tangent.contradiction});
    report_.status = PathStatus::dead_point;
    report_.reached = s;
  }

  bool give_up() {
    stay_at_base();
    if (!base_.tangent.exists || base_.tangent.weakest < kNearlySingular) {
      end_at_dead_point(base_.s, base_.tangent);
    } else {
      report_.status = PathStatus::does_not_close;
    }
    return false;
  }

  Mechanism& mechanism_;
  PathParameter& parameter_;
  std::optional<DriveId> drive_;
  const PathOptions& options_;
  const PathVisit& visit_;
  double sign_;
  double step_ = std::numeric_limits<double>::infinity();
  Place base_;
  std::optional<Place> before_, oldest_;
  PathReport report_;
};

PathReport go_along(Mechanism& mechanism, PathParameter& parameter, std::optional<DriveId> drive,
                    const PathOptions& options, const PathVisit& visit) {
  check(options);
  require_jacobians(mechanism);
  const MechanismState start = mechanism.state();
  try {
    return Path(mechanism, parameter, drive, options, visit).run();
  } catch (...) {
    mechanism.restore(start);
    throw;
  }
}

}  // namespace

std::string PathReport::message() const {
  if (status == PathStatus::reached) return {};
  if (status == PathStatus::does_not_close) {
    return "path: expected configurations that close, found none " +
           (points.empty() ? "to start from" : "after " + spelled(reached)) + ": " +
           (rejected.closed() ? "what closes lies on another branch" : rejected.message());
  }
  if (const std::string& why = singular.back().contradiction; !why.empty()) {
    return "path: expected to go on from " + spelled(reached) + ", found that " + why + " there";
  }
  std::string text = "path: expected to go on, found a dead point at " + spelled(reached);
  const char* separator = " between ";
  for (const std::string& name : singular.back().constraints) {
    text += separator + name;
    separator = ", ";
  }
  return text;
}

PathReport follow(Mechanism& mechanism, DriveId drive, const PathOptions& options, const PathVisit& visit) {
  if (mechanism.row_of(drive) < 0) {
    throw std::invalid_argument("path: expected a drive that is held, found drive " + std::to_string(drive) +
                                " released");
  }
  const std::unique_ptr<PathParameter> parameter = along_drive(mechanism, drive);
  return go_along(mechanism, *parameter, drive, options, visit);
}

PathReport follow_time(Mechanism& mechanism, const PathOptions& options, const PathVisit& visit) {
  const std::unique_ptr<PathParameter> parameter = along_time(mechanism);
  return go_along(mechanism, *parameter, std::nullopt, options, visit);
}

}  // namespace locdyn
