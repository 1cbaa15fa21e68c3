#pragma once
// The last digits of a method that comes near a solution: Newton from its best iterate, for as long as it gains.

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

/// Newton from the best R of `watch`, within what `stop` leaves after `done` iterations and the seconds of `watch`.
/// Judges what it found, adds its work to the report and returns the steps it took.
long finish_by_newton(LocalDynamics& ldy, const StopOptions& stop, IterateWatch& watch, long done);

}  // namespace locdyn
