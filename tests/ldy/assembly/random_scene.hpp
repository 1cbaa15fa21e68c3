#pragma once
// Seeded random scenes of every kind of body and constraint, and the dense H, A, W and B that they must give, worked
// out from the bodies alone.

#include <Eigen/Cholesky>
#include <memory>
#include <random>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>

namespace locdyn::test {

/// What a constraint's H must be: the sum over its ends of sign · rows of H_body(x, frame).
struct Tie {
  struct End {
    BodyId body;
    Eigen::Vector3d x;
    double sign;
  };
  struct Block {
    std::vector<End> ends;
    Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
    RowMask rows = kRowsAll;
    bool spin = false;  ///< of angular velocities
  };
  std::vector<Block> blocks;
};

/// A constraint of two blocks: a point and the whole rotation held (the interface is open to kinds outside the
/// library).
class Bond final : public Constraint {
 public:
  Bond(BodyId master, BodyId slave, const Eigen::Vector3d& x) : bodies_{master, slave}, x_(x) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return "weld"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return bodies_; }
  void attach(const BodySet&) override {}
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  [[nodiscard]] Law law(double, std::span<const Eigen::Vector3d>) const override;

 private:
  std::array<BodyId, 2> bodies_;
  Eigen::Vector3d x_;
};

class RandomScene {
 public:
  /// `count` bodies of all kinds, two obstacles first (one moves), all with random velocities and forces.
  RandomScene(unsigned seed, int count);

  /// A random constraint of any kind and what its H must be.
  struct Made {
    std::unique_ptr<Constraint> constraint;
    Tie tie;
  };
  Made make_constraint();
  /// A contact between two given bodies.
  Made make_contact(BodyId master, BodyId slave);

  Eigen::Vector3d random_vector() { return {uniform_(random_), uniform_(random_), uniform_(random_)}; }
  double random_number() { return uniform_(random_); }
  std::size_t random_below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  BodySet bodies;
  static constexpr double h = 0.01;

 private:
  void add_body(int kind);
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

/// Dense A (N×N), free velocities (N) and velocities (N) of all bodies one after the other.
struct DenseBodies {
  explicit DenseBodies(const BodySet& bodies);
  std::vector<Eigen::Index> first;
  Eigen::MatrixXd A;
  Eigen::VectorXd velocity, free_velocity;
};

/// Rows of H (3m×N) and what obstacles add to U (3m), blocks of ties in order.
struct DenseRows {
  DenseRows(const BodySet& bodies, const DenseBodies& dense, const std::vector<const Tie*>& ties);
  Eigen::MatrixXd H;
  Eigen::VectorXd drive;
};

/// W (3m×3m) and B (3m) as the graph holds them, constraints in the order of `ids`.
Eigen::MatrixXd dense_w(const LocalDynamics& ldy, const std::vector<ConstraintId>& ids);
Eigen::VectorXd dense_b(const LocalDynamics& ldy, const std::vector<ConstraintId>& ids);

}  // namespace locdyn::test
