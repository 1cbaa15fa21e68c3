#include <locdyn/io/scene/read_values.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/io/scene/file_reach.hpp>
#include <locdyn/io/scene/object_reader.hpp>

namespace locdyn::scene_format {
namespace {

constexpr std::size_t kLongestText = 60;

std::string count_text(Count count) {
  if (count.least == count.most) return std::to_string(count.least);
  if (count.most == Count{}.most) return "at least " + std::to_string(count.least);
  return std::to_string(count.least) + " to " + std::to_string(count.most);
}

// Levenshtein's distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

void FaultList::fault(const std::string& place, const std::string& expected, const std::string& found) {
  faults.push_back((place.empty() ? "" : place + ": ") + "expected " + expected + ", found " + found);
}

void ReadContext::mismatch(const std::string& place, const std::string& expected, const Json& found) {
  fault(place, expected, found_text(found));
}

std::string place_of(const std::string& place, std::string_view key) {
  return place.empty() ? std::string(key) : place + "." + std::string(key);
}

std::string place_of(const std::string& place, std::size_t index) {
  return place + "[" + std::to_string(index) + "]";
}

std::string found_text(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongestText) text = text.substr(0, kLongestText) + "…";
  return text;
}

std::string expected_text(const char* what, const Range& range) {
  const bool from = std::isfinite(range.low), to = std::isfinite(range.high);
  std::string text = what;
  if (from && to && !range.low_open && !range.high_open) {
    return text + " from " + spelled(range.low) + " to " + spelled(range.high);
  }
  if (from) text += (range.low_open ? " > " : " ≥ ") + spelled(range.low);
  if (to) text += (from ? " and" : "") + std::string(range.high_open ? " < " : " ≤ ") + spelled(range.high);
  return text;
}

std::string choice_text(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += '"' + std::string(names[i]) + '"';
  }
  return text;
}

std::string_view nearest(std::string_view found, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, found.size() / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(found, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

bool is_array_of(const Json& json, const std::string& place, Count count, const char* what, ReadContext& context) {
  if (json.is_array() && json.size() >= count.least && json.size() <= count.most) return true;
  context.mismatch(place, "an array of " + (count.least == 0 ? "" : count_text(count) + " ") + what, json);
  return false;
}

std::size_t read_choice(const Json& json, const std::string& place, std::span<const std::string_view> names,
                        ReadContext& context) {
  if (json.is_string()) {
    const auto found = std::find(names.begin(), names.end(), json.get_ref<const std::string&>());
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  context.mismatch(place, choice_text(names), json);
  return names.size();
}

void read(const Json& json, const std::string& place, double& value, ReadContext& context, const Range& range) {
  if (!json.is_number() || !range.holds(json.get<double>())) {
    return context.mismatch(place, expected_text("a number", range), json);
  }
  value = json.get<double>();
}

void read(const Json& json, const std::string& place, long& value, ReadContext& context, const Range& range) {
  const double number = json.is_number() ? json.get<double>() : std::nan("");
  if (number != std::round(number) || !range.holds(number)) {  // 3.0 is a whole number too
    return context.mismatch(place, expected_text("a whole number", range), json);
  }
  value = std::lround(number);
}

void read(const Json& json, const std::string& place, bool& value, ReadContext& context) {
  if (!json.is_boolean()) return context.mismatch(place, "true or false", json);
  value = json.get<bool>();
}

void read(const Json& json, const std::string& place, std::string& value, ReadContext& context) {
  if (!json.is_string() || json.get_ref<const std::string&>().empty()) {
    return context.mismatch(place, "a text that is not empty", json);
  }
  value = json.get<std::string>();
}

void read(const Json& json, const std::string& place, std::string& value, ReadContext& context, OneOf names) {
  const std::size_t choice = read_choice(json, place, names.names, context);
  if (choice < names.names.size()) value = names.names[choice];
}

void read(const Json& json, const std::string& place, std::filesystem::path& value, ReadContext& context) {
  std::string name;
  const std::size_t before = context.faults.size();
  read(json, place, name, context);
  if (context.faults.size() > before) return;
  value = context.folder / name;
  if (context.files == SceneFiles::own_folder && !lies_in(context.folder, value)) {
    return context.fault(place, kFileInside, found_text(json));
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(value, ignored)) {
    context.fault(place, "a file that is there", value.string());
  }
}

void read(const Json& json, const std::string& place, Orientation& value, ReadContext& context) {
  if (!json.is_object()) {
    Eigen::Vector4d q(1, 0, 0, 0);
    read(json, place, q, context);
    // Written by hand, it has few digits.
    if (std::abs(q.norm() - 1) > 1e-3) {
      return context.fault(place, "a quaternion [w, x, y, z] of unit length", "length " + spelled(q.norm()));
    }
    q.normalize();
    value = Orientation(q[0], q[1], q[2], q[3]);
    return;
  }
  SceneTurn turn;
  read(json, place, turn, context);
  constexpr double degree = std::numbers::pi / 180;
  if (turn.rpy_degrees) {
    const Eigen::Vector3d angles = degree * *turn.rpy_degrees;
    value = exponential({0, 0, angles[2]}) * exponential({0, angles[1], 0}) * exponential({angles[0], 0, 0});
  } else if (turn.degrees) {
    const Eigen::Vector3d axis = turn.axis.value_or(Eigen::Vector3d::UnitZ());
    if (!(axis.norm() > 0)) return context.fault(place_of(place, "axis"), "a vector of length > 0", "zero");
    value = exponential(degree * *turn.degrees * axis.normalized());
  }
}

void read(const Json& json, const std::string& place, Eigen::Matrix3d& value, ReadContext& context) {
  if (json.is_array() && json.size() == 3 && json[0].is_array()) {
    for (int i = 0; i < 3; ++i) {
      Eigen::Vector3d row = Eigen::Vector3d::Zero();
      read(json[i], place_of(place, static_cast<std::size_t>(i)), row, context);
      value.row(i) = row.transpose();
    }
    return;
  }
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();
  read(json, place, moments, context, kPositive);
  value = moments.asDiagonal();
}

void read(const Json& json, const std::string& place, Eigen::MatrixXd& value, ReadContext& context) {
  if (!is_array_of(json, place, {2}, "rows", context)) return;
  const std::size_t columns = json[0].size();
  value.setZero(static_cast<Eigen::Index>(json.size()), static_cast<Eigen::Index>(columns));
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string row = place_of(place, i);
    if (!is_array_of(json[i], row, i == 0 ? Count{2} : Count{columns, columns}, "numbers", context)) return;
    for (std::size_t j = 0; j < columns; ++j) {
      read(json[i][j], place_of(row, j), value(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), context);
    }
  }
}

}  // namespace locdyn::scene_format
