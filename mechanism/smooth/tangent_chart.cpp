#include <locdyn/mechanism/smooth/tangent_chart.hpp>

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/mechanism/mobility.hpp>

namespace locdyn::detail {
namespace {

constexpr int kMostCorrections = 12;
constexpr double kExact = 1e-15;     // [m] and of z
constexpr double kProgress = 0.5;    // of what is missing, in an iteration; less is rounding
constexpr double kInReach = 1e-10;   // [m]
constexpr double kSameBranch = 0.5;  // of the way from q₀: what Newton may add to where q₀, u₀, u̇₀ lead

double root_mean_square(const Eigen::VectorXd& x) {
  return x.size() == 0 ? 0 : x.norm() / std::sqrt(static_cast<double>(x.size()));
}

bool has_quaternion(const Body& body) {
  return dynamic_cast<const RigidBody*>(&body) != nullptr;
}

}  // namespace

TangentChart::TangentChart(FirstOrderForm& form, double t, const Eigen::VectorXd& y)
    : form_(form), mechanism_(form.mechanism()), solve_(inertia(form.mechanism())), t_(t), y_(y) {
  form.set_state(t, y);
  u_ = mechanism_.velocity();
  acceleration_ = form.rate_here().tail(u_.size());
  const SparseMatrix A = inertia(mechanism_);
  const Eigen::MatrixXd Z = free_motions(mechanism_), AZ = A * Z;
  freedoms_ = Z.cols();
  // ż of u = Z c is c; q̇ = Q u, and Q⁺ of a quaternion is 4 Qᵀ.
  const Eigen::MatrixXd along = (Z.transpose() * AZ).ldlt().solve(AZ.transpose()), Q = rate_matrix();
  P_ = (along * (Q.transpose() * Q).ldlt().solve(Q.transpose())).transpose();
  start_ = Eigen::VectorXd::Zero(2 * freedoms_);
  start_.tail(freedoms_) = along * u_;
  position_size_ = root_mean_square(y.head(y.size() - u_.size()));
  velocity_size_ = root_mean_square(u_);
}

// ∂q̇/∂u (numbers of q × n), by unit velocities.
Eigen::MatrixXd TangentChart::rate_matrix() const {
  BodySet& bodies = mechanism_.bodies();
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(y_.size() - u_.size(), u_.size());
  Eigen::Index at = 0;
  for (const BodyId id : bodies.ids()) {
    Body& body = bodies[id];
    if (body.freedoms() == 0) continue;
    const Eigen::Index rows = body.configuration().size(), first = mechanism_.first(id), n = body.freedoms();
    if (has_quaternion(body)) {
      const Eigen::VectorXd u = body.velocity();
      for (Eigen::Index k = 0; k < n; ++k) {
        body.set_velocity(Eigen::VectorXd::Unit(n, k));
        Q.block(at, first + k, rows, 1) = kinematic(bodies, id).configuration_rate();
      }
      body.set_velocity(u);
    } else {
      Q.block(at, first, rows, n).setIdentity();
    }
    at += rows;
  }
  return Q;
}

// Pᵀ q̈ for u̇ = 0: a quaternion has q̈ = −¼ ‖Ω‖² q.
Eigen::VectorXd TangentChart::curvature() const {
  const BodySet& bodies = mechanism_.bodies();
  Eigen::VectorXd second = Eigen::VectorXd::Zero(freedoms_);
  Eigen::Index at = 0;
  for (const BodyId id : bodies.ids()) {
    if (bodies[id].freedoms() == 0) continue;
    const Eigen::VectorXd q = bodies[id].configuration();
    at += q.size();
    if (!has_quaternion(bodies[id])) continue;
    const double rate = bodies[id].velocity().head<3>().squaredNorm();
    second -= 0.25 * rate * P_.middleRows(at - 4, 4).transpose() * q.tail<4>();
  }
  return second;
}

void TangentChart::factorise() {
  mechanism_.evaluate();
  E_ = P_.transpose() * rate_matrix();
  const SparseMatrix G = form_.independent_G();
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < G.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator at(G, j); at; ++at) entries.emplace_back(at.row(), at.col(), at.value());
  }
  for (Eigen::Index i = 0; i < E_.rows(); ++i) {
    for (Eigen::Index j = 0; j < E_.cols(); ++j) {
      if (E_(i, j) != 0) entries.emplace_back(G.rows() + i, j, E_(i, j));
    }
  }
  SparseMatrix both(G.rows() + E_.rows(), G.cols());
  both.setFromTriplets(entries.begin(), entries.end());
  solve_.factorise(both);
}

Eigen::VectorXd TangentChart::missing(const Eigen::VectorXd& z) const {
  const Eigen::VectorXd C = form_.of_independent(mechanism_.error());
  const Eigen::Index k = C.size(), numbers = P_.rows();
  Eigen::VectorXd missing(k + freedoms_);
  missing << -C, z - P_.transpose() * (form_.state().head(numbers) - y_.head(numbers));
  return missing;
}

Eigen::VectorXd TangentChart::full(double t, const Eigen::VectorXd& z) {
  const double elapsed = t - t_;
  const Eigen::VectorXd way = elapsed * u_ + 0.5 * elapsed * elapsed * acceleration_;
  form_.set_state(t, y_);
  mechanism_.displace(way);
  Eigen::VectorXd lacks = missing(z.head(freedoms_));
  double added = 0;
  for (int i = 0; i < kMostCorrections && lacks.cwiseAbs().maxCoeff() > kExact; ++i) {
    const double before = lacks.cwiseAbs().maxCoeff();
    const Eigen::VectorXd there = form_.state();
    factorise();
    const Eigen::VectorXd d = solve_.smallest(lacks);
    mechanism_.displace(d);
    lacks = missing(z.head(freedoms_));
    const double after = lacks.cwiseAbs().maxCoeff();
    if (!(after <= before)) {
      form_.set_state(t, there);
      lacks = missing(z.head(freedoms_));
      break;
    }
    added += mechanism_.length(d);
    if (after > kProgress * before) break;
  }
  if (!(lacks.cwiseAbs().maxCoeff() <= kInReach) || !(added <= kSameBranch * mechanism_.length(way) + kInReach)) {
    throw MotionError(MotionError::Reason::does_not_close, t,
                      "expected a position on the same branch, found none within " + spelled(added) + " m");
  }
  factorise();
  const Eigen::VectorXd d = form_.of_independent(mechanism_.d());
  Eigen::VectorXd rates(d.size() + freedoms_);
  rates << -d, z.tail(freedoms_);
  mechanism_.set_velocity(solve_.smallest(rates));
  return form_.state();
}

Eigen::VectorXd TangentChart::rate(double t, const Eigen::VectorXd& z) {
  static_cast<void>(full(t, z));
  const Eigen::MatrixXd E = E_;
  Eigen::VectorXd rate(2 * freedoms_);
  rate << z.tail(freedoms_), E * form_.rate_here().tail(u_.size()) + curvature();
  return rate;
}

}  // namespace locdyn::detail
