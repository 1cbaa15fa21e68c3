#pragma once
// Default classes: what elements say unless they say otherwise. A nested class begins with what the class around it
// says. The actuators share what they have in common, as they do in MuJoCo.

#include <map>
#include <string>

#include <locdyn/io/scene/mjcf/attributes.hpp>

namespace locdyn::scene_format::mjcf {

class Defaults {
 public:
  /// Of a <default> below the root: the main class, or more of it. Throws FileError for a nested class without a name
  /// and one that is there already.
  void read(Document& document, const Node& node) { read_class(document, node, nullptr); }

  /// Of the element: its own class, else that of the bodies around it, else the main one. Throws FileError for a class
  /// that is not there.
  [[nodiscard]] Attributes of(const Node& node, const std::string& around) const;
  /// Is there such a class? Throws FileError about the attribute where not.
  void require(const Node& node, const char* attribute, const std::string& name) const;

 private:
  using Class = std::map<std::string, Statements>;  // by kind of element
  void read_class(Document& document, const Node& node, const Class* around);

  std::map<std::string, Class> classes_;
  std::string main_ = "main";
};

}  // namespace locdyn::scene_format::mjcf
