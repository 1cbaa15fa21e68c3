// Materials per pair of surfaces: as they were set, else combined.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <locdyn/contact/material_table.hpp>

using namespace locdyn;

namespace {

void check(const PairMaterial& found, double static_friction, double kinetic_friction, double restitution) {
  CHECK(found.static_friction == doctest::Approx(static_friction).epsilon(1e-15));
  CHECK(found.kinetic_friction == doctest::Approx(kinetic_friction).epsilon(1e-15));
  CHECK(found.restitution == restitution);
}

template <class Call>
std::string fault_of(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("surface 0 is there from the start, without friction or restitution") {
  const MaterialTable table;
  CHECK(table.size() == 1);
  CHECK(table.name(SurfaceId{0}) == "default");
  CHECK(table.find("default") == 0);
  check(table.pair(SurfaceId{0}, SurfaceId{0}), 0, 0, 0);
}

TEST_CASE("a pair nobody has set: geometric means of friction, the larger restitution") {
  MaterialTable table;
  const SurfaceId wood = table.add_surface("wood", {.static_friction = 0.5, .kinetic_friction = 0.32});
  const SurfaceId rubber =
      table.add_surface("rubber", {.static_friction = 0.98, .kinetic_friction = 0.5, .restitution = 0.7});
  CHECK(table.find("wood") == wood);
  CHECK(table.find("rubber") == rubber);
  CHECK(table.name(rubber) == "rubber");
  CHECK(table.size() == 3);
  check(table.pair(wood, wood), 0.5, 0.32, 0);
  check(table.pair(wood, rubber), 0.7, 0.4, 0.7);
  check(table.pair(rubber, wood), 0.7, 0.4, 0.7);
  check(table.pair(SurfaceId{0}, rubber), 0, 0, 0.7);
}

TEST_CASE("a pair that was set stays, in either order, whatever comes after") {
  MaterialTable table;
  const SurfaceId a = table.add_surface("a", {.static_friction = 0.4, .kinetic_friction = 0.4});
  const SurfaceId b = table.add_surface("b", {.static_friction = 0.9, .kinetic_friction = 0.9});
  table.set_pair(b, a, {.static_friction = 0.2, .kinetic_friction = 0.1, .restitution = 0.3});
  check(table.pair(a, b), 0.2, 0.1, 0.3);
  const SurfaceId c = table.add_surface("c", {.static_friction = 0.1, .kinetic_friction = 0.1});
  table.set_pair(a, a, {.static_friction = 1.6, .kinetic_friction = 0.9, .restitution = 0.5});
  check(table.pair(a, b), 0.2, 0.1, 0.3);
  // The others follow the surface that was changed.
  check(table.pair(a, c), 0.4, 0.3, 0.5);
  check(table.pair(c, a), 0.4, 0.3, 0.5);
  check(table.pair(b, c), 0.3, 0.3, 0);
}

TEST_CASE("every pair of many surfaces has its own place") {
  MaterialTable table;
  for (int i = 1; i < 12; ++i) table.add_surface(std::to_string(i), {});
  const auto number = [](SurfaceId a, SurfaceId b) { return 0.01 * a + 0.001 * b; };
  for (SurfaceId a{0}; a < 12; ++a) {
    for (SurfaceId b{0}; b <= a; ++b) table.set_pair(a, b, {.static_friction = number(a, b)});
  }
  table.add_surface("late", {.static_friction = 4, .kinetic_friction = 4, .restitution = 1});
  for (SurfaceId a{0}; a < 12; ++a) {
    for (SurfaceId b{0}; b <= a; ++b) CHECK(table.pair(b, a).static_friction == number(a, b));
  }
}

TEST_CASE("bad materials, names and ids are refused, and change nothing") {
  MaterialTable table;
  const SurfaceId a = table.add_surface("a", {.static_friction = 0.4, .kinetic_friction = 0.3});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const PairMaterial bad[] = {{.static_friction = -0.1, .kinetic_friction = -0.2},
                              {.static_friction = 0.1, .kinetic_friction = 0.2},
                              {.static_friction = nan, .kinetic_friction = 0},
                              {.static_friction = 1, .kinetic_friction = nan},
                              {.restitution = -0.1},
                              {.restitution = 1.1},
                              {.restitution = nan}};
  for (const PairMaterial& material : bad) {
    CHECK_THROWS_AS(validate(material), std::invalid_argument);
    CHECK_THROWS_AS(table.set_pair(a, SurfaceId{0}, material), std::invalid_argument);
    CHECK_THROWS_AS(table.add_surface("new", material), std::invalid_argument);
  }
  CHECK(holds(fault_of([&] { validate(bad[1]); }), "static friction: expected at least the kinetic friction 0.2"));
  CHECK(holds(fault_of([&] { table.add_surface("a", {}); }), "\"a\""));
  CHECK_THROWS_AS(table.add_surface("", {}), std::invalid_argument);
  const std::string unknown = fault_of([&] { (void)table.find("b"); });
  CHECK(holds(unknown, "default, a"));
  CHECK(holds(unknown, "\"b\""));
  CHECK_THROWS_AS((void)table.pair(a, SurfaceId{2}), std::out_of_range);
  CHECK_THROWS_AS((void)table.pair(SurfaceId{2}, a), std::out_of_range);
  CHECK_THROWS_AS(table.set_pair(SurfaceId{2}, a, {}), std::out_of_range);
  CHECK(table.size() == 2);
  check(table.pair(a, a), 0.4, 0.3, 0);
  check(table.pair(a, SurfaceId{0}), 0, 0, 0);
}

TEST_CASE("springs and dampers of a pair nobody has set: half of each surface behind the other") {
  MaterialTable table;
  const SurfaceId stone = table.add_surface("stone", {.restitution = 0.3});
  const SurfaceId rubber = table.add_surface("rubber", {.stiffness = 1e5, .damping = 40});
  const SurfaceId foam = table.add_surface("foam", {.stiffness = 3e5, .damping = 6});
  CHECK(table.pair(rubber, rubber).stiffness == 1e5);
  CHECK(table.pair(stone, rubber).stiffness == doctest::Approx(2e5));
  CHECK(table.pair(stone, rubber).damping == doctest::Approx(80));
  CHECK(table.pair(stone, rubber).restitution == 0);
  CHECK(table.pair(rubber, foam).stiffness == doctest::Approx(1.5e5));
  CHECK(table.pair(rubber, foam).damping == doctest::Approx(2 * (40 * 0.75 * 0.75 + 6 * 0.25 * 0.25)));
  CHECK(std::isinf(table.pair(stone, stone).stiffness));
  CHECK(holds(fault_of([&] { table.add_surface("x", {.restitution = 0.5, .stiffness = 1}); }), "restitution"));
}

TEST_CASE("Hertz's and tangential springs of a pair nobody has set, and friction across a direction") {
  MaterialTable table;
  const SurfaceId stone = table.add_surface("stone", {.static_friction = 0.6, .kinetic_friction = 0.6});
  const SurfaceId ball = table.add_surface(
      "ball", {.hertz_stiffness = 1e8, .damping = 10, .tangential_stiffness = 4e5, .tangential_damping = 3});
  const SurfaceId pea = table.add_surface("pea", {.hertz_stiffness = 3e8, .damping = 20});
  const SurfaceId foam = table.add_surface("foam", {.stiffness = 1e5, .damping = 40, .tangential_stiffness = 4e5});
  // 1/E* is the sum of both surfaces': half as soft against what is hard.
  CHECK(table.pair(ball, stone).hertz_stiffness == doctest::Approx(2e8));
  CHECK(table.pair(ball, stone).damping == doctest::Approx(20));
  CHECK(table.pair(ball, stone).tangential_stiffness == doctest::Approx(8e5));
  CHECK(table.pair(ball, stone).tangential_damping == doctest::Approx(6));
  CHECK(table.pair(ball, pea).hertz_stiffness == doctest::Approx(1.5e8));
  CHECK(std::isinf(table.pair(ball, pea).stiffness));
  // A linear spring and Hertz's lie one behind the other.
  CHECK(table.pair(ball, foam).stiffness == doctest::Approx(2e5));
  CHECK(table.pair(ball, foam).hertz_stiffness == doctest::Approx(2e8));
  CHECK(table.pair(ball, foam).damping == doctest::Approx(25));
  CHECK(table.pair(ball, foam).tangential_stiffness == doctest::Approx(4e5));
  CHECK_NOTHROW(validate(table.pair(ball, foam)));

  const SurfaceId wood =
      table.add_surface("wood", {.static_friction = 0.4, .kinetic_friction = 0.2, .cross_friction = 0.5});
  CHECK(!table.pair(stone, ball).cross_friction);
  CHECK(*table.pair(wood, wood).cross_friction == 0.5);
  CHECK(*table.pair(wood, stone).cross_friction == doctest::Approx(std::sqrt(0.5 * 0.6)));
  const SurfaceMaterial sticks = table.pair(wood, wood).of_contact(false);
  const SurfaceMaterial slips = table.pair(wood, wood).of_contact(true);
  CHECK(*sticks.cross_friction == 0.5);
  CHECK(*slips.cross_friction == doctest::Approx(0.25));
  CHECK(on_edge_of_cone(sticks, {0, 0.5, 1}));
  CHECK(on_edge_of_cone(sticks, {0.4, 0, 1}));
  CHECK(!on_edge_of_cone(sticks, {0, 0.49, 1}));
}

TEST_CASE("stiffnesses that mean nothing are refused by name") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, 1e300}) {
    CAPTURE(bad);
    CHECK(fault_of([&] { validate(PairMaterial{.stiffness = bad}); }).starts_with("stiffness: expected"));
    CHECK(fault_of([&] { validate(PairMaterial{.hertz_stiffness = bad}); }).starts_with("hertz stiffness: expected"));
    CHECK(fault_of([&] {
            validate(PairMaterial{.stiffness = 1, .tangential_stiffness = bad});
          }).starts_with("tangential stiffness: expected"));
  }
  CHECK(holds(fault_of([&] { validate(PairMaterial{.stiffness = 1e300}); }), "at most 1e18, or none"));
  CHECK(
      holds(fault_of([&] { validate(PairMaterial{.stiffness = 1, .damping = 1e300}); }), "damping: expected at most"));
  CHECK(holds(fault_of([&] { validate(PairMaterial{.tangential_stiffness = 1}); }), "along the normal beside it"));
  CHECK(holds(fault_of([&] { validate(PairMaterial{.stiffness = 1, .tangential_damping = 1}); }),
              "tangential damping: expected a tangential stiffness"));
  CHECK(holds(fault_of([&] { validate(PairMaterial{.rolling = 1, .hertz_stiffness = 1}); }), "none beside rolling"));
}
