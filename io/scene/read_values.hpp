#pragma once
// Reads one JSON value of each type that scenes are made of. A fault is noted with its place and reading goes on, so
// that one run finds them all; a value at fault keeps its default.

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include <locdyn/io/scene/faults.hpp>
#include <locdyn/io/scene/rules.hpp>

namespace locdyn::scene_format {

using Json = nlohmann::json;

/// Faults found so far, and where files are looked for.
struct ReadContext : FaultList {
  std::filesystem::path folder;
  SceneFiles files = SceneFiles::own_folder;

  void mismatch(const std::string& place, const std::string& expected, const Json& found);
};

/// "bodies" + "name" → "bodies.name"; the root's place is empty.
[[nodiscard]] std::string place_of(const std::string& place, std::string_view key);
[[nodiscard]] std::string place_of(const std::string& place, std::size_t index);

/// A value in a message: numbers and short texts as they are, "an object", "an array of 4".
[[nodiscard]] std::string found_text(const Json& value);
/// "a number > 0", "a whole number from 1 to 1000".
[[nodiscard]] std::string expected_text(const char* what, const Range& range);
/// "\"a\", \"b\" or \"c\"".
[[nodiscard]] std::string choice_text(std::span<const std::string_view> names);
/// The name nearest to `found` by edit distance; empty where none is near.
[[nodiscard]] std::string_view nearest(std::string_view found, std::span<const std::string_view> names);

// --- single values ---------------------------------------------------------------------------------------------------

void read(const Json& json, const std::string& place, double& value, ReadContext& context, const Range& range = kAny);
void read(const Json& json, const std::string& place, long& value, ReadContext& context, const Range& range);
void read(const Json& json, const std::string& place, bool& value, ReadContext& context);
void read(const Json& json, const std::string& place, std::string& value, ReadContext& context);
void read(const Json& json, const std::string& place, std::string& value, ReadContext& context, OneOf names);
/// A file that is there, relative to the scene's folder and within it, unless `files` says anywhere.
void read(const Json& json, const std::string& place, std::filesystem::path& value, ReadContext& context);
void read(const Json& json, const std::string& place, Orientation& value, ReadContext& context);
/// Three moments or three rows.
void read(const Json& json, const std::string& place, Eigen::Matrix3d& value, ReadContext& context);
/// At least two rows of at least two.
void read(const Json& json, const std::string& place, Eigen::MatrixXd& value, ReadContext& context);
/// Is it an array of this many? Else notes the fault.
[[nodiscard]] bool is_array_of(const Json& json, const std::string& place, Count count, const char* what,
                               ReadContext& context);
/// An index of the name, or of none: notes the fault.
[[nodiscard]] std::size_t read_choice(const Json& json, const std::string& place,
                                      std::span<const std::string_view> names, ReadContext& context);

template <class T>
concept Whole = std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long>;

template <Whole T>
void read(const Json& json, const std::string& place, T& value, ReadContext& context,
          const Range& range = from_to(0, 2147483647)) {
  long number = static_cast<long>(value);
  read(json, place, number, context, range);
  value = static_cast<T>(number);
}

template <class E>
requires std::is_enum_v<E>
void read(const Json& json, const std::string& place, E& value, ReadContext& context) {
  const std::size_t choice = read_choice(json, place, kEnumerators<E>, context);
  if (choice < kEnumerators<E>.size()) value = static_cast<E>(choice);
}

template <int N>
void read(const Json& json, const std::string& place, Eigen::Matrix<double, N, 1>& value, ReadContext& context,
          const Range& range = kAny) {
  if (!is_array_of(json, place, {N, N}, "numbers", context)) return;
  for (int i = 0; i < N; ++i) read(json[i], place_of(place, i), value[i], context, range);
}

// --- values made of values -------------------------------------------------------------------------------------------

template <class T, class... Rules>
void read(const Json& json, const std::string& place, std::optional<T>& value, ReadContext& context, Rules... rules) {
  T there{};
  read(json, place, there, context, rules...);
  value = std::move(there);
}

template <class T, std::size_t N, class... Rules>
void read(const Json& json, const std::string& place, std::array<T, N>& value, ReadContext& context, Rules... rules) {
  if (!is_array_of(json, place, {N, N}, "values", context)) return;
  for (std::size_t i = 0; i < N; ++i) read(json[i], place_of(place, i), value[i], context, rules...);
}

template <class T, class... Rules>
void read(const Json& json, const std::string& place, std::vector<T>& value, ReadContext& context, Count count,
          Rules... rules) {
  if (!is_array_of(json, place, count, "values", context)) return;
  value.clear();
  for (std::size_t i = 0; i < json.size(); ++i) {
    T entry{};
    read(json[i], place_of(place, i), entry, context, rules...);
    value.push_back(std::move(entry));
  }
}
template <class T>
void read(const Json& json, const std::string& place, std::vector<T>& value, ReadContext& context) {
  read(json, place, value, context, Count{});
}

template <class T>
void read(const Json& json, const std::string& place, std::map<std::string, T>& value, ReadContext& context) {
  if (!json.is_object()) return context.mismatch(place, "an object of names", json);
  for (const auto& [key, entry] : json.items()) {
    if (key.empty()) {
      context.fault(place, "names", "\"\"");
      continue;
    }
    read(entry, place_of(place, key), value[key], context);
  }
}

}  // namespace locdyn::scene_format
