#include <locdyn/io/scene/urdf.hpp>

#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/placement.hpp>
#include <locdyn/ldy/file_error.hpp>
#ifdef LOCDYN_WITH_URDF
#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <fstream>
#include <iterator>
#include <mutex>
#endif

namespace locdyn::scene_format {

#ifndef LOCDYN_WITH_URDF

void append_robot(const SceneRobot& robot, Scene&) {
  throw FileError(robot.urdf, "", "a build with urdfdom (LOCDYN_WITH_URDF)", "one without");
}

#else

namespace {

// Keeps what urdfdom has to say, which it would print.
class Listener : public console_bridge::OutputHandler {
 public:
  Listener() { console_bridge::useOutputHandler(this); }
  ~Listener() override { console_bridge::restorePreviousOutputHandler(); }
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR && first.empty()) first = text;
  }
  std::string first;
};

Eigen::Vector3d vector_of(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

ScenePlacement placement_of(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {vector_of(pose.position), Orientation(r.w, r.x, r.y, r.z).normalized()};
}

urdf::ModelInterfaceSharedPtr parse(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  static std::mutex one_at_a_time;  // the logger is one for all
  const std::lock_guard lock(one_at_a_time);
  const Listener listener;
  urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(text);
  if (!model) throw FileError(file, "", "a robot in URDF", listener.first.empty() ? "another file" : listener.first);
  return model;
}

class Importer {
 public:
  Importer(const SceneRobot& robot, Scene& scene) : robot_(robot), scene_(scene) {}

  void run() {
    const urdf::ModelInterfaceSharedPtr model = parse(robot_.urdf);
    const urdf::LinkConstSharedPtr root = model->getRoot();
    if (!robot_.fixed_base && !root->inertial) fault(*root, "inertia, or a fixed base", "neither");
    add_link(*root, robot_.placement, !robot_.fixed_base);
    add_children(*root, robot_.placement);
  }

 private:
  [[noreturn]] void fault(const urdf::Link& link, const char* expected, const std::string& found) const {
    throw FileError(robot_.urdf, "link \"" + link.name + '"', expected, found);
  }
  [[nodiscard]] std::string name_of(const std::string& part) const { return robot_.name + "/" + part; }

  // The whole tree below a link that lies at `placement`, every joint at zero.
  void add_children(const urdf::Link& parent, const ScenePlacement& placement) {
    for (const auto& joint : parent.child_joints) {
      const auto found = std::find_if(parent.child_links.begin(), parent.child_links.end(),
                                      [&](const auto& link) { return link->name == joint->child_link_name; });
      if (found == parent.child_links.end()) continue;
      const urdf::Link& child = **found;
      const ScenePlacement there = within(placement, placement_of(joint->parent_to_joint_origin_transform));
      if (!child.inertial && joint->type == urdf::Joint::FIXED) {
        join_to_parent(child, parent, there);
      } else {
        add_link(child, there, true);
        add_joint(*joint, there);
      }
      add_children(child, there);
    }
  }

  void add_link(const urdf::Link& link, const ScenePlacement& placement, bool moves) {
    SceneBody body;
    body.name = name_of(link.name);
    body.place = robot_.urdf.string() + ": link \"" + link.name + '"';
    body.placement = placement;
    body.surface = robot_.surface;
    if (moves) {
      body.kind = inertia_of(link);
    } else {
      body.kind = SceneObstacle{};
    }
    body_of_[link.name] = scene_.bodies.size();
    scene_.bodies.push_back(std::move(body));
    add_shapes(link, scene_.bodies.back(), {});
  }

  SceneRigid inertia_of(const urdf::Link& link) const {
    if (!link.inertial) fault(link, "inertia of a link that moves", "none");
    const urdf::Inertial& given = *link.inertial;
    const ScenePlacement center = placement_of(given.origin);
    Eigen::Matrix3d J;
    J << given.ixx, given.ixy, given.ixz, given.ixy, given.iyy, given.iyz, given.ixz, given.iyz, given.izz;
    const Eigen::Matrix3d Q = center.orientation.toRotationMatrix();
    SceneRigid rigid;
    rigid.mass = given.mass;
    rigid.mass_center = center.position;
    rigid.inertia = Q * J * Q.transpose();
    return rigid;
  }

  // A frame without mass that is fixed to a link is part of it.
  void join_to_parent(const urdf::Link& link, const urdf::Link& parent, const ScenePlacement& placement) {
    const std::size_t index = body_of_.at(parent.name);
    body_of_[link.name] = index;
    SceneBody& body = scene_.bodies[index];
    const Orientation back = body.placement.orientation.conjugate();
    add_shapes(link, body,
               {back * (placement.position - body.placement.position), (back * placement.orientation).normalized()});
  }

  // `placement`: of the link in the coordinates of the body.
  void add_shapes(const urdf::Link& link, SceneBody& body, const ScenePlacement& placement) const {
    for (const urdf::CollisionSharedPtr& collision : link.collision_array) {
      if (!collision || !collision->geometry) continue;
      SceneShape shape;
      shape.placement = within(placement, placement_of(collision->origin));
      shape.geometry = geometry_of(link, *collision->geometry, std::holds_alternative<SceneObstacle>(body.kind));
      shape.place = body.place;
      body.shapes.push_back(std::move(shape));
    }
  }

  SceneGeometry geometry_of(const urdf::Link& link, const urdf::Geometry& geometry, bool obstacle) const {
    switch (geometry.type) {
      case urdf::Geometry::SPHERE: return Sphere{dynamic_cast<const urdf::Sphere&>(geometry).radius};
      case urdf::Geometry::BOX: return Box{vector_of(dynamic_cast<const urdf::Box&>(geometry).dim)};
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = dynamic_cast<const urdf::Cylinder&>(geometry);
        return Cylinder{cylinder.radius, cylinder.length};
      }
      case urdf::Geometry::MESH: {
        const auto& mesh = dynamic_cast<const urdf::Mesh&>(geometry);
        const std::filesystem::path file = mesh_file(mesh.filename);
        if (!std::filesystem::is_regular_file(file)) fault(link, "a mesh file that is there", file.string());
        if (obstacle) return SceneMesh{{}, {}, file, vector_of(mesh.scale)};
        return SceneHull{{}, file, vector_of(mesh.scale)};
      }
    }
    fault(link, "a sphere, box, cylinder or mesh", "another shape");
  }

  // "package://name/rest" and "rest" lie relative to the URDF file.
  [[nodiscard]] std::filesystem::path mesh_file(std::string name) const {
    constexpr std::string_view package = "package://", file = "file://";
    if (name.starts_with(file)) return name.substr(file.size());
    if (name.starts_with(package)) {
      const std::size_t slash = name.find('/', package.size());
      name = slash == std::string::npos ? name.substr(package.size()) : name.substr(slash + 1);
    }
    return robot_.urdf.parent_path() / name;
  }

  void add_joint(const urdf::Joint& joint, const ScenePlacement& placement) {
    static constexpr std::array<const char*, 7> types = {"unknown",  "revolute", "continuous", "prismatic",
                                                         "floating", "planar",   "fixed"};
    if (joint.mimic) throw FileError(robot_.urdf, "joint \"" + joint.name + '"', "no mimic", "one");
    SceneJoint made;
    made.name = name_of(joint.name);
    made.place = robot_.urdf.string() + ": joint \"" + joint.name + '"';
    made.collide = false;
    for (const std::string& link : {joint.child_link_name, joint.parent_link_name}) {
      made.bodies.push_back(scene_.bodies[body_of_.at(link)].name);
    }
    switch (joint.type) {
      case urdf::Joint::FLOATING: return;
      case urdf::Joint::FIXED: made.type = SceneWeld{placement.position}; break;
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        made.type = SceneHinge{placement.position, placement.orientation * vector_of(joint.axis)};
        break;
      default:
        throw FileError(robot_.urdf, "joint \"" + joint.name + '"', "type fixed, revolute, continuous or floating",
                        types[static_cast<std::size_t>(joint.type)]);
    }
    scene_.joints.push_back(std::move(made));
  }

  const SceneRobot& robot_;
  Scene& scene_;
  std::map<std::string, std::size_t> body_of_;  // of each link, in scene_.bodies
};

}  // namespace

void append_robot(const SceneRobot& robot, Scene& scene) {
  Importer(robot, scene).run();
}

#endif

}  // namespace locdyn::scene_format
