#pragma once
// The trajectory of a run: an HDF5 file with the states, and beside it an XDMF file of the same stem through which
// ParaView shows the shapes moving, the mass centres with their velocities, and the contact points with their forces.
//
//   time, step (F)                                      of each frame, time in s
//   bodies/name, kind, mass (N)                         who is who
//   bodies/position, velocity, angular_velocity         (F, N, 3) in space, mass centres
//   bodies/orientation (F, N, 4)                        quaternions, scalar first
//   bodies/asleep (F, N)                                1 where a body sleeps
//   contacts/count (F)
//   contacts/point, normal, force, gap, … /000012       of frame 12, a row a contact: in space, force on the slave
//   shapes, obstacles, centres                          pictures: triangles, points and their velocities, frame by
//   frame
//
// States, forces and gaps are in double precision, pictures in single; what has not moved is not stored again. The HDF5
// file is up to date after every frame; the XDMF file is replaced at every frame at first, then at every eighth part
// more, and when the writer is closed, so that a whole run costs time linear in its frames.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

namespace detail {
class FileGroup;
}

/// What the frames hold.
struct TrajectoryOptions {
  std::string title = {};        ///< of the scene, for whoever opens the file
  std::size_t points = 200'000;  ///< round shapes are drawn coarser where a frame would have more points
  double plane_extent = 0;       ///< edge of the square drawn for a plane [m] ≥ 0; 0: four times the scene's
};

/// A moment of a run: what a frame is made of.
struct TrajectoryFrame {
  long step = 0;                              ///< steps taken
  double time = 0;                            ///< [s]
  std::span<const ActiveContact> contacts;    ///< of that step
  std::span<const std::int32_t> asleep = {};  ///< by body, 1 where it sleeps; empty: none does
};

class TrajectoryWriter {
 public:
  /// Makes `path` (the .h5) and the .xdmf beside it, replacing what is there, with no frame yet. `system` outlives the
  /// writer. Throws std::invalid_argument for options out of range, FileError where a file cannot be made.
  TrajectoryWriter(const std::filesystem::path& path, const System& system, const TrajectoryOptions& options = {});

  /// The same by a group of processes (io/output/file_group.hpp), which outlives the writer. `system` has the same
  /// bodies and colliders in all, and all have the state of all bodies at the first frame. Then each has that of the
  /// bodies, and of the bodies of the colliders, in its slices of their ids; its contacts are those that follow the
  /// contacts of the processes before. This and `append` are collective.
  TrajectoryWriter(const std::filesystem::path& path, const System& system, const TrajectoryOptions& options,
                   detail::FileGroup& group);

  /// Appends the state that the system has now. Bodies and colliders may have been added since the last frame (their
  /// numbers before are NaN). Throws FileError where the disk has no room for the frame: the frames before stay
  /// readable, and the writer is closed. A kill (SIGKILL) between frames costs nothing; one that hits while HDF5 writes
  /// its index, a millisecond a frame, may cost some frames. Not thread-safe, as HDF5. Cost: linear in points and
  /// contacts.
  void append(const TrajectoryFrame& frame);
  void append(const TimeStepper& stepper);

  /// Written so far.
  [[nodiscard]] std::size_t frames() const noexcept;
  /// Of the last frame appended, −1 where there is none.
  [[nodiscard]] long last_step() const noexcept;

  /// Closes the files; throws FileError where that fails. A second call does nothing.
  void close();

  TrajectoryWriter(const TrajectoryWriter&) = delete;
  TrajectoryWriter& operator=(const TrajectoryWriter&) = delete;
  ~TrajectoryWriter();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
