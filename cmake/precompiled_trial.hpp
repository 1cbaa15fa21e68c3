// The same for tests and examples, and what most of them read of this project: changing one of these headers rebuilds
// all of them, which few changes of them would spare.
#pragma once
#include "precompiled.hpp"

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/simulation/time_stepper.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/residual.hpp>
