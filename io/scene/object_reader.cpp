#include <locdyn/io/scene/object_reader.hpp>

namespace locdyn::scene_format {
namespace {

std::string in_quotes(std::string_view key) {
  return '"' + std::string(key) + '"';
}

}  // namespace

void ObjectReader::missing(const char* key) {
  context_.fault(place_, "key " + in_quotes(key), "none");
}

void ObjectReader::at_most_one(std::initializer_list<std::string_view> keys) {
  std::string found;
  int count = 0;
  for (const std::string_view key : keys) {
    if (!json_.contains(std::string(key))) continue;
    found += (count++ > 0 ? " and " : "") + in_quotes(key);
  }
  if (count > 1) {
    context_.fault(place_, "one of " + choice_text({keys.begin(), keys.size()}), found);
  }
}

void ObjectReader::at_least_one(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (json_.contains(std::string(key))) return;
  }
  context_.fault(place_, "key " + choice_text({keys.begin(), keys.size()}), "none");
}

void ObjectReader::needs(std::string_view key, std::initializer_list<std::string_view> others) {
  if (!json_.contains(std::string(key))) return;
  for (const std::string_view other : others) {
    if (!json_.contains(std::string(other)))
      context_.fault(place_, in_quotes(other) + " beside " + in_quotes(key), "none");
  }
}

void ObjectReader::excludes(std::string_view key, std::initializer_list<std::string_view> others) {
  for (const std::string_view other : others) at_most_one({key, other});
}

void ObjectReader::finish() {
  if (!type_known_) return;
  for (const auto& [key, value] : json_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string_view near = nearest(key, known_);
    context_.fault(
        place_, near.empty() ? "one of the keys " + choice_text(known_) : "known keys, " + in_quotes(near) + " maybe",
        in_quotes(key));
  }
}

}  // namespace locdyn::scene_format
