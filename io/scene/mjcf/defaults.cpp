#include <locdyn/io/scene/mjcf/defaults.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace locdyn::scene_format::mjcf {
namespace {

constexpr std::array<std::string_view, 4> kActuators = {"motor", "position", "velocity", "general"};
constexpr std::array<std::string_view, 9> kCommon = {"ctrllimited", "ctrlrange", "forcelimited", "forcerange", "gear",
                                                     "actlimited",  "actrange",  "user",         "group"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void Defaults::read_class(Document& document, const Node& node, const Class* around) {
  const char* given = node.element->Attribute("class");
  if (around != nullptr && (given == nullptr || *given == 0)) node.fault("class", "the name of a class", "none");
  const std::string name = given ? given : main_;
  if (around == nullptr) {
    if (!classes_.empty() && name != main_) node.fault("class", "more of the main class, \"" + main_ + '"', name);
    main_ = name;
  } else if (classes_.contains(name)) {
    node.fault("class", "a name that is not taken", '"' + name + '"');
  }
  Class& own = classes_[name];
  if (around) own = *around;
  const auto state = [&own](std::string_view kind, const tinyxml2::XMLAttribute& a, const Node& where) {
    own[std::string(kind)][a.Name()] = {a.Value(), where};
  };
  // First what it says, then the classes within, which begin with that.
  for (const Node& child : document.children(node)) {
    if (child.kind() == "default") continue;
    for (const tinyxml2::XMLAttribute* a = child.element->FirstAttribute(); a != nullptr; a = a->Next()) {
      if (is_among(kActuators, child.kind()) && is_among(kCommon, a->Name())) {
        for (const std::string_view kind : kActuators) state(kind, *a, child);
      } else {
        state(child.kind(), *a, child);
      }
    }
  }
  const Class complete = own;
  for (const Node& child : document.children(node)) {
    if (child.kind() == "default") read_class(document, child, &complete);
  }
}

void Defaults::require(const Node& node, const char* attribute, const std::string& name) const {
  if (name == main_ || classes_.contains(name)) return;
  node.fault(attribute, "the name of a default class", '"' + name + '"');
}

Attributes Defaults::of(const Node& node, const std::string& around) const {
  std::string name = around.empty() ? main_ : around;
  if (const char* own = node.element->Attribute("class")) {
    require(node, "class", own);
    name = own;
  }
  const auto found = classes_.find(name);
  Attributes attributes = [&] {
    if (found == classes_.end()) return Attributes(node);
    const auto kind = found->second.find(node.kind());
    return kind == found->second.end() ? Attributes(node) : Attributes(node, kind->second);
  }();
  attributes.ignore({"class"});
  return attributes;
}

}  // namespace locdyn::scene_format::mjcf
