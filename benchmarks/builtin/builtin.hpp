#pragma once
// Built-in problems: one step of scenes made from bodies and contact geometry, each of any size. A new scene is a new
// file in builtin/ and one line in the registry.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// A scene at q*, assembled, packed and ready to be solved: `solve(*problem.ldy, …)`, then
/// `problem.assembly->apply_reactions()`. The members refer to each other: keep them together.
struct BuiltinProblem {
  std::string name;  ///< "wall:50000"
  std::unique_ptr<BodySet> bodies = std::make_unique<BodySet>();
  std::unique_ptr<LocalDynamics> ldy = std::make_unique<LocalDynamics>();
  std::unique_ptr<Assembly> assembly = std::make_unique<Assembly>(*bodies, *ldy);
  double h = 1e-3;                          ///< step [s]
  Eigen::Vector3d gravity = {0, 0, -9.81};  ///< [m/s²]
};

struct BuiltinOptions {
  double mass_ratio = 1000;  ///< > 0: heavy block to each light one, in "heavy"
  unsigned seed = 1;         ///< of random radii, places and velocities, in "spheres"
  int threads = 1;           ///< ≥ 1, for the assembly
};

struct BuiltinScene {
  std::string_view name;
  std::string_view description;
  std::size_t default_size;  ///< constraints
  void (*build)(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);
};

/// All scenes, in the order in which they are shown.
[[nodiscard]] std::span<const BuiltinScene> builtin_scenes() noexcept;
/// Their names.
[[nodiscard]] std::vector<std::string> builtin_names();

/// Builds a scene of about `size` constraints (contacts, and joints in "chain" and "machine"): the nearest size that
/// the scene can have, never less than its smallest. Throws std::invalid_argument for an unknown name (naming the
/// scenes there are), size 0 and options out of range. Cost: linear in the size.
[[nodiscard]] BuiltinProblem make_builtin(std::string_view name, std::size_t size, const BuiltinOptions& options = {});
/// With the scene's default size.
[[nodiscard]] BuiltinProblem make_builtin(std::string_view name);

/// The largest size that a text may ask for: some 2 GB of blocks for each million.
inline constexpr std::size_t kLargestBuiltin = 10'000'000;

struct BuiltinChoice {
  std::string scene;
  std::size_t size;
};

/// Reads "builtin", "builtin:scene" or "builtin:scene:size": all scenes at their default sizes, or one. Returns nothing
/// where the text does not begin so (it is a file's name). Throws std::invalid_argument for an unknown scene, naming
/// those there are, and for a size that is not a whole number from 1 to `kLargestBuiltin`.
[[nodiscard]] std::optional<std::vector<BuiltinChoice>> parse_builtin(std::string_view text);

}  // namespace locdyn
