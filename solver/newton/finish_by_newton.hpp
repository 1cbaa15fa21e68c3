#pragma once
// The last digits of a method that comes near a solution: Newton from its best iterate, for as long as it gains.

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn::detail {

/// Newton from the best R of `watch`, within what its limits leave after `done` iterations. Judges what it found, adds
/// its cost to the report and returns the steps it took.
long finish_by_newton(LocalDynamics& ldy, IterateWatch& watch, long done);

}  // namespace locdyn::detail
