#pragma once
// Scenes of mechanisms that reader and schema must judge alike, as in scene_documents.hpp.

#include <nlohmann/json.hpp>
#include <vector>

#include <io/scene/scene_documents.hpp>

namespace locdyn::test {

/// A scene with every key of "smooth" that error control has, and one with "kinematics".
[[nodiscard]] nlohmann::json smooth_scene();
[[nodiscard]] nlohmann::json kinematics_scene();

struct MechanismMutant {
  nlohmann::json scene;  ///< the change made
  Mutant mutant;
};
[[nodiscard]] std::vector<MechanismMutant> sound_mechanisms();
[[nodiscard]] std::vector<MechanismMutant> local_mechanism_mutants();
[[nodiscard]] std::vector<MechanismMutant> far_mechanism_mutants();

}  // namespace locdyn::test
