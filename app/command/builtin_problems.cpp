#include "builtin_problems.hpp"

#include <utility>

#include "builtin/builtin.hpp"

namespace locdyn::app {
namespace {

std::unique_ptr<LoadedProblem> load_scene(const BuiltinChoice& choice) {
  const auto scene = std::make_shared<BuiltinProblem>(make_builtin(choice.scene, choice.size));
  auto loaded = std::make_unique<LoadedProblem>();
  FclibProblem& problem = *loaded;
  problem.info.title = scene->name;
  const DelassusFactor factor = *scene->ldy->factor();
  problem.ldy = std::move(*scene->ldy);
  problem.ldy.set_factor(factor);
  loaded->origin = scene;
  const auto first = problem.ldy.rows().begin();
  if (first != problem.ldy.rows().end()) {
    problem.spacedim = rows(problem.ldy.law(first->constraint), 0) == kRowsPlanar ? 2 : 3;
  }
  return loaded;
}

}  // namespace

bool names_builtin(std::string_view what) {
  return what == "builtin" || what.starts_with("builtin:");
}

std::vector<ProblemSource> builtin_problems(const std::string& what) {
  const auto choices = parse_builtin(what);
  std::vector<ProblemSource> problems;
  if (!choices) return problems;
  for (const BuiltinChoice& choice : *choices) {
    const std::string name = choice.scene + ":" + std::to_string(choice.size);
    problems.push_back({name, "builtin:" + name, [choice] { return load_scene(choice); }});
  }
  return problems;
}

}  // namespace locdyn::app
