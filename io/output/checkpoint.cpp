#include <locdyn/io/output/checkpoint.hpp>

#include <bit>
#include <cstdio>
#include <new>
#include <string>

#include <locdyn/io/output/fingerprint.hpp>
#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/fclib/hdf5_output.hpp>
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
  Hdf5Output file;
  file.text("format", kFormat);
  file.integer("version", kVersion);
  file.group("system");
  for (const Fingerprint& part : fingerprints(system)) {
    const std::string name = "system/" + part.name;
    file.group(name);
    file.long_integers(name + "/count", std::vector{static_cast<std::int64_t>(part.count)});
    file.text(name + "/hash", hexadecimal(part.hash));
  }
  file.group("state");
  file.reals("state/time", {&state.time, 1});
  file.long_integers("state/step", {&state.step, 1});
  file.reals("state/accepted_residual", {&state.accepted_residual, 1});
  file.reals("state/bodies", state.bodies);
  file.reals("state/references", state.references);
  file.reals("state/contacts", state.contacts);
  std::vector<std::int64_t> identities;
  for (const std::uint64_t identity : state.identities) identities.push_back(std::bit_cast<std::int64_t>(identity));
  file.long_integers("state/identities", identities);
  file.reals("state/reactions", state.reactions);
  file.reals("state/forces", state.forces);
  file.reals("state/sleep", state.sleep);
  file.reals("state/broken", state.broken);
  const std::vector<char> image = file.image();
  replace_file(path, {image.data(), image.size()});
}

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
