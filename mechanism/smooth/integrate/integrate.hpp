#pragma once
// The motion of a mechanism forward in time with error control, by SUNDIALS, in the first-order form y = [q, u]
// (first_order_form.hpp): states wherever they are asked for, events, multipliers along the way.
//
// Source: Hindmarsh et al., ACM TOMS 31 (2005) 363–396; Gardner et al., ACM TOMS 48 (2022) 31; Eich, SIAM J. Numer.
// Anal. 30 (1993) 1467–1482 (projection).

#include <functional>
#include <string>
#include <vector>

#include <locdyn/mechanism/smooth/accelerations.hpp>
#include <locdyn/mechanism/smooth/stabilisation.hpp>

namespace locdyn {

/// The methods with error control.
enum class Integrator {
  runge_kutta,  ///< explicit, order 8: the default, for motion that is not stiff
  bdf,          ///< implicit, order 1–5: for stiff springs and dampers
  adams  ///< multistep, order 1–12: fewest evaluations where one is dear; constraints drift, outputs are projected
};

/// Something that happens where g goes through zero.
struct MotionEvent {
  /// Of the bodies and the time of the mechanism; continuous. Crossings there and back within one step are not seen.
  std::function<double(const Mechanism&)> g;
  /// The crossings of zero that count.
  enum class Direction { rising, falling, both } direction = Direction::both;
  bool stops = false;     ///< the motion ends there
  std::string name = {};  ///< for people
};

/// How far, how exactly, and what is told on the way.
struct IntegrateOptions {
  double until = 0;                                 ///< [s], not before the time of the bodies
  double rtol = 1e-9, atol = 1e-11;                 ///< of each number in y, > 0 and ≥ 0
  Integrator integrator = Integrator::runge_kutta;  ///< which one
  StabilisationOptions stabilisation = {};          ///< how it is kept on the constraints
  std::vector<double> output_times = {};            ///< [s], ascending, within the interval
  std::vector<MotionEvent> events = {};             ///< looked for on the way
  double first_step = 0;                            ///< [s], ≥ 0; 0: found
  double max_step = 0;       ///< [s], ≥ 0; 0: none. Shorter than anything that loads or drives do for a moment
  long max_steps = 1000000;  ///< > 0
};

/// An output time or an event.
struct MotionPoint {
  double time = 0;                ///< [s]
  long event = -1;                ///< its place among the events; −1: an output time
  AccelerationReport rates = {};  ///< u̇ and λ there
};
/// Called where the bodies have positions and velocities of that point, in order of time.
using MotionVisit = std::function<void(const MotionPoint&)>;

/// What a motion has come to.
struct MotionReport {
  double reached = 0;                             ///< [s]: `until`, or the event that stopped it
  long stopped_by = -1;                           ///< place of the event; −1: none
  long steps = 0, rejected = 0, evaluations = 0;  ///< of f
  /// At the ends of steps, after projection: the largest |C| [m] and |G u + d| [m/s].
  double position_error = 0, velocity_error = 0;
  std::vector<std::string> redundant = {};  ///< rows that repeat others, at the start
  /// The position nearest to a singular one among those at the ends of steps.
  double weakest = 1, weakest_time = 0;
  std::string weakest_row = {};  ///< the row with most weight there
  /// One that happened.
  struct Event {
    long event;   ///< its place among the events
    double time;  ///< [s]
  };
  std::vector<Event> events = {};  ///< in order of time
};

/// From where the bodies are and their time on. At the end they are at the last point, with its time. Throws
/// std::invalid_argument naming an option out of range or what the mechanism left out; MotionError where the start does
/// not meet the constraints to 1e-6, rows contradict each other, a user's function fails or returns no number, steps
/// run out or get too small: the bodies are then where the last good step ended. Cost: 13 factorisations a step
/// (runge_kutta), or one or two and a dense Jacobian now and then (bdf), 13 for each output (runge_kutta) and some 100
/// for each event.
MotionReport integrate(Mechanism& mechanism, const AppliedLoads& loads, const IntegrateOptions& options,
                       const MotionVisit& visit = {});

}  // namespace locdyn
