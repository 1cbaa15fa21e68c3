#include <doctest/doctest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include <locdyn/contact/detection/mesh_file.hpp>
#include <locdyn/contact/detection/split_polygon.hpp>

using namespace locdyn;

namespace {

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("locdyn_mesh_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return path / name;
  }
};

std::string refusal(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_mesh_file(path));
  } catch (const std::invalid_argument& fault) {
    return std::string(fault.what()).substr(path.parent_path().string().size() + 1);
  }
  return "none";
}

}  // namespace

TEST_CASE("mesh files: an OBJ cube of quadrilaterals and an STL tetrahedron have their volumes") {
  const Folder folder;
  const auto cube = folder.write("cube.obj",
                                 "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                 "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const TriangleMesh box = read_mesh_file(cube, 0.5);
  CHECK(box.vertices.size() == 8);
  CHECK(box.triangles.size() == 12);
  CHECK(polyhedron_mass(8, box.vertices, box.triangles).mass == doctest::Approx(1));

  std::string stl = "solid t\n";
  const char* facets[] = {"0 0 0,0 1 0,1 0 0", "0 0 0,1 0 0,0 0 1", "0 0 0,0 0 1,0 1 0", "1 0 0,0 1 0,0 0 1"};
  for (std::string facet : facets) {
    stl += "facet normal 0 0 0\nouter loop\nvertex ";
    for (std::size_t comma; (comma = facet.find(',')) != std::string::npos;) facet.replace(comma, 1, "\nvertex ");
    stl += facet + "\nendloop\nendfacet\n";
  }
  const TriangleMesh tetrahedron = read_mesh_file(folder.write("t.STL", stl + "endsolid t\n"));
  CHECK(tetrahedron.vertices.size() == 4);
  CHECK(polyhedron_mass(6, tetrahedron.vertices, tetrahedron.triangles).mass == doctest::Approx(1));
}

TEST_CASE("mesh files: faults name the file") {
  const Folder folder;
  CHECK(refusal(folder.path / "none.stl") == "none.stl: expected a mesh file, found no file");
  CHECK(refusal(folder.write("a.txt", "v 0 0 0\n")) == "a.txt: expected a mesh file (.stl, .obj), found .txt");
  CHECK(refusal(folder.write("lines.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n")).find("lines.obj: expected ") == 0);
  CHECK(refusal(folder.write("rubbish.stl", "rubbish")).find("rubbish.stl: expected ") == 0);
  const std::string nan = folder.write("nan.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 0 1\nf 1 2 3\nf 1 2 4\n");
  CHECK(refusal(nan).find("nan.obj: expected finite coordinates") == 0);
  CHECK_THROWS_AS(static_cast<void>(read_mesh_file(folder.path / "none.stl", 0)), std::invalid_argument);
}

TEST_CASE("mesh files: an OBJ file's numbers are the doubles nearest to its text") {
  const Folder folder;
  const TriangleMesh mesh = read_mesh_file(folder.write(
      "digits.obj", "v 0.1 +0.2 -.3e-1\nv 1e-400 0.30000000000000004 123456789.123456789\nv 1 0 0\nf 1 2 3\n"));
  CHECK(mesh.vertices[0] == Eigen::Vector3d(0.1, 0.2, -0.03));
  CHECK(mesh.vertices[1] == Eigen::Vector3d(0, 0.30000000000000004, 123456789.123456789));
}

TEST_CASE("mesh files: whatever an OBJ file has beside its faces changes nothing") {
  const Folder folder;
  const TriangleMesh plain =
      read_mesh_file(folder.write("plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n"));
  const auto same = [&](const std::string& text) {
    const TriangleMesh mesh = read_mesh_file(folder.write("other.obj", text));
    return mesh.vertices == plain.vertices && mesh.triangles == plain.triangles;
  };
  CHECK(same("v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nv 0 0 1\r\nf 1 2 3\r\nf 1 3 4"));  // and no end of its last line
  CHECK(same("v 0 0 0\rv 1 0 0\rv 0 1 0\rv 0 0 1\rf 1 2 3\rf 1 3 4\r"));
  CHECK(same("\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n"));
  CHECK(
      same("# C:\\folder\\\nv 0 0 \\\n 0 # here\n\tv  1\t0 0 0.5 0.5 0.5\nv 0 1 0 1\nv 0 0 1\nf 1 2 \\\n3\nf 1 3 4\n"));
  CHECK(
      same("mtllib none.mtl\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ng b c\nusemtl d\ns 1\nf 1/1/1 2//1 3/1\n"
           "g\nl 1 2\np 1\nf 1 2\nf\nv 0 0 1\nf -4 -2 -1\nv 9 9 9\nvp 1 2\n"));
  CHECK(same("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 1 0\nv 0 0 1\nf 1 4 5\n"));  // ahead of its vertices; a twin
}

TEST_CASE("mesh files: faults of an OBJ file name the line") {
  const Folder folder;
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n\n";
  const auto fault = [&](const std::string& text) { return refusal(folder.write("a.obj", corners + text)); };
  CHECK(fault("v 1 2\n") == "a.obj: expected three coordinates, found 2 in line 5");
  CHECK(fault("v\n") == "a.obj: expected three coordinates, found 0 in line 5");
  CHECK(fault("v 1 2 inf\n") == "a.obj: expected finite coordinates, found inf in line 5");
  CHECK(fault("v 1 1e999 0\n") == "a.obj: expected finite coordinates, found 1e999 in line 5");
  CHECK(fault("v 1 0 2x\n") == "a.obj: expected finite coordinates, found 2x in line 5");
  CHECK(fault("v 1 0 ++2\n") == "a.obj: expected finite coordinates, found ++2 in line 5");
  CHECK(fault("f 1 2 4\n") == "a.obj: expected an index of a vertex, from 1 to 3, found 4 in line 5");
  CHECK(fault("# so\nf 1 2 0\n") == "a.obj: expected an index of a vertex, found 0 in line 6");
  CHECK(fault("f 1 2 -4\n") == "a.obj: expected an index of a vertex, found -4 in line 5");
  CHECK(fault("f 1 2 /3\n") == "a.obj: expected an index of a vertex, found /3 in line 5");
  CHECK(fault("f 1 2 4294967297\n") == "a.obj: expected an index of a vertex, from 1 to 3, found 4294967297 in line 5");
  CHECK(fault("f 1 2 99999999999999999999\n").find("found 99999999999999999999 in line 5") != std::string::npos);
  CHECK(fault("v " + std::string(100000, '1') + "\n").size() < 120);
  std::string face = "f";
  for (int k = 0; k < 5001; ++k) face += " 1";
  CHECK(fault(face) == "a.obj: expected at most 5000 corners of a face, found 5001 in line 5");
  CHECK(fault("g only\n") == "a.obj: expected triangles, found none");
  CHECK(refusal(folder.write("empty.obj", "")) == "empty.obj: expected triangles, found none");
}

namespace {

// Area vectors of the triangles, their sum, and the sum of their lengths, which is larger where some overlap.
struct Covered {
  Eigen::Vector3d area = Eigen::Vector3d::Zero();
  double size = 0;
};
Covered covered_by(const std::vector<std::array<int, 3>>& triangles, const std::vector<Eigen::Vector3d>& corners) {
  Covered sum;
  for (const auto& [a, b, c] : triangles) {
    const Eigen::Vector3d& x = corners[static_cast<std::size_t>(a)];
    const Eigen::Vector3d part =
        0.5 * (corners[static_cast<std::size_t>(b)] - x).cross(corners[static_cast<std::size_t>(c)] - x);
    sum.area += part;
    sum.size += part.norm();
  }
  return sum;
}

}  // namespace

TEST_CASE("split polygons: random stars in random planes are covered once") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    const int n = 4 + static_cast<int>(seed % 40);
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(unit(engine), unit(engine), unit(engine), unit(engine)).normalized();
    std::vector<Eigen::Vector3d> corners;
    double area = 0, before = 0, first = 0;
    for (int k = 0; k < n; ++k) {
      const double angle = 2 * std::numbers::pi * k / n, radius = 0.1 + unit(engine);
      corners.push_back(turn * Eigen::Vector3d(radius * std::cos(angle), radius * std::sin(angle), 0) +
                        Eigen::Vector3d(3, -2, 5));
      if (k == 0) first = radius;
      area += 0.5 * radius * before * std::sin(2 * std::numbers::pi / n);
      before = radius;
    }
    area += 0.5 * first * before * std::sin(2 * std::numbers::pi / n);
    const std::vector<std::array<int, 3>> triangles = detection::split_polygon(corners);
    CHECK(triangles.size() == corners.size() - 2);
    const Covered sum = covered_by(triangles, corners);
    CHECK(sum.size == doctest::Approx(area).epsilon(1e-12));  // none turned over, none on another
    CHECK((sum.area - turn * Eigen::Vector3d(0, 0, area)).norm() < 1e-12);
  }
}

TEST_CASE("split polygons: the shorter diagonal, seams, and what has no inside") {
  const std::vector<Eigen::Vector3d> kite{{0, 0, 0}, {3, -1, 0}, {6, 0, 0}, {3, 1, 0}};
  for (const std::array<int, 3>& t : detection::split_polygon(kite)) {  // both have corners 1 and 3
    CHECK(std::count(t.begin(), t.end(), 1) + std::count(t.begin(), t.end(), 3) == 2);
  }
  // A square with a square hole, cut open along a seam.
  const std::vector<Eigen::Vector3d> frame{{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {0, 3, 0}, {0, 0, 0},
                                           {1, 1, 0}, {1, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}};
  CHECK(covered_by(detection::split_polygon(frame), frame).size == doctest::Approx(8));
  CHECK(covered_by(detection::split_polygon(frame), frame).area.z() == doctest::Approx(8));
  const std::vector<Eigen::Vector3d> bow{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
  CHECK(detection::split_polygon(bow).size() == 2);
  const std::vector<Eigen::Vector3d> point(7, Eigen::Vector3d(1, 2, 3)), far(5, Eigen::Vector3d::Constant(1e308));
  CHECK(detection::split_polygon(point).size() == 5);
  CHECK(detection::split_polygon(far).size() == 3);
}
