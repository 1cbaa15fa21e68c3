#include <locdyn/io/output/trajectory_writer.hpp>

#include <doctest/doctest.h>

#include <app/program.hpp>
#include <cmath>
#include <iostream>

#include <io/output/scene.hpp>
#include <locdyn/io/output/body_state.hpp>
#include <locdyn/ldy/fclib/hdf5_handle.hpp>
#include <locdyn/ldy/file_error.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

struct Numbers {
  std::vector<hsize_t> shape;
  std::vector<double> values;
};

Numbers read(const fs::path& path, const std::string& name) {
  const Hdf5Silence silence;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), false, true);  // as the writer of the same process
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  REQUIRE(static_cast<bool>(file));
  const Hdf5Handle set(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  REQUIRE_MESSAGE(static_cast<bool>(set), name);
  const Hdf5Handle space(H5Dget_space(set.id()), H5Sclose);
  Numbers numbers;
  numbers.shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.id())));
  H5Sget_simple_extent_dims(space.id(), numbers.shape.data(), nullptr);
  numbers.values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id())));
  REQUIRE(H5Dread(set.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.values.data()) >= 0);
  return numbers;
}

Vector3d at(const Numbers& numbers, std::size_t row) {
  return {numbers.values[3 * row], numbers.values[3 * row + 1], numbers.values[3 * row + 2]};
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t from = 0; (from = text.find(what, from)) != std::string::npos; from += what.size()) ++found;
  return found;
}

// Every dataset that the XDMF file names is there with the size and type it says: judged by Python.
void judge(const fs::path& xdmf) {
  const std::string python = "/usr/bin/python3";
  if (run_program(python, {"-c", "import h5py"}).status != 0) {
    std::cout << "no Python with h5py: the XDMF file is not judged\n";
    return;
  }
  const auto said = run_program(python, {LOCDYN_TRAJECTORY_JUDGE, xdmf.string()});
  CHECK_MESSAGE(said.status == 0, said.out << said.err);
}

}  // namespace

TEST_CASE("friction across a direction is written as a vector, where there is any") {
  const ScratchFolder folder;
  const fs::path path = folder / "trajectory.h5";
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  TrajectoryWriter writer(path, scene.system, {.title = "floor"});
  (void)stepper.step();
  writer.append(stepper);
  scene.system.materials.set_pair(SurfaceId{0}, SurfaceId{0},
                                  {.static_friction = 0.5, .kinetic_friction = 0.5, .cross_friction = 0.25});
  for (std::uint32_t k = 0; k < 2; ++k) scene.system.set_friction_direction(ColliderId{k}, {1, 0, 0});
  const StepReport report = stepper.step();
  writer.append(stepper);
  writer.close();
  const Numbers across = read(path, "contacts/cross_friction/000001");
  REQUIRE(across.shape == std::vector<hsize_t>{report.contacts, 3});
  for (std::size_t k = 0; k < report.contacts; ++k) CHECK(std::abs(std::abs(at(across, k).y()) - 0.25) < 1e-7);
  judge(folder / "trajectory.xdmf");
}

TEST_CASE("states and contacts of a run are read back") {
  const ScratchFolder folder;
  const fs::path path = folder / "trajectory.h5";
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  TrajectoryWriter writer(path, scene.system, {.title = "floor"});
  writer.append(stepper);
  StepReport report;
  for (int step = 0; step < 20; ++step) {
    report = stepper.step();
    writer.append(stepper);
  }
  CHECK(writer.frames() == 21);
  CHECK(writer.last_step() == 20);
  const std::size_t bodies = scene.system.bodies().size();

  // Already before it is closed.
  const Numbers time = read(path, "time"), position = read(path, "bodies/position");
  CHECK(time.shape == std::vector<hsize_t>{21});
  CHECK(time.values[20] == stepper.time());
  CHECK(position.shape == std::vector<hsize_t>{21, bodies, 3});
  const Numbers orientation = read(path, "bodies/orientation"), spin = read(path, "bodies/angular_velocity");
  for (BodyId id{0}; id < bodies; ++id) {
    const BodyState state = state_of(scene.system.bodies()[id]);
    CHECK(at(position, 20 * bodies + id) == state.position);
    CHECK(at(spin, 20 * bodies + id) == state.angular_velocity);
    CHECK(orientation.values[4 * (20 * bodies + id)] == state.orientation.w());
  }

  // The floor carries the weight of what stands on it: contact forces on bodies, in space.
  const Numbers force = read(path, "contacts/force/000020"), slave = read(path, "contacts/slave/000020");
  const Numbers master = read(path, "contacts/master/000020");
  CHECK(force.shape == std::vector<hsize_t>{report.contacts, 3});
  Vector3d on_lower = Vector3d::Zero();
  for (std::size_t k = 0; k < report.contacts; ++k) {
    if (master.values[k] == 0 && slave.values[k] == 1) on_lower += at(force, k);
  }
  CHECK(on_lower.z() == doctest::Approx(2 * 1000 * 9.81).epsilon(1e-6));  // at rest to the solver's tolerance
  CHECK(std::abs(on_lower.x()) < 1e-2);

  writer.close();
  writer.close();
  judge(folder / "trajectory.xdmf");
  CHECK(count(content_of(folder / "trajectory.xdmf"), "<Time") == 21 + 21 + 21 + 20);  // no contacts before step 1
}

TEST_CASE("the points of a picture follow their body") {
  const ScratchFolder folder;
  FloorScene scene;
  Eigen::VectorXd u(6);
  u << 0.3, -0.2, 1, 1, 2, 3;
  scene.system.bodies()[BodyId{1}].set_velocity(u);
  TrajectoryWriter writer(folder / "t.h5", scene.system);
  writer.append({0, 0, {}});
  const Numbers points = read(folder / "t.h5", "shapes/points/000000");
  const Numbers velocities = read(folder / "t.h5", "shapes/velocity/000000");
  for (std::size_t corner = 0; corner < 8; ++corner) {  // of the lower box, the first shape
    const Vector3d arm = at(points, corner) - Vector3d(0, 0, 0.5);
    CHECK(arm.cwiseAbs().isApprox(Vector3d(0.5, 0.5, 0.5)));
    const Vector3d expected = Vector3d(1, 2, 3) + Vector3d(0.3, -0.2, 1).cross(arm);
    CHECK((at(velocities, corner) - expected).norm() < 1e-6);  // single precision
  }
}

TEST_CASE("what has not moved is not stored again, and what is added later is") {
  const ScratchFolder folder;
  const fs::path path = folder / "t.h5";
  FloorScene scene;
  TrajectoryWriter writer(path, scene.system);
  for (long step = 0; step < 40; ++step) writer.append({step, 0.1 * static_cast<double>(step), {}});
  scene.add(Box{{1, 2, 3}}, {9, 9, 9}, "late");
  writer.append({40, 4, {}});
  writer.close();
  const std::string xdmf = content_of(folder / "t.xdmf");
  CHECK(count(xdmf, "/shapes/points/000000") == 40);
  CHECK(count(xdmf, "/shapes/points/000040") == 1);
  CHECK(count(xdmf, "/shapes/triangles/2") == 1);
  const Numbers position = read(path, "bodies/position");
  CHECK(position.shape == std::vector<hsize_t>{41, 6, 3});
  CHECK(std::isnan(position.values[3 * 5]));  // the late body in the first frame
  CHECK(at(position, 6 * 40 + 5) == Vector3d(9, 9, 9));
  judge(folder / "t.xdmf");
}

TEST_CASE("a body that is removed is nowhere in the frames after it, the others go on") {
  const ScratchFolder folder;
  const fs::path path = folder / "t.h5";
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  TrajectoryWriter writer(path, scene.system);
  for (int step = 0; step < 10; ++step) {
    if (step == 5) scene.system.remove(BodyId{1});
    stepper.step();
    writer.append(stepper);
  }
  writer.close();
  judge(folder / "t.xdmf");
  const std::size_t bodies = scene.system.bodies().id_bound();
  REQUIRE(scene.system.bodies().size() == bodies - 1);
  const Numbers position = read(path, "bodies/position"), centres = read(path, "centres/points/000009");
  CHECK(position.shape == std::vector<hsize_t>{10, bodies, 3});
  CHECK(at(position, 4 * bodies + 1).allFinite());
  CHECK(at(position, 9 * bodies + 1).array().isNaN().all());
  CHECK(at(position, 9 * bodies + 2).allFinite());
  CHECK(centres.shape == std::vector<hsize_t>{bodies - 1, 3});
  CHECK(read(path, "centres/body/000009").values[1] == 2);
  const Numbers drawn = read(path, "shapes/body/2");
  CHECK(std::ranges::count(drawn.values, 1) == 0);
}

TEST_CASE("round shapes are drawn coarser where there would be too many points") {
  const ScratchFolder folder;
  System system(make_bullet_detector());
  for (int k = 0; k < 10; ++k) {
    const BodyId body = system.emplace<RigidBody>(sphere_mass(1, 0.5), Vector3d(2 * k, 0, 0));
    system.add_collider({.body = body, .shape = Sphere{0.5}});
  }
  TrajectoryWriter writer(folder / "t.h5", system, {.points = 300});
  writer.append({0, 0, {}});
  CHECK(read(folder / "t.h5", "shapes/points/000000").shape[0] == 10 * 18);  // 66 each would be more than 300
}

TEST_CASE("a full disk leaves all frames before it readable") {
  const ScratchFolder folder;
  const fs::path path = folder / "t.h5";
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  TrajectoryWriter writer(path, scene.system);
  {
    const FileSizeLimit limit(2'000'000);
    std::string line;
    try {
      for (int step = 0; step < 1000; ++step) {
        (void)stepper.step();
        writer.append(stepper);
      }
    } catch (const FileError& fault) {
      line = fault.what();
    }
    CHECK(line.find("t.h5: expected room for") != std::string::npos);
  }
  CHECK(writer.frames() > 10);
  CHECK_THROWS_AS(writer.append(stepper), std::logic_error);
  CHECK(read(path, "time").values.size() == writer.frames());
  CHECK(read(path, "bodies/position").shape[0] == writer.frames());
  CHECK(fs::file_size(path) <= 2'000'000);
  judge(folder / "t.xdmf");
}

TEST_CASE("a trajectory that cannot be made is refused in one line") {
  const ScratchFolder folder;
  const FloorScene scene;
  CHECK_THROWS_AS(TrajectoryWriter(folder / "missing" / "t.h5", scene.system), FileError);
  CHECK_THROWS_AS(TrajectoryWriter(folder / ".", scene.system), FileError);
  CHECK_THROWS_AS(TrajectoryWriter("/dev/full", scene.system), FileError);
  CHECK_THROWS_AS(TrajectoryWriter(folder / "t.h5", scene.system, {.plane_extent = -1}), std::invalid_argument);
}
