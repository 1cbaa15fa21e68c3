#pragma once
// How far a block slides that is held by friction and shaken: in each engine the same scene, one table.

#include <vector>

#include "engine.hpp"

namespace locdyn::peers {

/// Shakes the scene `grip` for so many seconds after one period, and prints for each engine how far the block has slid
/// down between the same moments of two periods, and the mean time of a step.
void print_grip(const std::vector<EngineMaker>& makers, double seconds);

}  // namespace locdyn::peers
