#include <locdyn/io/scene/object_schema.hpp>

#include <cmath>

#include <locdyn/io/scene/read_scene.hpp>

namespace locdyn::scene_format {
namespace {

void put_range(Schema& schema, const Range& range) {
  if (std::isfinite(range.low)) schema[range.low_open ? "exclusiveMinimum" : "minimum"] = range.low;
  if (std::isfinite(range.high)) schema[range.high_open ? "exclusiveMaximum" : "maximum"] = range.high;
}

}  // namespace

Schema schema_of(double value, SchemaContext&, const Range& range) {
  Schema schema = {{"type", "number"}};
  put_range(schema, range);
  schema["default"] = value;
  return schema;
}

Schema schema_of(long value, SchemaContext&, const Range& range) {
  Schema schema = {{"type", "integer"}};
  put_range(schema, range);
  schema["default"] = value;
  return schema;
}

Schema schema_of(bool value, SchemaContext&) {
  return {{"type", "boolean"}, {"default", value}};
}

Schema schema_of(const std::string&, SchemaContext&) {
  return {{"type", "string"}, {"minLength", 1}};
}

Schema schema_of(const std::string& value, SchemaContext&, OneOf names) {
  Schema schema = choice_schema(names.names);
  schema["default"] = value;
  return schema;
}

Schema schema_of(const std::filesystem::path&, SchemaContext&) {
  return {{"type", "string"}, {"minLength", 1}};
}

Schema schema_of(const Orientation&, SchemaContext& context) {
  return {{"oneOf", {schema_of(Eigen::Vector4d(1, 0, 0, 0), context), schema_of(SceneTurn{}, context)}}};
}

Schema schema_of(const Eigen::Matrix3d&, SchemaContext& context) {
  Schema row = schema_of(Eigen::Vector3d(0, 0, 0), context);
  Schema moments = schema_of(Eigen::Vector3d(0, 0, 0), context, kPositive);
  return {{"oneOf", {moments, array_schema(row, {3, 3})}}};
}

Schema schema_of(const Eigen::MatrixXd&, SchemaContext&) {
  return array_schema(array_schema({{"type", "number"}}, {2}), {2});
}

Schema array_schema(Schema items, Count count) {
  Schema schema = {{"type", "array"}, {"items", std::move(items)}};
  if (count.least > 0) schema["minItems"] = count.least;
  if (count.most != Count{}.most) schema["maxItems"] = count.most;
  return schema;
}

Schema choice_schema(std::span<const std::string_view> names) {
  Schema schema = {{"enum", Schema::array()}};
  for (const std::string_view name : names) schema["enum"].push_back(name);
  return schema;
}

void ObjectSchema::add(const char* key, Schema schema, std::string_view meaning) {
  if (!meaning.empty()) schema["description"] = meaning;
  properties_[key] = std::move(schema);
}

Schema ObjectSchema::each(std::initializer_list<std::string_view> keys) {
  Schema list = Schema::array();
  for (const std::string_view key : keys) list.push_back({{"required", Schema::array({key})}});
  return list;
}

void ObjectSchema::at_most_one(std::initializer_list<std::string_view> keys) {
  for (auto a = keys.begin(); a != keys.end(); ++a) excludes(*a, std::span(a + 1, keys.end()));
}

void ObjectSchema::needs(std::string_view key, std::initializer_list<std::string_view> others) {
  for (const std::string_view other : others) needs_[std::string(key)].push_back(other);
}

void ObjectSchema::excludes(std::string_view key, std::span<const std::string_view> others) {
  for (const std::string_view other : others) {
    conditions_.push_back({{"not", {{"required", Schema::array({key, other})}}}});
  }
}

Schema ObjectSchema::members() const {
  Schema schema = {{"properties", properties_}};
  if (!required_.empty()) schema["required"] = required_;
  if (!needs_.empty()) schema["dependentRequired"] = needs_;
  if (!conditions_.empty()) schema["allOf"] = conditions_;
  return schema;
}

Schema ObjectSchema::finish() const {
  Schema schema = {{"type", "object"}};
  schema.update(members());
  if (branches_.empty()) {
    schema["additionalProperties"] = false;
  } else {
    schema["oneOf"] = branches_;
    schema["unevaluatedProperties"] = false;
  }
  return schema;
}

}  // namespace locdyn::scene_format

namespace locdyn {

std::string scene_schema() {
  using namespace scene_format;
  SchemaContext context;
  ObjectSchema object(context);
  Scene scene;
  describe(object, scene);
  Schema schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "A scene for locdyn simulate"},
                   {"description", "SI units. Made from the reader by scene_schema(): not to be edited."}};
  schema.update(object.finish());
  schema["$defs"] = context.definitions;
  return schema.dump(1) + "\n";
}

}  // namespace locdyn
