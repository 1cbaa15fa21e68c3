// Own bodies and own collision detection: the graph and the solvers alone (target locdyn::solver), many steps.
//
// Three frictionless balls of 1 kg fall between two walls; the third comes to rest on the other two, which the walls
// keep apart, so that the lines of centres lean by φ with sin φ = 0.12/0.2 = 0.6. By hand: each of the lower balls
// feels N = m g/(2 cos φ) = 6.13125 N from above, its wall m g/2 · tan φ = 3.67875 N, the ground 3/2 m g = 14.715 N.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <locdyn/solver/auto.hpp>

namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

constexpr double kRadius = 0.1, kWall = 0.22, kGravity = 9.81, kStep = 1e-3;  // walls at x = ± kWall
struct Ball {                                                                 // of 1 kg, without rotation
  Vector3d x, v = Vector3d::Zero();
};

// Ball `slave` may touch ball `master`, or, where that is −1, the obstacle behind the plane normal · x = offset.
struct Pair {
  int master, slave;
  Vector3d normal;
  double offset;
  locdyn::ConstraintId id{0};
  Matrix3d frame = Matrix3d::Identity();  // columns (t1, t2, n)
  // H of a ball is this times frameᵀ.
  [[nodiscard]] int sign(int ball) const { return (slave == ball) - (master == ball); }
  // Collision detection: returns the gap.
  double update(const std::array<Ball, 3>& balls) {
    const Vector3d d = balls[slave].x - (master < 0 ? Vector3d::Zero() : balls[master].x);
    if (master >= 0) normal = d.normalized();
    frame << Vector3d(normal.z(), 0, -normal.x()), Vector3d::UnitY(), normal;
    return master < 0 ? normal.dot(d) - offset - kRadius : d.norm() - 2 * kRadius;
  }
};
}  // namespace

int main() {
  std::array<Ball, 3> balls = {Ball{{-0.11, 0, 0.11}}, Ball{{0.11, 0, 0.12}}, Ball{{0.01, 0, 0.32}}};
  std::vector<Pair> pairs;
  for (int i = 0; i < 3; ++i) {
    pairs.push_back({-1, i, Vector3d::UnitZ(), 0});
    pairs.push_back({-1, i, Vector3d::UnitX(), -kWall});
    pairs.push_back({-1, i, -Vector3d::UnitX(), -kWall});
    for (int j = 0; j < i; ++j) pairs.push_back({j, i, Vector3d::UnitZ(), 0});
  }

  // Symbolic, once: a contact for each pair, linked where two share a ball. Reactions stay from step to step.
  locdyn::LocalDynamics ldy;
  const auto shared = [](const Pair& a, const Pair& b) {
    return a.sign(0) * b.sign(0) + a.sign(1) * b.sign(1) + a.sign(2) * b.sign(2);
  };
  for (Pair& pair : pairs) pair.id = ldy.insert(locdyn::ContactLaw{});
  std::vector<std::pair<int, int>> linked;
  for (int a = 0; a < 12; ++a) {
    for (int b = 0; b < 12; ++b) {
      if (a != b && shared(pairs[a], pairs[b]) != 0) linked.emplace_back(a, b);
    }
  }
  for (const auto& [a, b] : linked) ldy.couple(pairs[a].id, pairs[b].id);
  long failures = 0;
  for (int step = 0; step < 2000; ++step) {
    for (Ball& ball : balls) {
      ball.x += kStep / 2 * ball.v;  // to mid-step, where pairs are looked at
      ball.v.z() -= kStep * kGravity;
    }

    // B = H u_free, W = h H Hᵀ/m; an open gap may close at gap/h.
    for (Pair& pair : pairs) {
      const double gap = pair.update(balls);
      ldy.set_law(pair.id, locdyn::ContactLaw{.shift = {0, 0, std::max(gap, 0.0) / kStep}});
      const Vector3d v = pair.sign(0) * balls[0].v + pair.sign(1) * balls[1].v + pair.sign(2) * balls[2].v;
      ldy.row(pair.id).B = pair.frame.transpose() * v;
      ldy.row(pair.id).W = kStep * shared(pair, pair) * Matrix3d::Identity();
    }
    for (const auto& [i, j] : linked) {
      const Pair &a = pairs[i], &b = pairs[j];
      ldy.find(a.id, 0, b.id, 0)->W = kStep * shared(a, b) * a.frame.transpose() * b.frame;
    }
    failures += solve_auto(ldy, {.stop = {.tolerance = 1e-12}}).status != locdyn::SolveStatus::converged;
    for (const Pair& pair : pairs) {
      for (int i = 0; i < 3; ++i) balls[i].v += kStep * pair.sign(i) * pair.frame * ldy.row(pair.id).R;
    }
    for (Ball& ball : balls) ball.x += kStep / 2 * ball.v;
  }

  // Pairs 0–2 are obstacles of ball 0; 3–5 of ball 1, 6 with ball 0; 7–9 of ball 2, 10 with ball 0, 11 with ball 1.
  const auto force = [&](int pair) { return ldy.row(pairs[pair].id).R[2]; };
  std::printf("ground %.9f N (14.715), wall %.9f N (3.67875), ball %.9f N (6.13125), not converged: %ld\n", force(0),
              force(1), force(10), failures);
  const bool right =
      std::abs(force(0) - 14.715) < 1e-6 && std::abs(force(1) - 3.67875) < 1e-6 && std::abs(force(10) - 6.13125) < 1e-6;
  return right && failures == 0 ? 0 : 1;
}
