#pragma once
// What the motion of a mechanism, or its path, leaves in its folder:
//
//   trajectory.h5, trajectory.xdmf   motion, as of time steps with contacts (trajectory_writer.hpp)
//   reactions.csv                    time and the reaction of each row [N]; the moment of a scaled row is ℓ times its
//   own energies.csv, path.csv, …        time and whatever its owner tells

#include <Eigen/Core>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <locdyn/mechanism/mechanism.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// What is written.
struct MechanismRecorderOptions {
  std::string title = {};                 ///< of the scene
  std::string table = "energies.csv";     ///< name of the table beside reactions.csv
  std::vector<std::string> columns = {};  ///< of that table, after time
  bool trajectory = true;                 ///< write one
};

class MechanismRecorder {
 public:
  /// Makes the folder where it is missing, and the files, replacing those of the same names. The system outlives it.
  /// Rows are those that the mechanism has now. Throws FileError.
  MechanismRecorder(const std::filesystem::path& folder, const System& system, const Mechanism& mechanism,
                    const MechanismRecorderOptions& options);

  /// A line of each table and a frame of where the bodies are. `numbers` are for the columns, `reactions` λ (m). Throws
  /// std::invalid_argument for another number of either, FileError where something cannot be written.
  void record(double time, std::span<const double> numbers, const Eigen::VectorXd& reactions);

  /// Closes all files. Throws FileError; a second call does nothing.
  void close();

  [[nodiscard]] std::size_t frames() const noexcept;  ///< of the trajectory, written so far

  MechanismRecorder(const MechanismRecorder&) = delete;
  MechanismRecorder& operator=(const MechanismRecorder&) = delete;
  ~MechanismRecorder();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
