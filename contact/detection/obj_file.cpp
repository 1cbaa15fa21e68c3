#include <locdyn/contact/detection/obj_file.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/contact/detection/split_polygon.hpp>

namespace locdyn::detection {
namespace {

constexpr std::size_t kMostCorners = 5000;  // of one face: splitting it takes their square, at worst their cube
constexpr std::size_t kMostShown = 40;      // characters of a bad word that a message repeats

// The statements of an OBJ text, one by one: lines of any ending, those that end in a backslash joined with the next.
class ObjStatements {
 public:
  explicit ObjStatements(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // the mark of UTF-8
  }

  // The words of the next statement into `words`; false where there is none.
  bool next(std::vector<std::string_view>& words) {
    words.clear();
    if (rest_.empty()) return false;
    line_ = next_line_;
    while (take_line(words) && !rest_.empty()) {
    }
    return true;
  }
  [[nodiscard]] std::size_t line() const { return line_; }  // where it began, from 1

 private:
  // The words of one line; true where the statement goes on in the next.
  bool take_line(std::vector<std::string_view>& words) {
    const std::size_t end = rest_.find_first_of("\r\n");
    std::string_view line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
    } else {
      const bool both = rest_[end] == '\r' && end + 1 < rest_.size() && rest_[end + 1] == '\n';
      rest_.remove_prefix(end + (both ? 2 : 1));
    }
    ++next_line_;
    line = line.substr(0, line.find('#'));
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
      const std::string_view word = line.substr(at, line.find_first_of(" \t", at) - at);
      words.push_back(word);
      at += word.size();
    }
    return goes_on;
  }

  std::string_view rest_;
  std::size_t line_ = 0, next_line_ = 1;
};

class ObjReader {
 public:
  ObjReader(const std::filesystem::path& path, std::string_view text) : path_(path), statements_(text) {}

  TriangleMesh read() {
    while (statements_.next(words_)) {
      if (words_.empty()) continue;
      if (words_[0] == "v") add_vertex();
      if (words_[0] == "f") add_face();
    }
    for (const Face& face : faces_) add_triangles(face);
    return std::move(mesh_);
  }

 private:
  struct Face {
    std::size_t line = 0;
    std::vector<long> corners;  // vertices from 0; of some that may come later, so not yet known to be there
  };

  [[noreturn]] void refuse(const std::string& expected, std::string_view found, std::size_t line) const {
    throw std::invalid_argument(path_.string() + ": expected " + expected + ", found " +
                                std::string(found.substr(0, kMostShown)) + " in line " + std::to_string(line));
  }

  void add_vertex() {
    Eigen::Vector3d& x = vertices_.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      if (k + 1 >= words_.size()) refuse("three coordinates", std::to_string(k), statements_.line());
      std::string_view word = words_[k + 1];
      if (word.starts_with('+')) word.remove_prefix(1);  // OBJ has it, from_chars has not
      double value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);  // 0 or ∞
      if (error == std::errc::invalid_argument || end != word.data() + word.size() || !std::isfinite(value)) {
        refuse("finite coordinates", words_[k + 1], statements_.line());
      }
      x[static_cast<int>(k)] = value;
    }
  }

  void add_face() {
    if (words_.size() - 1 > kMostCorners) {
      refuse("at most " + std::to_string(kMostCorners) + " corners of a face", std::to_string(words_.size() - 1),
             statements_.line());
    }
    Face face{statements_.line(), {}};
    const long known = static_cast<long>(vertices_.size());
    for (std::size_t k = 1; k < words_.size(); ++k) {
      const std::string_view word = words_[k].substr(0, words_[k].find('/'));  // then texture and normal
      long index = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
      if (error != std::errc() || end != word.data() + word.size() || index == 0 || index < -known) {
        refuse("an index of a vertex", words_[k], statements_.line());
      }
      face.corners.push_back(index < 0 ? known + index : index - 1);
    }
    if (face.corners.size() > 2) faces_.push_back(std::move(face));
  }

  void add_triangles(const Face& face) {
    std::vector<Eigen::Vector3d> corners;
    std::vector<int> place;
    for (const long vertex : face.corners) {
      if (vertex >= static_cast<long>(vertices_.size())) {
        refuse("an index of a vertex, from 1 to " + std::to_string(vertices_.size()), std::to_string(vertex + 1),
               face.line);
      }
      corners.push_back(vertices_[static_cast<std::size_t>(vertex)]);
      place.push_back(place_of(corners.back()));
    }
    for (const std::array<int, 3>& t : split_polygon(corners)) {
      std::array<int, 3>& triangle = mesh_.triangles.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) triangle[k] = place[static_cast<std::size_t>(t[k])];
    }
  }

  int place_of(const Eigen::Vector3d& x) {
    const auto [at, fresh] = places_.try_emplace({x[0], x[1], x[2]}, static_cast<int>(mesh_.vertices.size()));
    if (fresh) mesh_.vertices.push_back(x);
    return at->second;
  }

  const std::filesystem::path& path_;
  ObjStatements statements_;
  std::vector<std::string_view> words_;  // of the statement at hand
  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Face> faces_;
  TriangleMesh mesh_;
  std::map<std::array<double, 3>, int> places_;  // of the mesh's vertices
};

}  // namespace

TriangleMesh read_obj_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::invalid_argument(path.string() + ": expected a readable mesh, found one that is not");
  return ObjReader(path, text).read();
}

}  // namespace locdyn::detection
