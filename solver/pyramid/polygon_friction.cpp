#include <locdyn/solver/pyramid/polygon_friction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace locdyn::detail {
namespace {

struct Candidate {
  Eigen::Vector2d R_t = Eigen::Vector2d::Zero();
  double violation = std::numeric_limits<double>::infinity();  ///< of −U_t in the normal cone [m/s]
};

// Facet j with its first vertex: the point between both vertices where U_t is normal to the facet, if there is one,
// and the vertex d_j itself.
Candidate try_facet(const Eigen::Matrix2d& W, const Eigen::Vector2d& q, double radius, const FrictionPyramid& pyramid,
                    int j) noexcept {
  const int k = pyramid.facets();
  const Eigen::Vector2d a = pyramid.direction(j);
  const Eigen::Vector2d b = pyramid.direction((j + 1) % k);
  const Eigen::Vector2d edge = b - a;
  const Eigen::Vector2d U_a = q + radius * (W * a);
  const Eigen::Vector2d U_b = q + radius * (W * b);
  const double along_a = edge.dot(U_a);
  const double along_b = edge.dot(U_b);
  if (along_a < 0 && along_b > 0) {
    const double s = along_a / (along_a - along_b);
    const Eigen::Vector2d outward = (a + b).normalized();
    return {radius * (a + s * edge), std::max(0.0, outward.dot(U_a + s * (U_b - U_a)))};
  }
  const Eigen::Vector2d back = pyramid.direction((j + k - 1) % k) - a;
  return {radius * a, std::max({0.0, -along_a, -back.dot(U_a)}) / edge.norm()};
}

}  // namespace

Eigen::Vector2d polygon_friction(const Eigen::Matrix2d& W, const Eigen::Vector2d& q, double radius,
                                 const FrictionPyramid& pyramid, int& facet) noexcept {
  if (!(radius > 0)) return Eigen::Vector2d::Zero();

  // Stick: U_t = 0 inside.
  const double determinant = W(0, 0) * W(1, 1) - W(0, 1) * W(1, 0);
  const double trace = W(0, 0) + W(1, 1);
  if (determinant > 1e-14 * trace * trace) {
    const Eigen::Vector2d stick(-(W(1, 1) * q[0] - W(0, 1) * q[1]) / determinant,
                                -(W(0, 0) * q[1] - W(1, 0) * q[0]) / determinant);
    if (stick.squaredNorm() <= radius * radius && pyramid.contains({stick[0], stick[1], radius}, 1)) return stick;
  }

  // Slide: facets to the left and to the right of the last one in turn, until one holds.
  Candidate best;
  const int k = pyramid.facets();
  const int start = facet;
  for (int step = 0; step < k && best.violation > 0; ++step) {
    const int offset = step % 2 == 0 ? step / 2 : -(step + 1) / 2;
    const int j = (start + offset + k) % k;
    const Candidate candidate = try_facet(W, q, radius, pyramid, j);
    if (candidate.violation < best.violation) {
      best = candidate;
      facet = j;
    }
  }
  return best.R_t;
}

}  // namespace locdyn::detail
