#include "simulation_summary.hpp"

#include <algorithm>
#include <iostream>

#include <locdyn/simulation/energies.hpp>

#include "format.hpp"

namespace locdyn::app {

SimulationSummary::SimulationSummary(const System& system, double time)
    : kinetic_at_start_(energies(system).kinetic), potential_at_start_(energies(system).potential) {
  last_.time = time;
  last_.kinetic_energy = kinetic_at_start_;
  last_.potential_energy = potential_at_start_;
}

void SimulationSummary::add(const StepReport& report) {
  last_ = report;
  ++steps_;
  if (report.failed())
    ++failed_;
  else if (report.parts > 1)
    ++in_parts_;
  if (first_warning_.empty()) first_warning_ = report.warning;
  most_contacts_ = std::max(most_contacts_, report.contacts);
  worst_residual_ = std::max(worst_residual_, report.residual);
  penetration_ = std::max(penetration_, report.penetration);
  correction_ += report.correction_energy;
  broken_.insert(broken_.end(), report.broken.begin(), report.broken.end());
  seconds_.detection += report.seconds.detection;
  seconds_.assembly += report.seconds.assembly;
  seconds_.solve += report.seconds.solve;
  seconds_.correction += report.seconds.correction;
  seconds_.other += report.seconds.other;
}

void SimulationSummary::add_failure(const std::string& reason) {
  ++failed_;
  if (first_warning_.empty()) first_warning_ = reason;
}

void SimulationSummary::print(double wall) const {
  const double at_start = kinetic_at_start_ + potential_at_start_;
  const double at_end = last_.kinetic_energy + last_.potential_energy;
  std::cout << "steps        " << steps_ << ", to " << plain(last_.time) << " s, in " << duration(wall) << '\n'
            << "failed       " << failed_
            << (in_parts_ == 0 ? "" : ", " + std::to_string(in_parts_) + " saved in parts")
            << (first_warning_.empty() ? "" : ", the first: " + first_warning_) << '\n'
            << "contacts     " << last_.contacts << " at the end, " << most_contacts_ << " at most\n"
            << "residual     " << scientific(worst_residual_) << " at worst\n"
            << "penetration  " << scientific(penetration_) << " m at most\n"
            << "energy       " << plain(at_start) << " J at start, " << plain(at_end) << " J at the end ("
            << plain(last_.kinetic_energy) << " kinetic), " << scientific(correction_) << " J added by correction\n"
            << (broken_.empty() ? ""
                                : "broken       " + std::to_string(broken_.size()) + " joints, the first: \"" +
                                      broken_.front().name + "\" at " + plain(broken_.front().time) + " s\n")
            << "fastest      " << scientific(last_.largest_speed) << " m/s at the end\n"
            << "time         detection " << duration(seconds_.detection) << ", assembly " << duration(seconds_.assembly)
            << ", solve " << duration(seconds_.solve) << ", correction " << duration(seconds_.correction) << ", other "
            << duration(seconds_.other) << '\n';
}

nlohmann::ordered_json SimulationSummary::json(double wall) const {
  auto broken = nlohmann::ordered_json::array();
  for (const BrokenJoint& joint : broken_) {
    broken.push_back({{"name", joint.name},
                      {"time_s", joint.time},
                      {"force_N", joint.load.force},
                      {"torque_N_m", joint.load.moment}});
  }
  return {{"steps", steps_},
          {"failed_steps", failed_},
          {"steps_in_parts", in_parts_},
          {"warning", first_warning_},
          {"simulated_s", last_.time},
          {"time_s", wall},
          {"contacts", last_.contacts},
          {"most_contacts", most_contacts_},
          {"worst_residual", worst_residual_},
          {"largest_penetration_m", penetration_},
          {"largest_speed_m_s", last_.largest_speed},
          {"broken_joints", broken},
          {"energy_J",
           {{"kinetic_at_start", kinetic_at_start_},
            {"potential_at_start", potential_at_start_},
            {"kinetic", last_.kinetic_energy},
            {"potential", last_.potential_energy},
            {"correction", correction_}}},
          {"stages_s",
           {{"detection", seconds_.detection},
            {"assembly", seconds_.assembly},
            {"solve", seconds_.solve},
            {"correction", seconds_.correction},
            {"other", seconds_.other}}}};
}

}  // namespace locdyn::app
