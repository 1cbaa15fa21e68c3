#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include <locdyn/contact/detection/mesh_file.hpp>

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
