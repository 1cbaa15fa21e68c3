#include "builtin/builtin.hpp"

#include <array>
#include <charconv>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include "builtin/scenes.hpp"

namespace locdyn {
using namespace locdyn::detail;
namespace {

constexpr std::array<BuiltinScene, 8> kScenes = {{
    {"stack", "box stack, the top one pushed", 80, build_stack},
    {"wall", "brick wall in running bond under a side load", 1000, build_wall},
    {"tower", "Kapla-like tower of planks, its top struck", 588, build_tower},
    {"arch", "voussoir arch under a load on the haunch", 124, build_arch},
    {"spheres", "sphere packing falling with random velocities", 1000, build_spheres},
    {"chain", "chain of pinned links over a peg to the floor", 42, build_chain},
    {"machine", "ten legs of five joints each under a platform, on their feet", 100, build_machine},
    {"heavy", "heavy block on a stack of ten light ones", 44, build_heavy},
}};

std::string listed_scenes() {
  std::string list;
  for (const BuiltinScene& scene : kScenes) list += (list.empty() ? "" : ", ") + std::string(scene.name);
  return list;
}

const BuiltinScene& find_scene(std::string_view name) {
  for (const BuiltinScene& scene : kScenes) {
    if (scene.name == name) return scene;
  }
  throw std::invalid_argument("builtin scene: expected one of " + listed_scenes() + ", found '" + std::string(name) +
                              "'");
}

}  // namespace

std::span<const BuiltinScene> builtin_scenes() noexcept {
  return kScenes;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const BuiltinScene& scene : kScenes) names.emplace_back(scene.name);
  return names;
}

BuiltinProblem make_builtin(std::string_view name, std::size_t size, const BuiltinOptions& options) {
  const BuiltinScene& scene = find_scene(name);
  if (size == 0) throw std::invalid_argument("builtin size: expected at least 1, found 0");
  require_positive(options.mass_ratio, "mass_ratio");

  BuiltinProblem problem;
  problem.name = std::string(name) + ":" + std::to_string(size);
  scene.build(problem, size, options);
  problem.bodies->predict(problem.h, problem.gravity);
  problem.assembly->update(problem.h, {.threads = options.threads});
  return problem;
}

BuiltinProblem make_builtin(std::string_view name) {
  return make_builtin(name, find_scene(name).default_size);
}

std::optional<std::vector<BuiltinChoice>> parse_builtin(std::string_view text) {
  constexpr std::string_view kWord = "builtin";
  if (text == kWord) {
    std::vector<BuiltinChoice> all;
    for (const BuiltinScene& scene : kScenes) all.push_back({std::string(scene.name), scene.default_size});
    return all;
  }
  if (!text.starts_with(kWord) || text[kWord.size()] != ':') return std::nullopt;

  text.remove_prefix(kWord.size() + 1);
  const std::size_t colon = text.find(':');
  const BuiltinScene& scene = find_scene(text.substr(0, colon));
  std::size_t size = scene.default_size;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const char* end = digits.data() + digits.size();
    const auto [stop, fault] = std::from_chars(digits.data(), end, size);
    if (fault != std::errc() || stop != end || size == 0 || size > kLargestBuiltin) {
      throw std::invalid_argument("builtin size: expected a whole number from 1 to " + std::to_string(kLargestBuiltin) +
                                  ", found '" + std::string(digits) + "'");
    }
  }
  return std::vector<BuiltinChoice>{{std::string(scene.name), size}};
}

}  // namespace locdyn
