#pragma once
// The visitor of `describe` that reads an object: fills the values, and finds keys that are missing, unknown or do not
// go together.

#include <algorithm>
#include <initializer_list>

#include <locdyn/io/scene/describe.hpp>
#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format {

class ObjectReader {
 public:
  /// `json` is an object and outlives the reader.
  ObjectReader(const Json& json, std::string place, ReadContext& context)
      : json_(json), place_(std::move(place)), context_(context) {}

  template <class T, class... Rules>
  void required(const char* key, T& value, const char* meaning, Rules... rules) {
    if (!json_.contains(key)) missing(key);
    optional(key, value, meaning, rules...);
  }
  template <class T, class... Rules>
  void required_unless(const char* other, const char* key, T& value, const char* meaning, Rules... rules) {
    if (!json_.contains(other) && !json_.contains(key)) missing(key);
    optional(key, value, meaning, rules...);
  }
  template <class T, class... Rules>
  void optional(const char* key, T& value, const char*, Rules... rules) {
    if (const Json* found = take(key)) read(*found, place_of(place_, key), value, context_, rules...);
  }
  void annotation(const char* key, const char*) {
    std::string unused;
    if (const Json* found = take(key)) read(*found, place_of(place_, key), unused, context_);
  }

  template <class... Ts>
  void alternative(const char* key, std::variant<Ts...>& value, const char* meaning) {
    if (!json_.contains(key)) {
      missing(key);
      take(key);
      type_known_ = false;
      return;
    }
    alternative_or_first(key, value, meaning);
  }
  template <class... Ts>
  void alternative_or_first(const char* key, std::variant<Ts...>& value, const char*) {
    static constexpr std::array<std::string_view, sizeof...(Ts)> names = {kTypeName<Ts>...};
    std::size_t choice = 0;
    if (const Json* found = take(key)) choice = read_choice(*found, place_of(place_, key), names, context_);
    type_known_ = choice < names.size();
    std::size_t i = 0;
    ((i++ == choice ? describe(*this, value.template emplace<Ts>()) : void()), ...);
  }

  template <class T>
  void one_or_many(const char* key, const char* keys, std::vector<T>& values, const char*) {
    at_most_one({key, keys});
    if (const Json* one = take(key)) read(*one, place_of(place_, key), values.emplace_back(), context_);
    if (const Json* many = take(keys)) read(*many, place_of(place_, keys), values, context_, Count{1});
  }

  template <class Describe>
  void object(const char* key, const char*, Describe describe_members) {
    const Json* found = take(key);
    if (!found) return;
    const std::string place = place_of(place_, key);
    if (!found->is_object()) return context_.mismatch(place, "an object", *found);
    ObjectReader inner(*found, place, context_);
    describe_members(inner);
    inner.finish();
  }

  void exactly_one(std::initializer_list<std::string_view> keys) {
    at_least_one(keys);
    at_most_one(keys);
  }
  void at_most_one(std::initializer_list<std::string_view> keys);
  void at_least_one(std::initializer_list<std::string_view> keys);
  void needs(std::string_view key, std::initializer_list<std::string_view> others);
  void excludes(std::string_view key, std::initializer_list<std::string_view> others);

  /// Notes each key that was not asked for.
  void finish();

 private:
  const Json* take(const char* key) {
    known_.emplace_back(key);
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  void missing(const char* key);

  const Json& json_;
  std::string place_;
  ReadContext& context_;
  std::vector<std::string_view> known_;
  bool type_known_ = true;  // else its keys are not known either
};

/// Reads any object that `describe` knows. It learns its place where it has a member for that.
template <class T>
requires requires(ObjectReader& v, T& value) {
  describe(v, value);
}
void read(const Json& json, const std::string& place, T& value, ReadContext& context) {
  if (!json.is_object()) return context.mismatch(place, "an object", json);
  if constexpr (requires { value.place; }) value.place = place;
  ObjectReader reader(json, place, context);
  describe(reader, value);
  reader.finish();
}

/// A value for all time, or {times, values}.
template <class T>
void read(const Json& json, const std::string& place, TimeSeries<T>& value, ReadContext& context) {
  if (!json.is_object()) {
    read(json, place, value.values.emplace_back(), context);
    return;
  }
  ObjectReader reader(json, place, context);
  describe(reader, value);
  reader.finish();
  if (value.times.size() != value.values.size()) {
    context.fault(place_of(place, "values"), "as many as times, " + std::to_string(value.times.size()),
                  std::to_string(value.values.size()));
  }
  for (std::size_t i = 1; i < value.times.size(); ++i) {
    if (value.times[i] > value.times[i - 1]) continue;
    context.fault(place_of(place_of(place, "times"), i),
                  "more than the time before, " + Json(value.times[i - 1]).dump(), Json(value.times[i]).dump());
    break;
  }
}

}  // namespace locdyn::scene_format
