#include <locdyn/mechanism/smooth/inverse_dynamics.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/jacobian_check.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/rates.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kSmallest = 1e-6;  // of the whole time: what is left of a step after halving
constexpr double kNoMove = 1e-9;    // [m]: what closing may add in any case

using Reason = MotionError::Reason;

void check(const Mechanism& mechanism, const InverseOptions& options) {
  double before = mechanism.bodies().time();
  for (const double t : options.times) {
    if (!(t >= before && std::isfinite(t))) {
      throw std::invalid_argument("times: expected them ascending from that of the bodies, found " + spelled(t) +
                                  " after " + spelled(before));
    }
    before = t;
  }
  if (!(options.branch > 0 && options.branch < 1)) {
    throw std::invalid_argument("branch: expected a number in (0, 1), found " + spelled(options.branch));
  }
  for (const auto& [drive, program] : options.programs) {
    if (mechanism.row_of(drive) < 0) {
      throw std::invalid_argument("programs: expected drives that are held, found drive " + std::to_string(drive) +
                                  " released");
    }
    if (!program.value || !program.first || !program.second) {
      throw std::invalid_argument("programs: expected value, first and second derivative of drive " +
                                  std::to_string(drive) + ", found one missing");
    }
  }
}

class Inverse {
 public:
  Inverse(Mechanism& mechanism, const AppliedLoads& loads, const InverseOptions& options)
      : mechanism_(mechanism), loads_(loads), options_(options), accelerations_(mechanism) {
    smallest_ = options.times.empty() ? 0 : kSmallest * (options.times.back() - mechanism.bodies().time());
  }

  InversePoint at(double t) {
    if (!started_) start();
    while (mechanism_.bodies().time() < t) go_towards(t);
    AccelerationReport rates = accelerations_.solve(loads_);
    require_met(rates.met, Reason::contradictory, rates.residual, " m/s²", rates.at_fault);
    InversePoint point{.time = t, .drives = drive_forces(mechanism_, rates.multipliers)};
    for (DriveId drive = 0; drive < mechanism_.drive_count(); ++drive) {
      point.power += point.drives[static_cast<Eigen::Index>(drive)] * mechanism_.drive(drive).motion().rate;
    }
    point.rates = std::move(rates);
    return point;
  }

 private:
  // Where the bodies are: close, and rates. The first place may be some way off.
  void start() {
    set_drives(mechanism_.bodies().time());
    const CloseReport closing = close(mechanism_);
    require_jacobians(mechanism_);
    if (!closing.closed()) refuse(Reason::does_not_close, closing.message(), closing.worst_row);
    solve_rates();
    started_ = true;
  }

  // A step on, as far as the branch can be followed.
  void go_towards(double t) {
    const MechanismState here = mechanism_.state();
    const double h = std::min(t - here.time, step_ > 0 ? step_ : t - here.time);
    const Eigen::VectorXd d = h * mechanism_.velocity() + 0.5 * h * h * acceleration_;
    const bool last = h == t - here.time;
    mechanism_.displace(d);
    mechanism_.move_time(last ? t : here.time + h);
    set_drives(mechanism_.bodies().time());
    const CloseReport closing = close(mechanism_);
    const bool jumps = closing.moved > options_.branch * mechanism_.largest_displacement(d) + kNoMove;
    if (closing.closed() && !jumps) {
      solve_rates();
      if (!last) step_ = 2 * h;
      return;
    }
    // Obstacles go back as they came.
    mechanism_.restore(here);
    if (h / 2 < smallest_) {
      refuse(Reason::does_not_close,
             closing.closed() ? "expected to stay on a branch, found that none goes on" : closing.message(),
             closing.worst_row);
    }
    step_ = h / 2;
  }

  void set_drives(double t) {
    for (const auto& [drive, program] : options_.programs) {
      mechanism_.set_drive(drive, {program.value(t), program.first(t), program.second(t)});
    }
  }

  void solve_rates() {
    const RateReport velocities = solve_velocities(mechanism_);
    require_met(velocities.met, Reason::contradictory, velocities.residual, " m/s", velocities.at_fault);
    if (velocities.freedoms > 0) {
      refuse(Reason::no_solution, "expected drives that hold every freedom, found " +
                                      std::to_string(velocities.freedoms) + " left free" + loose_bodies());
    }
    const RateReport rates = solve_accelerations(mechanism_);
    require_met(rates.met, Reason::contradictory, rates.residual, " m/s²", rates.at_fault);
    acceleration_ = rates.value;
  }

  // Bodies that nothing holds at all.
  [[nodiscard]] std::string loose_bodies() const {
    std::string text;
    for (const BodyId body : mobility(mechanism_).loose) {
      text += (text.empty() ? ": no row acts on body " : ", ") + std::to_string(body);
    }
    return text;
  }

  void require_met(bool met, Reason reason, double residual, const char* unit, const std::string& row) const {
    if (met) return;
    refuse(reason, "expected rows that can be met together, found " + spelled(residual) + unit + " missing in " + row,
           row);
  }

  [[noreturn]] void refuse(Reason reason, const std::string& message, const std::string& row = {}) const {
    throw MotionError(reason, mechanism_.bodies().time(), message, row);
  }

  Mechanism& mechanism_;
  const AppliedLoads& loads_;
  const InverseOptions& options_;
  Accelerations accelerations_;
  Eigen::VectorXd acceleration_;
  double smallest_, step_ = 0;
  bool started_ = false;
};

}  // namespace

std::vector<InversePoint> inverse_dynamics(Mechanism& mechanism, const AppliedLoads& loads,
                                           const InverseOptions& options, const InverseVisit& visit) {
  mechanism.require_complete();
  check(mechanism, options);
  Inverse inverse(mechanism, loads, options);
  std::vector<InversePoint> points;
  MechanismState good = mechanism.state();
  const auto go_back = [&] { mechanism.restore(good); };
  for (const double t : options.times) {
    try {
      points.push_back(inverse.at(t));
    } catch (const MotionError&) {
      go_back();
      throw;
    } catch (const std::exception& fault) {
      go_back();
      throw MotionError(Reason::bad_function, t, fault.what());
    } catch (...) {
      go_back();
      throw;
    }
    good = mechanism.state();
    if (visit) visit(points.back());
  }
  return points;
}

}  // namespace locdyn
