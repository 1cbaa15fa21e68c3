// Own bodies and own collision detection: a ContactProblem (target locdyn::embedding), many steps.
//
// Three frictionless balls of 1 kg fall between two walls; the third comes to rest on the other two, which the walls
// keep apart, so that the lines of centres lean by φ with sin φ = 0.12/0.2 = 0.6. By hand: each of the lower balls
// feels N = m g/(2 cos φ) = 6.13125 N from above, its wall m g/2 · tan φ = 3.67875 N, the ground 3/2 m g = 14.715 N.

#include <algorithm>
#include <cstdio>
#include <vector>

#include <locdyn/embedding/contact_problem.hpp>

using Eigen::Vector3d, locdyn::BodyIndex;
constexpr double kRadius = 0.1, kWall = 0.22, kGravity = 9.81, kStep = 1e-3;  // walls x = ± kWall, ground z = −kWall
constexpr BodyIndex kObstacle = 3;                                            // after the balls
struct Pair {  // ball `slave` may touch ball `master` or the obstacle behind the plane normal · x = −kWall
  BodyIndex master, slave;
  Vector3d normal;
  locdyn::ContactId id = {};
};

// Collision detection for balls whose centres are the columns of x.
locdyn::PointContact contact_of(const Pair& pair, const Eigen::Matrix3d& x) {
  const bool ball = pair.master != kObstacle;
  const Vector3d d = x.col(pair.slave) - (ball ? Vector3d(x.col(pair.master)) : Vector3d::Zero());
  const Vector3d n = ball ? d.normalized() : pair.normal, at = x.col(pair.slave) - kRadius * n;
  const auto frame = (Eigen::Matrix3d() << Vector3d(n.z(), 0, -n.x()), Vector3d::UnitY(), n).finished();
  const double gap = n.dot(d) - kRadius + (ball ? -kRadius : kWall);
  return {.master = pair.master, .slave = pair.slave, .point = at, .frame = frame, .gap = gap};
}

int main() {
  Eigen::Matrix3d x = (Eigen::Matrix3d() << -0.11, 0.11, 0.01, 0, 0, 0, -0.11, -0.1, 0.1).finished();
  Eigen::Matrix<double, 6, 3> u = Eigen::Matrix<double, 6, 3>::Zero();  // columns (Ω, ẋ)
  locdyn::ContactProblem problem;
  for (int i = 0; i < 3; ++i) problem.add_body(locdyn::rigid_inverse_inertia(1, 0.004 * Eigen::Matrix3d::Identity()));
  problem.add_fixed_body();
  std::vector<Pair> pairs;
  for (BodyIndex i = 0; i < 3; ++i) {
    for (Vector3d n : {Vector3d(0, 0, 1), Vector3d(1, 0, 0), Vector3d(-1, 0, 0)}) pairs.push_back({kObstacle, i, n});
    for (BodyIndex j = 0; j < i; ++j) pairs.push_back({j, i, Vector3d::Zero()});
  }
  for (Pair& pair : pairs) pair.id = problem.add_contact(contact_of(pair, x));
  for (int step = 0; step < 2000; ++step) {
    x += kStep / 2 * u.bottomRows<3>();  // to mid-step, where pairs are looked at
    u.row(5).array() -= kStep * kGravity;
    for (BodyIndex i = 0; i < 3; ++i) {
      problem.set_velocity(i, u.col(i));
      problem.set_pose(i, {.center = x.col(i)});
    }
    for (const Pair& pair : pairs) problem.set_contact(pair.id, contact_of(pair, x));
    if (problem.solve({.step = kStep, .stop = {.tolerance = 1e-12}}).status != locdyn::SolveStatus::converged) return 1;
    for (BodyIndex i = 0; i < 3; ++i) std::ranges::copy(problem.velocity_after(i), u.col(i).begin());
    x += kStep / 2 * u.bottomRows<3>();
  }
  const auto force = [&](int pair) { return problem.reaction(pairs[pair].id)[2]; };
  const Vector3d found(force(0), force(1), force(10)), by_hand(14.715, 3.67875, 6.13125);  // of ball 0; of 2 on 0
  std::printf("ground %.9f N (14.715), wall %.9f N (3.67875), ball %.9f N (6.13125)\n", found[0], found[1], found[2]);
  return (found - by_hand).cwiseAbs().maxCoeff() < 1e-6 ? 0 : 1;
}
