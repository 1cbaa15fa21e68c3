#pragma once
// A scene as it is written down: plain structs, one for each JSON object, in SI units; joints and forces each in a file
// of their own. `read_scene` fills them, `build` makes a System of them. Nothing here moves.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <locdyn/bodies/rotation.hpp>
#include <locdyn/contact/shape.hpp>
#include <locdyn/io/scene/scene_mechanism.hpp>
#include <locdyn/io/scene/time_series.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

// --- surfaces --------------------------------------------------------------------------------------------------------

/// Either `friction` for both coefficients, or each of its own.
struct SceneMaterial {
  std::optional<double> friction, static_friction, kinetic_friction;
  double restitution = 0;
  double rolling_friction = 0, torsional_friction = 0;  // [m]
  std::optional<double> stiffness;                      // [N/m]; none: hard
  double damping = 0;                                   // [N s/m]
};

struct ScenePair {
  std::array<std::string, 2> surfaces;
  SceneMaterial material;
};

// --- shapes ----------------------------------------------------------------------------------------------------------

/// Where coordinates lie in those around them: x = position + orientation X.
struct ScenePlacement {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Orientation orientation = Orientation::Identity();
};

/// A hull of points, or of the vertices of a mesh file.
struct SceneHull {
  std::vector<Eigen::Vector3d> points;
  std::filesystem::path file;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< of the file
};

/// Triangles given, or those of a mesh file.
struct SceneMesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::filesystem::path file;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< of the file
};

using SceneGeometry = std::variant<Sphere, Box, Capsule, Cylinder, SceneHull, SceneMesh, HeightField, Plane>;

/// Which others a collider meets. Absent: what the body says; it too absent: group "default", all groups met.
struct SceneGroups {
  std::optional<std::vector<std::string>> groups, collides_with;
};

struct SceneShape {
  SceneGeometry geometry;
  ScenePlacement placement;                                    ///< in the body's reference coordinates
  std::optional<double> density, mass;                         ///< [kg/m³], [kg]
  std::string surface;                                         ///< empty: the body's
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();  ///< a belt's, in coordinates of the shape [m/s]
  SceneGroups groups;
  std::string place;  ///< in the file, for messages: "bodies[3].shape"
};

// --- bodies ----------------------------------------------------------------------------------------------------------

/// Mass from the shapes (each by its own density or mass, else by `density` here), or from `mass` spread evenly over
/// them, or from `mass`, `mass_center` and `inertia` alone.
struct SceneRigid {
  std::optional<double> density, mass;
  std::optional<Eigen::Matrix3d> inertia;                      ///< about the mass centre, in reference axes [kg m²]
  Eigen::Vector3d mass_center = Eigen::Vector3d::Zero();       ///< in reference coordinates, with `inertia` only
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of the mass centre, in space [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in space [rad/s]
};
struct SceneObstacle {};
struct SceneParticle {
  double mass = 0;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
};
/// Moves in the plane z = 0 and turns about z.
struct ScenePlanar {
  std::optional<double> density, mass;
  std::optional<double> inertia;  ///< about z through the mass centre, with `mass`; there is no shape's mass then
  Eigen::Vector2d mass_center = Eigen::Vector2d::Zero();  ///< in reference coordinates, with `inertia` only
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();
  double angular_velocity = 0;
};
/// Deforms homogeneously; Saint Venant–Kirchhoff.
struct ScenePseudoRigid {
  std::optional<double> density, mass;
  double young_modulus = 0;  ///< [Pa]
  double poisson_ratio = 0;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();
};

struct SceneBody {
  std::string name;
  std::variant<SceneRigid, SceneObstacle, SceneParticle, ScenePlanar, ScenePseudoRigid> kind;
  ScenePlacement placement;  ///< of the reference coordinates that shapes are given in, in space
  std::vector<SceneShape> shapes;
  std::string surface;  ///< of shapes that name none; empty: "default"
  SceneGroups groups;   ///< of shapes that name none
  std::string place;    ///< in the file, for messages: "bodies[3]"
};

// --- what moves them -------------------------------------------------------------------------------------------------

struct SceneLoad {
  std::string body;
  TimeSeries<Eigen::Vector3d> force, torque;  ///< in space [N], [N m]; no values: none
  std::optional<Eigen::Vector3d> point;       ///< in space at start, carried by the body; absent: the mass centre
};

/// Of an obstacle; each of the two as a velocity, or as what it has come to since the start.
struct SceneMotion {
  std::string body;
  TimeSeries<Eigen::Vector3d> velocity, angular_velocity;  ///< [m/s], [rad/s], in space, about the reference point
  TimeSeries<Eigen::Vector3d> displacement, rotation;      ///< [m]; rotation vector [rad], in space
};

// --- generators ------------------------------------------------------------------------------------------------------
// In coordinates of their own: z up, the lowest faces at z = 0. Bodies are called "name[0]", "name[1]", ….

/// Along x, in running bond; centred on x = 0 and y = 0.
struct SceneWall {
  int bricks = 0;  ///< in a course
  int courses = 0;
  Eigen::Vector3d brick_size = {0.22, 0.11, 0.07};  ///< along the wall, across, up
  bool half_bricks = true;                          ///< at the ends of every other course; else it is shorter
  double density = 2000;
};
/// Layers of parallel planks, each layer across the one below; centred.
struct SceneTower {
  int layers = 0;
  int planks = 3;  ///< in a layer
  Eigen::Vector3d plank_size = {0.1176, 0.0235, 0.0078};
  double density = 600;
};
/// A semicircle in the plane y = 0, springing at z = 0.
struct SceneArch {
  int voussoirs = 0;
  double radius = 0;  ///< of the centre line
  double thickness = 0, depth = 0;
  double density = 2400;
};
/// Bodies of random size and orientation at the points of a lattice, apart from each other, to be dropped.
struct ScenePile {
  int count = 0;
  std::array<double, 2> size = {0, 0};  ///< least and largest: diameter, edge
  std::vector<std::string> shapes = {"sphere", "box"};
  std::array<int, 2> across = {8, 8};  ///< lattice points along x and y
  std::uint32_t seed = 1;
  double density = 2000;
};
/// Copies of one body, each `spacing` further.
struct SceneRow {
  int count = 0;
  Eigen::Vector3d spacing = Eigen::Vector3d::Zero();
  SceneBody body;
};

struct SceneGenerator {
  std::string name;
  std::variant<SceneWall, SceneTower, SceneArch, ScenePile, SceneRow> type;
  ScenePlacement placement;
  std::string surface;
  std::string place;
};

/// Links and joints of a URDF file. Links are called "name/link".
struct SceneRobot {
  std::string name;
  std::filesystem::path urdf;
  ScenePlacement placement;
  bool fixed_base = true;
  std::string surface;
};

// --- the whole -------------------------------------------------------------------------------------------------------

struct SceneOutput {
  int every = 10;         ///< steps from one frame of the trajectory to the next; 0: none
  int dump_problems = 0;  ///< every so many steps the contact problem as a file; 0: never
  int checkpoint = 0;     ///< every so many steps a checkpoint; 0: at the end alone
};

struct SceneJoint;  // joints.hpp
struct SceneForce;  // forces.hpp

struct Scene {
  Scene();
  Scene(const Scene&);
  Scene(Scene&&) noexcept;
  Scene& operator=(const Scene&);
  Scene& operator=(Scene&&) noexcept;
  ~Scene();

  std::filesystem::path file;  ///< as it was read; what it names lies relative to its folder
  std::string title;
  double duration = 1;                      ///< [s]
  Eigen::Vector3d gravity = {0, 0, -9.81};  ///< [m/s²]
  TimeStepperOptions stepping;              ///< step, solver, correction
  std::optional<double> allow_overlap;      ///< [m]; absent: 1e-4 of the smaller shape
  std::map<std::string, SceneMaterial> surfaces;
  std::vector<ScenePair> pairs;
  std::vector<SceneBody> bodies;
  std::vector<SceneGenerator> generators;
  std::vector<SceneRobot> robots;
  std::vector<SceneJoint> joints;
  std::vector<SceneForce> forces;
  std::vector<SceneLoad> loads;
  std::vector<SceneMotion> motions;
  std::vector<std::array<std::string, 2>> excluded_pairs;
  SceneOutput output;
  std::optional<SceneSmooth> smooth;          ///< then it is a mechanism, integrated without contacts
  std::optional<SceneKinematics> kinematics;  ///< then it is a mechanism along a path, without `step` and `duration`

  [[nodiscard]] bool is_mechanism() const noexcept { return smooth || kinematics; }
};

}  // namespace locdyn
