#pragma once
// What the parts of the reader share.

#include <locdyn/io/scene/mjcf/defaults.hpp>
#include <locdyn/io/scene/mjcf/read_model.hpp>
#include <locdyn/io/scene/mjcf/settings.hpp>

namespace locdyn::scene_format::mjcf {

struct Reader {
  Document& document;
  const Scene& scene;  // that asks for the model
  LeftOut& left_out;
  Settings settings = {};
  Defaults defaults = {};
  Model model = {};

  /// Throws FileError about `attribute` where a name is not there.
  [[nodiscard]] std::size_t body(Attributes& attributes, const char* attribute) const;
  void require_joint(Attributes& attributes, const char* attribute, const std::string& name) const;
  [[nodiscard]] const Geom* find_geom(const std::string& name) const;
};

/// Throws FileError about the attribute for a value < 0.
[[nodiscard]] double not_negative(Attributes& attributes, const char* name, double otherwise);

// Each reads the children of one section.
void read_assets(Reader& reader, const Node& section);
void read_bodies(Reader& reader, const Node& section);
void read_contacts(Reader& reader, const Node& section);
void read_equalities(Reader& reader, const Node& section);
void read_actuators(Reader& reader, const Node& section);
void read_keyframes(Reader& reader, const Node& section);

}  // namespace locdyn::scene_format::mjcf
