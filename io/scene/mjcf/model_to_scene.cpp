#include <locdyn/io/scene/mjcf/model_to_scene.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/mjcf/actuators.hpp>
#include <locdyn/io/scene/mjcf/contact_rules.hpp>
#include <locdyn/io/scene/mjcf/kinematics.hpp>
#include <locdyn/io/scene/mjcf/masses.hpp>
#include <locdyn/io/scene/mjcf/start.hpp>
#include <locdyn/io/scene/placement.hpp>
#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

SceneGeometry geometry_of(const Geom& geom, const Model& model, bool obstacle) {
  const Eigen::Vector3d& s = geom.size;
  switch (geom.kind) {
    case Geom::Kind::plane: return Plane{};
    case Geom::Kind::sphere: return Sphere{s[0]};
    case Geom::Kind::capsule: return Capsule{s[0], 2 * s[1]};
    case Geom::Kind::cylinder: return Cylinder{s[0], 2 * s[1]};
    case Geom::Kind::box: return Box{2 * s};
    case Geom::Kind::mesh: break;
  }
  const auto mesh = model.meshes.find(geom.mesh);
  if (mesh == model.meshes.end()) geom.node.fault("mesh", "the name of a mesh", '"' + geom.mesh + '"');
  const TriangleMesh& given = mesh->second.triangles;
  if (!obstacle || given.triangles.empty()) return SceneHull{given.vertices, {}, Eigen::Vector3d::Ones()};
  return SceneMesh{given.vertices, given.triangles, {}, Eigen::Vector3d::Ones()};
}

class Writer {
 public:
  Writer(const Model& model, const SceneRobot& robot, Scene& scene, LeftOut& left_out)
      : model_(model),
        robot_(robot),
        scene_(scene),
        left_out_(left_out),
        start_(start_of(model, robot)),
        states_(bodies_at(model, start_.coordinates, start_.velocities, robot.placement)),
        rules_(model, robot, scene),
        drives_(model, robot, start_, scene, left_out) {}

  void run() {
    owner_.assign(model_.bodies.size(), kNone);
    parts_.resize(model_.bodies.size());
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) place_body(i);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) weigh(i);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      if (!model_.bodies[i].joints.empty()) set_mass(i);
    }
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) add_joints(i);
    for (const auto& [a, b] : model_.excludes) exclude(a, b);
    for (std::size_t k = 0; k < model_.equalities.size(); ++k) add_equality(k);
    check_pairs();
    if (model_.gravity && *model_.gravity != scene_.gravity) {
      left_out_.add(model_.root, "option gravity, which is that of the scene");
    }
  }

 private:
  [[nodiscard]] std::string name_of(std::size_t i) const {
    const std::string& own = model_.bodies[i].name;
    return robot_.name + "/" + (own.empty() ? "body[" + std::to_string(i) + "]" : own);
  }
  [[nodiscard]] bool moves(std::size_t i) const {
    return !model_.bodies[i].joints.empty() || (i > 0 && moves_[model_.bodies[i].parent]);
  }
  // The body of the scene that it is part of; none: the world without shapes, which is space.
  [[nodiscard]] const SceneBody* body_of(std::size_t i) const {
    return owner_[i] == kNone ? nullptr : &scene_.bodies[owner_[i]];
  }

  // --- bodies

  void place_body(std::size_t i) {
    const Body& body = model_.bodies[i];
    moves_.push_back(moves(i));
    if (i == 0 && body.geoms.empty()) return;
    const bool part = i > 0 && moves_[i] && body.joints.empty();
    if (part) {
      owner_[i] = owner_[body.parent];
    } else {
      owner_[i] = scene_.bodies.size();
      scene_.bodies.push_back(made(i));
    }
    for (const Geom& geom : body.geoms) add_shape(i, geom);
  }

  [[nodiscard]] SceneBody made(std::size_t i) const {
    SceneBody body;
    body.name = name_of(i);
    body.place = robot_.mjcf.string() + ": " + model_.bodies[i].node.place();
    body.placement = states_[i].placement;
    body.surface = robot_.surface;
    if (!moves_[i]) {
      body.kind = SceneObstacle{};
    } else {
      body.kind = SceneRigid{};
    }
    return body;
  }

  // Where the body lies in the one that it is part of.
  [[nodiscard]] ScenePlacement in_owner(std::size_t i) const {
    const ScenePlacement& outer = scene_.bodies[owner_[i]].placement;
    const Orientation back = outer.orientation.conjugate();
    return {back * (states_[i].placement.position - outer.position),
            (back * states_[i].placement.orientation).normalized()};
  }

  void add_shape(std::size_t i, const Geom& geom) {
    if (geom.type == 0 && geom.affinity == 0 && !named_in_pair(geom)) return;  // weighs, and is seen
    if (geom.kind == Geom::Kind::plane && moves_[i]) geom.node.fault("type", "a solid on a body that moves", "a plane");
    SceneShape shape;
    shape.geometry = geometry_of(geom, model_, !moves_[i]);
    shape.placement = within(in_owner(i), geom.placement);
    shape.place = robot_.mjcf.string() + ": " + geom.node.place();
    rules_.apply(geom, shape);
    scene_.bodies[owner_[i]].shapes.push_back(std::move(shape));
  }

  [[nodiscard]] bool named_in_pair(const Geom& geom) const {
    return !geom.name.empty() && std::any_of(model_.pairs.begin(), model_.pairs.end(), [&](const GeomPair& pair) {
      return pair.geoms[0] == geom.name || pair.geoms[1] == geom.name;
    });
  }

  // --- masses

  void weigh(std::size_t i) {
    if (!moves_[i]) return;
    const ScenePlacement there = in_owner(i);
    const MassProperties own = body_mass(model_.bodies[i], model_);
    if (own.mass > 0) parts_[first_of(i)].push_back(moved(own, there.orientation.toRotationMatrix(), there.position));
  }
  // The body of the model whose joints carry it.
  [[nodiscard]] std::size_t first_of(std::size_t i) const {
    while (model_.bodies[i].joints.empty()) i = model_.bodies[i].parent;
    return i;
  }
  void set_mass(std::size_t i) {
    const MassProperties mass = together(parts_[i]);
    if (!(mass.mass > 0)) model_.bodies[i].node.fault("", "a mass of a body that moves", "none");
    SceneBody& body = scene_.bodies[owner_[i]];
    auto& rigid = std::get<SceneRigid>(body.kind);
    rigid.mass = mass.mass;
    rigid.mass_center = mass.center;
    rigid.inertia = mass.inertia;
    rigid.angular_velocity = states_[i].angular_velocity;
    rigid.velocity = states_[i].velocity + states_[i].angular_velocity.cross(body.placement.orientation * mass.center);
  }

  // --- joints

  [[nodiscard]] std::string name_of(const Joint& joint, std::size_t i) const {
    return robot_.name + "/" + (joint.name.empty() ? "joint of " + name_of(i) : joint.name);
  }

  void add_joints(std::size_t i) {
    const Body& body = model_.bodies[i];
    if (body.joints.empty()) return;
    if (body.joints[0].freedoms() > 1) add_bushing(i);
    if (body.joints[0].kind == Joint::Kind::free) return;
    SceneJoint joint;
    joint.place = robot_.mjcf.string() + ": " + body.joints[0].node.place();
    joint.name = name_of(body.joints[0], i);
    joint.bodies = {name_of(i)};
    if (const SceneBody* parent = body_of(body.parent)) joint.bodies.push_back(parent->name);
    joint.collide = !moves_[body.parent];
    std::vector<SceneSerialAxis> axes;
    for (std::size_t k = 0; k < body.joints.size(); ++k) {
      const JointPlace& place = states_[i].joints[k];
      const SceneDrive drive = drives_.of(body.joints[k]);
      if (body.joints[k].kind == Joint::Kind::ball) {
        joint.type = SceneFixedPoint{place.anchor};
      } else if (body.joints[k].kind == Joint::Kind::hinge) {
        axes.push_back({name_of(body.joints[k], i), SceneHinge{place.anchor, place.axis, drive}});
      } else {
        axes.push_back({name_of(body.joints[k], i), ScenePrismatic{place.anchor, place.axis, drive}});
      }
    }
    if (axes.size() == 1) {
      std::visit([&](const auto& single) { joint.type = single; }, axes[0].type);
    } else if (!axes.empty()) {
      joint.name = robot_.name + "/joints of " + (body.name.empty() ? std::to_string(i) : body.name);
      joint.type = SceneSerial{std::move(axes)};
    }
    scene_.joints.push_back(std::move(joint));
  }

  // Spring and damper of a ball or of a free body, without force where the file places it.
  void add_bushing(std::size_t i) {
    const Body& body = model_.bodies[i];
    const Joint& of = body.joints[0];
    if (of.stiffness == 0 && of.damping == 0) return;
    const bool free = of.kind == Joint::Kind::free;
    const ScenePlacement rest = within(states_[body.parent].placement, body.placement);
    const ScenePlacement& now = states_[i].placement;
    SceneBushing bushing;
    bushing.points = {free ? now.position : states_[i].joints[0].anchor,
                      free ? rest.position : states_[i].joints[0].anchor};
    const Eigen::AngleAxisd back(Eigen::Quaterniond(rest.orientation * now.orientation.conjugate()).normalized());
    bushing.rest = back.angle() * back.axis();
    bushing.properties.angular_stiffness = of.stiffness;
    bushing.properties.angular_damping = of.damping;
    if (free) {
      bushing.properties.stiffness = of.stiffness;
      bushing.properties.damping = of.damping;
    }
    SceneJoint joint;
    joint.name = name_of(of, i) + ".spring";
    joint.place = robot_.mjcf.string() + ": " + of.node.place();
    joint.bodies = {name_of(i)};
    if (const SceneBody* parent = body_of(body.parent)) joint.bodies.push_back(parent->name);
    joint.collide = free || !moves_[body.parent];
    joint.type = bushing;
    scene_.joints.push_back(std::move(joint));
  }

  // --- contacts and equalities

  void exclude(std::size_t a, std::size_t b) {
    const SceneBody *first = body_of(a), *second = body_of(b);
    if (first && second && first != second) scene_.excluded_pairs.push_back({first->name, second->name});
  }

  // A pair acts even where its bodies are joined to each other, which a scene cannot say.
  void check_pairs() const {
    for (const GeomPair& pair : model_.pairs) {
      std::array<std::size_t, 2> owners = {kNone, kNone}, joined = {kNone, kNone};
      for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
        for (const Geom& geom : model_.bodies[i].geoms) {
          for (std::size_t k = 0; k < 2; ++k) {
            if (geom.name != pair.geoms[k]) continue;
            owners[k] = owner_[i];
            const std::size_t first = moves_[i] ? first_of(i) : i;
            joined[k] = moves_[i] && moves_[model_.bodies[first].parent] ? owner_[model_.bodies[first].parent] : kNone;
          }
        }
      }
      if (owners[0] == owners[1] || joined[0] == owners[1] || joined[1] == owners[0]) {
        left_out_.add(pair.node, "of two bodies that a joint ties");
      }
    }
  }

  void add_equality(std::size_t k) {
    const Equality& equality = model_.equalities[k];
    const auto [first, second] = equality.bodies;
    SceneJoint joint;
    joint.name = robot_.name + "/" + (equality.name.empty() ? "equality[" + std::to_string(k) + "]" : equality.name);
    joint.place = robot_.mjcf.string() + ": " + equality.node.place();
    for (const std::size_t i : {first, second}) {
      if (const SceneBody* body = body_of(i)) joint.bodies.push_back(body->name);
    }
    if (!moves_[first] && !moves_[second]) return;
    if (!moves_[first]) std::reverse(joint.bodies.begin(), joint.bodies.end());
    const ScenePlacement& frame = states_[first].placement;
    if (equality.kind == Equality::Kind::connect) {
      const Eigen::Vector3d point = frame.position + frame.orientation * equality.anchor;
      require_closed(equality, point);
      joint.type = SceneFixedPoint{point};
    } else {
      require_closed(equality, frame.position);
      joint.type = SceneWeld{states_[second].placement.position};
    }
    scene_.joints.push_back(std::move(joint));
  }

  // A joint of a scene holds what is so at start: it must be what the model asks for.
  void require_closed(const Equality& equality, const Eigen::Vector3d& point) const {
    constexpr double kClosed = 1e-9;
    const auto [first, second] = equality.bodies;
    const std::vector<BodyState> reference =
        bodies_at(model_, reference_coordinates(model_), std::vector<double>(model_.velocities, 0.0), robot_.placement);
    const ScenePlacement& a = reference[first].placement;
    const ScenePlacement& b = reference[second].placement;
    ScenePlacement wanted{a.orientation.conjugate() * (b.position - a.position),
                          a.orientation.conjugate() * b.orientation};
    if (equality.relative) wanted = *equality.relative;
    const ScenePlacement there = within(states_[first].placement, wanted);
    const ScenePlacement& found = states_[second].placement;
    // Where the point of the first body lies on the second, as they are tied, and as they lie.
    const Eigen::Vector3d carried =
        found.position + found.orientation * (there.orientation.conjugate() * (point - there.position));
    const double gap = (carried - point).norm();
    const double turn =
        equality.kind == Equality::Kind::weld ? found.orientation.angularDistance(there.orientation) : 0;
    if (gap <= kClosed && turn <= 1e-7) return;
    equality.node.fault("", "bodies that lie at start as it ties them",
                        "a gap of " + spelled(gap) + " m and a turn of " + spelled(turn) + " rad");
  }

  const Model& model_;
  const SceneRobot& robot_;
  Scene& scene_;
  LeftOut& left_out_;
  Start start_;
  std::vector<BodyState> states_;
  ContactRules rules_;
  Drives drives_;
  std::vector<bool> moves_;
  std::vector<std::size_t> owner_;                  // of each body, in scene_.bodies
  std::vector<std::vector<MassProperties>> parts_;  // of each body with joints, in its own coordinates
};

}  // namespace

void drop_empty_bodies(Model& model, LeftOut& left_out) {
  // From the leaves on: the mass of each with what is welded to it, and whether something moves within it.
  std::vector<double> mass(model.bodies.size(), 0.0);
  std::vector<bool> carries(model.bodies.size(), false);
  for (std::size_t i = model.bodies.size(); i-- > 1;) {
    Body& body = model.bodies[i];
    mass[i] += body_mass(body, model).mass;
    if (!body.joints.empty() && mass[i] == 0 && !carries[i]) {
      left_out.add(body.node, "that moves without mass");
      body.joints.clear();
    }
    if (body.joints.empty()) {
      mass[body.parent] += mass[i];
      if (carries[i]) carries[body.parent] = true;
    } else {
      carries[body.parent] = true;
    }
  }
}

void append_model(const Model& model, const SceneRobot& robot, Scene& scene, LeftOut& left_out) {
  Writer(model, robot, scene, left_out).run();
}

}  // namespace locdyn::scene_format::mjcf
