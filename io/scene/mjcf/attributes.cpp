#include <locdyn/io/scene/mjcf/attributes.hpp>

#include <charconv>
#include <cmath>
#include <limits>

#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// The next word from `at` on; empty at the end.
std::string_view word(std::string_view text, std::size_t& at) {
  const std::size_t begin = text.find_first_not_of(kBlank, at);
  if (begin == std::string_view::npos) return {};
  at = std::min(text.find_first_of(kBlank, begin), text.size());
  return text.substr(begin, at - begin);
}

std::optional<double> number_in(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 60;
  return '"' + std::string(text.substr(0, most)) + (text.size() > most ? "…\"" : "\"");
}

std::string count_text(std::size_t least, std::size_t most) {
  if (least == most) return least == 1 ? "a number" : std::to_string(least) + " numbers";
  if (most == std::numeric_limits<std::size_t>::max()) return "at least " + std::to_string(least) + " numbers";
  return std::to_string(least) + " to " + std::to_string(most) + " numbers";
}

}  // namespace

void LeftOut::add(const Node& node, const std::string& what) {
  std::string line = node.file->string() + ": " + node.place() + (what.empty() ? "" : " " + what);
  if (seen_.insert(line).second) lines_.push_back(std::move(line));
}

Attributes::Attributes(const Node& node, const Statements& defaults) : node_(node), stated_(defaults) {
  for (const tinyxml2::XMLAttribute* a = node.element->FirstAttribute(); a != nullptr; a = a->Next()) {
    stated_[a->Name()] = {a->Value(), node};
  }
}

const Stated* Attributes::take(const char* name) {
  asked_.insert(name);
  const auto found = stated_.find(name);
  return found == stated_.end() ? nullptr : &found->second;
}

void Attributes::fault(const char* name, const std::string& expected, const std::string& found) const {
  const auto stated = stated_.find(name);
  (stated == stated_.end() ? node_ : stated->second.where).fault(name, expected, found);
}

std::string Attributes::text(const char* name, const std::string& otherwise) {
  const Stated* stated = take(name);
  return stated ? stated->text : otherwise;
}

std::optional<std::vector<double>> Attributes::numbers(const char* name, std::size_t least, std::size_t most) {
  const Stated* stated = take(name);
  if (!stated) return std::nullopt;
  std::vector<double> values;
  std::size_t at = 0;
  for (std::string_view next = word(stated->text, at); !next.empty(); next = word(stated->text, at)) {
    const std::optional<double> value = number_in(next);
    if (!value) fault(name, "finite numbers", shortened(next));
    values.push_back(*value);
  }
  if (values.size() < least || values.size() > most) fault(name, count_text(least, most), shortened(stated->text));
  return values;
}

double Attributes::number(const char* name, double otherwise) {
  const auto values = numbers(name, 1, 1);
  return values ? values->front() : otherwise;
}

int Attributes::whole(const char* name, int otherwise) {
  const double value = number(name, otherwise);
  if (std::abs(value) > std::numeric_limits<int>::max() || value != std::floor(value)) {
    fault(name, "a whole number", spelled(value));
  }
  return static_cast<int>(value);
}

Eigen::Vector3d Attributes::vector(const char* name, const Eigen::Vector3d& otherwise) {
  const auto values = numbers(name, 3, 3);
  return values ? Eigen::Vector3d((*values)[0], (*values)[1], (*values)[2]) : otherwise;
}

std::size_t Attributes::choice(const char* name, std::span<const std::string_view> names, std::size_t otherwise) {
  const Stated* stated = take(name);
  if (!stated) return otherwise;
  const auto found = std::find(names.begin(), names.end(), stated->text);
  if (found == names.end()) fault(name, choice_text(names), shortened(stated->text));
  return static_cast<std::size_t>(found - names.begin());
}

bool Attributes::flag(const char* name, bool otherwise) {
  static constexpr std::array<std::string_view, 2> names = {"false", "true"};
  return choice(name, names, otherwise ? 1 : 0) == 1;
}

std::optional<bool> Attributes::maybe(const char* name) {
  static constexpr std::array<std::string_view, 3> names = {"false", "true", "auto"};
  const std::size_t value = choice(name, names, 2);
  return value == 2 ? std::nullopt : std::optional(value == 1);
}

void Attributes::ignore(std::initializer_list<const char*> names) {
  for (const char* name : names) asked_.insert(name);
}

void Attributes::finish(LeftOut& left_out) const {
  for (const auto& [name, stated] : stated_) {
    if (!asked_.contains(name)) left_out.add(stated.where, name + "=" + shortened(stated.text));
  }
}

}  // namespace locdyn::scene_format::mjcf
