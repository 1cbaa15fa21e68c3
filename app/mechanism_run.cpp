#include "mechanism_run.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include <locdyn/io/scene/build_mechanism.hpp>

#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"

namespace locdyn::app {
namespace {

constexpr std::size_t kMostRows = 8;    // of the redundant ones, on a terminal
constexpr std::size_t kMostOthers = 3;  // that one of them repeats

std::string label(const System& system, BodyId body) {
  return system.name(body).empty() ? "body " + std::to_string(body) : '"' + system.name(body) + '"';
}

}  // namespace

void stop_if_interrupted() {
  if (InterruptGuard::interrupted()) throw Interrupted{};
}

void require_moving_body(const std::string& scene, const System& system) {
  for (const BodyId id : system.bodies().ids()) {
    if (system.bodies()[id].freedoms() > 0) return;
  }
  throw UsageError(scene + ": bodies: expected one that moves, found none");
}

void tell_ignored_contacts(const std::string& scene, const System& system) {
  const std::optional<std::pair<BodyId, BodyId>> pair = ignored_contact(system);
  if (!pair) return;
  complain(scene + ": contacts take no part in a mechanism: shapes such as those of " + label(system, pair->first) +
           " and " + label(system, pair->second) + " pass through each other");
}

std::string repeated_text(const RepeatedRow& row) {
  std::string text = row.row;
  if (row.others.size() > kMostOthers) return text + " repeats " + counted(row.others.size(), "other");
  const char* separator = " repeats ";
  for (const std::string& other : row.others) {
    text += separator + other;
    separator = ", ";
  }
  return text;
}

void print_mobility(const Mobility& mobility) {
  std::cout << "mechanism    " << counted(static_cast<std::size_t>(mobility.coordinates), "coordinate") << ", "
            << counted(static_cast<std::size_t>(mobility.rows), "row") << " of rank " << mobility.rank << ", "
            << (mobility.freedoms == 1 ? "1 freedom" : std::to_string(mobility.freedoms) + " freedoms") << '\n';
  const std::size_t shown = std::min(kMostRows, mobility.redundant.size());
  for (std::size_t i = 0; i < shown; ++i) {
    std::cout << (i == 0 ? "redundant    " : "             ") << one_line(repeated_text(mobility.redundant[i])) << '\n';
  }
  if (shown < mobility.redundant.size()) {
    std::cout << "             and " << counted(mobility.redundant.size() - shown, "row") << " more\n";
  }
}

void add_mobility(const Mobility& mobility, nlohmann::ordered_json& object) {
  object["coordinates"] = mobility.coordinates;
  object["rows"] = mobility.rows;
  object["freedoms"] = mobility.freedoms;
  object["redundant"] = nlohmann::ordered_json::array();
  for (const RepeatedRow& row : mobility.redundant) object["redundant"].push_back(row.row);
}

void print_scene(const Scene& scene, const MechanismRun& how, const System& system) {
  std::cout << "scene        " << one_line(scene.title.empty() ? how.scene : scene.title) << ", "
            << system.bodies().size() << " bodies\n";
}

int status_of(const MechanismRun& how, const std::string& stopped) {
  if (!stopped.empty()) complain(how.scene + ": stopped: " + stopped);
  if (InterruptGuard::interrupted()) return kInterrupted;
  return stopped.empty() ? kConverged : kNotConverged;
}

}  // namespace locdyn::app
