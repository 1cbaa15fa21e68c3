#include <locdyn/io/output/energy_table.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include <io/output/scene.hpp>
#include <locdyn/ldy/file_error.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::istringstream text(content_of(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

StepReport report_of(long step) {
  StepReport report;
  report.step = step;
  report.time = 0.1 * static_cast<double>(step);
  report.kinetic_energy = 1.0 / 3;
  report.potential_energy = -2.0 / 7;
  report.angular_momentum = {1e-300, 2, 3};
  report.status = SolveStatus::stalled;
  report.seconds.other = 5;
  return report;
}

}  // namespace

TEST_CASE("a line a step, each number to the last bit") {
  const ScratchFolder folder;
  EnergyTable table(folder / "energies.csv");
  table.append(report_of(1));
  const auto lines = lines_of(folder / "energies.csv");  // while it is open: nothing waits in a buffer
  REQUIRE(lines.size() == 2);
  const auto names = fields_of(lines[0]), values = fields_of(lines[1]);
  REQUIRE(names.size() == values.size());
  const auto value = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    REQUIRE(at != names.end());
    return values[static_cast<std::size_t>(at - names.begin())];
  };
  const auto number = [&](const std::string& name) { return std::strtod(value(name).c_str(), nullptr); };
  CHECK(number("time [s]") == 0.1);
  CHECK(number("kinetic [J]") == 1.0 / 3);
  CHECK(number("total [J]") == 1.0 / 3 - 2.0 / 7);
  CHECK(number("angular momentum x [kg m2/s]") == 1e-300);
  CHECK(number("other [s]") == 5);
  CHECK(value("status") == "stalled");
  table.close();
  table.close();
}

TEST_CASE("on a full disk the table ends with a whole line") {
  const ScratchFolder folder;
  EnergyTable table(folder / "energies.csv");
  const std::size_t header = content_of(folder / "energies.csv").size();
  {
    const FileSizeLimit limit(header + 1000);
    long step = 0;
    CHECK_THROWS_AS(
        [&] {
          while (step < 100) table.append(report_of(++step));
        }(),
        FileError);
    CHECK(step > 1);
    CHECK(lines_of(folder / "energies.csv").size() == static_cast<std::size_t>(step));  // header, and all but the last
  }
  CHECK(content_of(folder / "energies.csv").back() == '\n');
}

TEST_CASE("a table that cannot be made is refused in one line") {
  const ScratchFolder folder;
  CHECK_THROWS_AS(EnergyTable(folder / "missing" / "energies.csv"), FileError);
  CHECK_THROWS_AS(EnergyTable(folder / "."), FileError);
  CHECK_THROWS_AS(EnergyTable("/dev/full"), FileError);
}
