#include <locdyn/mechanism/drive_transmission.hpp>

#include <stdexcept>

#include <locdyn/mechanism/rates.hpp>

namespace locdyn {
namespace {

void require_rows(Eigen::Index expected, Eigen::Index found, const char* what) {
  if (expected == found) return;
  throw std::invalid_argument("drive transmission: " + std::string(what) + ": expected " + std::to_string(expected) +
                              " rows, found " + std::to_string(found));
}

}  // namespace

DriveTransmission drive_transmission(Mechanism& mechanism) {
  mechanism.factorise();
  const auto k = static_cast<Eigen::Index>(mechanism.drive_count());
  DriveTransmission found{.K = Eigen::MatrixXd::Zero(mechanism.coordinates(), k), .exists = true};
  for (Eigen::Index j = 0; j < k; ++j) {
    const auto drive = static_cast<DriveId>(j);
    const Eigen::Index row = mechanism.row_of(drive);
    if (row < 0) continue;
    const double length = mechanism.drive(drive).length();
    const RateReport column = nearest_rates(mechanism, length * Eigen::VectorXd::Unit(mechanism.G().rows(), row));
    found.K.col(j) = column.value;
    if (column.met) continue;
    found.exists = false;
    if (found.at_fault.empty()) found.at_fault = column.at_fault;
  }
  return found;
}

Eigen::MatrixXd effector_jacobian(const Mechanism& mechanism, const DriveTransmission& transmission, BodyId id,
                                  const Eigen::Vector3d& X) {
  require_rows(mechanism.coordinates(), transmission.K.rows(), "K");
  const Body& body = mechanism.bodies()[id];
  const int n = body.freedoms();
  PointJacobian H(3, n);
  Eigen::MatrixXd J(6, transmission.K.cols());
  const auto part = transmission.K.middleRows(mechanism.first(id), n);
  body.point_jacobian(body.to_space(X), Eigen::Matrix3d::Identity(), H);
  J.topRows<3>() = H * part;
  body.spin_jacobian(Eigen::Matrix3d::Identity(), H);
  J.bottomRows<3>() = H * part;
  return J;
}

Eigen::VectorXd drive_loads(const DriveTransmission& transmission, const Eigen::VectorXd& f) {
  require_rows(transmission.K.rows(), f.size(), "loads");
  return transmission.K.transpose() * f;
}

}  // namespace locdyn
