#pragma once
// A table of numbers as `locdyn simulate -o` leaves it.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace locdyn::test {

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> lines;

  explicit Table(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line, field;
    std::getline(in, line);
    for (std::istringstream text(line); std::getline(text, field, ',');) names.push_back(field);
    while (std::getline(in, line)) {
      lines.emplace_back();
      for (std::istringstream text(line); std::getline(text, field, ',');) {
        lines.back().push_back(std::strtod(field.c_str(), nullptr));
      }
      REQUIRE(lines.back().size() == names.size());
    }
  }

  [[nodiscard]] double at(std::size_t line, const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    CAPTURE(name);
    REQUIRE(found != names.end());
    return lines.at(line).at(static_cast<std::size_t>(found - names.begin()));
  }
  /// The line at which a column has this value, to 1e-9.
  [[nodiscard]] std::size_t line_with(const std::string& name, double value) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (std::abs(at(i, name) - value) < 1e-9) return i;
    }
    CAPTURE(name);
    FAIL("expected a line with that value");
    return 0;
  }
};

}  // namespace locdyn::test
