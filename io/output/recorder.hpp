#pragma once
// What a run leaves in its folder: a trajectory that ParaView opens, energies as a table, contact problems of chosen
// steps, and checkpoints to go on from.
//
//   trajectory.h5, trajectory.xdmf   motion and contact forces, a frame every so many steps
//   energies.csv                     a line a step
//   problems/step_00000100.hdf5      FCLIB files
//   checkpoint.h5                    the last one
//
// Of a run that goes on from step k > 0 the first three are called trajectory_from_k.h5, trajectory_from_k.xdmf and
// energies_from_k.csv: what was recorded before stays.

#include <filesystem>
#include <memory>
#include <string>

#include <locdyn/io/output/trajectory_writer.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

/// What is written, and how often.
struct RecorderOptions {
  long every = 10;                    ///< steps a frame, ≥ 0; 0: no trajectory
  long dump_every = 0;                ///< steps a contact problem, ≥ 0; 0: none
  long checkpoint_every = 0;          ///< steps a checkpoint, ≥ 0; 0: at the end alone
  TrajectoryOptions trajectory = {};  ///< what its frames hold
};

/// Throws std::invalid_argument naming the field.
void validate(const RecorderOptions& options);

class Recorder {
 public:
  /// Makes the folder where it is missing (its parent must be there), opens the files and writes the frame of the state
  /// that holds now. `stepper` outlives the recorder, which takes its `on_solved` where problems are
  /// written. Files of an earlier run of the same names are replaced. Throws
  /// std::invalid_argument for options out of range, FileError where the folder is a file or cannot be written to, or
  /// the disk is full.
  Recorder(const std::filesystem::path& folder, TimeStepper& stepper, const RecorderOptions& options = {});

  /// After each step, with its report. Throws FileError where something cannot be written; all that was written before
  /// stays readable and `record` must not be called again.
  void record(const StepReport& report);

  /// Writes the last frame where it is missing and the last checkpoint, and closes all files. Errors as `record`;
  /// called a second time it does nothing. A recorder that dies without it leaves readable files without these two.
  void close();

  [[nodiscard]] std::size_t frames() const noexcept;    ///< written so far
  [[nodiscard]] std::size_t problems() const noexcept;  ///< dumped so far

  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
