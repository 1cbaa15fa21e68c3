#include <doctest/doctest.h>

#include <hdf5.h>

#include <fstream>
#include <sstream>
#include <vector>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/io/output/trajectory_writer.hpp>
#include <locdyn/io/page/body_meshes.hpp>
#include <locdyn/io/page/graph_layout.hpp>
#include <locdyn/io/page/write_page.hpp>

#include "io/output/scene.hpp"
#include "scratch_folder.hpp"

using namespace locdyn;
using namespace locdyn::test;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_run(const fs::path& path, int steps) {
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  TrajectoryWriter writer(path, scene.system, {.title = "</script> & <floor>"});
  writer.append(stepper);
  for (int step = 0; step < steps; ++step) {
    stepper.step();
    writer.append(stepper);
  }
  writer.close();
}

// One line that says what was expected and found, and names the file.
void check_refusal(const fs::path& run, const fs::path& out, const std::string& named) {
  try {
    write_run_page(run, out);
    FAIL("no refusal of " << run);
  } catch (const FileError& fault) {
    const std::string line = fault.what();
    CAPTURE(line);
    CHECK(line.find("expected ") != std::string::npos);
    CHECK(line.find(", found ") != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.find(named) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a page holds its run, and a title cannot end the script that it stands in") {
  const ScratchFolder folder;
  write_run(folder / "trajectory.h5", 10);
  std::ofstream(folder / "energies.csv") << "step,time [s],total [J],status\n1,0.002,5.5,converged\n2,0.004,5";
  for (const fs::path& run : {folder.path(), folder / "trajectory.h5"}) {
    write_run_page(run, folder / "run.html");
    const std::string page = text_of(folder / "run.html");
    CHECK(page.starts_with("<!doctype html>"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(page.find("\"title\":\"\\u003c/script> & \\u003cfloor>\"") != std::string::npos);
    CHECK(page.find("\"columns\":[\"step\",\"time [s]\",\"total [J]\"],\"rows\":1") != std::string::npos);
    CHECK(page.find("https://") == std::string::npos);
  }
}

TEST_CASE("bodies of one shape share a mesh, whatever their size") {
  const ScratchFolder folder;
  write_run(folder / "trajectory.h5", 1);
  const detail::TrajectoryFile file(folder / "trajectory.h5");
  const detail::BodyMeshes meshes = detail::body_meshes(file);
  CHECK(meshes.mesh_of.size() == file.bodies());
  for (std::size_t body = 0; body < file.bodies(); ++body) CHECK(meshes.mesh_of[body] >= 0);
  CHECK(meshes.mesh_of[1] == meshes.mesh_of[2]);
  for (const detail::UnitMesh& mesh : meshes.meshes) {
    float farthest = 0;
    for (const float x : mesh.points) farthest = std::max(farthest, std::abs(x));
    CHECK(farthest == doctest::Approx(1).epsilon(1e-6));
  }
}

TEST_CASE("contacts of long runs are thinned, and the page says so") {
  const ScratchFolder folder;
  write_run(folder / "trajectory.h5", 20);
  write_run_page(folder.path(), folder / "run.html", {.contacts = 40});
  const std::string page = text_of(folder / "run.html");
  CHECK(page.find("\"contactEvery\":1,") == std::string::npos);
  CHECK(page.find("\"contactEvery\":") != std::string::npos);
}

TEST_CASE("what is no run is refused in one line") {
  const ScratchFolder folder;
  const fs::path out = folder / "run.html", whole = folder / "whole.h5";
  check_refusal(folder / "missing", out, "missing");
  check_refusal(folder.path(), out, folder.path().string());
  std::ofstream(folder / "text.h5") << "no HDF5";
  check_refusal(folder / "text.h5", out, "text.h5");
  write_run(whole, 10);
  const std::string bytes = text_of(whole);
  for (const double share : {0.02, 0.3, 0.6, 0.95}) {
    CAPTURE(share);
    std::ofstream(folder / "cut.h5", std::ios::binary) << bytes.substr(0, std::size_t(share * double(bytes.size())));
    check_refusal(folder / "cut.h5", out, "cut.h5");
  }
  CHECK_FALSE(fs::exists(out));
  check_refusal(whole, "/dev/full", "/dev/full");
  check_refusal(whole, folder / "no_such_folder/run.html", "no_such_folder");
}

TEST_CASE("shapes and titles that promise more than there is take no memory") {
  const ScratchFolder folder;
  const fs::path run = folder / "run.h5", out = folder / "run.html";
  const auto altered = [&](const auto& change) {
    write_run(run, 3);
    const detail::Hdf5Handle file(H5Fopen(run.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    REQUIRE(file);
    change(file.id());
  };
  // Chunks that nobody wrote: any number of numbers in a file of some kilobytes; 2⁶⁴ of them are none in 64 bits.
  const auto promise = [](hid_t file, const char* name, std::vector<hsize_t> extent) {
    REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const auto rank = static_cast<int>(extent.size());
    const detail::Hdf5Handle space(H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
    const detail::Hdf5Handle chunked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::vector<hsize_t> chunk(extent.size(), 1);
    H5Pset_chunk(chunked.id(), rank, chunk.data());
    const detail::Hdf5Handle made(
        H5Dcreate2(file, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, chunked.id(), H5P_DEFAULT), H5Dclose);
    REQUIRE(made);
  };
  const hsize_t many = hsize_t{1} << 30;
  for (const std::vector<hsize_t>& extent : {std::vector{many}, {many, many, 16}, {many, many, 17}}) {
    CAPTURE(extent.size());
    altered([&](hid_t file) { promise(file, "bodies/mass", extent); });
    check_refusal(run, out, "bodies/mass");
  }

  altered([](hid_t file) {
    const hsize_t twenty = 20;
    REQUIRE(H5Adelete(file, "title") >= 0);
    const detail::Hdf5Handle space(H5Screate_simple(1, &twenty, nullptr), H5Sclose), text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text.id(), 1000);
    const detail::Hdf5Handle title(H5Acreate2(file, "title", text.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                                   H5Aclose);
    REQUIRE(H5Awrite(title.id(), text.id(), std::string(20'000, 'x').data()) >= 0);
  });
  CHECK(detail::TrajectoryFile(run).title.empty());
}

TEST_CASE("options out of range are named") {
  const ScratchFolder folder;
  CHECK_THROWS_WITH_AS(validate(PageOptions{.contacts = 0}), "page: contacts: expected at least 1, found 0",
                       std::invalid_argument);
  CHECK_THROWS_AS(validate(PageOptions{.table_rows = 1}), std::invalid_argument);
  CHECK_THROWS_AS(validate(PageOptions{.accuracy = NAN}), std::invalid_argument);
}

TEST_CASE("a chain of nodes is laid out as a line, parts apart from each other") {
  constexpr std::uint32_t kNodes = 30;
  std::vector<std::vector<std::uint32_t>> chain(kNodes + 1);  // and one alone
  for (std::uint32_t node = 0; node + 1 < kNodes; ++node) {
    chain[node].push_back(node + 1);
    chain[node + 1].push_back(node);
  }
  const std::vector<Eigen::Vector3d> places = detail::lay_out(chain);
  const double ends = (places[kNodes - 1] - places[0]).norm(), step = ends / (kNodes - 1);
  for (std::uint32_t node = 0; node + 1 < kNodes; ++node) {
    CHECK((places[node + 1] - places[node]).norm() == doctest::Approx(step).epsilon(1e-6));
  }
  for (std::uint32_t node = 0; node < kNodes; ++node) CHECK((places[node] - places[kNodes]).norm() > 0.5);
}

TEST_CASE("a graph's page holds its residual") {
  LocalDynamics ldy;
  const ConstraintId id = ldy.insert(ContactLaw{.friction = 0.5});
  ldy.row(id).W.setIdentity();
  ldy.row(id).B = {0, 0, -1};
  ldy.row(id).R = {0, 0, 1};
  const ScratchFolder folder;
  write_graph_page(ldy, "by hand", folder / "graph.html", {.title = "one contact"});
  const std::string page = text_of(folder / "graph.html");
  CHECK(page.find("\"residual\":{\"scaled\":0.0,") != std::string::npos);
  CHECK(page.find("\"nodes\":1,") != std::string::npos);
  CHECK_THROWS_AS(write_graph_page(ldy, "", "/dev/full"), FileError);
}
