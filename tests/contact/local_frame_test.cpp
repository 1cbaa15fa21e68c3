#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <stdexcept>

#include <locdyn/contact/local_frame.hpp>

using namespace locdyn;

namespace {

void check_frame(const Eigen::Matrix3d& frame, const Eigen::Vector3d& normal) {
  CHECK((frame.transpose() * frame - Eigen::Matrix3d::Identity()).norm() < 2e-15);
  CHECK((frame.col(0).cross(frame.col(1)) - frame.col(2)).norm() < 2e-15);
  CHECK((frame.col(2) - normal.stableNormalized()).norm() < 5e-16);
}

}  // namespace

TEST_CASE("a frame is right-handed and orthonormal with n third, for any normal") {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Vector3d n(normal(generator), normal(generator), normal(generator));
    check_frame(local_frame(n), n);
  }
  for (const double tiny : {0.0, 1e-170, 1e-160, 1e-152, 1e-20, 1e-9, 1e-8, 1e-3}) {
    CAPTURE(tiny);
    for (const double side : {1.0, -1.0}) {
      const Eigen::Vector3d n(tiny, -2 * tiny, side);
      check_frame(local_frame(n), n);
    }
  }
  check_frame(local_frame({1e-300, 2e-300, 0}), {1, 2, 0});
  check_frame(local_frame({1e300, 1e300, -1e300}), {1, 1, -1});
  CHECK(local_frame({0, 0, 2}) == Eigen::Matrix3d::Identity());
}

TEST_CASE("the frame is continuous but at −e_z") {
  // Around the equator and along meridians down to 0.01 rad from −e_z, where the tangents turn 2/0.01 times as fast.
  const double d = 1e-7;
  for (double latitude = -1.56; latitude < 1.57; latitude += 0.1) {
    for (double longitude = -3.1; longitude < 3.1; longitude += 0.3) {
      const auto n = [&](double dlat, double dlon) {
        return Eigen::Vector3d(std::cos(latitude + dlat) * std::cos(longitude + dlon),
                               std::cos(latitude + dlat) * std::sin(longitude + dlon), std::sin(latitude + dlat));
      };
      const Eigen::Matrix3d frame = local_frame(n(0, 0));
      CHECK((local_frame(n(d, 0)) - frame).norm() < 5 * d);
      CHECK((local_frame(n(0, d)) - frame).norm() < 5 * d);
    }
  }
}

TEST_CASE("a planar frame has t2 = e_z and keeps t1 and n in the plane") {
  const Eigen::Matrix3d frame = planar_frame({0, 3, 0});
  CHECK(frame.col(0) == Eigen::Vector3d(-1, 0, 0));
  CHECK(frame.col(1) == Eigen::Vector3d(0, 0, 1));
  CHECK(frame.col(2) == Eigen::Vector3d(0, 1, 0));
  const Eigen::Vector3d n(0.6, -0.8, 0);
  check_frame(planar_frame(n), n);
}

TEST_CASE("a transported frame follows its normal by the least rotation, through −e_z too") {
  Eigen::Matrix3d frame = local_frame({1, 0, -1});
  for (int i = 0; i <= 1000; ++i) {
    const double angle = 1e-3 * i - 0.5;
    const Eigen::Vector3d n(std::sin(angle), 0, -std::cos(angle));
    const Eigen::Matrix3d next = transported_frame(frame, n);
    check_frame(next, n);
    if (i > 0) CHECK((next - frame).norm() < 1.5e-3);  // √2 · 1e-3: a rotation by 1e-3
    frame = next;
  }
  check_frame(transported_frame(frame, -frame.col(2)), -frame.col(2));
  CHECK((transported_frame(frame, 7 * frame.col(2)) - frame).norm() < 1e-15);
}

TEST_CASE("a normal that is none is refused") {
  CHECK_THROWS_WITH_AS((void)local_frame({0, 0, 0}), "normal: expected a vector of length > 0, found 0",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)local_frame({NAN, 0, 1}), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)planar_frame({0, 1, 0.75}), "normal: expected one in the plane z = 0, found n_z/|n| = 0.6",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)transported_frame(Eigen::Matrix3d::Identity(), {0, 0, INFINITY}), std::invalid_argument);
}
