#pragma once
// What the file of an applied force is written with. Such a file holds, for its struct F:
//
//   kType                  the value of "type" in a scene; a member of F, as is all that a scene says of the force
//   kBodies                how many bodies it names, and what they must be; a member of F
//   describe(v, f)         its keys, with ranges and meaning (see describe.hpp)
//   check(f, faults)       what its values must obey together
//   make(f, maker)         the force of a System
//
// and `corner_times` where its values have corners over time. forces.hpp lists the forces.

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/io/scene/faults.hpp>
#include <locdyn/io/scene/ranges.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::scene_format {

/// How many bodies a force names, and what they must be.
struct ForceBodies {
  std::size_t least, most;
  bool turn = false;            ///< no particles
  const char* first = nullptr;  ///< what the first one must be where an obstacle will not do; null: any
};

/// Notes the faults of one force; `key` begins with a dot, and is empty for the force itself.
struct ForceFaults {
  const std::string& place;  ///< of the force: "forces[2]"
  FaultList& list;

  void fault(const std::string& key, const std::string& expected, const std::string& found) const {
    list.fault(place + key, expected, found);
  }
  /// A spring and damper of which one acts.
  void require_effect(double stiffness, double damping) const {
    if (!(stiffness + damping > 0)) fault("", "stiffness or damping > 0", "both zero");
  }
};

/// The bodies of a force, where they lie now in their system.
struct ForceMaker {
  const System& system;
  std::vector<BodyId> bodies;

  [[nodiscard]] BodyId first() const { return bodies.at(0); }
  /// None: space.
  [[nodiscard]] std::optional<BodyId> second() const {
    return bodies.size() > 1 ? std::optional<BodyId>(bodies[1]) : std::nullopt;
  }
};

// --- what most forces have none of -----------------------------------------------------------------------------------

/// What its values must obey together.
template <class F>
void check(const F&, const ForceFaults&) {}

}  // namespace locdyn::scene_format
