#include <locdyn/io/output/checkpoint.hpp>

#include <doctest/doctest.h>

#include <hdf5.h>
#include <cstring>
#include <limits>
#include <optional>

#include <io/output/scene.hpp>
#include <locdyn/forces/weight.hpp>
#include <locdyn/ldy/file_error.hpp>

using namespace locdyn;
using namespace locdyn::test;

namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

bool same(const StepperState& a, const StepperState& b) {
  return a.time == b.time && a.step == b.step && same_bits(a.bodies, b.bodies) &&
         same_bits(a.references, b.references) && same_bits(a.contacts, b.contacts) && a.identities == b.identities &&
         same_bits(a.reactions, b.reactions) && same_bits(a.forces, b.forces);
}

std::string fault_of(const fs::path& path, const System& system) {
  try {
    (void)read_checkpoint(path, system);
  } catch (const FileError& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a state comes back bit for bit, odd numbers included") {
  const ScratchFolder folder;
  const FloorScene scene;
  StepperState state;
  state.time = 0.1 + 0.2;
  state.step = 1L << 40;
  state.bodies = {-0.0, std::numeric_limits<double>::denorm_min(), std::nextafter(1.0, 2.0)};
  state.identities = {0, 1, ~std::uint64_t{0}};
  state.reactions = {-1e308};
  state.forces = {31.4, -0.0};
  write_checkpoint(folder / "checkpoint.h5", state, scene.system);
  CHECK(same(read_checkpoint(folder / "checkpoint.h5", scene.system), state));
}

TEST_CASE("a run that goes on from a checkpoint is the uninterrupted run, bit for bit") {
  const ScratchFolder folder;
  FloorScene whole, second;
  TimeStepper through(whole.system, {.step = 2e-3});
  for (int step = 0; step < 60; ++step) {
    (void)through.step();
    if (step == 29) write_checkpoint(folder / "checkpoint.h5", through);
  }
  TimeStepper later(second.system, {.step = 2e-3});
  later.restore(read_checkpoint(folder / "checkpoint.h5", second.system));
  CHECK(later.steps() == 30);
  for (int step = 30; step < 60; ++step) (void)later.step();
  CHECK(same(later.state(), through.state()));
}

TEST_CASE("the checkpoint of another scene is refused, naming what differs") {
  const ScratchFolder folder;
  const FloorScene scene, larger(1.5);
  FloorScene more, pinned, rough, pulled;
  more.add(Sphere{1}, {9, 9, 9}, "another");
  pinned.system.add_constraint(std::make_unique<FixedPoint>(Anchor{Vector3d(3, 0, 0.5), BodyId{3}}));
  pulled.system.add_force(std::make_unique<Weight>(Anchor{Vector3d(3, 0, 0.5), BodyId{3}}, 1, Vector3d(0, 0, -1)));
  rough.system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, {.static_friction = 0.6, .kinetic_friction = 0.5});
  write_checkpoint(folder / "checkpoint.h5", StepperState{}, scene.system);
  CHECK(fault_of(folder / "checkpoint.h5", scene.system).empty());
  CHECK(fault_of(folder / "checkpoint.h5", more.system).find("bodies: expected 6 as the system has, found 5") !=
        std::string::npos);
  CHECK(fault_of(folder / "checkpoint.h5", larger.system).find("bodies: expected those") != std::string::npos);
  CHECK(fault_of(folder / "checkpoint.h5", pinned.system).find("constraints: expected 2") != std::string::npos);
  CHECK(fault_of(folder / "checkpoint.h5", pulled.system).find("forces: expected 1") != std::string::npos);
  CHECK(fault_of(folder / "checkpoint.h5", rough.system).find("surfaces: expected those") != std::string::npos);
  CHECK(fingerprint(scene.system) == fingerprint(FloorScene().system));
  CHECK(fingerprint(scene.system) != fingerprint(rough.system));
}

TEST_CASE("what is not a checkpoint is refused") {
  const ScratchFolder folder;
  const FloorScene scene;
  CHECK(fault_of(folder / "missing.h5", scene.system).find("no such file") != std::string::npos);
  two_contacts().write(folder / "problem.hdf5");
  CHECK(fault_of(folder / "problem.hdf5", scene.system).find("expected a checkpoint") != std::string::npos);
  RawProblem newer;
  newer.texts["format"] = "locdyn checkpoint";
  newer.integers["version"] = {9};
  newer.write(folder / "newer.h5");
  CHECK(fault_of(folder / "newer.h5", scene.system).find("version: expected 8, found 9") != std::string::npos);

  write_checkpoint(folder / "checkpoint.h5", StepperState{}, scene.system);
  fs::resize_file(folder / "checkpoint.h5", fs::file_size(folder / "checkpoint.h5") / 2);
  CHECK(fault_of(folder / "checkpoint.h5", scene.system).find("expected a whole HDF5 file") != std::string::npos);
}

TEST_CASE("a shape that promises more numbers than the file holds takes no memory") {
  const ScratchFolder folder;
  const FloorScene scene;
  for (const char* name : {"state/bodies", "state/identities"}) {
    for (const hsize_t promised : {hsize_t{1} << 32, hsize_t{1} << 61}) {
      write_checkpoint(folder / "checkpoint.h5", StepperState{}, scene.system);
      const hid_t file = H5Fopen((folder / "checkpoint.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &promised, nullptr);
      const hsize_t chunk = 1 << 20;
      REQUIRE(H5Pset_chunk(chunked, 1, &chunk) >= 0);
      REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
      const hid_t type = std::string(name) == "state/bodies" ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
      const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, chunked, H5P_DEFAULT);
      REQUIRE(dataset >= 0);
      H5Dclose(dataset);
      H5Sclose(space);
      H5Pclose(chunked);
      H5Fclose(file);
      const std::string fault = fault_of(folder / "checkpoint.h5", scene.system);
      CHECK(fault.find(std::string(name) + ": expected the " + std::to_string(promised)) != std::string::npos);
    }
  }
}

TEST_CASE("a full disk does not cost the last good checkpoint") {
  const ScratchFolder folder;
  const FloorScene scene;
  StepperState good, large;
  good.step = 7;
  large.bodies.assign(100'000, 1.0);
  write_checkpoint(folder / "checkpoint.h5", good, scene.system);
  {
    const FileSizeLimit limit(100'000);
    CHECK_THROWS_AS(write_checkpoint(folder / "checkpoint.h5", large, scene.system), FileError);
  }
  CHECK(read_checkpoint(folder / "checkpoint.h5", scene.system).step == 7);
  CHECK(std::distance(fs::directory_iterator(folder / "."), fs::directory_iterator()) == 1);  // nothing beside it
}
