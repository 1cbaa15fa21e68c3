#pragma once
// The XML of a model, with the files that it includes. An element <include file="…"/> stands for the children of the
// root of that file, which is looked for beside the model itself; each file is included once, and none from outside its
// folder. Source of the format: mujoco.readthedocs.io/en/stable/XMLreference.html.

#include <tinyxml2.h>

#include <cstddef>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace locdyn::scene_format::mjcf {

/// An element and the file that it stands in. Valid as long as the document.
struct Node {
  const tinyxml2::XMLElement* element = nullptr;
  const std::filesystem::path* file = nullptr;

  [[nodiscard]] std::string kind() const { return element->Name(); }
  /// "line 12, <joint name="knee">".
  [[nodiscard]] std::string place() const;
  /// Throws FileError with file and place; `about` follows the place: an attribute.
  [[noreturn]] void fault(const std::string& about, const std::string& expected, const std::string& found) const;
};

class Document {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;  ///< of all files: a model of 1e5 bodies has fewer
  static constexpr std::size_t kMostFiles = 1000;                   ///< included

  /// Throws FileError for a file that cannot be read, is too long, is no XML or has another root than <mujoco>;
  /// elements may lie 100 deep (tinyxml2's bound), entities of its own are not expanded.
  explicit Document(const std::filesystem::path& file);

  [[nodiscard]] Node root() const { return {files_.front().xml.RootElement(), &files_.front().path}; }
  /// In order, included ones in place of each <include>. Throws as the constructor does, and for a file that is
  /// included twice or lies outside the model's folder.
  [[nodiscard]] std::vector<Node> children(const Node& node);

 private:
  struct File {
    std::filesystem::path path;
    tinyxml2::XMLDocument xml;
  };
  void load(const std::filesystem::path& path, const Node* from);
  void append_children(const Node& node, std::vector<Node>& list);
  void append_included(const Node& include, std::vector<Node>& list);

  std::deque<File> files_;
  std::vector<std::pair<const tinyxml2::XMLElement*, std::size_t>> included_;  // which file an <include> has opened
  std::size_t bytes_ = 0;
};

}  // namespace locdyn::scene_format::mjcf
