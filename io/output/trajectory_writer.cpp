#include <locdyn/io/output/trajectory_writer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/io/output/body_state.hpp>
#include <locdyn/io/output/file_group.hpp>
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
  bool is_new = false, moved = false;     // at this frame
  std::size_t points = 0, triangles = 0;  // of all processes
};

// This process' part of a frame, and how many rows all have.
struct FramePart {
  FramePart(const System& system, const TrajectoryFrame& frame, Slice bodies)
      : states(system.bodies(), bodies), contacts(frame.contacts, system.graph()) {}

  BodyColumns states;
  ContactColumns contacts;
  std::vector<std::int32_t> asleep;
  std::size_t centres_of_all = 0, contacts_of_all = 0;
  bool any_directed = false;
};

}  // namespace

struct TrajectoryWriter::Parts {
  Parts(const fs::path& path, const System& of, const TrajectoryOptions& wanted, FileGroup& together_with)
      : system(of),
        options(wanted),
        group(together_with),
        xdmf(fs::path(path).replace_extension(".xdmf")),
        file(path, group) {
    for (const char* collection : {"shapes", "obstacles", "centres", "contacts"}) {
      collections.emplace_back(collection, path.filename().string());
    }
    pictures[0] = {"shapes", Picture::Of::moving_bodies, nullptr, {}};
    pictures[1] = {"obstacles", Picture::Of::obstacles, nullptr, {}};
    together(group, [&] { lay_out(); });
  }

  void lay_out();
  [[nodiscard]] FramePart part_of(const TrajectoryFrame& frame);
  void draw(StoredPicture& stored, const Eigen::AlignedBox3d& scene);
  void stage(const TrajectoryFrame& frame, const FramePart& part);
  void stage_names();
  void stage_states(const FramePart& part);
  XdmfItem stage_vertices(std::size_t count);
  void show_picture(StoredPicture& stored);
  void show_centres(const FramePart& part);
  void show_contacts(const FramePart& part);
  void append(const TrajectoryFrame& frame);
  void write_xdmf();

  const System& system;
  TrajectoryOptions options;
  FileGroup& group;
  fs::path xdmf;
  GrowingHdf5 file;
  int time, step, name, kind, mass, position, orientation, velocity, angular_velocity, asleep, contact_count;  // series

  StoredPicture pictures[2];
  std::size_t bodies = 0, colliders = 0, shapes = 0, geometry = 0;  // in the file; how often the colliders have changed
  std::set<std::size_t> vertices;                       // counts for which there is a dataset vertices/count
  std::vector<std::vector<std::int32_t>> new_vertices;  // staged
  std::vector<const char*> names, kinds;                // staged, as what follows
  std::vector<double> masses;
  std::vector<std::int32_t> since;
  std::int64_t step_now = 0, contacts_now = 0;
  double time_now = 0;

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

  for (const std::string picture : {"shapes", "obstacles"}) {
    file.group(picture, {"triangles of colliders, for pictures"});
    file.group(picture + "/triangles", {"indices of points; a new dataset where colliders were added"});
    file.group(picture + "/body", {"body of each triangle"});
    file.group(picture + "/since", {"the first frame of these triangles, under their name"});
    file.group(picture + "/points", {"in space, of the frames at which they had moved", "m"});
    file.group(picture + "/velocity", {"of the points, in space", "m/s"});
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
    const Slice own = group.slice_of(count);
    new_vertices.emplace_back(own.size());
    std::iota(new_vertices.back().begin(), new_vertices.back().end(), static_cast<std::int32_t>(own.begin));
    file.add(item.dataset, new_vertices.back());
  }
  return item;
}

// Of the bodies that were added since the frame before.
void TrajectoryWriter::Parts::stage_names() {
  const BodySet& all = system.bodies();
  names.clear();
  kinds.clear();
  masses.clear();
  for (auto id = static_cast<BodyId>(bodies); id < all.id_bound(); ++id) {
    names.push_back(system.name(id).c_str());
    kinds.push_back(all.contains(id) ? kind_of(all[id]).data() : "removed");
    masses.push_back(all.contains(id) ? all[id].mass() : 0);
  }
  file.append(name, names.data(), names.size());
  file.append(kind, kinds.data(), kinds.size());
  file.append(mass, masses.data(), masses.size());
}

void TrajectoryWriter::Parts::stage_states(const FramePart& part) {
  const hsize_t n = part.asleep.size();
  file.append_row(position, part.states.position.data(), n, 3);
  file.append_row(orientation, part.states.orientation.data(), n, 4);
  file.append_row(velocity, part.states.velocity.data(), n, 3);
  file.append_row(angular_velocity, part.states.angular_velocity.data(), n, 3);
  file.append_row(asleep, part.asleep.data(), n);
}

void TrajectoryWriter::Parts::show_picture(StoredPicture& stored) {
  if (stored.points == 0) return;
  const Picture& picture = *stored.picture;
  XdmfGrid& grid = stored.grid;
  if (stored.is_new) {
    grid = {"Triangle", {}, {}, {}};
    grid.cells = {in(in(stored.group, "triangles"), std::to_string(geometry)), stored.triangles, 3, "Int", 4};
    const XdmfItem body{in(in(stored.group, "body"), std::to_string(geometry)), stored.triangles, 1, "Int", 4};
    grid.attributes = {{"velocity", false, {}}, {"body", true, body}};
    file.add(grid.cells.dataset, picture.triangles(), 3);
    file.add(body.dataset, picture.bodies());
    since.assign(group.leads() ? 1 : 0, static_cast<std::int32_t>(frames));
    file.add(in(in(stored.group, "since"), std::to_string(geometry)), since);
  }
  if (stored.moved) {
    grid.points = {in(in(stored.group, "points"), digits(frames)), stored.points, 3};
    XdmfItem& velocities = grid.attributes[0].item;
    velocities = {in(in(stored.group, "velocity"), digits(frames)), stored.points, 3};
    file.add(grid.points.dataset, picture.points(), 3);
    file.add(velocities.dataset, picture.velocities(), 3);
  }
  new_grids.emplace_back(&stored - pictures, grid);
}

void TrajectoryWriter::Parts::show_centres(const FramePart& part) {
  const std::size_t n = part.centres_of_all;
  if (n == 0) return;
  XdmfGrid grid{"Polyvertex", stage_vertices(n), {in("centres/points", digits(frames)), n, 3}, {}};
  const XdmfItem velocities{in("centres/velocity", digits(frames)), n, 3};
  file.add(grid.points.dataset, part.states.centres, 3);
  file.add(velocities.dataset, part.states.centre_velocities, 3);
  XdmfItem body = grid.cells;  // 0 … n − 1
  if (n != system.bodies().id_bound()) {
    body = {in("centres/body", digits(frames)), n, 1, "Int", 4};
    file.add(body.dataset, part.states.ids);
  }
  grid.attributes = {{"velocity", false, velocities}, {"body", false, body}};
  new_grids.emplace_back(kCentres, std::move(grid));
}

void TrajectoryWriter::Parts::show_contacts(const FramePart& part) {
  const std::size_t n = part.contacts_of_all;
  if (n == 0) return;
  const ContactColumns& columns = part.contacts;
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
  if (part.any_directed) file.add(in("contacts/cross_friction", digits(frames)), columns.cross_friction, 3);
  new_grids.emplace_back(kContacts, std::move(grid));
}

void TrajectoryWriter::Parts::stage(const TrajectoryFrame& frame, const FramePart& part) {
  new_grids.clear();
  new_vertices.clear();
  step_now = frame.step;
  time_now = frame.time;
  contacts_now = static_cast<std::int64_t>(part.contacts_of_all);
  stage_names();
  stage_states(part);
  file.append(time, &time_now, 1);
  file.append(step, &step_now, 1);
  file.append(contact_count, &contacts_now, 1);
  for (StoredPicture& stored : pictures) show_picture(stored);
  show_centres(part);
  show_contacts(part);
}

// --- what all processes do together
// -----------------------------------------------------------------------------------

// A new picture, as fine as its points are few enough.
void TrajectoryWriter::Parts::draw(StoredPicture& stored, const Eigen::AlignedBox3d& scene) {
  const Slice own = group.slice_of(system.colliders().size());
  const auto own_colliders = std::span(system.colliders()).subspan(own.begin, own.size());
  for (int halvings = 2; halvings >= 0; --halvings) {
    std::uint64_t points = 0;
    together(group, [&] {
      stored.picture = std::make_unique<Picture>(stored.of, own_colliders, system.bodies(),
                                                 PictureOptions{halvings, options.plane_extent, scene});
      points = stored.picture->point_count();
    });
    const FileGroup::Sums sums = group.add_up({&points, 1});
    stored.points = sums.all[0];
    if (stored.points > options.points && halvings > 0) continue;
    stored.picture->number_points_from(sums.before[0]);
    return;
  }
}

FramePart TrajectoryWriter::Parts::part_of(const TrajectoryFrame& frame) {
  const bool other_shapes = frames == 0 || system.colliders().size() != colliders || shapes_in(system) != shapes;
  Eigen::AlignedBox3d scene;
  if (other_shapes) {
    ++geometry;
    together(group, [&] { scene = extent_of(system.colliders(), system.bodies()); });
  }
  for (StoredPicture& stored : pictures) {
    stored.is_new = other_shapes;
    if (other_shapes) draw(stored, scene);
  }
  const Slice own = group.slice_of(system.bodies().id_bound());
  std::optional<FramePart> part;
  std::vector<std::uint64_t> counts;
  together(group, [&] {
    part.emplace(system, frame, own);
    part->asleep.assign(own.size(), 0);
    for (std::size_t id = own.begin; id < std::min(own.end, frame.asleep.size()); ++id) {
      part->asleep[id - own.begin] = frame.asleep[id];
    }
    counts = {part->states.ids.size(), part->contacts.gap.size(), part->contacts.directed ? 1u : 0u};
    for (StoredPicture& stored : pictures) {
      counts.push_back(stored.picture->update(system.bodies()) ? 1 : 0);
      counts.push_back(stored.picture->bodies().size());
    }
  });
  const std::vector<std::uint64_t> all = group.add_up(counts).all;
  part->centres_of_all = all[0];
  part->contacts_of_all = all[1];
  part->any_directed = all[2] > 0;
  for (std::size_t k = 0; k < 2; ++k) {
    pictures[k].moved = pictures[k].is_new || all[3 + 2 * k] > 0;
    pictures[k].triangles = all[4 + 2 * k];
  }
  return std::move(*part);
}

void TrajectoryWriter::Parts::append(const TrajectoryFrame& frame) {
  const FramePart part = part_of(frame);
  together(group, [&] { stage(frame, part); });
  file.commit();

  bodies = system.bodies().id_bound();
  colliders = system.colliders().size();
  shapes = shapes_in(system);
  last_step = frame.step;
  ++frames;
  together(group, [&] {
    if (!group.leads()) return;
    for (const auto& [collection, grid] : new_grids) collections[collection].append(frame.time, grid);
    if (frames >= next_xdmf) write_xdmf();
  });
}

void TrajectoryWriter::Parts::write_xdmf() {
  replace_file(xdmf, xdmf_text(collections));
  next_xdmf = frames + frames / 8 + 1;
}

// --- the writer
// -------------------------------------------------------------------------------------------------------

TrajectoryWriter::TrajectoryWriter(const fs::path& path, const System& system, const TrajectoryOptions& options)
    : TrajectoryWriter(path, system, options, FileGroup::alone()) {}

TrajectoryWriter::TrajectoryWriter(const fs::path& path, const System& system, const TrajectoryOptions& options,
                                   FileGroup& group) {
  validate(options);
  parts_ = std::make_unique<Parts>(path, system, options, group);
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
  if (parts_->group.leads() && parts_->frames > 0) parts_->write_xdmf();
}

std::size_t TrajectoryWriter::frames() const noexcept {
  return parts_->frames;
}

long TrajectoryWriter::last_step() const noexcept {
  return parts_->last_step;
}

}  // namespace locdyn
