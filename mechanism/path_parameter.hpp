#pragma once
// What a path goes along: a drive with time frozen, or the time. Each says how the bodies move with it.

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn::detail {

/// The curve of configurations at one place.
struct PathTangent {
  Eigen::VectorXd first, second;  ///< q′, q″ (n)
  bool exists = false;            ///< no: rows contradict each other, a dead point; q′ is then of no use
  bool singular = false;  ///< a row is lost here that there was before: q′ is the nearest to what was expected
  double weakest = 1;     ///< smallest singular value of the rows; 0 where one is lost
  std::vector<std::string> constraints;  ///< of the row lost and those that it repeats, or of the weakest row
  std::string contradiction;             ///< where it does not exist though no row is lost: what repeats what
};

class PathParameter {
 public:
  virtual ~PathParameter() = default;
  virtual void set(double s) = 0;
  /// Sets the rate that the bodies' velocities at a point belong to, and returns it.
  virtual double set_rate(double rate) = 0;

  /// Where the bodies are; `expected` is q′ as it should be by what was before (of size 0: unknown).
  [[nodiscard]] PathTangent tangent(const Eigen::VectorXd& expected);

 protected:
  explicit PathParameter(Mechanism& mechanism) : mechanism_(mechanism) {}
  /// Right-hand sides of q′, and of q″ once q′ is known.
  [[nodiscard]] virtual Eigen::VectorXd demand() const = 0;
  [[nodiscard]] virtual Eigen::VectorXd demand(const Eigen::VectorXd& first) = 0;
  /// The row that asks for the motion; −1: all of them may.
  [[nodiscard]] virtual Eigen::Index asking_row() const { return -1; }

  Mechanism& mechanism_;

 private:
  void find_weakest(const SaddleSystem& factor, PathTangent& tangent);
  void find_contradiction(const SaddleSystem& factor, const std::string& at_fault, PathTangent& tangent) const;
  std::optional<std::vector<Eigen::Index>> usual_;  // the fewest rows found redundant so far
};

[[nodiscard]] std::unique_ptr<PathParameter> along_drive(Mechanism& mechanism, DriveId drive);
[[nodiscard]] std::unique_ptr<PathParameter> along_time(Mechanism& mechanism);

}  // namespace locdyn::detail
