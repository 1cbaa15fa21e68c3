#pragma once
// How long threads spin before they sleep while they wait for each other.

namespace locdyn::app {

/// Starts the program anew, once, with waits of some 3 ms where `--threads` asks for several and the environment says
/// nothing of waits (GOMP_SPINCOUNT, OMP_WAIT_POLICY). libgomp reads them before `main` and else spins three times as
/// long: beside processes that keep the cores busy that takes the time of the very thread it waits for. Returns where
/// there is nothing to do, or no way to start it.
void take_short_waits(int argc, char** argv);

}  // namespace locdyn::app
