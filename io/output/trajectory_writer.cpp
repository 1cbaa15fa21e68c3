#include <locdyn/io/output/trajectory_writer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/io/output/body_state.hpp>
#include <locdyn/io/output/frame_columns.hpp>
#include <locdyn/io/output/growing_hdf5.hpp>
#include <locdyn/io/output/picture.hpp>
#include <locdyn/io/output/xdmf.hpp>
#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/replace_file.hpp>

namespace locdyn {
using namespace detail;
namespace fs = std::filesystem;
namespace {

using Type = GrowingHdf5::Type;

std::string in(std::string group, const std::string& name) {
  group += '/';
  group += name;
  return group;
}

// Frames are named by their number, in six digits: by name is by time.
std::string digits(std::size_t frame) {
  char text[24];
  std::snprintf(text, sizeof text, "%06zu", frame);
  return text;
}

// Shapes of bodies that are there.
std::size_t shapes_in(const System& system) {
  return static_cast<std::size_t>(
      std::ranges::count_if(system.colliders(), [](const Collider& c) { return c.body != kNoBody; }));
}

// Places in the list of collections; pictures are 0 and 1.
constexpr std::size_t kCentres = 2, kContacts = 3;

void validate(const TrajectoryOptions& options) {
  if (!(options.plane_extent >= 0) || !std::isfinite(options.plane_extent)) {
    throw std::invalid_argument("trajectory: plane_extent: expected a length ≥ 0, found " +
                                std::to_string(options.plane_extent));
  }
}

// A picture and where its last points are in the file.
struct StoredPicture {
  std::string group;
  Picture::Of of;
  std::unique_ptr<Picture> picture;
  XdmfGrid grid;
};

}  // namespace

struct TrajectoryWriter::Parts {
  Parts(const fs::path& path, const System& of, const TrajectoryOptions& wanted)
      : system(of), options(wanted), xdmf(fs::path(path).replace_extension(".xdmf")), file(path) {
    for (const char* collection : {"shapes", "obstacles", "centres", "contacts"}) {
      collections.emplace_back(collection, path.filename().string());
    }
    pictures[0] = {"shapes", Picture::Of::moving_bodies, nullptr, {}};
    pictures[1] = {"obstacles", Picture::Of::obstacles, nullptr, {}};
    lay_out();
  }

  void lay_out();
  void stage_states(const BodyColumns& columns);
  XdmfItem stage_vertices(std::size_t count);
  void show_picture(StoredPicture& stored);
  void show_centres(const BodyColumns& columns);
  void show_contacts(const ContactColumns& columns);
  void append(const TrajectoryFrame& frame);
  void write_xdmf();

  const System& system;
  TrajectoryOptions options;
  fs::path xdmf;
  GrowingHdf5 file;
  int time, step, name, kind, mass, position, orientation, velocity, angular_velocity, asleep, contact_count;  // series

  StoredPicture pictures[2];
  std::size_t bodies = 0, colliders = 0, shapes = 0, geometry = 0;  // in the file; how often the colliders have changed
  std::set<std::size_t> vertices;                       // counts for which there is a dataset vertices/count
  std::vector<std::vector<std::int32_t>> new_vertices;  // staged
  std::vector<std::int32_t> since;                      // staged

  std::vector<XdmfCollection> collections;                  // shapes, obstacles, centres, contacts
  std::vector<std::pair<std::size_t, XdmfGrid>> new_grids;  // collection; of the frame being written
  std::size_t frames = 0, next_xdmf = 1;
  long last_step = -1;
  bool open = true;
};

void TrajectoryWriter::Parts::lay_out() {
  file.attribute("format", "locdyn trajectory");
  file.attribute("version", std::int64_t{1});
  file.attribute("title", options.title);
  time = file.series("time", Type::float64, {}, {"time of each frame", "s"});
  step = file.series("step", Type::int64, {}, {"steps done at each frame"});

  file.group("bodies", {"states of all bodies, by frame and body"});
  name = file.series("bodies/name", Type::text, {}, {"names of bodies, some empty"});
  kind = file.series("bodies/kind", Type::text, {}, {"kinds of bodies"});
  mass = file.series("bodies/mass", Type::float64, {}, {"masses, infinite for obstacles", "kg"});
  const hsize_t n = system.bodies().id_bound();
  position = file.series("bodies/position", Type::float64, {n, 3}, {"mass centres in space", "m"});
  orientation =
      file.series("bodies/orientation", Type::float64, {n, 4}, {"unit quaternions from body to space, scalar first"});
  velocity = file.series("bodies/velocity", Type::float64, {n, 3}, {"of mass centres, in space", "m/s"});
  angular_velocity = file.series("bodies/angular_velocity", Type::float64, {n, 3}, {"in space", "rad/s"});

  asleep = file.series("bodies/asleep", Type::int32, {n}, {"1 where a body sleeps"});

  file.group("contacts", {"contacts of the step before each frame, at its mid-step; a dataset a frame that has any"});
  contact_count = file.series("contacts/count", Type::int64, {}, {"contacts at each frame, open ones included"});
  file.group("contacts/point", {"halfway between the surfaces, in space", "m"});
  file.group("contacts/normal", {"unit, from master to slave, in space"});
  file.group("contacts/force", {"mean reaction over the step on the slave, in space", "N"});
  file.group("contacts/velocity", {"relative velocity of the slave at the end of the step, in space", "m/s"});
  file.group("contacts/friction", {"friction coefficient, along the first tangent"});
  file.group("contacts/cross_friction", {"that along the second tangent times it, in space, where it is another one; "
                                         "zero elsewhere, and no dataset in frames that have none"});
  file.group("contacts/residual", {"what the contact adds to the scaled residual of its island", "m/s"});
  file.group("contacts/gap", {"along the normal, negative where surfaces penetrate", "m"});
  file.group("contacts/slips", {"1 where the kinetic friction coefficient held"});
  file.group("contacts/master", {"body that owns the frame"});
  file.group("contacts/slave", {"body that the force acts on"});
  file.group("contacts/identity", {"the same for as long as a contact lasts"});

  for (const char* picture : {"shapes", "obstacles"}) {
    const std::string group = picture;
    file.group(group, {"triangles of colliders, for pictures"});
    file.group(group + "/triangles", {"indices of points; a new dataset where colliders were added"});
    file.group(group + "/body", {"body of each triangle"});
    file.group(group + "/since", {"the first frame of these triangles, under their name"});
    file.group(group + "/points", {"in space, of the frames at which they had moved", "m"});
    file.group(group + "/velocity", {"of the points, in space", "m/s"});
  }
  file.group("centres", {"mass centres, for pictures"});
  file.group("centres/points", {"in space", "m"});
  file.group("centres/velocity", {"in space", "m/s"});
  file.group("centres/body", {"body of each centre, of frames in which some body is gone; else 0 … n − 1"});
  file.group("vertices", {"0 … n − 1 under the name n: each point is a vertex"});
}

// --- what a frame adds
// ------------------------------------------------------------------------------------------------

// The dataset 0 … count − 1, made at its first use.
XdmfItem TrajectoryWriter::Parts::stage_vertices(std::size_t count) {
  XdmfItem item{in("vertices", std::to_string(count)), count, 1, "Int", 4};
  if (vertices.insert(count).second) {
    new_vertices.emplace_back(count);
    std::iota(new_vertices.back().begin(), new_vertices.back().end(), 0);
    file.add(item.dataset, new_vertices.back());
  }
  return item;
}

void TrajectoryWriter::Parts::stage_states(const BodyColumns& columns) {
  const hsize_t n = system.bodies().id_bound();
  file.append(position, columns.position.data(), 1, {n, 3});
  file.append(orientation, columns.orientation.data(), 1, {n, 4});
  file.append(velocity, columns.velocity.data(), 1, {n, 3});
  file.append(angular_velocity, columns.angular_velocity.data(), 1, {n, 3});
}

void TrajectoryWriter::Parts::show_picture(StoredPicture& stored) {
  const bool is_new = stored.picture == nullptr;
  if (is_new) {
    stored.picture = std::make_unique<Picture>(stored.of, system.colliders(), system.bodies(),
                                               PictureOptions{options.points, options.plane_extent});
  }
  const bool moved = stored.picture->update(system.bodies());
  const Picture& picture = *stored.picture;
  if (picture.point_count() == 0) return;

  XdmfGrid& grid = stored.grid;
  if (is_new) {
    const std::size_t triangles = picture.bodies().size();
    grid = {"Triangle", {}, {}, {}};
    grid.cells = {in(in(stored.group, "triangles"), std::to_string(geometry)), triangles, 3, "Int", 4};
    const XdmfItem body{in(in(stored.group, "body"), std::to_string(geometry)), triangles, 1, "Int", 4};
    grid.attributes = {{"velocity", false, {}}, {"body", true, body}};
    file.add(grid.cells.dataset, picture.triangles(), 3);
    file.add(body.dataset, picture.bodies());
    since.assign(1, static_cast<std::int32_t>(frames));
    file.add(in(in(stored.group, "since"), std::to_string(geometry)), since);
  }
  if (is_new || moved) {
    grid.points = {in(in(stored.group, "points"), digits(frames)), picture.point_count(), 3};
    XdmfItem& velocities = grid.attributes[0].item;
    velocities = {in(in(stored.group, "velocity"), digits(frames)), picture.point_count(), 3};
    file.add(grid.points.dataset, picture.points(), 3);
    file.add(velocities.dataset, picture.velocities(), 3);
  }
  new_grids.emplace_back(&stored - pictures, grid);
}

void TrajectoryWriter::Parts::show_centres(const BodyColumns& columns) {
  const std::size_t n = system.bodies().size();
  if (n == 0) return;
  XdmfGrid grid{"Polyvertex", stage_vertices(n), {in("centres/points", digits(frames)), n, 3}, {}};
  const XdmfItem velocities{in("centres/velocity", digits(frames)), n, 3};
  file.add(grid.points.dataset, columns.centres, 3);
  file.add(velocities.dataset, columns.centre_velocities, 3);
  XdmfItem body = grid.cells;  // 0 … n − 1
  if (n != system.bodies().id_bound()) {
    body = {in("centres/body", digits(frames)), n, 1, "Int", 4};
    file.add(body.dataset, columns.ids);
  }
  grid.attributes = {{"velocity", false, velocities}, {"body", false, body}};
  new_grids.emplace_back(kCentres, std::move(grid));
}

void TrajectoryWriter::Parts::show_contacts(const ContactColumns& columns) {
  const std::size_t n = columns.gap.size();
  if (n == 0) return;
  XdmfGrid grid{"Polyvertex", stage_vertices(n), {in("contacts/point", digits(frames)), n, 3}, {}};
  file.add(grid.points.dataset, columns.point, 3);
  const auto show = [&](const char* what, const auto& values, int width, std::string_view type, int precision) {
    const XdmfItem item{in(in("contacts", what), digits(frames)), n, width, type, precision};
    file.add(item.dataset, values, static_cast<hsize_t>(width));
    grid.attributes.push_back({what, false, item});
  };
  show("force", columns.force, 3, "Float", 8);
  show("normal", columns.normal, 3, "Float", 4);
  show("velocity", columns.velocity, 3, "Float", 4);
  show("friction", columns.friction, 1, "Float", 4);
  show("residual", columns.residual, 1, "Float", 4);
  show("gap", columns.gap, 1, "Float", 8);
  show("slips", columns.slips, 1, "Int", 4);
  show("master", columns.master, 1, "Int", 4);
  show("slave", columns.slave, 1, "Int", 4);
  file.add(in("contacts/identity", digits(frames)), columns.identity);
  if (columns.directed) file.add(in("contacts/cross_friction", digits(frames)), columns.cross_friction, 3);
  new_grids.emplace_back(kContacts, std::move(grid));
}

void TrajectoryWriter::Parts::append(const TrajectoryFrame& frame) {
  const BodySet& all = system.bodies();
  if (system.colliders().size() != colliders || shapes_in(system) != shapes) {
    ++geometry;
    for (StoredPicture& stored : pictures) stored.picture.reset();
  }
  std::vector<const char*> names, kinds;
  std::vector<double> masses;
  for (auto id = static_cast<BodyId>(bodies); id < all.id_bound(); ++id) {
    names.push_back(system.name(id).c_str());
    kinds.push_back(all.contains(id) ? kind_of(all[id]).data() : "removed");
    masses.push_back(all.contains(id) ? all[id].mass() : 0);
  }
  const BodyColumns states(all);
  const ContactColumns contacts(frame.contacts, system.graph());
  const std::int64_t step_now = frame.step;
  const auto count = static_cast<std::int64_t>(frame.contacts.size());

  new_grids.clear();
  new_vertices.clear();
  file.append(name, names.data(), names.size());
  file.append(kind, kinds.data(), kinds.size());
  file.append(mass, masses.data(), masses.size());
  stage_states(states);
  std::vector<std::int32_t> sleepers(frame.asleep.begin(), frame.asleep.end());
  sleepers.resize(all.id_bound());
  file.append(asleep, sleepers.data(), 1, {all.id_bound()});
  file.append(time, &frame.time, 1);
  file.append(step, &step_now, 1);
  file.append(contact_count, &count, 1);
  for (StoredPicture& stored : pictures) show_picture(stored);
  show_centres(states);
  show_contacts(contacts);
  file.commit();

  bodies = all.id_bound();
  colliders = system.colliders().size();
  shapes = shapes_in(system);
  last_step = frame.step;
  ++frames;
  for (const auto& [collection, grid] : new_grids) collections[collection].append(frame.time, grid);
  if (frames >= next_xdmf) write_xdmf();
}

void TrajectoryWriter::Parts::write_xdmf() {
  replace_file(xdmf, xdmf_text(collections));
  next_xdmf = frames + frames / 8 + 1;
}

// --- the writer
// -------------------------------------------------------------------------------------------------------

TrajectoryWriter::TrajectoryWriter(const fs::path& path, const System& system, const TrajectoryOptions& options) {
  validate(options);
  parts_ = std::make_unique<Parts>(path, system, options);
}

TrajectoryWriter::~TrajectoryWriter() {
  try {
    close();
  } catch (const FileError&) {  // whoever wants to know calls `close`
  }
}

void TrajectoryWriter::append(const TrajectoryFrame& frame) {
  if (!parts_->open) throw std::logic_error("trajectory: a frame after the file was closed");
  try {
    parts_->append(frame);
  } catch (...) {
    try {
      close();
    } catch (const FileError&) {  // the first error says more
    }
    throw;
  }
}

void TrajectoryWriter::append(const TimeStepper& stepper) {
  const std::vector<ActiveContact> contacts = stepper.contacts();
  const BodySet& bodies = stepper.system().bodies();
  std::vector<std::int32_t> asleep(bodies.id_bound());
  for (BodyId id{0}; id < bodies.id_bound(); ++id) asleep[id] = bodies.contains(id) && stepper.sleeps(id) ? 1 : 0;
  append({stepper.steps(), stepper.time(), contacts, asleep});
}

void TrajectoryWriter::close() {
  if (!parts_->open) return;
  parts_->open = false;
  parts_->file.close();
  if (parts_->frames > 0) parts_->write_xdmf();
}

std::size_t TrajectoryWriter::frames() const noexcept {
  return parts_->frames;
}

long TrajectoryWriter::last_step() const noexcept {
  return parts_->last_step;
}

}  // namespace locdyn
