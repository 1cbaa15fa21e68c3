#include <locdyn/distributed/lattice.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/distributed/body_registry.hpp>

namespace locdyn::distributed {
namespace {

constexpr double kRadius = 0.05, kDensity = 2500, kStep = 1e-3, kFriction = 0.5;

using Jacobian = Eigen::Matrix<double, 3, 6>;

// H of the material point at `arm` from the centre of a body that lies along the axes.
Jacobian jacobian(const Eigen::Matrix3d& frame, const Eigen::Vector3d& arm) {
  Eigen::Matrix3d cross;
  cross << 0, -arm[2], arm[1], arm[2], 0, -arm[0], -arm[1], arm[0], 0;
  Jacobian H;
  H << -frame.transpose() * cross, frame.transpose();
  return H;
}

// Columns (t1, t2, n) with n along an axis.
Eigen::Matrix3d frame_along(int axis) {
  Eigen::Matrix3d frame = Eigen::Matrix3d::Zero();
  for (int column = 0; column < 3; ++column) frame((axis + 1 + column) % 3, column) = 1;
  return frame;
}

// u_free of sphere `id` [m/s].
Eigen::Vector3d free_velocity(GlobalId id) {
  const double more = static_cast<double>(hash_of(id) >> 11) * 0x1p-53;  // 0 … 1
  return -9.81 * kStep * (1 + 0.1 * more) * Eigen::Vector3d(1.0 / 3, 1.0 / 3, 1);
}

}  // namespace

ProblemPart lattice_part(std::uint64_t n, int rank, int ranks) {
  if (n < 1 || n > 100'000) {
    throw std::invalid_argument("lattice: expected 1 to 100000 spheres along an edge, found " + std::to_string(n));
  }
  const double mass = kDensity * 4.0 / 3 * 3.141592653589793 * kRadius * kRadius * kRadius;
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(6, 6) * mass;
  A.topLeftCorner<3, 3>() *= 0.4 * kRadius * kRadius;
  Eigen::Matrix<double, 6, 6> inverse = Eigen::Matrix<double, 6, 6>::Zero();
  inverse.diagonal() = A.diagonal().cwiseInverse();

  // Of a sphere along the axes: it turns as the whole does, and its centre goes ω × x.
  const auto motions_at = [](const Eigen::Vector3d& x) {
    Eigen::MatrixXd motions = Eigen::MatrixXd::Identity(6, 6);
    for (int axis = 0; axis < 3; ++axis) motions.block<3, 1>(3, axis) = Eigen::Vector3d::Unit(axis).cross(x);
    return motions;
  };

  ProblemPart part;
  part.h = kStep;
  const std::uint64_t count = n * n * n, p = static_cast<std::uint64_t>(ranks), r = static_cast<std::uint64_t>(rank);
  const std::uint64_t strides[3] = {1, n, n * n};
  for (GlobalId id = count / p * r + std::min(count % p, r), end = count / p * (r + 1) + std::min(count % p, r + 1);
       id < end; ++id) {
    const std::uint64_t cell[3] = {id % n, id / n % n, id / (n * n)};
    const Eigen::Vector3d place =
        2 * kRadius *
        Eigen::Vector3d(static_cast<double>(cell[0]), static_cast<double>(cell[1]), static_cast<double>(cell[2]));
    part.bodies.push_back({id, place, A, motions_at(place)});
    for (int axis = 0; axis < 3; ++axis) {
      PartConstraint contact;
      contact.id = 3 * id + static_cast<GlobalId>(axis);
      contact.law = ContactLaw{.friction = kFriction};
      const Eigen::Matrix3d frame = frame_along(axis);
      const auto act = [&](GlobalId body, double sign) {
        const Jacobian H = sign * jacobian(frame, -sign * kRadius * frame.col(2));
        contact.bodies.push_back(body);
        contact.freedoms.push_back(6);
        contact.H.insert(contact.H.end(), H.data(), H.data() + H.size());
        contact.blocks[0].W += kStep * H * inverse * H.transpose();
        contact.blocks[0].B += H.rightCols<3>() * free_velocity(body);
      };
      if (cell[axis] > 0) act(id - strides[axis], -1);  // the master
      act(id, 1);
      part.constraints.push_back(std::move(contact));
    }
  }
  return part;
}

}  // namespace locdyn::distributed
