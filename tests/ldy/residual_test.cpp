// One contact in every region of the cone by hand, then properties of the residual on random graphs.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/residual_terms.hpp>
#include <locdyn/ldy/row_product.hpp>

#include "ldy/random_graph.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Equal to a relative error.
bool close(double a, double b, double error) {
  return std::abs(a - b) <= error * std::max(std::abs(a), std::abs(b));
}

LocalDynamics one_row(const Law& law, const Matrix3d& W, const Vector3d& B, const Vector3d& R) {
  LocalDynamics ldy;
  const ConstraintId id = ldy.insert(law);
  ldy.row(id).W = W;
  ldy.row(id).B = B;
  ldy.row(id).R = R;
  return ldy;
}

Residual judge(const Law& law, const Matrix3d& W, const Vector3d& B, const Vector3d& R) {
  LocalDynamics ldy = one_row(law, W, B, R);
  return evaluate_residual(ldy);
}

// The nearest point of the cone found by search over its generators and its axis: an outside judge of the projection.
Vector3d nearest_in_cone(const Vector3d& z, double friction) {
  const double tangent = std::hypot(z[0], z[1]);
  if (tangent <= friction * z[2] && z[2] >= 0) return z;
  const double length = std::max(0.0, (friction * tangent + z[2]) / (1 + friction * friction));
  return tangent > 0 ? Vector3d(friction * length * z[0] / tangent, friction * length * z[1] / tangent, length)
                     : Vector3d(0, 0, length);
}

// All sums in the plainest way, from the graph's numbers alone; contacts only.
Residual plain_residual(const LocalDynamics& ldy) {
  Residual expected;
  double b2 = 0, scaled2 = 0, absolute2 = 0, worst = -1;
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto& law = std::get<ContactLaw>(ldy.law(row.constraint));
    Vector3d U = row.B + row.W * row.R;
    for (const auto& block : ldy.adjacent(row)) U += block.W * ldy.diagonal_arena()[block.other].R;
    const Vector3d b = row.B + law.shift;
    Vector3d U_hat = U + law.shift;
    U_hat[2] += law.friction * std::hypot(U_hat[0], U_hat[1]);
    const double rho = 3 / row.W.trace();
    const double share = ((row.R - nearest_in_cone(row.R - rho * U_hat, law.friction)) / rho).squaredNorm();
    scaled2 += share;
    absolute2 += (row.R - nearest_in_cone(row.R - U_hat, law.friction)).squaredNorm();
    b2 += b.squaredNorm();
    if (share > worst) {
      worst = share;
      expected.worst = row.constraint;
    }
    expected.cone = std::max(expected.cone, std::hypot(row.R[0], row.R[1]) - law.friction * row.R[2]);
    expected.penetration = std::max(expected.penetration, -(U[2] + law.shift[2]));
    expected.complementarity = std::max(expected.complementarity, std::abs(row.R[2] * (U[2] + law.shift[2])));
  }
  expected.scaled = std::sqrt(scaled2 / b2);
  expected.absolute = std::sqrt(absolute2);
  expected.relative = std::sqrt(absolute2 / b2);
  return expected;
}

// The same problem with its constraints numbered and linked in another order.
LocalDynamics renumbered(LocalDynamics& ldy, std::mt19937& random) {
  std::vector<ConstraintId> new_id(ldy.id_bound()), old_id(ldy.id_bound());
  std::iota(old_id.begin(), old_id.end(), ConstraintId{0});
  std::shuffle(old_id.begin(), old_id.end(), random);
  LocalDynamics other;
  for (ConstraintId id{0}; id < old_id.size(); ++id) {
    new_id[old_id[id]] = other.insert(ldy.law(old_id[id]));
    for (int k = 0; k < block_count(ldy.law(old_id[id])); ++k) {
      DiagonalBlock& to = other.row(id, k);
      const DiagonalBlock& from = ldy.row(old_id[id], k);
      to.W = from.W, to.B = from.B, to.R = from.R;
    }
  }
  const auto row_of = [&](const DiagonalBlock& row) { return static_cast<int>(&row - &ldy.row(row.constraint)); };
  for (const DiagonalBlock& row : ldy.rows()) {
    for (const auto& block : ldy.adjacent(row)) {
      const DiagonalBlock& column = ldy.diagonal_arena()[block.other];
      if (row.constraint != column.constraint) other.couple(new_id[row.constraint], new_id[column.constraint]);
      other.find(new_id[row.constraint], row_of(row), new_id[column.constraint], row_of(column))->W = block.W;
    }
  }
  return other;
}

bool same_bits(const Residual& a, const Residual& b) {
  const auto numbers = [](const Residual& r) {
    return std::array{r.scaled, r.relative, r.absolute, r.floor, r.cone, r.penetration, r.complementarity};
  };
  return std::memcmp(numbers(a).data(), numbers(b).data(), sizeof numbers(a)) == 0 && a.worst == b.worst;
}

const Matrix3d kTwo = 2 * Matrix3d::Identity();

}  // namespace

TEST_CASE("open: R = 0 solves a contact that separates, and any R does not") {
  CHECK(judge(ContactLaw{.friction = 0.5}, kTwo, {1, -2, 3}, {0, 0, 0}).scaled == 0.0);
  CHECK(judge(ContactLaw{.friction = 0.5}, kTwo, {0, 0, 3}, {0, 0, 1}).scaled > 0.1);
  // B_n = −1, and σ = 2 opens it all the same.
  CHECK(judge(ContactLaw{.friction = 0.5, .shift = {0, 0, 2}}, kTwo, {0, 0, -1}, {0, 0, 0}).scaled == 0.0);
}

TEST_CASE("stick: R = −W⁻¹ b inside the cone") {
  const Residual r = judge(ContactLaw{.friction = 0.5}, kTwo, {0.6, 0, -3}, {-0.3, 0, 1.5});
  CHECK(r.scaled == 0.0);
  CHECK(r.absolute == 0.0);
  CHECK(r.cone == 0.0);
  CHECK(r.penetration == 0.0);
  // with restitution: U_n = −σ = 1.5
  CHECK(judge(ContactLaw{.friction = 0.5, .shift = {0, 0, -1.5}}, kTwo, {0, 0, -3}, {0, 0, 2.25}).scaled == 0.0);
}

TEST_CASE("slide: R on the cone, against the velocity") {
  // U = B + 2 R: U_n = 0 → R_n = 1.5; R_t = −μ R_n; U_t = 4 − 1.5 > 0.
  const Residual r = judge(ContactLaw{.friction = 0.5}, kTwo, {4, 0, -3}, {-0.75, 0, 1.5});
  CHECK(r.scaled <= 1e-15);
  CHECK(r.complementarity == 0.0);
  // The same R with the velocity turned is no solution.
  CHECK(judge(ContactLaw{.friction = 0.5}, kTwo, {0, 4, -3}, {-0.75, 0, 1.5}).scaled > 0.1);
}

TEST_CASE("R = 0 where the contact must push: scaled is the velocity that is missing") {
  // z = −ρ Û is in the cone: what is left is all of b.
  const Residual r = judge(ContactLaw{.friction = 0.5}, kTwo, {0, 0, -3}, {0, 0, 0});
  CHECK(close(r.scaled, 1.0, 1e-15));
  CHECK(close(r.absolute, 3.0, 1e-15));
  CHECK(close(r.relative, 1.0, 1e-15));
  CHECK(r.penetration == 3.0);
  CHECK(r.worst == 0);
}

TEST_CASE("a reaction outside the cone, by hand") {
  // μ = 1, W = 1, b = (0, 0, −1), R = (2, 0, 0): U = (2, 0, −1), Û = (2, 0, 1), z = R − Û = (0, 0, −1) → 0.
  const Residual r = judge(ContactLaw{.friction = 1}, Matrix3d::Identity(), {0, 0, -1}, {2, 0, 0});
  CHECK(close(r.scaled, 2.0, 1e-15));
  CHECK(r.cone == 2.0);
  CHECK(r.penetration == 1.0);
  CHECK(r.complementarity == 0.0);
}

TEST_CASE("without friction the cone is a half-line: a contact may not pull") {
  CHECK(judge(ContactLaw{}, kTwo, {5, 5, -3}, {0, 0, 1.5}).scaled == 0.0);
  CHECK(judge(ContactLaw{}, kTwo, {0, 0, 3}, {0, 0, 0}).scaled == 0.0);
  // U_n = 0 by pulling at a contact that separates
  CHECK(close(judge(ContactLaw{}, kTwo, {0, 0, 3}, {0, 0, -1.5}).scaled, 1.0, 1e-15));
}

TEST_CASE("ρ scales: scaled is a velocity over a velocity, relative is not") {
  // R = 0, b = (3, 0, −4), μ = 0: z_n = 4 ρ; R − z over ρ is 4, over ‖b‖ 4/5, whatever W.
  for (double w : {1e-8, 1.0, 1e8}) {
    CAPTURE(w);
    const Residual r = judge(ContactLaw{}, w * Matrix3d::Identity(), {3, 0, -4}, {0, 0, 0});
    CHECK(close(r.scaled, 0.8, 1e-14));
    const Residual off = judge(ContactLaw{}, w * Matrix3d::Identity(), {3, 0, -4}, {0, 0, 3 / w});  // U_n = −1
    CHECK(close(off.scaled, 0.2, 1e-14));
    const Residual over = judge(ContactLaw{}, w * Matrix3d::Identity(), {3, 0, -4}, {0, 0, 5 / w});  // U_n = +1
    CHECK(close(over.scaled, 0.2, 1e-14));
    CHECK(close(over.floor, 8 * std::numeric_limits<double>::epsilon() * 3 * w * (5 / w) / 5, 1e-14));
  }
  CHECK(row_scale(kTwo, kRowsAll) == 0.5);
  CHECK(row_scale(Vector3d(2, 0, 6).asDiagonal(), kRowsPlanar) == 0.25);
  CHECK(row_scale(Matrix3d::Zero(), kRowsAll) == 1.0);
  CHECK(row_scale(Matrix3d::Constant(kNotANumber), kRowsAll) == 1.0);
}

TEST_CASE("where ‖b‖ = 0 nothing is divided") {
  CHECK(judge(ContactLaw{.friction = 0.3}, kTwo, {0, 0, 0}, {0, 0, 0}).scaled == 0.0);
  const Residual r = judge(ContactLaw{.friction = 0.3}, kTwo, {0, 0, 0}, {0, 0, 1});
  CHECK(close(r.scaled, 2.0, 1e-15));
  CHECK(r.relative == r.absolute);
  // b is B + σ n: here they cancel
  CHECK(judge(ContactLaw{.friction = 0.3, .shift = {0, 0, 1}}, kTwo, {0, 0, -1}, {0, 0, 1}).scaled == 2.0);
}

TEST_CASE("an empty graph has no residual and no worst constraint") {
  LocalDynamics ldy;
  const Residual r = evaluate_residual(ldy, 2);
  CHECK(r.scaled == 0.0);
  CHECK(r.worst == kNone);
}

TEST_CASE("planar: t2 counts nothing, whatever its B holds") {
  const Matrix3d W = Vector3d(2, 0, 2).asDiagonal();
  const ContactLaw law{.friction = 0.5, .planar = true};
  LocalDynamics ldy = one_row(law, W, {4, kNotANumber, -3}, {-0.75, 0, 1.5});
  CHECK(evaluate_residual(ldy).scaled <= 1e-15);
  CHECK(ldy.row(ConstraintId{0}).U[1] == 0.0);
  CHECK(close(judge(law, W, {0, kNotANumber, -3}, {0, 0, 0}).scaled, 1.0, 1e-15));
}

TEST_CASE("bilateral: Û = U + σ + C R over the rows in use") {
  BilateralLaw law;
  law.block[0] = {.rows = 0b011, .shift = {1, -2, kNotANumber}, .compliance = {0, 3, kNotANumber}};
  law.block[0].shift[2] = law.block[0].compliance[2] = 0;
  const Matrix3d W = Vector3d(2, 5, 0).asDiagonal();
  // 2 R1 + B1 + 1 = 0, (5 + 3) R2 + B2 − 2 = 0
  CHECK(judge(law, W, {3, 10, kNotANumber}, {-2, -1, 0}).scaled == 0.0);
  // R = 0: what is missing is b itself
  CHECK(close(judge(law, W, {3, 10, kNotANumber}, {0, 0, 0}).scaled, 1.0, 1e-15));
  // a force in a row that is not in use is wrong
  CHECK(judge(law, W, {3, 10, 0}, {-2, -1, 7}).scaled > 0.1);

  // A hinge: two blocks of very different size, judged by velocity in both.
  BilateralLaw hinge{.block_count = 2, .block = {}};
  hinge.block[1].rows = 0b011;
  LocalDynamics ldy;
  ldy.insert(hinge);
  ldy.row(ConstraintId{0}, 0).W = 1e6 * Matrix3d::Identity();
  ldy.row(ConstraintId{0}, 1).W = Vector3d(1e-6, 1e-6, 0).asDiagonal();
  ldy.row(ConstraintId{0}, 0).B = {3, 0, 0};
  ldy.row(ConstraintId{0}, 1).B = {0, 4, 0};
  CHECK(close(evaluate_residual(ldy).scaled, 1.0, 1e-9));
  ldy.row(ConstraintId{0}, 0).R = {-3e-6, 0, 0};
  CHECK(close(evaluate_residual(ldy).scaled, 0.8, 1e-9));
  ldy.row(ConstraintId{0}, 1).R = {0, -4e6, 0};
  CHECK(evaluate_residual(ldy).scaled <= 1e-9);
}

TEST_CASE("numbers that are not finite show, and name their constraint") {
  LocalDynamics ldy;
  for (int k = 0; k < 600; ++k) ldy.insert(ContactLaw{.friction = 0.5});
  for (DiagonalBlock& row : ldy.rows()) row.W = kTwo, row.B = {0, 0, -1};
  ldy.row(ConstraintId{421}).R[0] = kNotANumber;
  const Residual r = evaluate_residual(ldy, 2);
  CHECK(std::isnan(r.scaled));
  CHECK(r.worst == 421);
  CHECK_THROWS_WITH_AS((void)evaluate_residual(ldy, 0), doctest::Contains("expected threads >= 1, found 0"),
                       std::invalid_argument);
}

TEST_CASE("random contacts: every field as the plain sums give it, U = B + W R is left behind") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{400}, 12, false);
    const Residual expected = plain_residual(ldy);
    const Residual r = evaluate_residual(ldy);
    CHECK(close(r.scaled, expected.scaled, 1e-13));
    CHECK(close(r.relative, expected.relative, 1e-13));
    CHECK(close(r.absolute, expected.absolute, 1e-13));
    CHECK(close(r.cone, expected.cone, 1e-13));
    CHECK(close(r.penetration, expected.penetration, 1e-13));
    CHECK(close(r.complementarity, expected.complementarity, 1e-13));
    CHECK(r.worst == expected.worst);
    for (const DiagonalBlock& row : ldy.rows()) CHECK(row.U == row.B + row_product(ldy, row));
  }
}

TEST_CASE("the same bits on any number of threads") {
  std::mt19937 random(7);
  LocalDynamics ldy = test::random_graph(random, ConstraintId{3000}, 10);
  for (int time = 0; time < 2; ++time) {
    const Residual one = evaluate_residual(ldy, 1);
    for (int threads = 2; threads <= 8; ++threads) {
      CAPTURE(threads);
      CHECK(same_bits(one, evaluate_residual(ldy, threads)));
    }
    ldy.pack(SweepOrder::by_bandwidth);
  }
}

TEST_CASE("renumbering and packing change rounding alone") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{200}, 10);
    const Residual r = evaluate_residual(ldy);
    LocalDynamics other = renumbered(ldy, random);
    for (int time = 0; time < 3; ++time) {
      const Residual s = evaluate_residual(other);
      CHECK(close(s.scaled, r.scaled, 1e-13));
      CHECK(close(s.absolute, r.absolute, 1e-13));
      CHECK(close(s.floor, r.floor, 1e-13));
      CHECK(close(s.cone, r.cone, 1e-13));
      CHECK(close(s.penetration, r.penetration, 1e-13));
      other.pack(time == 0 ? SweepOrder::by_id : SweepOrder::by_bandwidth);
    }
  }
}

TEST_CASE("scaled is the same in any units of force, mass, length and time") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{200}, 10);
    const Residual r = evaluate_residual(ldy);
    for (double force : {1e-6, 1e3, 1e9}) {
      for (double velocity : {1e-3, 1.0, 1e3}) {
        CAPTURE(force);
        CAPTURE(velocity);
        LocalDynamics other = ldy;
        for (DiagonalBlock& row : other.rows()) {
          row.R *= force;
          row.B *= velocity;
          row.W *= velocity / force;
        }
        for (OffDiagonalBlock& block : other.off_diagonal_arena()) block.W *= velocity / force;
        for (ConstraintId id{0}; id < other.id_bound(); ++id) {
          Law law = other.law(id);
          if (auto* contact = std::get_if<ContactLaw>(&law)) contact->shift *= velocity;
          other.set_law(id, law);
        }
        const Residual s = evaluate_residual(other);
        CHECK(close(s.scaled, r.scaled, 1e-13));
        CHECK(close(s.floor, r.floor, 1e-13));
        CHECK(s.worst == r.worst);
        CHECK(close(s.cone, force * r.cone, 1e-13));
        CHECK(close(s.penetration, velocity * r.penetration, 1e-13));
      }
    }
  }
}

TEST_CASE("a row whose W is next to nothing is judged by numbers, as one with none") {
  for (const double tiny : {0.0, 5e-324, 1e-320, 1e-200, 1e-145}) {
    CAPTURE(tiny);
    LocalDynamics ldy;
    for (const double size : {1.0, tiny}) {
      const ConstraintId id = ldy.insert(ContactLaw{.friction = 0.5});
      ldy.row(id).W = size * Eigen::Matrix3d::Identity();
      ldy.row(id).B = {0.1, 0, -1};
    }
    const Residual residual = evaluate_residual(ldy);
    CHECK(std::isfinite(residual.scaled));
    CHECK(residual.scaled > 0.1);
    CHECK(row_scale(tiny * Eigen::Matrix3d::Identity(), kRowsAll) == 1);
  }
}

// In every region of the cone and of its edges, with friction and without, a planar contact among them.
TEST_CASE("contacts that are judged four at a time are judged as each by itself") {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto vector = [&] { return Vector3d(number(generator), number(generator), number(generator)); };
  for (int count = 1; count < 12; ++count) {
    CAPTURE(count);
    LocalDynamics ldy;
    for (int i = 0; i < count; ++i) {
      const double friction = i % 5 == 4 ? 0 : 0.6;
      const ConstraintId id =
          ldy.insert(ContactLaw{.friction = friction, .shift = {0.1, 0, number(generator)}, .planar = i == 6});
      DiagonalBlock& row = ldy.row(id);
      row.W = (2 + number(generator)) * Matrix3d::Identity();
      row.B = vector();
      row.R = i % 3 == 0 ? Vector3d::Zero().eval() : vector();
      if (i == 6) row.W(1, 1) = row.B[1] = row.R[1] = 0;
    }
    const Residual whole = evaluate_residual(ldy);
    ResidualTerms sum;
    double worst2 = -1;
    ConstraintId worst{kNone};
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      const ResidualTerms one = residual_terms(ldy, id);
      sum.scaled2 += one.scaled2;
      sum.absolute2 += one.absolute2;
      sum.b2 += one.b2;
      sum.cone = std::max(sum.cone, one.cone);
      sum.penetration = std::max(sum.penetration, one.penetration);
      sum.complementarity = std::max(sum.complementarity, one.complementarity);
      if (one.scaled2 > worst2) worst = id;
      worst2 = std::max(worst2, one.scaled2);
    }
    CHECK(close(whole.scaled, std::sqrt(sum.scaled2 / sum.b2), 1e-14));
    CHECK(close(whole.absolute, std::sqrt(sum.absolute2), 1e-14));
    CHECK(close(whole.cone, sum.cone, 1e-14));
    CHECK(close(whole.penetration, sum.penetration, 1e-14));
    CHECK(close(whole.complementarity, sum.complementarity, 1e-14));
    CHECK(whole.worst == worst);
    ldy.row(ConstraintId{0}).R[0] = kNotANumber;
    CHECK(std::isnan(evaluate_residual(ldy).scaled));
    CHECK(evaluate_residual(ldy).worst == 0);
  }
}
