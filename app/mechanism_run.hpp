#pragma once
// What smooth motions and paths of `locdyn simulate` share: what the command line says, what the mechanism is, and how
// it is told.

#include <nlohmann/json.hpp>
#include <string>

#include <locdyn/io/scene/scene.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::app {

/// What the command line says.
struct MechanismRun {
  std::string scene;   ///< the file, as the user named it
  std::string output;  ///< folder; empty: none
  bool quiet = false, json = false;
};

/// Thrown by callbacks after Ctrl-C: no fault, and no std::exception, which integrators would make one of their own.
struct Interrupted {};
/// Throws it.
void stop_if_interrupted();

/// Throws UsageError where no body moves.
void require_moving_body(const std::string& scene, const System& system);

/// One line on standard error where the scene has bodies that would touch each other.
void tell_ignored_contacts(const std::string& scene, const System& system);

/// "hinge \"a\", row 1 repeats hinge \"b\", row 0"; many others are counted.
[[nodiscard]] std::string repeated_text(const RepeatedRow& row);
/// Freedoms, and redundant rows with what they repeat.
void print_mobility(const Mobility& mobility);
void add_mobility(const Mobility& mobility, nlohmann::ordered_json& object);

/// "scene        title, 4 bodies".
void print_scene(const Scene& scene, const MechanismRun& how, const System& system);

/// Ends a run: prints what stopped it where something did, and gives the exit status.
[[nodiscard]] int status_of(const MechanismRun& how, const std::string& stopped);

}  // namespace locdyn::app
