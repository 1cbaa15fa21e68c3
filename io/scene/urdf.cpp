#include <locdyn/io/scene/urdf.hpp>

#include <locdyn/io/scene/file_reach.hpp>
#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/placement.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/io/scene/read_values.hpp>
#include <locdyn/ldy/file_error.hpp>
#ifdef LOCDYN_WITH_URDF
#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
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
    find_positions(*model);
    add_link(*root, robot_.placement, !robot_.fixed_base);
    add_children(*root, robot_.placement);
    for (const auto& [name, link] : model->links_) {  // urdfdom lets them pass
      if (!body_of_.contains(name)) fault(*link, "a chain of joints to the root \"" + root->name + '"', "a cycle");
    }
    for (const auto& [name, joint] : model->joints_) {
      if (joint->mimic) add_mimic(*joint, *model->getJoint(joint->mimic->joint_name));
    }
    if (!refused_.empty() && !robot_.leave_out) throw SceneError(std::move(refused_));
    scene_.left_out.insert(scene_.left_out.end(), refused_.begin(), refused_.end());
  }

 private:
  [[noreturn]] void fault(const urdf::Link& link, const std::string& expected, const std::string& found) const {
    throw FileError(robot_.urdf, "link \"" + link.name + '"', expected, found);
  }
  [[nodiscard]] std::string name_of(const std::string& part) const { return robot_.name + "/" + part; }
  [[nodiscard]] std::string place_of(const urdf::Joint& joint) const {
    return robot_.urdf.string() + ": joint \"" + joint.name + '"';
  }
  [[noreturn]] void fault(const urdf::Joint& joint, const std::string& expected, const std::string& found) const {
    throw FileError(robot_.urdf, "joint \"" + joint.name + '"', expected, found);
  }
  // Not taken: the file is refused, or goes without.
  void refuse(const urdf::Joint& joint, const char* what) {
    refused_.push_back(place_of(joint) + ": " + what);
    if (!robot_.leave_out) refused_.back() += ": expected what is taken of URDF, or \"leave_out\", found this";
  }

  // --- where the joints start

  static bool has_coordinate(const urdf::Joint& joint) {
    return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
           joint.type == urdf::Joint::PRISMATIC;
  }

  void find_positions(const urdf::ModelInterface& model) {
    const auto require = [&](const std::map<std::string, urdf::JointSharedPtr>& joints, const std::string& name,
                             const char* key) {
      const auto joint = joints.find(name);
      if (joint != joints.end() && has_coordinate(*joint->second)) return;
      throw FileError(robot_.urdf, key, "the name of a revolute, continuous or prismatic joint", '"' + name + '"');
    };
    for (const auto& [name, value] : robot_.positions) require(model.joints_, name, "positions");
    for (const auto& [name, series] : robot_.controls) require(model.joints_, name, "controls");
    for (const auto& [name, joint] : model.joints_) position_of(model, *joint, 0);
  }

  // Its own, or what it mimics: q = multiplier q₂ + offset.
  double position_of(const urdf::ModelInterface& model, const urdf::Joint& joint, std::size_t depth) {
    const auto said = robot_.positions.find(joint.name);
    double& q = position_[joint.name];
    if (said != robot_.positions.end()) q = said->second;
    if (!joint.mimic) return q;
    const urdf::JointConstSharedPtr other = model.getJoint(joint.mimic->joint_name);
    if (!other || !has_coordinate(*other) || !has_coordinate(joint)) {
      fault(joint, "to mimic a revolute, continuous or prismatic joint as one of them",
            "\"" + joint.mimic->joint_name + '"');
    }
    if (depth > model.joints_.size()) fault(joint, "to mimic a joint that does not mimic it in turn", "a cycle");
    if (joint.mimic->multiplier == 0) fault(joint, "a multiplier that is not 0", "0");
    const double followed = joint.mimic->multiplier * position_of(model, *other, depth + 1) + joint.mimic->offset;
    if (said != robot_.positions.end() && std::abs(followed - q) > 1e-9) {
      fault(joint, "to start where it mimics, at " + spelled(followed), spelled(q));
    }
    return position_[joint.name] = followed;
  }

  // Of the child in the coordinates of the joint.
  [[nodiscard]] ScenePlacement moved_by(const urdf::Joint& joint) const {
    const double q = position_.at(joint.name);
    if (!has_coordinate(joint) || q == 0) return {};
    const Eigen::Vector3d axis = axis_of(joint);
    if (joint.type == urdf::Joint::PRISMATIC) return {q * axis, Orientation::Identity()};
    return {Eigen::Vector3d::Zero(), exponential(q * axis)};
  }
  [[nodiscard]] Eigen::Vector3d axis_of(const urdf::Joint& joint) const {
    const Eigen::Vector3d axis = vector_of(joint.axis);
    if (!(axis.norm() > 0)) fault(joint, "an axis of length > 0", "zero");
    return axis.normalized();
  }

  // The whole tree below a link that lies at `placement`, every joint at zero.
  void add_children(const urdf::Link& parent, const ScenePlacement& placement) {
    for (const auto& joint : parent.child_joints) {
      const auto found = std::find_if(parent.child_links.begin(), parent.child_links.end(),
                                      [&](const auto& link) { return link->name == joint->child_link_name; });
      if (found == parent.child_links.end()) continue;
      const urdf::Link& child = **found;
      const ScenePlacement origin = within(placement, placement_of(joint->parent_to_joint_origin_transform));
      const ScenePlacement there = within(origin, moved_by(*joint));
      if (!child.inertial && joint->type == urdf::Joint::FIXED) {
        join_to_parent(child, parent, there);
      } else {
        add_link(child, there, true);
        add_joint(*joint, origin);
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
        if (!within_reach(scene_, robot_.urdf, file)) fault(link, kFileInside, mesh.filename);
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

  // `origin`: of its coordinates in space.
  void add_joint(const urdf::Joint& joint, const ScenePlacement& origin) {
    SceneJoint made;
    made.name = name_of(joint.name);
    made.place = place_of(joint);
    made.collide = false;
    for (const std::string& link : {joint.child_link_name, joint.parent_link_name}) {
      made.bodies.push_back(scene_.bodies[body_of_.at(link)].name);
    }
    if (joint.safety) refuse(joint, "safety_controller");
    switch (joint.type) {
      case urdf::Joint::FLOATING: return;
      case urdf::Joint::FIXED: made.type = SceneWeld{origin.position}; break;
      case urdf::Joint::PLANAR: made.type = ScenePlaneOnPlane{origin.position, in_space(joint, origin)}; break;
      case urdf::Joint::PRISMATIC:
        made.type = ScenePrismatic{origin.position, in_space(joint, origin), drive_of(joint)};
        break;
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        made.type = SceneHinge{origin.position, in_space(joint, origin), drive_of(joint)};
        break;
      default: fault(joint, "type fixed, revolute, continuous, prismatic, planar or floating", "another");
    }
    if (has_coordinate(joint)) axes_[joint.name] = {origin.position, in_space(joint, origin), made.bodies};
    scene_.joints.push_back(std::move(made));
  }

  [[nodiscard]] Eigen::Vector3d in_space(const urdf::Joint& joint, const ScenePlacement& origin) const {
    return origin.orientation * axis_of(joint);
  }

  // Limits, damper and motor, from where it starts.
  SceneDrive drive_of(const urdf::Joint& joint) {
    SceneDrive drive;
    const double start = position_.at(joint.name);
    if (joint.limits && joint.type != urdf::Joint::CONTINUOUS) {
      const double lower = joint.limits->lower, upper = joint.limits->upper;
      if (lower > upper) fault(joint, "a lower limit below the upper one", spelled(lower) + ", " + spelled(upper));
      if (scene_.is_mechanism()) {
        refuse(joint, "limits in a mechanism, where nothing strikes");
      } else {
        drive.limits = {{lower - start, upper - start}};
      }
    }
    if (joint.dynamics) {
      const double damping = joint.dynamics->damping;
      if (!(damping >= 0)) fault(joint, "damping ≥ 0", spelled(damping));
      if (damping > 0) drive.spring = {.given = true, .damping = damping};
      const double friction = joint.dynamics->friction;
      if (!(friction >= 0)) fault(joint, "friction ≥ 0", spelled(friction));
      if (friction > 0) drive.friction = {.given = true, .friction = {.limit = friction}};
    }
    if (const auto control = robot_.controls.find(joint.name); control != robot_.controls.end()) {
      drive.effort = control->second;
      const double most = joint.limits ? joint.limits->effort : 0;
      for (double& value : drive.effort.values) value = most > 0 ? std::clamp(value, -most, most) : value;
    }
    return drive;
  }

  // Its coordinate goes `multiplier` times as far as that of the other.
  void add_mimic(const urdf::Joint& joint, const urdf::Joint& other) {
    SceneCoupling coupling;
    SceneJoint made;
    made.name = name_of(joint.name + ".mimic");
    made.place = place_of(joint);
    for (std::size_t k = 0; k < 2; ++k) {
      const urdf::Joint& one = k == 0 ? joint : other;
      const AxisInSpace& axis = axes_.at(one.name);
      coupling.axes[k] = {one.type == urdf::Joint::PRISMATIC ? SceneAxisKind::prismatic : SceneAxisKind::hinge,
                          axis.point, axis.direction, axis.bodies[1]};
      made.bodies.push_back(axis.bodies[0]);
    }
    coupling.ratio = joint.mimic->multiplier;
    made.type = std::move(coupling);
    scene_.joints.push_back(std::move(made));
  }

  struct AxisInSpace {
    Eigen::Vector3d point, direction;
    std::vector<std::string> bodies;  // child and parent
  };

  const SceneRobot& robot_;
  Scene& scene_;
  std::map<std::string, std::size_t> body_of_;  // of each link, in scene_.bodies
  std::map<std::string, double> position_;      // of each joint at start
  std::map<std::string, AxisInSpace> axes_;     // of each joint with a coordinate
  std::vector<std::string> refused_;
};

}  // namespace

void append_robot(const SceneRobot& robot, Scene& scene) {
  Importer(robot, scene).run();
}

#endif

}  // namespace locdyn::scene_format
