#include <locdyn/io/scene/add_described.hpp>

#include <exception>
#include <string>
#include <utility>

#include <locdyn/io/scene/add_force.hpp>
#include <locdyn/io/scene/add_joint.hpp>
#include <locdyn/io/scene/check_force.hpp>
#include <locdyn/io/scene/check_joint.hpp>
#include <locdyn/io/scene/json_text.hpp>
#include <locdyn/io/scene/object_reader.hpp>

namespace locdyn {
namespace {

using namespace scene_format;

// Reads one object, judges it by `check` and adds it by `add`; all that is wrong is a SceneError.
template <class Object, class Check, class Add>
void add_one(const System& system, std::string_view text, const char* what, const Check& check, const Add& add) {
  system.require_between_steps(what);
  const Json json = parse_json(text, what);
  ReadContext context{{}, {}};
  Object object;
  read(json, what, object, context);
  if (context.faults.empty()) check(object, context);
  if (!context.faults.empty()) throw SceneError(std::move(context.faults));
  try {
    add(object);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {
    throw SceneError({std::string(what) + ": " + fault.what()});
  }
}

}  // namespace

std::vector<ConstraintId> add_described_joint(System& system, std::string_view json) {
  const std::size_t before = system.constraints().size(), bodies = system.bodies().id_bound();
  const std::size_t forces = system.forces().id_bound();
  const auto forget = [&] {
    while (system.constraints().size() > before) system.remove(system.constraints().back());
    for (std::size_t k = forces; k < system.forces().id_bound(); ++k) {
      if (system.forces().contains(ForceId(k))) system.remove(ForceId(k));
    }
    for (std::size_t k = bodies; k < system.bodies().id_bound(); ++k) {  // rotors
      if (system.bodies().contains(BodyId(k))) system.remove(BodyId(k));
    }
  };
  const auto add = [&](const SceneJoint& joint) {
    try {
      add_joint(joint, system, Springs::rows);
    } catch (...) {
      forget();  // a joint whose limit or motor was refused
      throw;
    }
  };
  add_one<SceneJoint>(system, json, "joint", &check_joint, add);
  return {system.constraints().begin() + static_cast<std::ptrdiff_t>(before), system.constraints().end()};
}

ForceId add_described_force(System& system, std::string_view json) {
  add_one<SceneForce>(system, json, "force", &check_force, [&](const SceneForce& force) { add_force(force, system); });
  return ForceId{system.forces().id_bound() - 1};
}

}  // namespace locdyn
