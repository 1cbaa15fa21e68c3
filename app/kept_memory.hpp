#pragma once
// Memory that is freed, and asked for again a step later.

namespace locdyn::app {

/// What is freed stays with the process, up to its end, where the C library is glibc: that gives the end of the heap
/// back after each step, and the next one's first touch of each page is a fault, dear on virtual machines (27 µs on
/// one). Steps of ten sweeps take 0.93 to 0.98 of the time (a wall, a bin, a tower), those at 1e-3 0.97 to 1.01. Does
/// nothing elsewhere.
void keep_freed_memory() noexcept;

}  // namespace locdyn::app
