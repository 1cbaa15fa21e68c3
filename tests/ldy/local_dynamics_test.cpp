#include <doctest/doctest.h>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/ldy/residual.hpp>

using namespace locdyn;

TEST_CASE("one contact pressed on a floor: the residual vanishes at R = −b/W") {
  LocalDynamics ldy;
  const ConstraintId id = ldy.insert(ContactLaw{.friction = 0.5});
  ldy.row(id).W = 2 * Eigen::Matrix3d::Identity();
  ldy.row(id).B = {0, 0, -3};
  CHECK(evaluate_residual(ldy).scaled == doctest::Approx(1.0));
  ldy.row(id).R = {0, 0, 1.5};
  CHECK(evaluate_residual(ldy).scaled == 0.0);
}
