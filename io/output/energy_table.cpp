#include <locdyn/io/output/energy_table.hpp>

#include <initializer_list>
#include <string>

namespace locdyn::detail {
namespace {

constexpr const char* kHeader =
    "step,time [s],kinetic [J],potential [J],total [J],correction [J],"
    "momentum x [kg m/s],momentum y [kg m/s],momentum z [kg m/s],"
    "angular momentum x [kg m2/s],angular momentum y [kg m2/s],angular momentum z [kg m2/s],"
    "contacts,constraints,islands,iterations,status,residual,penetration [m],largest speed [m/s],parts,"
    "detection [s],assembly [s],solve [s],correction time [s],other [s]\n";

void add(std::string& line, const std::string& field) {
  line += ',';
  line += field;
}

void add(std::string& line, std::initializer_list<double> values) {
  for (const double value : values) append_number(line, value);
}

std::string line_of(const StepReport& r) {
  std::string line = std::to_string(r.step);
  const Eigen::Vector3d &p = r.momentum, &L = r.angular_momentum;
  add(line, {r.time, r.kinetic_energy, r.potential_energy, r.kinetic_energy + r.potential_energy, r.correction_energy,
             p.x(), p.y(), p.z(), L.x(), L.y(), L.z()});
  for (const std::size_t count : {r.contacts, r.constraints, r.islands}) add(line, std::to_string(count));
  add(line, std::to_string(r.iterations));
  add(line, to_string(r.status));
  add(line, {r.residual, r.penetration, r.largest_speed});
  add(line, std::to_string(r.parts));
  const StepReport::Stages& s = r.seconds;
  add(line, {s.detection, s.assembly, s.solve, s.correction, s.other});
  line += '\n';
  return line;
}

}  // namespace

EnergyTable::EnergyTable(const std::filesystem::path& path) : file_(path, kHeader) {}

void EnergyTable::append(const StepReport& report) {
  file_.append(line_of(report));
}

}  // namespace locdyn::detail
