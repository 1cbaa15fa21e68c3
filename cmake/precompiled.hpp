// What nearly every file of this project reads of others' headers, parsed once a build instead of once a file
// (LocdynCompileCost.cmake), and which of Eigen's decompositions are compiled already. It holds no header of this project
// that may change: that would rebuild more than its readers. No file may count on it: LOCDYN_PRECOMPILE=OFF builds without.
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

#include "../base/dense_decompositions.hpp"
