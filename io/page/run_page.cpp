// A run as the data of a page. Places are whole multiples of one length, turnings of 2⁻¹⁴.

#include <algorithm>
#include <cmath>
#include <limits>

#include <locdyn/io/page/body_meshes.hpp>
#include <locdyn/io/page/packed_columns.hpp>
#include <locdyn/io/page/page_file.hpp>
#include <locdyn/io/page/run_table.hpp>
#include <locdyn/io/page/write_page.hpp>

namespace locdyn {
using namespace detail;
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTurn = 16384;                                       // of a quaternion's component
constexpr double kNormal = 4096;                                      // of a normal's
constexpr double kMostUnits = 2e9;                                    // of length, in 32 bits
constexpr std::size_t kMotionRows = 1 << 18, kContactRows = 1 << 16;  // of a chunk
constexpr int kForceBits = 24, kRoughBits = 16;
constexpr double kSlipSpeed = 1e-6;  // below it a contact sticks [m/s]

std::int32_t units(double value, double unit) {
  return static_cast<std::int32_t>(std::llround(std::clamp(value / unit, -kMostUnits, kMostUnits)));
}

double median_size(const BodyMeshes& meshes, const TrajectoryFile& file) {
  std::vector<double> sizes;
  for (std::size_t b = 0; b < file.bodies(); ++b) {
    if (meshes.mesh_of[b] >= 0 && std::isfinite(file.masses[b])) sizes.push_back(meshes.size_of[b]);
  }
  if (sizes.empty()) return 1;
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
  return sizes[sizes.size() / 2];
}

template <class Number>
std::string bytes_of(const std::vector<Number>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)});
}

// What 98 in a hundred do not exceed: a blow does not make all other forces vanish.
double typical_most(std::vector<float>& values) {
  if (values.empty()) return 1;
  const std::size_t place = values.size() * 98 / 100;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
  return values[place];
}

class RunPage {
 public:
  RunPage(const TrajectoryFile& file, const PageOptions& options) : file_(file), options_(options) {}

  PageData data(const std::string& title) {
    meshes_ = body_meshes(file_);
    unit_ = options_.accuracy * median_size(meshes_, file_);
    data_.head = {{"kind", "run"}, {"title", title}, {"unit", unit_}, {"turn", kTurn}, {"normal", kNormal}};
    data_.head["times"] = file_.times;
    data_.head["steps"] = file_.steps;
    add_bodies();
    add_motion();
    add_contacts();
    return std::move(data_);
  }

 private:
  void add_bodies();
  void add_motion();
  void add_chunk_of_motion(std::size_t first, std::size_t count);
  void add_contacts();
  [[nodiscard]] std::string contact_chunk(const std::vector<FrameContacts>& frames);

  const TrajectoryFile& file_;
  const PageOptions& options_;
  BodyMeshes meshes_;
  double unit_ = 1;            // of length [m]
  std::vector<float> forces_;  // R_n > 0 of all contacts [N]
  PageData data_;
};

void RunPage::add_bodies() {
  Json& head = data_.head;
  head["names"] = file_.names;
  head["kinds"] = file_.kinds;
  head["masses"] = file_.masses;  // infinite ones as null
  head["mesh"] = meshes_.mesh_of;
  head["size"] = meshes_.size_of;
  head["scale"] = meshes_.scale_of;
  head["meshes"] = Json::array();
  for (const UnitMesh& mesh : meshes_.meshes) {
    head["meshes"].push_back({{"points", bytes_of(mesh.points)}, {"triangles", bytes_of(mesh.triangles)}});
  }
}

void RunPage::add_motion() {
  data_.head["motion"] = Json::array();
  const std::size_t most = std::clamp<std::size_t>(kMotionRows / std::max<std::size_t>(file_.bodies(), 1), 4, 128);
  for (std::size_t first = 0; first < file_.frames(); first += most) {
    add_chunk_of_motion(first, std::min(most, file_.frames() - first));
  }
}

// Columns: x, y, z, and the quaternion's w, x, y, z, of one sign over the chunk; then 1 where a body is there + 2 where
// it sleeps.
void RunPage::add_chunk_of_motion(std::size_t first, std::size_t count) {
  const std::size_t n = file_.bodies(), all = n * count;
  const BodyFrames frames = file_.body_frames(first, count);
  std::vector<std::int32_t> columns[7];
  for (auto& column : columns) column.resize(all);
  std::vector<std::uint32_t> flags(all);
  for (std::size_t at = 0; at < all; ++at) {
    const double *x = &frames.position[3 * at], *q = &frames.orientation[4 * at];
    if (!std::isfinite(x[0] + x[1] + x[2] + q[0] + q[1] + q[2] + q[3])) {
      for (auto& column : columns) column[at] = at < n ? 0 : column[at - n];
      continue;
    }
    flags[at] = frames.asleep[at] != 0 ? 3 : 1;
    for (std::size_t k = 0; k < 3; ++k) columns[k][at] = units(x[k], unit_);
    double sign = 0;
    for (std::size_t k = 0; k < 4 && at >= n; ++k) sign += q[k] * columns[3 + k][at - n];
    for (std::size_t k = 0; k < 4; ++k) columns[3 + k][at] = units(sign < 0 ? -q[k] : q[k], 1 / kTurn);
  }
  PackedColumns packed;
  for (auto& column : columns) packed.add_motion(std::move(column), n);
  packed.add(flags);
  data_.head["motion"].push_back({{"first", first}, {"count", count}, {"chunk", data_.chunks.size()}});
  data_.chunks.push_back(packed.deflated());
}

void RunPage::add_contacts() {
  std::size_t rows = 0;
  for (const std::int64_t count : file_.contact_counts)
    rows += static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  const std::size_t every = rows / options_.contacts + 1;
  data_.head["contactEvery"] = every;
  data_.head["contacts"] = Json::array();
  std::vector<FrameContacts> frames;
  std::size_t first = 0, gathered = 0;
  const auto hand_over = [&] {
    if (frames.empty()) return;
    data_.head["contacts"].push_back({{"first", first}, {"count", frames.size()}, {"chunk", data_.chunks.size()}});
    data_.chunks.push_back(contact_chunk(frames));
    frames.clear();
    gathered = 0;
  };
  for (std::size_t frame = 0; frame < file_.frames(); frame += every) {
    if (frames.empty()) first = frame;
    frames.push_back(file_.contacts(frame));
    gathered += frames.back().count();
    if (gathered > kContactRows) hand_over();
  }
  hand_over();
  data_.head["force"] = typical_most(forces_);
}

double normal_force(const FrameContacts& rows, std::size_t k) {
  double pressed = 0;
  for (std::size_t i = 0; i < 3; ++i) pressed += rows.force[3 * k + i] * rows.normal[3 * k + i];
  return pressed;
}

// 0 open, 1 sticks, 2 slips, 3 pressed, by a file that has no velocities.
std::uint32_t state_of(const FrameContacts& rows, std::size_t k, double pressed) {
  double normal_speed = 0, speed2 = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    normal_speed += rows.velocity[3 * k + i] * rows.normal[3 * k + i];
    speed2 += rows.velocity[3 * k + i] * rows.velocity[3 * k + i];
  }
  if (!(pressed > 0)) return 0;
  if (!std::isfinite(speed2)) return 3;
  return speed2 - normal_speed * normal_speed > kSlipSpeed * kSlipSpeed ? 2 : 1;
}

// Columns: contacts of each frame; master, slave, state, point (3), normal (3), force (3), gap, friction, residual,
// cross friction (3).
std::string RunPage::contact_chunk(const std::vector<FrameContacts>& frames) {
  std::vector<std::uint32_t> counts, master, slave, state;
  std::vector<std::int32_t> vectors[6];
  std::vector<float> force[3], gap, friction, residual, across[3];
  for (const FrameContacts& rows : frames) {
    counts.push_back(static_cast<std::uint32_t>(rows.count()));
    for (std::size_t k = 0; k < rows.count(); ++k) {
      master.push_back(static_cast<std::uint32_t>(rows.master[k]));
      slave.push_back(static_cast<std::uint32_t>(rows.slave[k]));
      const double pressed = normal_force(rows, k);
      state.push_back(state_of(rows, k, pressed));
      if (pressed > 0) forces_.push_back(static_cast<float>(pressed));
      for (std::size_t i = 0; i < 3; ++i) {
        vectors[i].push_back(units(rows.point[3 * k + i], unit_));
        vectors[3 + i].push_back(units(rows.normal[3 * k + i], 1 / kNormal));
        force[i].push_back(static_cast<float>(rows.force[3 * k + i]));
        const double cross = rows.cross_friction[3 * k + i];
        across[i].push_back(std::isfinite(cross) ? static_cast<float>(cross) : 0);
      }
      gap.push_back(static_cast<float>(rows.gap[k]));
      friction.push_back(static_cast<float>(rows.friction[k]));
      residual.push_back(static_cast<float>(rows.residual[k]));
    }
  }
  PackedColumns packed;
  for (const auto* column : {&counts, &master, &slave, &state}) packed.add(*column);
  for (const auto& column : vectors) packed.add_signed(column);
  for (const auto& column : force) packed.add_floats(column, kForceBits);
  packed.add_floats(gap, kForceBits);
  packed.add_floats(friction, kForceBits);
  packed.add_floats(residual, kRoughBits);
  for (const auto& column : across) packed.add_floats(column, kForceBits);
  return packed.deflated();
}

// The numbers against time of a run: those of time steps, a smooth motion or a path.
void add_table(const fs::path& folder, const fs::path& trajectory, const PageOptions& options, PageData& data) {
  std::string name = trajectory.stem().string();  // trajectory, trajectory_from_100
  if (name.starts_with("trajectory")) name.replace(0, std::string("trajectory").size(), "energies");
  for (const fs::path& path : {folder / (name + ".csv"), folder / "path.csv"}) {
    std::error_code none;
    if (!fs::exists(path, none)) continue;
    const RunTable table = read_run_table(path, options.table_rows);
    PackedColumns packed;
    for (const std::vector<float>& column : table.numbers) packed.add_floats(column);
    const std::size_t rows = table.numbers.empty() ? 0 : table.numbers[0].size();
    data.head["table"] = {{"columns", table.columns}, {"rows", rows}, {"chunk", data.chunks.size()}};
    data.chunks.push_back(packed.deflated());
    return;
  }
}

// The trajectory that `run` is or holds.
fs::path trajectory_of(const fs::path& run) {
  std::error_code none;
  if (!fs::exists(run, none)) throw FileError(run, "", "the folder of a run or its trajectory", "no such file");
  if (!fs::is_directory(run, none)) return run;
  if (fs::exists(run / "trajectory.h5", none)) return run / "trajectory.h5";
  std::vector<fs::path> found;  // of a run that went on from a checkpoint
  for (const fs::directory_entry& entry : fs::directory_iterator(run, none)) {
    if (entry.path().filename().string().starts_with("trajectory_from_") && entry.path().extension() == ".h5") {
      found.push_back(entry.path());
    }
  }
  if (found.empty()) throw FileError(run, "", "the folder of a run, with trajectory.h5", "a folder without");
  return *std::ranges::min_element(found);
}

}  // namespace

void validate(const PageOptions& options) {
  const auto require = [](bool holds, const char* field, const char* expected) {
    if (!holds) throw std::invalid_argument(std::string("page: ") + field + ": expected " + expected);
  };
  require(options.contacts > 0, "contacts", "at least 1, found 0");
  require(options.table_rows >= 2, "table_rows", "at least 2, found fewer");
  require(options.accuracy > 0 && options.accuracy <= 0.1, "accuracy", "a number above 0 up to 0.1, found another");
}

bool is_trajectory(const fs::path& path) {
  return holds_trajectory(path);
}

void write_run_page(const fs::path& run, const fs::path& out, const PageOptions& options) {
  validate(options);
  const fs::path path = trajectory_of(run);
  const TrajectoryFile file(path);
  std::string title = options.title.empty() ? file.title : options.title;
  if (title.empty()) title = run.filename().string();
  PageData data = RunPage(file, options).data(title);
  add_table(path.parent_path(), path, options, data);
  write_page_file(out, data);
}

}  // namespace locdyn
