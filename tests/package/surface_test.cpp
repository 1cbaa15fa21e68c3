// All public headers in one file, and private ones whose words are the nearest to theirs: no name stands for two things.

#include <doctest/doctest.h>

#include <locdyn/locdyn.hpp>
#include <locdyn/solver/nsgs/rigid_contact.hpp>
#include <locdyn/solver/path/path.hpp>

TEST_CASE("a path of a mechanism and the central path, a body's velocity and a swept one, stand beside each other") {
  CHECK(locdyn::detail::CentralPathOptions{}.patience > 0);
  CHECK(locdyn::PathOptions{}.to == 0);
  locdyn::RigidVelocity spin;
  spin.angular = {1, 2, 3};
  locdyn::detail::SweptVelocity swept{};
  CHECK(sizeof(spin) != sizeof(swept));
  CHECK(spin.angular.norm() == doctest::Approx(3.7416573867739413));
}
