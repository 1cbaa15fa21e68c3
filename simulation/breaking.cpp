#include <locdyn/simulation/breaking.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/simulation/stepping/break_joints.hpp>

namespace locdyn {
using namespace detail;

void validate(const BreakingLoad& load) {
  for (const auto& [value, what] : {std::pair(load.force, "breaking force"), {load.moment, "breaking moment"}}) {
    if (value > 0) continue;  // not a number fails, too
    throw std::invalid_argument(std::string(what) + ": expected a number > 0, found " + spelled(value));
  }
  if (std::isinf(load.force) && std::isinf(load.moment)) {
    throw std::invalid_argument("breaking load: expected a finite force or moment, found neither");
  }
}

ConstraintLoad load_of(const System& system, ConstraintId constraint) {
  const std::vector<ConstraintId>& all = system.constraints();
  if (std::find(all.begin(), all.end(), constraint) == all.end()) {
    throw std::out_of_range("constraint: expected one that was added to the system, found " +
                            std::to_string(constraint));
  }
  std::array<Eigen::Vector3d, kMaxLawBlocks> R;
  const auto blocks = static_cast<std::size_t>(block_count(system.graph().law(constraint)));
  for (std::size_t k = 0; k < blocks; ++k) R[k] = system.graph().row(constraint, static_cast<int>(k)).R;
  return system.assembly().constraint(constraint).load_of({R.data(), blocks});
}

namespace detail {

std::vector<BrokenJoint> overloaded(const System& system, double time) {
  std::vector<BrokenJoint> broken;
  for (const BreakableJoint& joint : system.breakables()) {
    if (joint.broken || joint.constraints.empty()) continue;
    const ConstraintId id = joint.constraints.front();
    const ConstraintLoad load = load_of(system, id);
    if (load.force > joint.load.force || load.moment > joint.load.moment) {
      broken.push_back({joint.name, id, time, load});
    }
  }
  return broken;
}

std::vector<double> save_broken(const System& system) {
  std::vector<double> broken;
  for (std::size_t k = 0; k < system.breakables().size(); ++k) {
    if (system.breakables()[k].broken) broken.push_back(static_cast<double>(k));
  }
  return broken;
}

std::vector<std::size_t> still_to_break(std::span<const double> saved, const System& system) {
  const std::vector<BreakableJoint>& all = system.breakables();
  std::vector<std::size_t> numbers;
  std::vector<bool> wanted(all.size(), false);
  for (const double number : saved) {
    if (!(number >= 0 && number < static_cast<double>(all.size()) && number == std::floor(number))) {
      throw std::invalid_argument("state: broken joints: expected numbers below " + std::to_string(all.size()) +
                                  ", found " + spelled(number));
    }
    wanted[static_cast<std::size_t>(number)] = true;
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].broken && !wanted[k]) {
      throw std::invalid_argument("state: broken joints: expected a system whose joint " + std::to_string(k) +
                                  (all[k].name.empty() ? "" : " (\"" + all[k].name + "\")") +
                                  " holds, found it broken: set the system up anew");
    }
    if (wanted[k] && !all[k].broken) numbers.push_back(k);
  }
  return numbers;
}

}  // namespace detail
}  // namespace locdyn
