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
  std::optional<double> friction, static_friction, kinetic_friction;  ///< μ, or μ_s ≥ μ_k
  std::optional<double> cross_friction;                               ///< μ_s across a direction; none: as along it
  double restitution = 0;                                             ///< 0 ≤ e ≤ 1
  double rolling_friction = 0, torsional_friction = 0;                ///< ≥ 0 [m]
  std::optional<double> stiffness;                                    ///< [N/m]; none: hard
  std::optional<double> hertz_stiffness;                              ///< [N/m^{3/2}]; none: hard
  double damping = 0;                                                 ///< ≥ 0 [N s/m]
  std::optional<double> tangential_stiffness;                         ///< [N/m]; none: hard along the surface
  double tangential_damping = 0;                                      ///< ≥ 0 [N s/m]
};

/// What two surfaces have in common.
struct ScenePair {
  std::array<std::string, 2> surfaces;  ///< by name
  SceneMaterial material;               ///< of the pair
};

// --- shapes ----------------------------------------------------------------------------------------------------------

/// Where coordinates lie in those around them: x = position + orientation X.
struct ScenePlacement {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in space or in the body [m]
  Orientation orientation = Orientation::Identity();   ///< from these coordinates to those around them
};

/// A hull of points, or of the vertices of a mesh file.
struct SceneHull {
  std::vector<Eigen::Vector3d> points;              ///< [m]; none: those of the file
  std::filesystem::path file;                       ///< a mesh file, beside the scene
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< of the file
};

/// Triangles given, or those of a mesh file.
struct SceneMesh {
  std::vector<Eigen::Vector3d> vertices;            ///< [m]; none: those of the file
  std::vector<std::array<int, 3>> triangles;        ///< three vertices each, anticlockwise from outside
  std::filesystem::path file;                       ///< a mesh file, beside the scene
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< of the file
};

/// What a shape may be.
using SceneGeometry = std::variant<Sphere, Box, Capsule, Cylinder, SceneHull, SceneMesh, HeightField, Plane>;

/// Which others a collider meets. Absent: what the body says; it too absent: group "default", all groups met.
struct SceneGroups {
  std::optional<std::vector<std::string>> groups, collides_with;  ///< by name
};

/// A shape of a body.
struct SceneShape {
  SceneGeometry geometry;                                      ///< in its own coordinates
  ScenePlacement placement;                                    ///< in the body's reference coordinates
  std::optional<double> density, mass;                         ///< [kg/m³], [kg]
  std::string surface;                                         ///< empty: the body's
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();  ///< a belt's, in coordinates of the shape [m/s]
  std::optional<Eigen::Vector3d> friction_direction;           ///< in coordinates of the shape, of any length > 0
  SceneGroups groups;                                          ///< absent: the body's
  std::string place;                                           ///< in the file, for messages: "bodies[3].shape"
};

// --- bodies ----------------------------------------------------------------------------------------------------------

/// Mass from the shapes (each by its own density or mass, else by `density` here), or from `mass` spread evenly over
/// them, or from `mass`, `mass_center` and `inertia` alone.
struct SceneRigid {
  std::optional<double> density, mass;                         ///< [kg/m³], [kg]
  std::optional<Eigen::Matrix3d> inertia;                      ///< about the mass centre, in reference axes [kg m²]
  Eigen::Vector3d mass_center = Eigen::Vector3d::Zero();       ///< in reference coordinates, with `inertia` only
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of the mass centre, in space [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in space [rad/s]
};
/// Does not move but by a motion.
struct SceneObstacle {};
/// A point with a mass.
struct SceneParticle {
  double mass = 0;                                     ///< [kg]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< in space [m/s]
};
/// Moves in the plane z = 0 and turns about z.
struct ScenePlanar {
  std::optional<double> density, mass;  ///< [kg/m³], [kg]
  std::optional<double> inertia;        ///< about z through the mass centre, with `mass`; there is no shape's mass then
  Eigen::Vector2d mass_center = Eigen::Vector2d::Zero();  ///< in reference coordinates, with `inertia` only
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();     ///< of the mass centre [m/s]
  double angular_velocity = 0;                            ///< about z [rad/s]
};
/// Deforms homogeneously; Saint Venant–Kirchhoff.
struct ScenePseudoRigid {
  std::optional<double> density, mass;                         ///< [kg/m³], [kg]
  double young_modulus = 0;                                    ///< [Pa]
  double poisson_ratio = 0;                                    ///< ν, −1 … ½
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of the mass centre, in space [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in space [rad/s]
};

/// A body of any kind.
struct SceneBody {
  std::string name;  ///< by which others name it; each its own
  /// What moves it, and its numbers.
  std::variant<SceneRigid, SceneObstacle, SceneParticle, ScenePlanar, ScenePseudoRigid> kind;
  ScenePlacement placement;        ///< of the reference coordinates that shapes are given in, in space
  std::vector<SceneShape> shapes;  ///< none, one or more
  std::string surface;             ///< of shapes that name none; empty: "default"
  SceneGroups groups;              ///< of shapes that name none
  std::string place;               ///< in the file, for messages: "bodies[3]"
};

// --- what moves them -------------------------------------------------------------------------------------------------

/// A force and a torque on a body as functions of time.
struct SceneLoad {
  std::string body;                           ///< by name
  TimeSeries<Eigen::Vector3d> force, torque;  ///< in space [N], [N m]; no values: none
  std::optional<Eigen::Vector3d> point;       ///< in space at start, carried by the body; absent: the mass centre
};

/// Of an obstacle; each of the two as a velocity, or as what it has come to since the start.
struct SceneMotion {
  std::string body;                                        ///< an obstacle, by name
  TimeSeries<Eigen::Vector3d> velocity, angular_velocity;  ///< [m/s], [rad/s], in space, about the reference point
  TimeSeries<Eigen::Vector3d> displacement, rotation;      ///< [m]; rotation vector [rad], in space
};

// --- generators ------------------------------------------------------------------------------------------------------
// In coordinates of their own: z up, the lowest faces at z = 0. Bodies are called "name[0]", "name[1]", ….

/// Along x, in running bond; centred on x = 0 and y = 0.
struct SceneWall {
  int bricks = 0;                                   ///< in a course
  int courses = 0;                                  ///< one on the other
  Eigen::Vector3d brick_size = {0.22, 0.11, 0.07};  ///< along the wall, across, up
  bool half_bricks = true;                          ///< at the ends of every other course; else it is shorter
  double density = 2000;                            ///< [kg/m³]
};
/// Layers of parallel planks, each layer across the one below; centred.
struct SceneTower {
  int layers = 0;                                         ///< one on the other
  int planks = 3;                                         ///< in a layer
  Eigen::Vector3d plank_size = {0.1176, 0.0235, 0.0078};  ///< along, across, up [m]
  double density = 600;                                   ///< [kg/m³]
};
/// A semicircle in the plane y = 0, springing at z = 0.
struct SceneArch {
  int voussoirs = 0;                ///< in the semicircle
  double radius = 0;                ///< of the centre line
  double thickness = 0, depth = 0;  ///< radially, and along y [m]
  double density = 2400;            ///< [kg/m³]
};
/// Bodies of random size and orientation at the points of a lattice, apart from each other, to be dropped.
struct ScenePile {
  int count = 0;                                        ///< of bodies
  std::array<double, 2> size = {0, 0};                  ///< least and largest: diameter, edge
  std::vector<std::string> shapes = {"sphere", "box"};  ///< taken in turn
  std::array<int, 2> across = {8, 8};                   ///< lattice points along x and y
  std::uint32_t seed = 1;                               ///< the same one gives the same pile
  double density = 2000;                                ///< [kg/m³]
};
/// Copies of one body, each `spacing` further.
struct SceneRow {
  int count = 0;                                      ///< of copies
  Eigen::Vector3d spacing = Eigen::Vector3d::Zero();  ///< from one to the next [m]
  SceneBody body;                                     ///< the first
};

/// Many bodies by one entry.
struct SceneGenerator {
  std::string name;                                                          ///< of its bodies, before the number
  std::variant<SceneWall, SceneTower, SceneArch, ScenePile, SceneRow> type;  ///< what is made, and its numbers
  ScenePlacement placement;                                                  ///< of its coordinates, in space
  std::string surface;                                                       ///< of its bodies; empty: "default"
  std::string place;  ///< in the file, for messages: "generators[0]"
};

/// What the mass and the moments of a mesh are taken of.
enum class SceneMeshInertia {
  legacy,  ///< pyramids over its triangles, each counted as positive: too heavy where it is not convex (MuJoCo)
  exact,   ///< what it encloses
  convex,  ///< its convex hull
  shell,   ///< its surface, the density being one of area [kg/m²]
  box      ///< moments as of `legacy`, in proportion to the volume of a box that has them, as MuJoCo 2 rounds them
};

/// Links and joints of a file in URDF or MJCF. Links are called "name/link", and so are joints and actuators.
struct SceneRobot {
  std::string name;                                          ///< before the names of its links
  std::filesystem::path urdf;                                ///< the file, beside the scene; empty: `mjcf`
  std::filesystem::path mjcf;                                ///< the file, beside the scene; empty: `urdf`
  ScenePlacement placement;                                  ///< of the base link, or of the world of an MJCF, in space
  bool fixed_base = true;                                    ///< the base link of a URDF is an obstacle
  std::string surface;                                       ///< of its links; empty: "default", or as the MJCF says
  SceneMeshInertia mesh_inertia = SceneMeshInertia::legacy;  ///< of meshes of an MJCF that do not say
  bool leave_out = false;                                    ///< what is not taken, instead of refusing the file
  std::string keyframe;            ///< of an MJCF, by name: where it starts; empty: its reference
  std::vector<double> qpos, qvel;  ///< of an MJCF, all coordinates and velocities in its order; empty: elsewhere
  std::map<std::string, double> positions;  ///< where hinges [rad] and slides [m] start, by joint
  std::map<std::string, TimeSeries<double>>
      controls;  ///< of actuators, or of joints of a URDF; else of the keyframe, or 0
};

// --- the whole -------------------------------------------------------------------------------------------------------

/// What a run writes, and how often.
struct SceneOutput {
  int every = 10;         ///< steps from one frame of the trajectory to the next; 0: none
  int dump_problems = 0;  ///< every so many steps the contact problem as a file; 0: never
  int checkpoint = 0;     ///< every so many steps a checkpoint; 0: at the end alone
};

/// Where the files that a scene names, and those that its robots name, may lie.
enum class SceneFiles {
  own_folder,  ///< in the scene's folder or below it, links followed
  anywhere     ///< wherever the process may read: for scenes that are trusted
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

  std::filesystem::path file;                     ///< as it was read; what it names lies relative to its folder
  SceneFiles files = SceneFiles::own_folder;      ///< where what its robots name may lie
  std::string title;                              ///< for people
  double duration = 1;                            ///< [s]
  Eigen::Vector3d gravity = {0, 0, -9.81};        ///< [m/s²]
  TimeStepperOptions stepping;                    ///< step, solver, correction
  std::optional<double> allow_overlap;            ///< [m]; absent: 1e-4 of the smaller shape
  std::map<std::string, SceneMaterial> surfaces;  ///< by name
  std::vector<ScenePair> pairs;                   ///< others: the geometric mean of the two
  std::vector<SceneBody> bodies;                  ///< in order
  std::vector<SceneGenerator> generators;         ///< of many bodies at once
  std::vector<SceneRobot> robots;                 ///< from URDF files
  std::vector<SceneJoint> joints;                 ///< constraints for life
  std::vector<SceneForce> forces;                 ///< functions of the state
  std::vector<SceneLoad> loads;                   ///< functions of time
  std::vector<SceneMotion> motions;               ///< of obstacles
  std::vector<std::array<std::string, 2>> excluded_pairs;  ///< bodies that do not touch, by name
  std::vector<std::string> left_out;  ///< what `expanded` has left out of robots on request: "file: line 12, <tendon>"
  SceneOutput output;                 ///< what a run writes
  std::optional<SceneSmooth> smooth;  ///< then it is a mechanism, integrated without contacts
  std::optional<SceneKinematics> kinematics;  ///< then it is a mechanism along a path, without `step` and `duration`

  /// Is it a mechanism, without contacts?
  [[nodiscard]] bool is_mechanism() const noexcept { return smooth || kinematics; }
};

}  // namespace locdyn
