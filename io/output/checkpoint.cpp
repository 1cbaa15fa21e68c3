#include <locdyn/io/output/checkpoint.hpp>

#include <bit>
#include <cstdio>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <locdyn/io/output/file_group.hpp>
#include <locdyn/io/output/fingerprint.hpp>
#include <locdyn/io/output/growing_hdf5.hpp>
#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/replace_file.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr const char* kFormat = "locdyn checkpoint";
constexpr int kVersion = 8;

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::vector<double> all_reals(const Hdf5Input& file, const std::string& name) {
  return file.reals(name, file.real_count(name), "all");
}

void require_system(const Hdf5Input& file, const System& system) {
  for (const Fingerprint& part : fingerprints(system)) {
    const std::string name = "system/" + part.name;
    const long long count = file.integer(name + "/count");
    if (count != static_cast<long long>(part.count)) {
      file.fail(name, std::to_string(part.count) + " as the system has", std::to_string(count));
    }
    const std::string hash = file.text(name + "/hash");
    if (hash != hexadecimal(part.hash)) {
      file.fail(name, "those of the system (" + hexadecimal(part.hash) + ")", "others (" + hash + ")");
    }
  }
}

}  // namespace

std::uint64_t fingerprint(const System& system) {
  Fnv1a hash;
  for (const Fingerprint& part : fingerprints(system)) hash.add(part.hash);
  return hash.value();
}

void write_checkpoint(const std::filesystem::path& path, const TimeStepper& stepper) {
  write_checkpoint(path, stepper.state(), stepper.system());
}

void write_checkpoint(const std::filesystem::path& path, const StepperState& state, const System& system) {
  write_checkpoint(path, state, system, FileGroup::alone());
}

namespace detail {
namespace {

void write_state(GrowingHdf5& file, const StepperState& part, const System& system, FileGroup& group) {
  // What is staged is here until it is committed; single numbers are rows of the leader's.
  const std::vector<Fingerprint> parts = fingerprints(system);
  const std::vector<std::int32_t> version{kVersion};
  std::vector<std::int64_t> counts, identities;
  for (const Fingerprint& of : parts) counts.push_back(static_cast<std::int64_t>(of.count));
  for (const std::uint64_t identity : part.identities) identities.push_back(std::bit_cast<std::int64_t>(identity));
  const std::size_t leads = group.leads() ? 1 : 0;
  together(group, [&] {
    file.text("format", kFormat);
    file.add("version", std::span(version).first(leads));
    file.group("system", {"what a run does not change: how many there are, and a hash"});
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::string name = "system/" + parts[k].name;
      file.group(name, {"of the system's"});
      file.add(name + "/count", std::span(counts).subspan(k, leads));
      file.text(name + "/hash", hexadecimal(parts[k].hash));
    }
    file.group("state", {"of the stepper, bit for bit"});
    file.add("state/time", std::span(&part.time, leads));
    file.add("state/step", std::span(&part.step, leads));
    file.add("state/accepted_residual", std::span(&part.accepted_residual, leads));
    file.add("state/bodies", part.bodies);
    file.add("state/references", part.references);
    file.add("state/contacts", part.contacts);
    file.add("state/identities", identities);
    file.add("state/reactions", part.reactions);
    file.add("state/forces", part.forces);
    file.add("state/sleep", part.sleep);
    file.add("state/broken", part.broken);
  });
  file.commit();
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const StepperState& part, const System& system,
                      FileGroup& group) {
  std::optional<FileBeside> beside;  // the leader's
  std::vector<std::uint64_t> name;
  together(group, [&] {
    if (!group.leads()) return;
    beside.emplace(path);
    for (const char c : beside->path().string()) name.push_back(static_cast<std::uint8_t>(c));
  });
  group.tell(name);
  GrowingHdf5 file(std::string(name.begin(), name.end()), group, path);
  write_state(file, part, system, group);
  file.sync();
  together(group, [&] {
    file.close();
    if (beside) beside->become_target();
  });
}

}  // namespace detail

namespace {

StepperState read_state(const Hdf5Input& file, const System& system) {
  const std::string format = file.text("format");
  if (format != kFormat) file.fail("", "a checkpoint", format.empty() ? "another HDF5 file" : format);
  const long long version = file.integer("version");
  if (version != kVersion) {
    file.fail("version", std::to_string(kVersion), std::to_string(version) + ", of another release");
  }
  require_system(file, system);

  StepperState state;
  state.time = file.reals("state/time", 1, "a single value")[0];
  state.step = file.integer("state/step");
  if (state.step < 0) file.fail("state/step", "at least 0", std::to_string(state.step));
  state.accepted_residual = file.reals("state/accepted_residual", 1, "a single value")[0];
  state.bodies = all_reals(file, "state/bodies");
  state.references = all_reals(file, "state/references");
  state.contacts = all_reals(file, "state/contacts");
  for (const long long identity : file.integers("state/identities", file.integer_count("state/identities"), "all")) {
    state.identities.push_back(std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(identity)));
  }
  state.reactions = all_reals(file, "state/reactions");
  state.forces = all_reals(file, "state/forces");
  state.sleep = all_reals(file, "state/sleep");
  state.broken = all_reals(file, "state/broken");
  return state;
}

}  // namespace

StepperState read_checkpoint(const std::filesystem::path& path, const System& system) {
  try {
    return read_state(Hdf5Input(path), system);
  } catch (const std::bad_alloc&) {
    throw FileError(path, "", "a checkpoint that fits into memory", "a larger one");
  }
}

}  // namespace locdyn
