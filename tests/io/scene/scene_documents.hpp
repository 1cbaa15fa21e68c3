#pragma once
// Documents that reader and schema must judge alike: sound ones, and each fault on its own as a change of a sound one.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace locdyn::test {

/// A scene that uses every key of the format but robots, file and their like.
[[nodiscard]] nlohmann::json full_scene();

/// A fault: the JSON pointer of the value that is replaced (or added), and where and how the reader is to speak of it.
struct Mutant {
  std::string pointer;
  nlohmann::json value;
  std::string place;  ///< in the message
};
/// Faults within one object, which a schema can see as well.
[[nodiscard]] std::vector<Mutant> local_mutants();
/// Faults between objects: the reader's alone.
[[nodiscard]] std::vector<Mutant> far_mutants();
/// Changes that leave the scene sound.
[[nodiscard]] std::vector<Mutant> sound_changes();

/// A scene with the change: null removes the value; `full_scene` where it is not said.
[[nodiscard]] nlohmann::json changed(nlohmann::json scene, const Mutant& mutant);
[[nodiscard]] nlohmann::json changed(const Mutant& mutant);

}  // namespace locdyn::test
