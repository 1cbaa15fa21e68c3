#include <locdyn/io/page/trajectory_file.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <numeric>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace fs = std::filesystem;
namespace {

constexpr hsize_t kMostNumbers = hsize_t{1} << 31;  // of one dataset: a damaged shape may promise anything
constexpr std::size_t kMostGeometries = 10'000;
constexpr std::size_t kLongestTitle = 1 << 16;  // [bytes]

template <class Number>
hid_t memory_type() {
  if constexpr (std::is_same_v<Number, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<Number, std::int32_t>) return H5T_NATIVE_INT32;
  return H5T_NATIVE_INT64;
}

std::string frame_name(std::size_t frame) {
  char text[24];
  std::snprintf(text, sizeof text, "%06zu", frame);
  return text;
}

// At most `kMostNumbers`.
hsize_t product(const std::vector<hsize_t>& shape) {
  hsize_t numbers = 1;
  for (const hsize_t extent : shape) {
    if (extent == 0) return 0;
    numbers = numbers > kMostNumbers / extent ? kMostNumbers : numbers * extent;
  }
  return numbers;
}

}  // namespace

bool holds_trajectory(const fs::path& path) {
  const Hdf5Silence silence;
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  return file && H5Lexists(file.id(), "time", H5P_DEFAULT) > 0 && H5Lexists(file.id(), "bodies", H5P_DEFAULT) > 0;
}

TrajectoryFile::TrajectoryFile(fs::path path) : path_(std::move(path)) {
  std::error_code none;
  if (!fs::exists(path_, none)) fail("", "a trajectory", "no such file");
  if (!fs::is_regular_file(path_, none)) fail("", "a trajectory", "something that is no file");
  if (H5Fis_hdf5(path_.c_str()) <= 0) fail("", "a trajectory (HDF5)", "another format");
  file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file_) fail("", "a whole trajectory", "a file that is truncated, damaged or locked");
  if (!has("time") || !has("bodies/position")) fail("", "a trajectory", "an HDF5 file without time and bodies");
  times = whole<double>("time");
  steps = whole<std::int64_t>("step");
  names = texts("bodies/name");
  kinds = texts("bodies/kind");
  masses = whole<double>("bodies/mass");
  contact_counts = whole<std::int64_t>("contacts/count");
  const std::size_t frames =
      std::min({times.size(), steps.size(), contact_counts.size(), std::size_t(shape("bodies/position")[0]),
                std::size_t(shape("bodies/orientation")[0])});
  if (frames == 0) fail("", "at least one frame", "none");
  times.resize(frames);
  steps.resize(frames);
  contact_counts.resize(frames);
  if (kinds.size() != names.size() || masses.size() != names.size()) {
    fail("bodies", "as many kinds and masses as names", std::to_string(names.size()) + " names");
  }
  const Hdf5Handle text(H5Aopen(file_.id(), "title", H5P_DEFAULT), H5Aclose);
  if (!text) return;
  const Hdf5Handle type(H5Aget_type(text.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0) return;
  const Hdf5Handle space(H5Aget_space(text.id()), H5Sclose);
  const std::size_t size = H5Tget_size(type.id());
  if (size > kLongestTitle || H5Sget_simple_extent_npoints(space.id()) != 1) return;
  title.resize(size);
  if (H5Aread(text.id(), type.id(), title.data()) < 0) title.clear();
  title.resize(std::min(title.find('\0'), title.size()));
}

void TrajectoryFile::fail(const std::string& place, const std::string& expected, const std::string& found) const {
  throw FileError(path_, place, expected, found);
}

bool TrajectoryFile::has(const std::string& name) const {
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
    if (H5Lexists(file_.id(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

Hdf5Handle TrajectoryFile::open(const std::string& name) const {
  Hdf5Handle dataset(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset) fail(name, "a dataset", "nothing that can be read");
  return dataset;
}

std::vector<hsize_t> TrajectoryFile::shape(const std::string& name) const {
  const Hdf5Handle dataset = open(name), space(H5Dget_space(dataset.id()), H5Sclose);
  const int dimensions = H5Sget_simple_extent_ndims(space.id());
  if (dimensions < 1 || dimensions > 3) fail(name, "one to three dimensions", std::to_string(dimensions));
  std::vector<hsize_t> extent(static_cast<std::size_t>(dimensions));
  H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  if (product(extent) >= kMostNumbers && dimensions < 3) fail(name, "fewer than 2³¹ numbers", "a shape of more");
  return extent;
}

// How many numbers a dataset that is read whole has: as many as its bytes can hold.
std::size_t TrajectoryFile::count(const std::string& name, const Hdf5Handle& dataset) const {
  const hsize_t numbers = product(shape(name));
  if (numbers >= kMostNumbers) fail(name, "fewer than 2³¹ numbers", "a shape of more");
  if (!can_hold(dataset, numbers)) fail(name, "the " + std::to_string(numbers) + " numbers of its shape", "less data");
  return static_cast<std::size_t>(numbers);
}

template <class Number>
std::vector<Number> TrajectoryFile::whole(const std::string& name) const {
  const Hdf5Handle dataset = open(name);
  std::vector<Number> values(count(name, dataset));
  if (!values.empty() &&
      H5Dread(dataset.id(), memory_type<Number>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(name, "readable numbers", "damaged or truncated data");
  }
  return values;
}

// `count` rows of a series, from `first` on.
template <class Number>
void TrajectoryFile::rows(const std::string& name, std::size_t first, std::size_t count,
                          std::vector<Number>& values) const {
  const Hdf5Handle dataset = open(name), space(H5Dget_space(dataset.id()), H5Sclose);
  std::vector<hsize_t> extent = shape(name), start(extent.size(), 0);
  const std::size_t width = values.size() / (count * bodies());
  if (extent.size() < 2 || extent[1] != bodies() || (extent.size() == 3 ? extent[2] : 1) != width) {
    fail(name, std::to_string(width) + " numbers for each of " + std::to_string(bodies()) + " bodies", "another shape");
  }
  start[0] = first;
  extent[0] = count;
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) < 0 ||
      H5Dread(dataset.id(), memory_type<Number>(), memory.id(), space.id(), H5P_DEFAULT, values.data()) < 0) {
    fail(name, "readable numbers", "damaged or truncated data");
  }
}

std::vector<std::string> TrajectoryFile::texts(const std::string& name) const {
  const Hdf5Handle dataset = open(name), type(H5Dget_type(dataset.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  std::vector<char*> read(count(name, dataset), nullptr);
  if (read.empty()) return {};
  if (H5Tis_variable_str(type.id()) <= 0 ||
      H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()) < 0) {
    fail(name, "readable text", "damaged or truncated data");
  }
  std::vector<std::string> found;
  for (const char* text : read) found.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, static_cast<void*>(read.data()));
  return found;
}

BodyFrames TrajectoryFile::body_frames(std::size_t first, std::size_t count) const {
  BodyFrames frames;
  frames.position.resize(3 * count * bodies());
  frames.orientation.resize(4 * count * bodies());
  frames.asleep.resize(count * bodies());
  if (bodies() == 0) return frames;
  rows("bodies/position", first, count, frames.position);
  rows("bodies/orientation", first, count, frames.orientation);
  if (has("bodies/asleep")) rows("bodies/asleep", first, count, frames.asleep);
  return frames;
}

FrameContacts TrajectoryFile::contacts(std::size_t frame) const {
  FrameContacts rows;
  if (contact_counts[frame] <= 0) return rows;
  const std::string name = frame_name(frame);
  const auto count = static_cast<std::size_t>(contact_counts[frame]);
  const auto read = [&](const char* what, auto& values, std::size_t width, bool optional = false) {
    using Number = typename std::remove_reference_t<decltype(values)>::value_type;
    const std::string place = std::string("contacts/") + what + '/' + name;
    if (optional && !has(place)) {
      values.assign(count * width, std::numeric_limits<Number>::quiet_NaN());
      return;
    }
    values = whole<Number>(place);
    if (values.size() != count * width) {
      fail(place, std::to_string(count * width) + " numbers", std::to_string(values.size()));
    }
  };
  read("point", rows.point, 3);
  read("normal", rows.normal, 3);
  read("force", rows.force, 3);
  read("gap", rows.gap, 1);
  read("master", rows.master, 1);
  read("slave", rows.slave, 1);
  read("velocity", rows.velocity, 3, true);
  read("friction", rows.friction, 1, true);
  read("cross_friction", rows.cross_friction, 3, true);
  read("residual", rows.residual, 1, true);
  for (std::size_t k = 0; k < count; ++k) {
    const auto outside = [&](std::int32_t body) { return body < 0 || static_cast<std::size_t>(body) >= bodies(); };
    if (outside(rows.master[k]) || outside(rows.slave[k])) {
      fail("contacts/master/" + name, "bodies below " + std::to_string(bodies()), "another number");
    }
  }
  return rows;
}

void TrajectoryFile::read_triangles(const std::string& group, std::vector<DrawnTriangles>& found) const {
  for (std::size_t geometry = 0; geometry < kMostGeometries; ++geometry) {
    const std::string number = '/' + std::to_string(geometry), triangles = group + "/triangles" + number;
    if (!has(triangles)) {
      if (geometry == 0) continue;  // the first change may come after the first frame, or before it
      break;
    }
    DrawnTriangles drawn;
    if (has(group + "/since" + number)) {
      const std::vector<std::int64_t> since = whole<std::int64_t>(group + "/since" + number);
      drawn.since = since.empty() || since[0] < 0 ? 0 : static_cast<std::size_t>(since[0]);
    }
    if (drawn.since >= frames()) break;  // of a frame that was cut short
    drawn.triangles = whole<std::int32_t>(triangles);
    drawn.body = whole<std::int32_t>(group + "/body" + number);
    drawn.points = whole<double>(group + "/points/" + frame_name(drawn.since));
    const auto points = static_cast<std::int32_t>(drawn.points.size() / 3);
    const auto within = [](std::int32_t below) { return [below](std::int32_t k) { return 0 <= k && k < below; }; };
    if (3 * drawn.body.size() != drawn.triangles.size() || !std::ranges::all_of(drawn.triangles, within(points)) ||
        !std::ranges::all_of(drawn.body, within(static_cast<std::int32_t>(bodies())))) {
      fail(triangles, "indices of points and a body for each triangle", "others");
    }
    found.push_back(std::move(drawn));
  }
}

std::vector<DrawnTriangles> TrajectoryFile::triangles() const {
  std::vector<DrawnTriangles> found;
  for (const char* group : {"shapes", "obstacles"}) read_triangles(group, found);
  return found;
}

}  // namespace locdyn::detail
