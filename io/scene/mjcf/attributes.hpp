#pragma once
// The attributes of one element, those of its default class among them. Each is asked for by name; what nobody has
// asked for is refused, or left out on request.

#include <Eigen/Core>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/io/scene/mjcf/document.hpp>

namespace locdyn::scene_format::mjcf {

/// What a model has that is not taken, one line each: refused all at once, or left out.
class LeftOut {
 public:
  /// Notes "file: line 12, <tendon>". The same line once.
  void add(const Node& node, const std::string& what = {});
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  std::vector<std::string> lines_;
  std::set<std::string> seen_;
};

/// A value and the element that says it: the default class, say.
struct Stated {
  std::string text;
  Node where;
};
using Statements = std::map<std::string, Stated>;  ///< by attribute

class Attributes {
 public:
  /// Of the element, and of its class where it does not say them.
  explicit Attributes(const Node& node, const Statements& defaults = {});

  [[nodiscard]] const Node& node() const noexcept { return node_; }
  /// Is it there? It need not be asked for then.
  [[nodiscard]] bool has(const char* name) const { return stated_.contains(name); }

  // Each throws FileError with its place where the value is not of that kind, and returns `otherwise` where absent.
  [[nodiscard]] std::string text(const char* name, const std::string& otherwise = {});
  [[nodiscard]] double number(const char* name, double otherwise);
  [[nodiscard]] int whole(const char* name, int otherwise);
  [[nodiscard]] bool flag(const char* name, bool otherwise);
  [[nodiscard]] Eigen::Vector3d vector(const char* name, const Eigen::Vector3d& otherwise);
  /// From `least` to `most` numbers; none where absent.
  [[nodiscard]] std::optional<std::vector<double>> numbers(const char* name, std::size_t least, std::size_t most);
  /// An index of the names.
  [[nodiscard]] std::size_t choice(const char* name, std::span<const std::string_view> names, std::size_t otherwise);
  /// "true", "false" or "auto": the last where absent.
  [[nodiscard]] std::optional<bool> maybe(const char* name);

  /// What has no part in mechanics, or is known without being read.
  void ignore(std::initializer_list<const char*> names);
  /// Notes what nobody has asked for.
  void finish(LeftOut& left_out) const;
  /// Throws FileError about the attribute, where it is stated.
  [[noreturn]] void fault(const char* name, const std::string& expected, const std::string& found) const;

 private:
  [[nodiscard]] const Stated* take(const char* name);

  Node node_;
  Statements stated_;
  std::set<std::string> asked_;
};

}  // namespace locdyn::scene_format::mjcf
