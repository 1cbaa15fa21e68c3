#pragma once
// The JSON of a bench: written whole or not at all while the bench goes on, and read back to go on where it ended.

#include <chrono>
#include <string>

#include "bench_matrix.hpp"

namespace locdyn::app {

/// {"format", "machine", "build", "date", "settings", "peers", "runs": [BenchRun…], "unreadable": [lines],
/// "interrupted"}: as text, with a newline.
[[nodiscard]] std::string bench_json(const BenchReport& report, const BenchSettings& settings);

/// Now, as "2024-05-06T07:08:09Z".
[[nodiscard]] std::string time_now();

class BenchFile {
 public:
  /// An empty path keeps nothing. Throws FileError where the file could not be written; what lies there is as it was.
  explicit BenchFile(std::string path);

  /// The runs that the file holds, to go on from. Those of this project's own solvers are left out where another build
  /// of the program made them; none where there is no file yet. Throws FileError where it is no file of a bench, or of
  /// one with other settings than `settings` (the tolerances may differ).
  [[nodiscard]] BenchReport earlier_runs(const BenchSettings& settings) const;

  /// Writes what is done so far as an interrupted bench, at most once a second: whatever ends the program, it is there.
  void keep(const BenchReport& report, const BenchSettings& settings);
  /// Writes the end. Throws FileError.
  void finish(const std::string& text) const;

 private:
  std::string path_;
  bool there_ = false;  // before this bench
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace locdyn::app
