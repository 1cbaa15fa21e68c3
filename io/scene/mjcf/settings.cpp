#include <locdyn/io/scene/mjcf/settings.hpp>

#include <Eigen/Geometry>
#include <cctype>
#include <cmath>

#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

Orientation from_axes(Attributes& attributes) {
  const std::vector<double> v = *attributes.numbers("xyaxes", 6, 6);
  const Eigen::Vector3d x(v[0], v[1], v[2]), given(v[3], v[4], v[5]);
  if (!(x.norm() > 0)) attributes.fault("xyaxes", "an x axis of length > 0", "zero");
  const Eigen::Vector3d ex = x.normalized();
  const Eigen::Vector3d y = given - given.dot(ex) * ex;
  if (!(y.norm() > 1e-12 * given.norm())) attributes.fault("xyaxes", "axes that are not parallel", "parallel ones");
  Eigen::Matrix3d Q;
  Q << ex, y.normalized(), ex.cross(y.normalized());
  return Orientation(Q).normalized();
}

Orientation from_euler(Attributes& attributes, const Settings& settings) {
  const Eigen::Vector3d angles = settings.angle_unit * attributes.vector("euler", Eigen::Vector3d::Zero());
  Orientation q = Orientation::Identity();
  for (std::size_t k = 0; k < 3; ++k) {
    const char letter = settings.euler_sequence[k];
    const bool along = std::islower(static_cast<unsigned char>(letter)) != 0;
    const int axis = std::tolower(static_cast<unsigned char>(letter)) - 'x';
    const Orientation turn(Eigen::AngleAxisd(angles[static_cast<Eigen::Index>(k)], Eigen::Vector3d::Unit(axis)));
    q = along ? q * turn : turn * q;
  }
  return q.normalized();
}

}  // namespace

void Settings::read(const Node& node, LeftOut& left_out) {
  Attributes a(node);
  static constexpr std::array<std::string_view, 2> angles = {"degree", "radian"};
  if (a.has("angle")) angle_unit = a.choice("angle", angles, 0) == 0 ? Settings{}.angle_unit : 1;
  static constexpr std::array<std::string_view, 1> coordinates = {"local"};
  static_cast<void>(a.choice("coordinate", coordinates, 0));
  const std::string sequence = a.text("eulerseq", euler_sequence);
  if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos) {
    a.fault("eulerseq", "three letters of xyzXYZ", '"' + sequence + '"');
  }
  euler_sequence = sequence;
  if (a.has("assetdir")) mesh_folder = a.text("assetdir");
  if (a.has("meshdir")) mesh_folder = a.text("meshdir");
  strip_path = a.flag("strippath", strip_path);
  auto_limits = a.flag("autolimits", auto_limits);
  if (a.has("inertiafromgeom")) inertia_from_geom = a.maybe("inertiafromgeom");
  if (a.flag("exactmeshinertia", false)) mesh_inertia = SceneMeshInertia::exact;
  const auto only = [&](const char* name, double value) {  // as if it were not there
    if (a.number(name, value) != value) left_out.add(node, name);
  };
  only("boundmass", 0);
  only("boundinertia", 0);
  only("settotalmass", -1);
  if (a.flag("balanceinertia", false)) left_out.add(node, "balanceinertia");
  if (const auto groups = a.numbers("inertiagrouprange", 2, 2); groups && (*groups)[0] <= 0 && (*groups)[1] >= 5) {
  } else if (groups) {
    left_out.add(node, "inertiagrouprange");
  }
  a.ignore({"texturedir", "discardvisual", "convexhull", "usethread", "fusestatic", "fitaabb", "saveinertial"});
  a.finish(left_out);
}

Orientation z_turned_to(const Eigen::Vector3d& direction) {
  const Eigen::Vector3d z = direction.normalized(), across = Eigen::Vector3d::UnitZ().cross(z);
  const double sine = across.norm();  // where it is 0, half a turn about x, as MuJoCo has it
  const Eigen::Vector3d axis = sine < 1e-10 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d(across / sine);
  return Orientation(Eigen::AngleAxisd(std::atan2(sine, z.z()), axis));
}

Orientation orientation_of(Attributes& attributes, const Settings& settings) {
  static constexpr std::array<const char*, 5> ways = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  const char* way = nullptr;
  for (const char* name : ways) {
    if (!attributes.has(name)) continue;
    if (way) attributes.fault(name, std::string("one orientation, ") + way, "another");
    way = name;
  }
  attributes.ignore({"quat", "axisangle", "euler", "xyaxes", "zaxis"});
  if (way == nullptr) return Orientation::Identity();
  if (way == ways[3]) return from_axes(attributes);
  if (way == ways[2]) return from_euler(attributes, settings);
  if (way == ways[4]) {
    const Eigen::Vector3d z = attributes.vector("zaxis", Eigen::Vector3d::UnitZ());
    if (!(z.norm() > 0)) attributes.fault("zaxis", "a vector of length > 0", "zero");
    return z_turned_to(z);
  }
  const std::vector<double> v = *attributes.numbers(way, 4, 4);
  const Eigen::Map<const Eigen::Vector4d> given(v.data());
  if (way == ways[0]) {
    if (!(given.norm() > 0)) attributes.fault("quat", "a quaternion of length > 0", "zero");
    return Orientation(v[0], v[1], v[2], v[3]).normalized();
  }
  const Eigen::Vector3d axis = given.head<3>();
  if (!(axis.norm() > 0)) attributes.fault("axisangle", "an axis of length > 0", "zero");
  return Orientation(Eigen::AngleAxisd(settings.angle_unit * v[3], axis.normalized()));
}

ScenePlacement placement_of(Attributes& attributes, const Settings& settings) {
  return {attributes.vector("pos", Eigen::Vector3d::Zero()), orientation_of(attributes, settings)};
}

std::optional<Span> range_of(Attributes& attributes, const char* limited, const char* range, const Settings& settings) {
  const std::optional<bool> said = attributes.maybe(limited);
  const auto values = attributes.numbers(range, 2, 2);
  if (!said.value_or(settings.auto_limits && values.has_value())) return std::nullopt;
  if (!values) attributes.fault(limited, std::string("a ") + range + " beside it", "none");
  if (!((*values)[0] < (*values)[1])) {
    attributes.fault(range, "the least first", spelled((*values)[0]) + ", " + spelled((*values)[1]));
  }
  return Span{(*values)[0], (*values)[1]};
}

}  // namespace locdyn::scene_format::mjcf
