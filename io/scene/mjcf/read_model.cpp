#include <locdyn/io/scene/mjcf/read_model.hpp>

#include <algorithm>
#include <set>

#include <locdyn/io/scene/mjcf/reader.hpp>
#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

// Flags that change how MuJoCo solves, not what moves.
const std::set<std::string> kSolverFlags = {
    "warmstart", "filterparent", "refsafe",    "sensor",    "midphase",    "eulerdamp", "nativeccd",
    "autoreset", "override",     "energy",     "fwdinv",    "invdiscrete", "multiccd",  "sensornoise",
    "island",    "passive",      "clampctrl",  "actuation", "limit",       "contact",   "frictionloss",
    "equality",  "gravity",      "constraint", "spring",    "damper"};
// Those of them that do change it where they are disabled.
const std::set<std::string> kPhysicalFlags = {"passive",      "clampctrl",    "actuation", "limit",
                                              "contact",      "frictionloss", "equality",  "gravity",
                                              "filterparent", "constraint",   "spring",    "damper"};

void read_flags(Reader& reader, const Node& node) {
  Attributes a(node);
  for (const tinyxml2::XMLAttribute* flag = node.element->FirstAttribute(); flag != nullptr; flag = flag->Next()) {
    const std::string name = flag->Name();
    const bool disabled = std::string_view(flag->Value()) == "disable";
    if (!kSolverFlags.contains(name) || (disabled && kPhysicalFlags.contains(name))) {
      reader.left_out.add(node, name + "=\"" + flag->Value() + '"');
    }
  }
}

void read_option(Reader& reader, const Node& node) {
  Attributes a(node);
  if (a.has("gravity")) reader.model.gravity = a.vector("gravity", Eigen::Vector3d::Zero());
  a.ignore({"timestep",         "integrator",     "cone",          "jacobian",
            "solver",           "iterations",     "tolerance",     "noslip_iterations",
            "noslip_tolerance", "mpr_iterations", "mpr_tolerance", "ccd_iterations",
            "ccd_tolerance",    "ls_iterations",  "ls_tolerance",  "sdf_iterations",
            "sdf_initpoints",   "impratio",       "apirate",       "magnetic",
            "o_margin",         "o_solref",       "o_solimp"});
  for (const char* medium : {"wind", "density", "viscosity"}) {
    const auto values = a.numbers(medium, 1, 3);
    if (values && std::any_of(values->begin(), values->end(), [](double v) { return v != 0; })) {
      reader.left_out.add(node, medium);
    }
  }
  if (a.text("collision", "all") != "all") reader.left_out.add(node, "collision");
  a.finish(reader.left_out);
  for (const Node& child : reader.document.children(node)) {
    child.kind() == "flag" ? read_flags(reader, child) : reader.left_out.add(child);
  }
}

void read_section(Reader& reader, const Node& node) {
  static const std::set<std::string> passed = {"visual", "statistic", "size", "custom", "compiler", "default"};
  const std::string kind = node.kind();
  if (kind == "option") return read_option(reader, node);
  if (kind == "asset") return read_assets(reader, node);
  if (kind == "worldbody") return read_bodies(reader, node);
  if (kind == "contact" || kind == "equality" || kind == "actuator" || kind == "keyframe") return;  // after the bodies
  if (!passed.contains(kind)) reader.left_out.add(node);
}

void refuse_same_names(const Model& model) {
  std::set<std::string> bodies, joints, geoms;
  const auto claim = [](std::set<std::string>& names, const std::string& name, const Node& node) {
    if (!name.empty() && !names.insert(name).second) node.fault("name", "a name that is not taken", '"' + name + '"');
  };
  for (const Body& body : model.bodies) {
    claim(bodies, body.name, body.node);
    for (const Joint& joint : body.joints) claim(joints, joint.name, joint.node);
    for (const Geom& geom : body.geoms) claim(geoms, geom.name, geom.node);
  }
}

}  // namespace

double not_negative(Attributes& attributes, const char* name, double otherwise) {
  const double value = attributes.number(name, otherwise);
  if (value < 0) attributes.fault(name, "a number ≥ 0", spelled(value));
  return value;
}

std::size_t Reader::body(Attributes& attributes, const char* attribute) const {
  const std::string name = attributes.text(attribute);
  if (name == "world") return 0;
  const auto found =
      std::find_if(model.bodies.begin(), model.bodies.end(), [&](const Body& b) { return b.name == name; });
  if (name.empty() || found == model.bodies.end()) {
    attributes.fault(attribute, "the name of a body", name.empty() ? "none" : '"' + name + '"');
  }
  return static_cast<std::size_t>(found - model.bodies.begin());
}

void Reader::require_joint(Attributes& attributes, const char* attribute, const std::string& name) const {
  for (const Body& body : model.bodies) {
    for (const Joint& joint : body.joints) {
      if (joint.name != name || name.empty()) continue;
      if (joint.kind == Joint::Kind::hinge || joint.kind == Joint::Kind::slide) return;
      attributes.fault(attribute, "a hinge or a slide", "another kind of joint, \"" + name + '"');
    }
  }
  attributes.fault(attribute, "the name of a joint", name.empty() ? "none" : '"' + name + '"');
}

const Geom* Reader::find_geom(const std::string& name) const {
  for (const Body& body : model.bodies) {
    for (const Geom& geom : body.geoms) {
      if (!name.empty() && geom.name == name) return &geom;
    }
  }
  return nullptr;
}

Model read_model(Document& document, const Scene& scene, SceneMeshInertia mesh_inertia, LeftOut& left_out) {
  Reader reader{document, scene, left_out};
  reader.settings.mesh_inertia = mesh_inertia;
  reader.model.root = document.root();
  Body& world = reader.model.bodies.emplace_back();
  world.name = "world";
  world.node = document.root();
  // How to read comes before what is read by it, wherever it stands.
  const std::vector<Node> sections = document.children(document.root());
  for (const Node& section : sections) {
    if (section.kind() == "compiler") reader.settings.read(section, left_out);
    if (section.kind() == "default") reader.defaults.read(document, section);
  }
  reader.model.inertia_from_geom = reader.settings.inertia_from_geom;
  for (const Node& section : sections) read_section(reader, section);
  refuse_same_names(reader.model);
  // What names bodies, joints and geoms.
  for (const Node& section : sections) {
    if (section.kind() == "contact") read_contacts(reader, section);
    if (section.kind() == "equality") read_equalities(reader, section);
    if (section.kind() == "actuator") read_actuators(reader, section);
    if (section.kind() == "keyframe") read_keyframes(reader, section);
  }
  return std::move(reader.model);
}

}  // namespace locdyn::scene_format::mjcf
