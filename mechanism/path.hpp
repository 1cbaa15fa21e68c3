#pragma once
// The configurations that a mechanism goes through while one drive, or the time, goes from one value to another, on the
// branch on which it starts. With s the drive, q′ = dq/ds and q″ from G q′ = e, G q″ = −b(q′) (e the drive's row):
//
//   predictor  q ⊕ (h q′ + h²/2 q″)       corrector  close (closing.hpp)
//
// A step is rejected, and halved, where it does not close, where the corrector moves the bodies by more than `branch`
// of what the step does, or where the direction of motion jumps: that would be another branch. Where no step is left
// the drive has come to a dead point: the curve of configurations turns back in s. It is found by following the curve
// past it in its own arc length, as the zero of ds along it.
//
// Source: Allgower & Georg, Introduction to Numerical Continuation Methods (2003) §§2, 6.1; Keller, in: Applications of
// Bifurcation Theory (1977) 359–384.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn {

/// From where to where, and in which steps.
struct PathOptions {
  double from = 0, to = 0;      ///< of the drive [rad or m], or of time [s]
  double step = 0;              ///< between points, > 0; the last one may be shorter
  double rate = 1;              ///< ṡ with which bodies have their velocities at points; of time: no use
  double branch = 0.25;         ///< the share of a step that the corrector may add, in (0, 1)
  double smallest_step = 1e-9;  ///< of `step`, in (0, 1): what is left of one after halving
  CloseOptions close = {};      ///< of each point
};

/// One configuration on the way.
struct PathPoint {
  double value = 0;     ///< s
  double residual = 0;  ///< the largest |C| [m]
  double weakest = 1;   ///< the smallest singular value of the rows (mobility.hpp), the drive's among them
  int steps = 0;        ///< taken to get here from the point before
};

/// Where the rows lose rank on the way.
struct SingularPosition {
  /// What happens there.
  enum class Kind {
    dead_point,  ///< s has an extreme there, and the path ends
    rank_loss    ///< rows depend on each other there alone: branches may meet, and the path goes on along its own
  };
  Kind kind = Kind::rank_loss;  ///< what happens there
  double value = 0;             ///< s
  double weakest = 0;           ///< as in PathPoint, as far as it was found
  std::vector<std::string> constraints =
      {};  ///< whose rows depend on each other there, or the one with the weakest row
  /// Where the path cannot even start to move: what repeats what, `drive "d" repeats rigid link "rod", row 2`.
  std::string contradiction = {};
};

/// How a path ended: at `to`, at an extreme of s, or where nothing closes.
enum class PathStatus {
  reached,
  dead_point,
  does_not_close  ///< at `from`, or no step was left
};

/// What a path has come to.
struct PathReport {
  PathStatus status = PathStatus::does_not_close;  ///< how it ended
  /// Where the bodies are: `to`, the dead point, or the last place that closes; NaN where `from` does not.
  double reached = std::numeric_limits<double>::quiet_NaN();
  std::vector<PathPoint> points = {};      ///< in order
  std::vector<SingularPosition> singular;  ///< in the order in which they were met
  CloseReport rejected = {};               ///< the last closing that was not taken
  long steps = 0, halvings = 0;            ///< taken, and how often one was halved

  /// One line where `to` was not reached; else empty.
  [[nodiscard]] std::string message() const;
};

/// Called at each point, the bodies there with their velocities, the drive with its rate.
using PathVisit = std::function<void(const PathPoint&)>;

/// Along a drive, which must be held; time and the other drives stay. Points are `from`, `from` ± `step`, …, `to`.
/// Throws std::invalid_argument naming the option out of range, and as `close` does. Where `from` does not close the
/// bodies are where they were. Cost: some four sparse factorisations for each step.
PathReport follow(Mechanism& mechanism, DriveId drive, const PathOptions& options, const PathVisit& visit = {});

/// Along time: drives and constraints as functions of it, obstacles as they move. A dead point is then where no step is
/// left and a row is nearly lost.
PathReport follow_time(Mechanism& mechanism, const PathOptions& options, const PathVisit& visit = {});

}  // namespace locdyn
