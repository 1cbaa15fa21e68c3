#include "mujoco_peer.hpp"

#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace locdyn::robots {
namespace {

using Eigen::Vector3d;

Vector3d vector(const mjtNum* v) {
  return {v[0], v[1], v[2]};
}
Orientation quaternion(const mjtNum* q) {
  return {q[0], q[1], q[2], q[3]};
}

// The projection onto the second-order cone ‖(r_t)‖ ≤ r_n in scaled tangents.
Eigen::VectorXd projected(const Eigen::VectorXd& r) {
  const double n = r[0], t = r.tail(r.size() - 1).norm();
  if (t <= n) return r;
  if (t <= -n) return Eigen::VectorXd::Zero(r.size());
  Eigen::VectorXd p = r;
  p[0] = 0.5 * (n + t);
  p.tail(r.size() - 1) *= p[0] / t;
  return p;
}

}  // namespace

struct MujocoPeer::Data {
  mjModel* m = nullptr;
  mjData* d = nullptr;
  ~Data() {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  [[nodiscard]] int id(const std::string& name) const {
    const int id = mj_name2id(m, mjOBJ_BODY, name.c_str());
    if (id < 0) throw std::runtime_error("MuJoCo: no body \"" + name + '"');
    return id;
  }
  // ‖D⁻¹(R − P_K(R − DÛ))‖ and ‖b‖ of the contacts, squared, for the velocities after the step. The law is that of
  // hard contacts with Coulomb's cone; a gap is given its share of the step.
  void judge(const Eigen::MatrixXd& J, const Eigen::MatrixXd& W, const Eigen::VectorXd& R, const Eigen::VectorXd& U,
             const Eigen::VectorXd& b, double h, double& error, double& size) const {
    for (int c = 0; c < d->ncon; ++c) {
      const mjContact& contact = d->contact[c];
      const int first = contact.efc_address, dim = contact.dim;
      if (first < 0) continue;
      const double gap = std::max(contact.dist, 0.0) / h;
      const double rho = dim / W.diagonal().segment(first, dim).sum();
      Eigen::VectorXd r = R.segment(first, dim), u = U.segment(first, dim), bias = b.segment(first, dim);
      u[0] += gap, bias[0] += gap;
      // Tangents scaled so that the elliptic cone is round; De Saxcé's shift.
      double slip = 0;
      for (int k = 1; k < dim; ++k) {
        const double mu = contact.friction[k - 1];
        r[k] /= mu, u[k] *= mu;
        slip += u[k] * u[k];
      }
      u[0] += std::sqrt(slip);
      Eigen::VectorXd residual = (r - projected(r - rho * u)) / rho;
      error += residual.squaredNorm();
      size += bias.squaredNorm();
    }
    static_cast<void>(J);
  }
};

MujocoPeer::MujocoPeer(const std::filesystem::path& file) : data_(std::make_unique<Data>()) {
  char error[1000] = "";
  data_->m = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  if (data_->m == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
  data_->d = mj_makeData(data_->m);
}

MujocoPeer::~MujocoPeer() = default;

bool MujocoPeer::weighs_boxes() {
  return mj_version() < 230;
}

int MujocoPeer::coordinates() const {
  return data_->m->nq;
}
int MujocoPeer::velocities() const {
  return data_->m->nv;
}
double MujocoPeer::timestep() const {
  return data_->m->opt.timestep;
}

std::vector<double> MujocoPeer::reference() const {
  return {data_->m->qpos0, data_->m->qpos0 + data_->m->nq};
}

std::vector<double> MujocoPeer::state_near_reference(const std::vector<double>& numbers) const {
  std::vector<double> q = reference();
  for (std::size_t k = 0; k < q.size(); ++k) q[k] += 0.3 * numbers[k];
  mj_normalizeQuat(data_->m, q.data());
  return q;
}

void MujocoPeer::move_freely() {
  data_->m->opt.disableflags |=
      mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_EQUALITY | mjDSBL_ACTUATION;
  data_->m->opt.integrator = mjINT_RK4;
}

void MujocoPeer::set_state(const std::vector<double>& qpos, const std::vector<double>& qvel) {
  mj_resetData(data_->m, data_->d);
  std::copy(qpos.begin(), qpos.end(), data_->d->qpos);
  std::copy(qvel.begin(), qvel.end(), data_->d->qvel);
  mj_forward(data_->m, data_->d);
  mj_rnePostConstraint(data_->m, data_->d);
}

void MujocoPeer::integrate(double time, double step) {
  const int count = static_cast<int>(std::ceil(time / step));
  data_->m->opt.timestep = time / count;
  for (int k = 0; k < count; ++k) mj_step(data_->m, data_->d);
  mj_forward(data_->m, data_->d);
  mj_rnePostConstraint(data_->m, data_->d);
}

PeerBody MujocoPeer::body(const std::string& name) const {
  const mjModel* m = data_->m;
  const mjData* d = data_->d;
  const int id = data_->id(name);
  PeerBody body;
  body.position = vector(d->xpos + 3 * id);
  body.orientation = quaternion(d->xquat + 4 * id);
  mjtNum six[6];
  mj_objectVelocity(m, d, mjOBJ_XBODY, id, six, 0);
  body.angular_velocity = vector(six);
  body.velocity = vector(six + 3);
  mj_objectAcceleration(m, d, mjOBJ_XBODY, id, six, 0);
  body.angular_acceleration = vector(six);
  // MuJoCo lets the world accelerate against gravity.
  body.acceleration = vector(six + 3) + vector(m->opt.gravity);
  return body;
}

MassProperties MujocoPeer::mass(const std::string& name) const {
  const mjModel* m = data_->m;
  const mjData* d = data_->d;
  const int id = data_->id(name);
  const Orientation back = quaternion(d->xquat + 4 * id).conjugate();
  std::vector<MassProperties> parts;
  for (int k = 0; k < m->nbody; ++k) {
    if (m->body_weldid[k] != m->body_weldid[id] || m->body_mass[k] <= 0) continue;
    MassProperties part;
    part.mass = m->body_mass[k];
    part.inertia = vector(m->body_inertia + 3 * k).asDiagonal();
    Eigen::Matrix3d frame;
    for (int r = 0; r < 9; ++r) frame(r / 3, r % 3) = d->ximat[9 * k + r];
    parts.push_back(
        moved(part, back.toRotationMatrix() * frame, back * (vector(d->xipos + 3 * k) - vector(d->xpos + 3 * id))));
  }
  return parts.empty() ? MassProperties{} : combined(parts);
}

PeerRun MujocoPeer::run(double h, int steps, int from) {
  mjModel* m = data_->m;
  mjData* d = data_->d;
  m->opt.timestep = h;
  m->opt.cone = mjCONE_ELLIPTIC;
  mj_resetData(m, d);
  if (m->nkey > 0) mj_resetDataKeyframe(m, d, 0);
  PeerRun run;
  double seconds = 0;
  int judged = 0;
  for (int step = 0; step < steps; ++step) {
    const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(d->qvel, m->nv);
    const auto start = std::chrono::steady_clock::now();
    mj_step(m, d);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Eigen::VectorXd after = Eigen::Map<const Eigen::VectorXd>(d->qvel, m->nv);
    run.steady = run.steady && after.allFinite();
    run.contacts += static_cast<double>(d->ncon) / steps;
    for (int c = 0; c < d->ncon; ++c) run.penetration = std::max(run.penetration, -d->contact[c].dist);
    if (step < from || d->ncon == 0 || d->nefc == 0) continue;
    // U = J v⁺, b = J (v + h a₀), W = h J M⁻¹ Jᵀ.
    Eigen::MatrixXd J(d->nefc, m->nv), X(d->nefc, m->nv);
    for (int row = 0; row < d->nefc; ++row) {
      std::vector<mjtNum> unit(static_cast<std::size_t>(d->nefc), 0), line(static_cast<std::size_t>(m->nv));
      unit[static_cast<std::size_t>(row)] = 1;
      mj_mulJacTVec(m, d, line.data(), unit.data());
      J.row(row) = Eigen::Map<const Eigen::RowVectorXd>(line.data(), m->nv);
      std::vector<mjtNum> solved(line.size());
      mj_solveM(m, d, solved.data(), line.data(), 1);
      X.row(row) = Eigen::Map<const Eigen::RowVectorXd>(solved.data(), m->nv);
    }
    const Eigen::VectorXd W = h * J.cwiseProduct(X).rowwise().sum();
    const Eigen::VectorXd R = Eigen::Map<const Eigen::VectorXd>(d->efc_force, d->nefc);
    const Eigen::VectorXd smooth = before + h * Eigen::Map<const Eigen::VectorXd>(d->qacc_smooth, m->nv);
    double error = 0, size = 0;
    data_->judge(J, W.asDiagonal(), R, J * after, J * smooth, h, error, size);
    if (size <= 0) continue;
    const double residual = std::sqrt(error / size);
    run.residual += residual;
    run.worst_residual = std::max(run.worst_residual, residual);
    ++judged;
  }
  run.step_time = seconds / steps;
  if (judged > 0) run.residual /= judged;
  return run;
}

}  // namespace locdyn::robots
