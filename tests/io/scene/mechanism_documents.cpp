#include <io/scene/mechanism_documents.hpp>

namespace locdyn::test {

using Json = nlohmann::json;

namespace {

constexpr const char* kMotor = R"({"times": [0, 1, 2], "values": [0, 3, 5]})";  // a corner at 1 s

std::vector<MechanismMutant> made(const Json& scene, const std::vector<Mutant>& mutants) {
  std::vector<MechanismMutant> changes;
  for (const Mutant& mutant : mutants) changes.push_back({changed(scene, mutant), mutant});
  return changes;
}

std::vector<MechanismMutant> together(std::vector<MechanismMutant> a, const std::vector<MechanismMutant>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Json smooth_scene() {
  return Json::parse(R"({
    "step": 0.01, "duration": 2,
    "bodies": [{"name": "table", "kind": "obstacle"},
               {"name": "bar", "mass": 1, "inertia": [1, 1, 1]}, {"name": "slide", "mass": 1, "inertia": [1, 1, 1]},
               {"name": "bob", "kind": "particle", "mass": 1, "position": [2, 0, 0]}],
    "joints": [{"name": "pin", "type": "hinge", "bodies": ["bar"], "point": [0, 0, 0], "axis": [0, 0, 1]},
               {"name": "rail", "type": "prismatic", "bodies": ["slide", "bar"], "point": [0, 0, 0], "axis": [1, 0, 0]},
               {"name": "rod", "type": "rigid_link", "bodies": ["bob", "bar"], "points": [[2, 0, 0], [0, 0, 0]],
                "length": 2.5},
               {"name": "ball", "type": "fixed_point", "bodies": ["bob", "table"], "point": [2, 0, 0]}],
    "motions": [{"body": "table", "velocity": [0, 0, 0.5]}],
    "smooth": {"integrator": "bdf", "rtol": 1e-8, "atol": 0, "max_step": 0.1, "stabilisation": "baumgarte",
               "alpha": 5, "beta": 5}
  })");
}

Json kinematics_scene() {
  Json scene = smooth_scene();
  for (const char* key : {"smooth", "step", "duration", "motions"}) scene.erase(key);
  scene["kinematics"] = Json::parse(R"({"joint": "pin", "from": 0, "to": -1, "step": 0.1, "rate": 2})");
  return scene;
}

std::vector<MechanismMutant> sound_mechanisms() {
  const Json angle = Json::parse(R"({"from": 0, "to": 1, "step": 0.1, "angle": {"normal": [0, 1, 0], "vectors":
    [[{"point": [0, 0, 0]}, {"body": "bob"}], [{"body": "bar", "point": [1, 0, 0]}, {"point": [4, 0, 0]}]]}})");
  const Json distance = Json::parse(R"({"from": 1, "to": 2, "step": 0.1, "distance": [{"body": "bob"},
    {"point": [0, 0, 0]}]})");
  return together(made(smooth_scene(), {{"/smooth", Json::object(), ""},
                                        {"/smooth", Json::parse(R"({"integrator": "half_step"})"), ""},
                                        {"/smooth", Json::parse(R"({"integrator": "generalised_alpha",
                                                                    "spectral_radius": 1})"),
                                         ""},
                                        {"/joints/0/angle", Json::parse(R"({"times": [0, 2], "values": [0, 3]})"), ""},
                                        {"/joints/0/speed", Json::parse(kMotor), ""}}),
                  made(kinematics_scene(), {{"/kinematics/rate", nullptr, ""},
                                            {"/kinematics", angle, ""},
                                            {"/kinematics", distance, ""},
                                            {"/joints/1/displacement", Json::parse(kMotor), ""},
                                            {"/kinematics/joint", "rail", ""},
                                            {"/duration", 1, ""}}));
}

std::vector<MechanismMutant> local_mechanism_mutants() {
  const Json anchors = Json::parse(R"([{"body": "bob"}, {"point": [0, 0, 0]}])");
  return together(
      made(smooth_scene(), {{"/step", nullptr, "key \"step\""},
                            {"/duration", nullptr, "key \"duration\""},
                            {"/smooth", true, "smooth"},
                            {"/smooth/integrator", "euler", "smooth.integrator"},
                            {"/smooth/rtol", 0, "smooth.rtol"},
                            {"/smooth/atol", -1, "smooth.atol"},
                            {"/smooth/max_step", 0, "smooth.max_step"},
                            {"/smooth/stabilisation", "none", "smooth.stabilisation"},
                            {"/smooth/alpha", -1, "smooth.alpha"},
                            {"/smooth/spectral_radius", 1.5, "smooth.spectral_radius"},
                            {"/smooth/tolerance", 1e-9, "smooth"},
                            {"/joints/2/length", 0, "joints[2].length"},
                            {"/kinematics", kinematics_scene()["kinematics"], "\"smooth\" and \"kinematics\""}}),
      made(kinematics_scene(),
           {{"/kinematics/joint", nullptr, "kinematics"},
            {"/kinematics/distance", anchors, "kinematics"},
            {"/kinematics/from", nullptr, "key \"from\""},
            {"/kinematics/to", nullptr, "key \"to\""},
            {"/kinematics/step", nullptr, "key \"step\""},
            {"/kinematics/step", 0, "kinematics.step"},
            {"/kinematics/rate", 0, "kinematics.rate"},
            {"/kinematics/rate", -1, "kinematics.rate"},
            {"/kinematics/to", "far", "kinematics.to"},
            {"/kinematics", Json::parse(R"({"from": 0, "to": 1, "step": 1, "distance": [{}, {}]})"),
             "kinematics.distance[0]"},
            {"/kinematics", Json::parse(R"({"from": 0, "to": 1, "step": 1, "angle": {}})"), "kinematics.angle"}}));
}

std::vector<MechanismMutant> far_mechanism_mutants() {
  const Json spring = Json::parse(R"({"type": "spring_damper", "bodies": ["bob"], "points": [[2, 0, 0], [0, 0, 0]],
    "stiffness": 1})");
  const Json prescribed = Json::parse(R"({"type": "prescribed_velocity", "bodies": ["bob"], "point": [2, 0, 0],
    "direction": [1, 0, 0], "velocity": 1})");
  const Json elsewhere = Json::parse(R"({"from": 0, "to": 1, "step": 1, "distance": [{"body": "bub"},
    {"point": [0, 0, 0]}]})");
  const Json flat = Json::parse(R"({"from": 0, "to": 1, "step": 1, "angle": {"normal": [0, 0, 0], "vectors":
    [[{"point": [0, 0, 0]}, {"body": "bob"}], [{"body": "bar"}, {"body": "bub"}]]}})");
  return together(made(smooth_scene(),
                       {{"/joints/4", spring, "a spring_damper goes to \"forces\""},
                        {"/joints/4", prescribed, "a prismatic joint with a speed"},
                        {"/joints/0/limits", Json::array({-1, 1}), "joints[0].limits"},
                        {"/joints/1/displacement", Json::parse(kMotor), "from 3 to 2 at 1 s"},
                        {"/motions/0/velocity", Json::parse(R"({"times": [0, 1], "values": [[0, 0, 0], [0, 0, 1]]})"),
                         "motions[0]"},
                        {"/motions/0", Json::parse(R"({"body": "table", "displacement": [0, 0, 0]})"), "motions[0]"},
                        {"/smooth/integrator", "half_step", "smooth.rtol"},
                        {"/smooth/spectral_radius", 0.5, "smooth.spectral_radius"},
                        {"/smooth/stabilisation", nullptr, "smooth.alpha"},
                        {"/smooth", nullptr, "joints[2].length"}}),
                  made(kinematics_scene(), {{"/kinematics/joint", "pim", "\"pin\" maybe"},
                                            {"/kinematics/joint", "ball", "a hinge, a prismatic joint or a screw"},
                                            {"/kinematics/to", 0, "another value than \"from\""},
                                            {"/kinematics/step", 1e-8, "at most 1e7 points"},
                                            {"/joints/0/angle", 0, "would contradict each other"},
                                            {"/joints/1/speed", 1, "joints[1].speed"},
                                            {"/joints/0/limits", Json::array({-1, 1}), "joints[0].limits"},
                                            {"/motions", smooth_scene()["motions"], "motions[0]"},
                                            {"/kinematics", elsewhere, "kinematics.distance[0].body"},
                                            {"/kinematics", flat, "kinematics.angle.normal"}}));
}

}  // namespace locdyn::test
