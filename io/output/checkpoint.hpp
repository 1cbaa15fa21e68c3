#pragma once
// Checkpoints: the state of a stepper in an HDF5 file, to go on from bit for bit. A fingerprint of the system keeps it
// from being put into another scene.

#include <cstdint>
#include <filesystem>

#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

/// Replaces `path` in one step: the file is written beside it, forced to disk and renamed, so that neither a full disk
/// nor a kill costs the last good one. Throws FileError. Not thread-safe, as HDF5.
void write_checkpoint(const std::filesystem::path& path, const TimeStepper& stepper);

/// The same of a state of a stepper on `system`.
void write_checkpoint(const std::filesystem::path& path, const StepperState& state, const System& system);

namespace detail {
class FileGroup;
/// The same by a group of processes (io/output/file_group.hpp), each with a part of the state: the lists are those of
/// process 0, then those of process 1, …; single numbers count from process 0. Collective.
void write_checkpoint(const std::filesystem::path& path, const StepperState& part, const System& system,
                      FileGroup& group);
}  // namespace detail

/// The state for `TimeStepper::restore` of a stepper on `system`, set up as the one that was written. The step size and
/// the other options are not part of it. Throws FileError where the file is not a whole checkpoint of a version that is
/// known, or is of another system, naming what differs.
[[nodiscard]] StepperState read_checkpoint(const std::filesystem::path& path, const System& system);

/// A hash (FNV-1a, 64 bits) of what a run does not change: of each body its kind, freedoms, mass and inertia, of each
/// collider the body, shape, place, surface and groups, of each constraint for life its kind and bodies, and the
/// materials. Loads, drives and gravity are not in it.
[[nodiscard]] std::uint64_t fingerprint(const System& system);

}  // namespace locdyn
