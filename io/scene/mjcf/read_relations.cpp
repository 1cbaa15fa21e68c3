// What names bodies, joints and geoms: contact pairs, equalities, actuators, keyframes.

#include <locdyn/io/scene/mjcf/reader.hpp>
#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

void read_pair(Reader& reader, const Node& node) {
  Attributes a = reader.defaults.of(node, {});
  GeomPair pair;
  pair.node = node;
  for (std::size_t k = 0; k < 2; ++k) {
    const char* which = k == 0 ? "geom1" : "geom2";
    pair.geoms[k] = a.text(which);
    if (!reader.find_geom(pair.geoms[k])) a.fault(which, "the name of a geom", '"' + pair.geoms[k] + '"');
  }
  if (const auto friction = a.numbers("friction", 1, 5)) {
    pair.friction = friction->front();
    if (*pair.friction < 0) a.fault("friction", "numbers ≥ 0", spelled(*pair.friction));
    if (friction->size() > 1 && (*friction)[1] != (*friction)[0])
      reader.left_out.add(node, "friction of two directions");
  }
  if (a.has("condim")) pair.contact_dimension = a.whole("condim", 3);
  for (const char* name : {"margin", "gap"}) {
    if (a.number(name, 0) != 0) reader.left_out.add(node, name);
  }
  a.ignore({"name", "solref", "solimp", "solreffriction"});
  a.finish(reader.left_out);
  reader.model.pairs.push_back(std::move(pair));
}

void read_exclude(Reader& reader, const Node& node) {
  Attributes a(node);
  const std::size_t first = reader.body(a, "body1"), second = reader.body(a, "body2");
  a.ignore({"name"});
  a.finish(reader.left_out);
  reader.model.excludes.push_back({first, second});
}

void read_equality(Reader& reader, const Node& node, Equality::Kind kind) {
  Attributes a = [&] {
    const Attributes plain(node);
    return plain.has("class") ? reader.defaults.of(node, {}) : plain;
  }();
  Equality equality;
  equality.kind = kind;
  equality.node = node;
  equality.name = a.text("name");
  const bool active = a.flag("active", true);
  equality.bodies[0] = reader.body(a, "body1");
  if (a.has("body2")) equality.bodies[1] = reader.body(a, "body2");
  if (equality.bodies[0] == equality.bodies[1]) a.fault("body2", "another body than body1", "the same");
  if (kind == Equality::Kind::connect && !a.has("anchor")) a.fault("anchor", "a point", "none");
  equality.anchor = a.vector("anchor", Eigen::Vector3d::Zero());
  if (const auto v = a.numbers("relpose", 7, 7)) {
    const Orientation q((*v)[3], (*v)[4], (*v)[5], (*v)[6]);
    if (q.norm() > 0) equality.relative = {{(*v)[0], (*v)[1], (*v)[2]}, q.normalized()};
  }
  a.ignore({"solref", "solimp", "torquescale"});
  a.finish(reader.left_out);
  if (active) reader.model.equalities.push_back(std::move(equality));
}

void read_actuator(Reader& reader, const Node& node, Actuator::Kind kind) {
  Attributes a = reader.defaults.of(node, {});
  if (!a.has("joint")) {  // a tendon, a site, a slider crank, a body
    reader.left_out.add(node, "without joint");
    return;
  }
  Actuator actuator;
  actuator.kind = kind;
  actuator.node = node;
  actuator.name = a.text("name");
  actuator.joint = a.text("joint");
  reader.require_joint(a, "joint", actuator.joint);
  if (const auto gear = a.numbers("gear", 1, 6)) actuator.gear = gear->front();
  if (actuator.gear == 0) a.fault("gear", "a number that is not 0", "0");
  if (kind == Actuator::Kind::position) actuator.stiffness = not_negative(a, "kp", 1);
  if (kind != Actuator::Kind::motor) actuator.damping = not_negative(a, "kv", kind == Actuator::Kind::velocity ? 1 : 0);
  actuator.control_range = range_of(a, "ctrllimited", "ctrlrange", reader.settings);
  actuator.force_range = range_of(a, "forcelimited", "forcerange", reader.settings);
  if (actuator.force_range && kind != Actuator::Kind::motor &&
      !((*actuator.force_range)[0] <= 0 && (*actuator.force_range)[1] >= 0)) {
    a.fault("forcerange", "the least, at most 0, and the largest, at least 0, of a servo",
            spelled((*actuator.force_range)[0]) + ", " + spelled((*actuator.force_range)[1]));
  }
  a.ignore({"group", "user", "lengthrange"});
  a.finish(reader.left_out);
  reader.model.actuators.push_back(std::move(actuator));
}

}  // namespace

void read_contacts(Reader& reader, const Node& section) {
  for (const Node& child : reader.document.children(section)) {
    if (child.kind() == "pair") {
      read_pair(reader, child);
    } else {
      child.kind() == "exclude" ? read_exclude(reader, child) : reader.left_out.add(child);
    }
  }
}

void read_equalities(Reader& reader, const Node& section) {
  for (const Node& child : reader.document.children(section)) {
    if (child.kind() == "connect") {
      read_equality(reader, child, Equality::Kind::connect);
    } else if (child.kind() == "weld") {
      read_equality(reader, child, Equality::Kind::weld);
    } else {
      reader.left_out.add(child);
    }
  }
}

void read_actuators(Reader& reader, const Node& section) {
  for (const Node& child : reader.document.children(section)) {
    if (child.kind() == "motor") {
      read_actuator(reader, child, Actuator::Kind::motor);
    } else if (child.kind() == "position") {
      read_actuator(reader, child, Actuator::Kind::position);
    } else if (child.kind() == "velocity") {
      read_actuator(reader, child, Actuator::Kind::velocity);
    } else {
      reader.left_out.add(child);
    }
  }
}

void read_keyframes(Reader& reader, const Node& section) {
  for (const Node& child : reader.document.children(section)) {
    if (child.kind() != "key") {
      reader.left_out.add(child);
      continue;
    }
    Attributes a(child);
    Keyframe key;
    key.node = child;
    key.name = a.text("name");
    const auto list = [&](const char* name, std::size_t count) {
      return a.has(name) ? *a.numbers(name, count, count) : std::vector<double>{};
    };
    key.coordinates = list("qpos", reader.model.coordinates);
    key.velocities = list("qvel", reader.model.velocities);
    // Of actuators that are left out nothing is known here, not even their number.
    if (a.has("ctrl")) key.controls = *a.numbers("ctrl", 0, std::string::npos);
    a.ignore({"time"});
    a.finish(reader.left_out);
    reader.model.keyframes.push_back(std::move(key));
  }
}

}  // namespace locdyn::scene_format::mjcf
