// What nearly every file of this project reads of others' headers, parsed once a build instead of once a file
// (LocdynCompileCost.cmake). It holds no header of this project: changing one rebuilds its readers alone. No file may
// count on it: LOCDYN_PRECOMPILE=OFF builds without.
#pragma once
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
