#include <locdyn/io/scene/json_text.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::scene_format {
namespace {

using Event = nlohmann::json::parse_event_t;

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return "line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(1, column));
}

// The library's message without its own prefix and place: "[json.exception…] parse error at line 1, column 2: …".
std::string reason(const std::exception& error) {
  std::string text = error.what();
  const std::size_t place = text.find("column ");
  const std::size_t colon = place == std::string::npos ? text.find("] ") : text.find(": ", place);
  if (colon != std::string::npos) text = text.substr(colon + 2);
  return text;
}

// Follows the parser through objects and arrays and finds the first key that an object has twice.
class DuplicateKeys {
 public:
  bool operator()(int, Event event, const nlohmann::json& value) {
    switch (event) {
      case Event::object_start: open(false); break;
      case Event::array_start: open(true); break;
      case Event::object_end:
      case Event::array_end: levels_.pop_back(); break;
      case Event::value: count(); break;
      case Event::key: {
        levels_.back().key = value.get<std::string>();
        if (!levels_.back().keys.insert(levels_.back().key).second && first_.empty()) first_ = place();
      }
    }
    return true;
  }
  /// Its place, empty where there is none.
  [[nodiscard]] const std::string& first() const { return first_; }

 private:
  struct Level {
    bool array;
    long index = -1;
    std::string key;
    std::set<std::string> keys;
  };
  void count() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
  }
  void open(bool array) {
    count();
    levels_.push_back({array, -1, {}, {}});
  }
  [[nodiscard]] std::string place() const {
    std::string text;
    for (const Level& level : levels_) {
      if (level.array) {
        text.append("[").append(std::to_string(level.index)).append("]");
      } else {
        text.append(text.empty() ? "" : ".").append(level.key);
      }
    }
    return text;
  }

  std::vector<Level> levels_;
  std::string first_;
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& file) {
  DuplicateKeys keys;
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(
        text, [&keys](int depth, Event event, const nlohmann::json& value) { return keys(depth, event, value); });
  } catch (const nlohmann::json::parse_error& error) {
    throw FileError(file + ": " + line_and_column(text, error.byte) + ": expected JSON, found " + reason(error));
  } catch (const nlohmann::json::exception& error) {  // a number too large for double precision
    throw FileError(file + ": expected JSON, found " + reason(error));
  }
  if (!keys.first().empty()) throw FileError(file + ": " + keys.first() + ": expected the key once, found it twice");
  return json;
}

}  // namespace locdyn::scene_format
