#include <locdyn/io/scene/mjcf/document.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <locdyn/io/scene/file_reach.hpp>
#include <locdyn/ldy/file_error.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string Node::place() const {
  std::string text = "line " + std::to_string(element->GetLineNum()) + ", <" + element->Name();
  if (const char* name = element->Attribute("name")) text += " name=\"" + std::string(name) + '"';
  return text + '>';
}

void Node::fault(const std::string& about, const std::string& expected, const std::string& found) const {
  throw FileError(*file, place() + (about.empty() ? "" : " " + about), expected, found);
}

Document::Document(const fs::path& file) {
  load(file, nullptr);
  const Node top = root();
  if (top.kind() != "mujoco") top.fault("", "a root <mujoco>", "<" + top.kind() + ">");
}

// `from`: the element that includes it.
void Document::load(const fs::path& path, const Node* from) {
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    if (from) from->fault("file", expected, found);
    throw FileError(path, "", expected, found);
  };
  std::error_code error;
  if (!fs::is_regular_file(path, error)) refuse("a file that is there", path.string());
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > kMostBytes - bytes_) {
    refuse("at most " + std::to_string(kMostBytes >> 20) + " MiB of XML", "more, with " + path.string());
  }
  bytes_ += size;
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) refuse("a file that can be read", path.string());
  File& file = files_.emplace_back();
  file.path = path;
  file.xml.Parse(text.data(), text.size());
  if (file.xml.Error() || file.xml.RootElement() == nullptr) {
    const std::string what = file.xml.Error() ? tinyxml2::XMLDocument::ErrorIDToName(file.xml.ErrorID()) : "no element";
    throw FileError(path, "line " + std::to_string(file.xml.ErrorLineNum()), "XML", what);
  }
}

std::vector<Node> Document::children(const Node& node) {
  std::vector<Node> list;
  append_children(node, list);
  return list;
}

void Document::append_children(const Node& node, std::vector<Node>& list) {
  for (const tinyxml2::XMLElement* e = node.element->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const Node child{e, node.file};
    if (child.kind() == "include") {
      append_included(child, list);
    } else {
      list.push_back(child);
    }
  }
}

void Document::append_included(const Node& include, std::vector<Node>& list) {
  const auto opened = std::find_if(included_.begin(), included_.end(),
                                   [&](const auto& entry) { return entry.first == include.element; });
  if (opened == included_.end()) {
    const char* name = include.element->Attribute("file");
    if (name == nullptr || *name == 0) include.fault("file", "the name of a file", "none");
    std::error_code error;
    const fs::path parent = files_.front().path.parent_path();
    const fs::path folder = fs::canonical(parent.empty() ? fs::path(".") : parent, error);
    const fs::path file = fs::weakly_canonical(folder / name, error);
    if (error || !lies_in(folder, file)) include.fault("file", "a file in the folder of the model", name);
    const auto same = [&](const File& other) { return fs::weakly_canonical(other.path) == file; };
    if (std::any_of(files_.begin(), files_.end(), same)) include.fault("file", "a file not included before", name);
    if (files_.size() > kMostFiles) include.fault("", "at most 1000 included files", "more");
    load(parent / name, &include);
    included_.emplace_back(include.element, files_.size() - 1);
    return append_included(include, list);
  }
  const File& file = files_[opened->second];
  append_children({file.xml.RootElement(), &file.path}, list);
}

}  // namespace locdyn::scene_format::mjcf
