#pragma once
// The visitor of `describe` that writes the JSON Schema of an object, and the schema of each type of value.

#include <Eigen/Core>
#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>

#include <locdyn/io/scene/describe.hpp>

namespace locdyn::scene_format {

using Schema = nlohmann::ordered_json;

/// What is defined once and referred to.
template <class T>
inline constexpr const char* kDefinition = nullptr;
template <>
inline constexpr const char* kDefinition<SceneBody> = "body";
template <>
inline constexpr const char* kDefinition<SceneShape> = "shape";
template <>
inline constexpr const char* kDefinition<SceneMaterial> = "material";
template <>
inline constexpr const char* kDefinition<SceneTurn> = "turn";

struct SchemaContext {
  Schema definitions = Schema::object();
};

// --- single values ---------------------------------------------------------------------------------------------------

[[nodiscard]] Schema schema_of(double value, SchemaContext& context, const Range& range = kAny);
[[nodiscard]] Schema schema_of(long value, SchemaContext& context, const Range& range);
[[nodiscard]] Schema schema_of(bool value, SchemaContext& context);
[[nodiscard]] Schema schema_of(const std::string& value, SchemaContext& context);
[[nodiscard]] Schema schema_of(const std::string& value, SchemaContext& context, OneOf names);
[[nodiscard]] Schema schema_of(const std::filesystem::path& value, SchemaContext& context);
[[nodiscard]] Schema schema_of(const Orientation& value, SchemaContext& context);
[[nodiscard]] Schema schema_of(const Eigen::Matrix3d& value, SchemaContext& context);
[[nodiscard]] Schema schema_of(const Eigen::MatrixXd& value, SchemaContext& context);
[[nodiscard]] Schema array_schema(Schema items, Count count);
[[nodiscard]] Schema choice_schema(std::span<const std::string_view> names);

template <class T>
requires std::is_integral_v<T> Schema schema_of(T value, SchemaContext& context,
                                                const Range& range = from_to(0, 2147483647)) {
  return schema_of(static_cast<long>(value), context, range);
}

template <class E>
requires std::is_enum_v<E> Schema schema_of(E value, SchemaContext&) {
  Schema schema = choice_schema(kEnumerators<E>);
  schema["default"] = kEnumerators<E>[static_cast<std::size_t>(value)];
  return schema;
}

template <int N>
Schema schema_of(const Eigen::Matrix<double, N, 1>&, SchemaContext& context, const Range& range = kAny) {
  Schema items = schema_of(0.0, context, range);
  items.erase("default");
  return array_schema(std::move(items), {N, N});
}

// --- values made of values -------------------------------------------------------------------------------------------

// Some value of T, whose type is what is asked about. Eigen's vectors begin without numbers, and GCC at -O1 warns of a
// reference to one.
template <class T>
T some_value() {
  if constexpr (std::is_base_of_v<Eigen::MatrixBase<T>, T>) {
    return T::Zero();
  } else {
    return T{};
  }
}

template <class T, class... Rules>
Schema schema_of(const std::optional<T>&, SchemaContext& context, Rules... rules) {
  Schema schema = schema_of(some_value<T>(), context, rules...);
  schema.erase("default");
  return schema;
}

template <class T, std::size_t N, class... Rules>
Schema schema_of(const std::array<T, N>& value, SchemaContext& context, Rules... rules) {
  Schema items = schema_of(value[0], context, rules...);
  items.erase("default");
  return array_schema(std::move(items), {N, N});
}

template <class T, class... Rules>
Schema schema_of(const std::vector<T>&, SchemaContext& context, Count count, Rules... rules) {
  Schema items = schema_of(some_value<T>(), context, rules...);
  items.erase("default");
  return array_schema(std::move(items), count);
}
template <class T>
Schema schema_of(const std::vector<T>& value, SchemaContext& context) {
  return schema_of(value, context, Count{});
}

template <class T>
Schema schema_of(const std::map<std::string, T>&, SchemaContext& context) {
  return {{"type", "object"},
          {"propertyNames", {{"minLength", 1}}},
          {"additionalProperties", schema_of(some_value<T>(), context)}};
}

// --- objects ---------------------------------------------------------------------------------------------------------

class ObjectSchema {
 public:
  explicit ObjectSchema(SchemaContext& context) : context_(context) {}

  template <class T, class... Rules>
  void required(const char* key, T& value, const char* meaning, Rules... rules) {
    optional(key, value, meaning, rules...);
    properties_[key].erase("default");
    required_.push_back(key);
  }
  template <class T, class... Rules>
  void required_unless(const char* other, const char* key, T& value, const char* meaning, Rules... rules) {
    optional(key, value, meaning, rules...);
    properties_[key].erase("default");
    at_least_one({key, other});
  }
  template <class T, class... Rules>
  void optional(const char* key, T& value, const char* meaning, Rules... rules) {
    add(key, schema_of(value, context_, rules...), meaning);
  }
  void annotation(const char* key, const char* meaning) { add(key, schema_of(std::string(), context_), meaning); }

  template <class... Ts>
  void alternative(const char* key, std::variant<Ts...>& value, const char* meaning) {
    alternative_or_first(key, value, meaning);
    required_.push_back(key);
  }
  template <class... Ts>
  void alternative_or_first(const char* key, std::variant<Ts...>&, const char* meaning) {
    static constexpr std::array<std::string_view, sizeof...(Ts)> names = {kTypeName<Ts>...};
    Schema schema = choice_schema(names);
    schema["default"] = names[0];
    add(key, schema, meaning);
    (add_branch<Ts>(key, kTypeName<Ts> == names[0]), ...);
  }

  template <class T>
  void one_or_many(const char* key, const char* keys, std::vector<T>&, const char* meaning) {
    add(key, schema_of(some_value<T>(), context_), meaning);
    add(keys, schema_of(std::vector<T>{}, context_, Count{1}), meaning);
    at_most_one({key, keys});
  }

  template <class Describe>
  void object(const char* key, const char* meaning, Describe describe_members) {
    ObjectSchema inner(context_);
    describe_members(inner);
    add(key, inner.finish(), meaning);
  }

  void exactly_one(std::initializer_list<std::string_view> keys) { conditions_.push_back({{"oneOf", each(keys)}}); }
  void at_least_one(std::initializer_list<std::string_view> keys) { conditions_.push_back({{"anyOf", each(keys)}}); }
  void at_most_one(std::initializer_list<std::string_view> keys);
  void needs(std::string_view key, std::initializer_list<std::string_view> others);
  void excludes(std::string_view key, std::span<const std::string_view> others);
  void excludes(std::string_view key, std::initializer_list<std::string_view> others) {
    excludes(key, std::span(others.begin(), others.size()));
  }

  /// The schema of the object, which has no keys but these.
  [[nodiscard]] Schema finish() const;

 private:
  void add(const char* key, Schema schema, std::string_view meaning);
  [[nodiscard]] static Schema each(std::initializer_list<std::string_view> keys);
  [[nodiscard]] Schema members() const;

  // One type of `alternative`: the key has its name, or is absent for the first.
  template <class T>
  void add_branch(const char* key, bool first) {
    ObjectSchema branch(context_);
    T value{};
    describe(branch, value);
    branch.properties_[key] = {{"const", kTypeName<T>}};
    if (!first) branch.required_.push_back(key);
    branches_.push_back(branch.members());
  }

  SchemaContext& context_;
  Schema properties_ = Schema::object(), conditions_ = Schema::array(), branches_ = Schema::array();
  Schema needs_ = Schema::object();
  std::vector<std::string> required_;
};

template <class T>
requires requires(ObjectSchema& v, T& value) {
  describe(v, value);
}
Schema schema_of(const T&, SchemaContext& context) {
  const auto write = [&context] {
    ObjectSchema schema(context);
    T value{};
    describe(schema, value);
    return schema.finish();
  };
  if constexpr (kDefinition<T> == nullptr) {
    return write();
  } else {
    if (!context.definitions.contains(kDefinition<T>)) {
      context.definitions[kDefinition<T>] = Schema::object();  // it may hold itself
      context.definitions[kDefinition<T>] = write();
    }
    return {{"$ref", std::string("#/$defs/") + kDefinition<T>}};
  }
}

template <class T>
Schema schema_of(const TimeSeries<T>& value, SchemaContext& context) {
  ObjectSchema series(context);
  TimeSeries<T> copy = value;
  describe(series, copy);
  Schema constant = schema_of(some_value<T>(), context);
  constant.erase("default");
  return {{"oneOf", {constant, series.finish()}}};
}

}  // namespace locdyn::scene_format
