// Bodies, joints, geoms and meshes.

#include <algorithm>
#include <array>
#include <cmath>

#include <locdyn/io/scene/file_reach.hpp>
#include <locdyn/io/scene/mesh_source.hpp>
#include <locdyn/io/scene/mjcf/reader.hpp>
#include <locdyn/io/scene/mjcf/single_precision.hpp>
#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

// --- joints

Joint read_joint(Reader& reader, const Node& node, const std::string& around) {
  static constexpr std::array<std::string_view, 4> kinds = {"hinge", "slide", "ball", "free"};
  Joint joint;
  joint.node = node;
  if (node.kind() == "freejoint") {
    Attributes a(node);
    joint.kind = Joint::Kind::free;
    joint.name = a.text("name");
    a.ignore({"group", "align"});
    a.finish(reader.left_out);
    return joint;
  }
  Attributes a = reader.defaults.of(node, around);
  joint.kind = static_cast<Joint::Kind>(a.choice("type", kinds, 0));
  joint.name = a.text("name");
  joint.position = a.vector("pos", Eigen::Vector3d::Zero());
  joint.axis = a.vector("axis", Eigen::Vector3d::UnitZ());
  if (!(joint.axis.norm() > 0)) a.fault("axis", "a vector of length > 0", "zero");
  joint.axis.normalize();
  const double unit = joint.kind == Joint::Kind::slide ? 1 : reader.settings.angle_unit;
  joint.reference = unit * a.number("ref", 0);
  joint.spring_reference = unit * a.number("springref", 0);
  joint.stiffness = not_negative(a, "stiffness", 0);
  joint.damping = not_negative(a, "damping", 0);
  joint.friction = not_negative(a, "frictionloss", 0);
  joint.armature = not_negative(a, "armature", 0);
  joint.range = range_of(a, "limited", "range", reader.settings);
  if (joint.range) {
    for (double& end : *joint.range) end *= unit;
  }
  if (const auto spring = a.numbers("springdamper", 2, 2); spring && ((*spring)[0] != 0 || (*spring)[1] != 0)) {
    reader.left_out.add(node, "springdamper");
  }
  if (a.number("margin", 0) != 0) reader.left_out.add(node, "margin");
  a.ignore({"group", "user", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"});
  a.finish(reader.left_out);
  if (joint.kind == Joint::Kind::ball || joint.kind == Joint::Kind::free) {
    const auto only = [&](const char* name, bool there) {
      if (there)
        reader.left_out.add(
            node, std::string(name) + " of a " + std::string(kinds[static_cast<std::size_t>(joint.kind)]) + " joint");
    };
    only("range", joint.range.has_value());
    only("frictionloss", joint.friction != 0);
    only("armature", joint.armature != 0);
    joint.range.reset();
    joint.friction = joint.armature = 0;
  }
  return joint;
}

// --- geoms

void read_extent(Reader& reader, Attributes& a, Geom& geom) {
  const std::vector<double> size = a.numbers("size", 0, 3).value_or(std::vector<double>{});
  for (std::size_t k = 0; k < size.size(); ++k) geom.size[static_cast<Eigen::Index>(k)] = size[k];
  geom.placement = placement_of(a, reader.settings);
  const auto ends = a.numbers("fromto", 6, 6);
  const bool long_one =
      geom.kind == Geom::Kind::capsule || geom.kind == Geom::Kind::cylinder || geom.kind == Geom::Kind::box;
  if (ends && !long_one) a.fault("fromto", "none but of a capsule, cylinder or box", "one");
  if (ends) {  // the z axis from the second end to the first, as MuJoCo has it
    const std::vector<double>& v = *ends;
    const Eigen::Vector3d from(v[0], v[1], v[2]), to(v[3], v[4], v[5]), along = from - to;
    if (!(along.norm() > 1e-10)) a.fault("fromto", "two points", "one");
    geom.placement = {0.5 * (from + to), z_turned_to(along)};
    if (geom.kind == Geom::Kind::box) geom.size[1] = geom.size[0];
    geom.size[geom.kind == Geom::Kind::box ? 2 : 1] = 0.5 * along.norm();
  }
  const int needed = geom.kind == Geom::Kind::sphere ? 1 : geom.kind == Geom::Kind::box ? 3 : long_one ? 2 : 0;
  for (int k = 0; k < needed; ++k) {
    if (!(geom.size[k] > 0)) a.fault("size", std::to_string(needed) + " lengths > 0", spelled(geom.size[k]));
  }
}

std::optional<Geom> read_geom(Reader& reader, const Node& node, const std::string& around) {
  static constexpr std::array<std::string_view, 9> kinds = {"plane", "sphere", "capsule",   "cylinder", "box",
                                                            "mesh",  "hfield", "ellipsoid", "sdf"};
  Attributes a = reader.defaults.of(node, around);
  const std::size_t kind = a.choice("type", kinds, 1);
  if (kind > static_cast<std::size_t>(Geom::Kind::mesh)) {
    reader.left_out.add(node, "type=\"" + std::string(kinds[kind]) + '"');
    return std::nullopt;
  }
  Geom geom;
  geom.node = node;
  geom.kind = static_cast<Geom::Kind>(kind);
  geom.name = a.text("name");
  geom.mesh = a.text("mesh");
  if (geom.kind == Geom::Kind::mesh && geom.mesh.empty()) a.fault("mesh", "the name of a mesh", "none");
  if (geom.kind != Geom::Kind::mesh && !geom.mesh.empty()) reader.left_out.add(node, "mesh of another type");
  read_extent(reader, a, geom);
  if (a.has("mass")) geom.mass = not_negative(a, "mass", 0);
  geom.density = not_negative(a, "density", geom.density);
  if (const auto friction = a.numbers("friction", 1, 3)) {
    for (std::size_t k = 0; k < friction->size(); ++k) geom.friction[static_cast<Eigen::Index>(k)] = (*friction)[k];
    if (geom.friction.minCoeff() < 0) a.fault("friction", "numbers ≥ 0", spelled(geom.friction.minCoeff()));
  }
  geom.contact_dimension = a.whole("condim", 3);
  if (const int d = geom.contact_dimension; d != 1 && d != 3 && d != 4 && d != 6) {
    a.fault("condim", "1, 3, 4 or 6", std::to_string(d));
  }
  geom.type = a.whole("contype", 1);
  geom.affinity = a.whole("conaffinity", 1);
  geom.priority = a.whole("priority", 0);
  for (const char* name : {"margin", "gap"}) {
    if (a.number(name, 0) != 0) reader.left_out.add(node, name);
  }
  geom.shell = a.flag("shellinertia", false);
  if (geom.shell && geom.kind != Geom::Kind::mesh) reader.left_out.add(node, "shellinertia of another type than mesh");
  if (a.text("fluidshape", "none") != "none") reader.left_out.add(node, "fluidshape");
  a.ignore({"group", "user", "rgba", "material", "solmix", "solref", "solimp", "fluidcoef", "fitscale"});
  a.finish(reader.left_out);
  return geom;
}

// --- bodies

MassProperties read_inertial(Reader& reader, const Node& node) {
  Attributes a(node);
  MassProperties mass;
  const ScenePlacement center = placement_of(a, reader.settings);
  if (!a.has("mass")) a.fault("mass", "a mass", "none");
  mass.mass = not_negative(a, "mass", 0);
  mass.center = center.position;
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
  if (const auto full = a.numbers("fullinertia", 6, 6)) {
    if (a.has("diaginertia")) a.fault("fullinertia", "it or diaginertia", "both");
    const std::vector<double>& v = *full;
    J << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
  } else {
    if (!a.has("diaginertia")) a.fault("diaginertia", "it or fullinertia", "neither");
    J = a.vector("diaginertia", Eigen::Vector3d::Zero()).asDiagonal();
  }
  a.finish(reader.left_out);
  const Eigen::Matrix3d Q = center.orientation.toRotationMatrix();
  mass.inertia = Q * J * Q.transpose();
  if (mass.mass > 0) {
    try {
      validate(mass);
    } catch (const std::invalid_argument& fault) {
      node.fault("", "mass and moments of a body", fault.what());
    }
  }
  return mass;
}

void read_body(Reader& reader, const Node& node, std::size_t parent, const std::string& around);

void read_inside(Reader& reader, const Node& node, std::size_t index, const std::string& around) {
  for (const Node& child : reader.document.children(node)) {
    const std::string kind = child.kind();
    if (kind == "body") {
      read_body(reader, child, index, around);
    } else if (kind == "geom") {
      if (auto geom = read_geom(reader, child, around)) reader.model.bodies[index].geoms.push_back(std::move(*geom));
    } else if (index > 0 && kind == "inertial") {
      if (reader.model.bodies[index].inertial) child.fault("", "one <inertial> of a body", "a second one");
      reader.model.bodies[index].inertial = read_inertial(reader, child);
    } else if (index > 0 && (kind == "joint" || kind == "freejoint")) {
      continue;  // read before
    } else if (kind != "site" && kind != "camera" && kind != "light") {
      reader.left_out.add(child);
    }
  }
}

// A body is held by its joints alone: no two that repeat each other.
void check_joints(const Body& body) {
  std::array<int, 4> count = {0, 0, 0, 0};
  for (const Joint& joint : body.joints) ++count[static_cast<std::size_t>(joint.kind)];
  const auto [hinges, slides, balls, frees] = count;
  if (frees > 0 && (body.parent != 0 || hinges + slides + balls > 0 || frees > 1)) {
    body.node.fault("", "a free joint alone, of a body in the world",
                    body.parent != 0 ? "one within another body" : "more");
  }
  if (balls > 0 && (hinges + slides > 0 || balls > 1)) body.node.fault("", "a ball joint alone", "more joints");
  if (hinges > 3 || slides > 3) {
    body.node.fault("", "at most three hinges and three slides",
                    std::to_string(hinges) + " and " + std::to_string(slides));
  }
}

void read_body(Reader& reader, const Node& node, std::size_t parent, const std::string& around) {
  const std::size_t index = reader.model.bodies.size();
  Attributes a(node);
  {
    Body& body = reader.model.bodies.emplace_back();
    body.node = node;
    body.parent = parent;
    body.name = a.text("name");
    body.placement = placement_of(a, reader.settings);
    body.moved_by_user = a.flag("mocap", false);
  }
  const std::string inside = a.text("childclass", around);
  if (!inside.empty()) reader.defaults.require(node, "childclass", inside);
  if (a.number("gravcomp", 0) != 0) reader.left_out.add(node, "gravcomp");
  a.ignore({"user"});
  a.finish(reader.left_out);
  // Its joints take their coordinates before those of the bodies within it.
  for (const Node& child : reader.document.children(node)) {
    if (child.kind() != "joint" && child.kind() != "freejoint") continue;
    reader.model.bodies[index].joints.push_back(read_joint(reader, child, inside));
    Joint& joint = reader.model.bodies[index].joints.back();
    joint.coordinate = reader.model.coordinates;
    joint.velocity = reader.model.velocities;
    reader.model.coordinates += joint.coordinates();
    reader.model.velocities += joint.freedoms();
  }
  check_joints(reader.model.bodies[index]);
  read_inside(reader, node, index, inside);
}

// --- meshes

void place_vertices(TriangleMesh& mesh, const Eigen::Vector3d& scale, const ScenePlacement& reference) {
  const Eigen::Matrix3d back = reference.orientation.toRotationMatrix().transpose();
  for (Eigen::Vector3d& x : mesh.vertices) x = back * (x.cwiseProduct(scale) - reference.position);
  if (scale.prod() > 0) return;
  for (std::array<int, 3>& t : mesh.triangles) std::swap(t[1], t[2]);  // a mirror turns the inside out
}

void read_given_vertices(Attributes& a, TriangleMesh& mesh) {
  constexpr std::size_t kMost = 30'000'000;
  const std::vector<double> v = *a.numbers("vertex", 12, kMost);
  if (v.size() % 3 != 0) a.fault("vertex", "three numbers a point", std::to_string(v.size()) + " numbers");
  for (std::size_t k = 0; k < v.size(); k += 3) mesh.vertices.emplace_back(v[k], v[k + 1], v[k + 2]);
  const auto faces = a.numbers("face", 3, kMost);
  if (!faces) return;
  if (faces->size() % 3 != 0) a.fault("face", "three indices a triangle", std::to_string(faces->size()) + " numbers");
  for (std::size_t k = 0; k < faces->size(); ++k) {
    const double index = (*faces)[k];
    if (index < 0 || index >= static_cast<double>(mesh.vertices.size()) || index != std::floor(index)) {
      a.fault("face", "indices of vertices", spelled(index));
    }
    if (k % 3 == 0) mesh.triangles.push_back({});
    mesh.triangles.back()[k % 3] = static_cast<int>(index);
  }
}

void read_mesh(Reader& reader, const Node& node) {
  Attributes a = reader.defaults.of(node, {});
  Mesh mesh;
  mesh.node = node;
  std::filesystem::path given = a.text("file");
  if (reader.settings.strip_path) given = given.filename();
  const std::string name = a.text("name", given.stem().string());
  if (name.empty()) a.fault("name", "a name", "none");
  const Eigen::Vector3d scale = a.vector("scale", Eigen::Vector3d::Ones());
  if (scale.prod() == 0) a.fault("scale", "numbers that are not 0", "0");
  ScenePlacement reference{a.vector("refpos", Eigen::Vector3d::Zero()), Orientation::Identity()};
  if (const auto q = a.numbers("refquat", 4, 4)) {
    reference.orientation = Orientation((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (!(reference.orientation.norm() > 0)) a.fault("refquat", "a quaternion of length > 0", "zero");
    reference.orientation.normalize();
  }
  static constexpr std::array<std::string_view, 4> inertias = {"legacy", "exact", "convex", "shell"};
  mesh.inertia = reader.settings.mesh_inertia;
  if (a.has("inertia")) mesh.inertia = static_cast<SceneMeshInertia>(a.choice("inertia", inertias, 0));
  if (!given.empty()) {
    mesh.file = (reader.model.root.file->parent_path() / reader.settings.mesh_folder / given).lexically_normal();
    if (!within_reach(reader.scene, *reader.model.root.file, mesh.file)) a.fault("file", kFileInside, given.string());
    if (!std::filesystem::is_regular_file(mesh.file)) a.fault("file", "a mesh file that is there", mesh.file.string());
    try {
      mesh.triangles = std::get<TriangleMesh>(make_shape(SceneMesh{{}, {}, mesh.file, Eigen::Vector3d::Ones()}));
    } catch (const std::exception& fault) {
      a.fault("file", "a mesh", fault.what());
    }
  } else if (a.has("vertex")) {
    read_given_vertices(a, mesh.triangles);
  } else {
    a.fault("file", "a file or vertices", "neither");
  }
  if (mesh.inertia == SceneMeshInertia::box) keep_in_single_precision(mesh.triangles);
  place_vertices(mesh.triangles, scale, reference);
  a.ignore({"vertex", "face", "normal", "texcoord", "smoothnormal", "content_type", "maxhullvert"});
  a.finish(reader.left_out);
  if (!reader.model.meshes.emplace(name, std::move(mesh)).second)
    a.fault("name", "a name that is not taken", '"' + name + '"');
}

}  // namespace

void read_bodies(Reader& reader, const Node& section) {
  read_inside(reader, section, 0, {});
}

void read_assets(Reader& reader, const Node& section) {
  for (const Node& child : reader.document.children(section)) {
    const std::string kind = child.kind();
    if (kind == "mesh") {
      read_mesh(reader, child);
    } else if (kind != "texture" && kind != "material" && kind != "skin") {
      reader.left_out.add(child);
    }
  }
}

}  // namespace locdyn::scene_format::mjcf
