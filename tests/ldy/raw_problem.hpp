#pragma once
// A problem file spelled dataset by dataset, so that a test can spoil one thing at a time.

#include <unistd.h>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <locdyn/ldy/fclib/hdf5_output.hpp>
#include <locdyn/ldy/replace_file.hpp>
#include <scratch_folder.hpp>

namespace locdyn::test {
using namespace locdyn::detail;

struct RawProblem {
  std::vector<std::string> groups;
  std::map<std::string, std::vector<int>> integers;
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::string> texts;

  [[nodiscard]] std::vector<char> image() const {
    Hdf5Output file;
    for (const auto& group : groups) file.group(group);
    for (const auto& [name, values] : integers) file.integers(name, values);
    for (const auto& [name, values] : reals) file.reals(name, values);
    for (const auto& [name, value] : texts) file.text(name, value);
    return file.image();
  }
  void write(const std::filesystem::path& path) const {
    const auto bytes = image();
    replace_file(path, {bytes.data(), bytes.size()});
  }
};

/// Two 3D contacts, n first; the first pushes the second and not the other way round. Compressed rows.
inline RawProblem two_contacts() {
  RawProblem raw;
  raw.groups = {"fclib_local", "fclib_local/W", "fclib_local/vectors", "fclib_local/info"};
  raw.integers = {{"fclib_local/spacedim", {3}},
                  {"fclib_local/W/m", {6}},
                  {"fclib_local/W/n", {6}},
                  {"fclib_local/W/nz", {-2}},
                  {"fclib_local/W/nzmax", {8}},
                  {"fclib_local/W/p", {0, 2, 3, 4, 6, 7, 8}},
                  {"fclib_local/W/i", {0, 2, 1, 2, 0, 3, 4, 5}}};
  raw.reals = {{"fclib_local/W/x", {2, 0.5, 3, 4, 0.25, 5, 6, 7}},
               {"fclib_local/vectors/q", {-1, 0.1, 0.2, -2, 0.3, 0.4}},
               {"fclib_local/vectors/mu", {0.3, 0.6}}};
  raw.texts = {{"fclib_local/info/title", "two contacts"}, {"fclib_local/info/description", "spelled by hand"}};
  return raw;
}

}  // namespace locdyn::test
