// The proximal weight of a walk that stays anchored.

#include <doctest/doctest.h>

#include <cmath>

#include <locdyn/solver/newton/anchored_weight.hpp>

using locdyn::detail::AnchoredWeight;

TEST_CASE("anchored weight: it falls about one centre, faster where steps are few") {
  AnchoredWeight easy, hard;
  CHECK(easy.first());
  const double at_first = easy.trial();
  for (int solved = 0; solved < 6; ++solved) {
    const double before = easy.trial(), hard_before = hard.trial();
    easy.reached(2);
    hard.reached(12);
    CHECK_FALSE(easy.first());
    CHECK(easy.trial() < before);
    CHECK(hard.trial() < hard_before);
    CHECK(easy.trial() <= hard.trial());
  }
  CHECK(easy.trial() < 1e-6 * at_first);
  CHECK(hard.trial() > 0.3 * std::pow(0.3, 2.5));  // 0.3 · 0.3^(1 + 0.6 + 0.36 + …)
}

TEST_CASE("anchored weight: one that is missed comes nearer to the last that was not, until the centre moves") {
  AnchoredWeight weight;
  for (int solved = 0; solved < 4; ++solved) weight.reached(3);
  const double missed = weight.trial();
  weight.missed();
  REQUIRE_FALSE(weight.first());
  CHECK(weight.trial() > missed);
  double last = weight.trial();
  for (int misses = 0; !weight.first(); ++misses) {
    REQUIRE(misses < 10);
    last = weight.trial();
    weight.missed();
    CHECK(weight.trial() > last);
  }
  CHECK(weight.trial() > 2 * last);  // from a larger one about the next centre
  CHECK_FALSE(weight.spent());
  weight.reached(3);
  CHECK_FALSE(weight.first());
}

TEST_CASE("anchored weight: it is spent where the largest about a centre is missed") {
  AnchoredWeight weight;
  int misses = 0;
  for (; !weight.spent(); ++misses) {
    REQUIRE(misses < 10);
    weight.missed();
    CHECK(weight.first());
    CHECK(weight.trial() <= 1);
  }
  CHECK(misses > 0);
  weight.reached(1);
  CHECK_FALSE(weight.spent());
}
