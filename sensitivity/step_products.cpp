// The products: a Jacobian times a vector, and a vector times a Jacobian, which is the same lines backwards.

#include <algorithm>
#include <utility>

#include <locdyn/sensitivity/step_linearisation.hpp>

namespace locdyn::detail {

// --- vectors ---------------------------------------------------------------------------------------------------------

PairVector StepLinearisation::pair(const ContactLinearisation& c, const ByBody& v) const {
  PairVector d;
  d << v[c.master.value()], v[c.slave.value()];
  return d;
}

void StepLinearisation::add_pair(const ContactLinearisation& c, const PairVector& d, ByBody& v) {
  v[c.master.value()] += d.head<kMostFreedoms>();
  v[c.slave.value()] += d.tail<kMostFreedoms>();
}

Eigen::VectorXd StepLinearisation::many(const std::vector<BodyId>& ids, const ByBody& v) const {
  Eigen::Index size = 0;
  for (const BodyId id : ids) size += bodies[id.value()].freedoms;
  Eigen::VectorXd d(size);
  size = 0;
  for (const BodyId id : ids) {
    const int n = bodies[id.value()].freedoms;
    d.segment(size, n) = v[id.value()].head(n);
    size += n;
  }
  return d;
}

void StepLinearisation::add_many(const std::vector<BodyId>& ids, const Eigen::VectorXd& d, ByBody& v) const {
  Eigen::Index at = 0;
  for (const BodyId id : ids) {
    const int n = bodies[id.value()].freedoms;
    v[id.value()].head(n) += d.segment(at, n);
    at += n;
  }
}

StepLinearisation::ByBody StepLinearisation::spread(const Eigen::VectorXd& all) const {
  ByBody v(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    const BodyLinearisation& body = bodies[id.value()];
    v[id.value()].head(body.freedoms) = all.segment(body.first, body.freedoms);
  }
  return v;
}

Eigen::VectorXd StepLinearisation::gathered(const ByBody& v) const {
  Eigen::VectorXd all(freedoms);
  for (const BodyId id : moving) {
    const BodyLinearisation& body = bodies[id.value()];
    all.segment(body.first, body.freedoms) = v[id.value()].head(body.freedoms);
  }
  return all;
}

std::vector<double> StepLinearisation::unknowns_of(const ByBody& v) const {
  std::vector<double> all(active->unknowns(), 0.0);
  for (const BodyId id : moving) {
    if (first_unknown[id.value()] < 0) continue;
    std::copy_n(v[id.value()].data(), bodies[id.value()].freedoms, all.begin() + first_unknown[id.value()]);
  }
  return all;
}

ShapeVector StepLinearisation::shapes(const ContactLinearisation& c, const ParameterVariation& p) const {
  ShapeVector d = ShapeVector::Zero();
  if (c.identity == 0) return d;
  d << p.size.col(c.master_shape.value()), p.size.col(c.slave_shape.value()), p.position.col(c.master_shape.value()),
      p.position.col(c.slave_shape.value());
  return d;
}

void StepLinearisation::add_shapes(const ContactLinearisation& c, const ShapeVector& d, ParameterVariation& p) const {
  if (c.identity == 0) return;
  p.size.col(c.master_shape.value()) += d.segment<3>(0);
  p.size.col(c.slave_shape.value()) += d.segment<3>(3);
  p.position.col(c.master_shape.value()) += d.segment<3>(6);
  p.position.col(c.slave_shape.value()) += d.segment<3>(9);
}

// What a contact changes by itself, and as one of its pair of surfaces.
ContactVariation StepLinearisation::own(const ContactLinearisation& c, std::size_t k, const StepInput& change) const {
  ContactVariation own = change.contacts.empty() ? ContactVariation{} : change.contacts[k];
  if (c.pair >= 0) {
    own.friction += change.parameters.friction[c.pair];
    own.restitution += change.parameters.restitution[c.pair];
  }
  return own;
}

namespace {

PlaceVector place_vector(const ContactVariation& v) {
  PlaceVector z;
  z << v.point, v.frame, v.gap;
  return z;
}

// F_p δp of the friction coefficients.
RowVector by_coefficients(const LawLinearisation& law, const ContactVariation& v) {
  return law.by_friction * v.friction + law.by_cross_friction * v.cross_friction + law.by_rolling * v.rolling +
         law.by_torsional * v.torsional;
}

RowVector row_vector(const Eigen::MatrixXd& columns, Index place, int size) {
  RowVector v = RowVector::Zero();
  for (int k = 0; 3 * k < size; ++k) v.segment<3>(3 * k) = columns.col(static_cast<Eigen::Index>(place) + k);
  return v;
}

template <class Rows>
void add_rows(const Rows& v, Index place, int size, Eigen::MatrixXd& columns) {
  for (int k = 0; 3 * k < size; ++k) columns.col(static_cast<Eigen::Index>(place) + k) += v.template segment<3>(3 * k);
}

// Mᵀ v by the rows in use.
template <int kColumns>
Eigen::Matrix<double, kColumns, 1> by_columns(const RowByRow<6, kColumns>& M, const RowVector& v, int size) {
  if (size == 3) return M.template topRows<3>().transpose().lazyProduct(v.head<3>());
  return M.transpose().lazyProduct(v);
}

RowVector by_velocities(const LawLinearisation& law, const RowVector& multiplier) {
  RowVector by_U = RowVector::Zero();
  if (law.size == 3) {
    by_U.head<3>() = -(law.E.topLeftCorner<3, 3>().transpose() * multiplier.head<3>());
  } else {
    by_U = -(law.E.transpose() * multiplier);
  }
  return by_U;
}

// P_qᵀ p; each body's pull goes with its own pose.
PairVector by_poses(const ContactLinearisation& c, const PairVector& p) {
  PairVector d;
  d << c.P_q.topLeftCorner<kMostFreedoms, kMostFreedoms>().transpose().lazyProduct(p.head<kMostFreedoms>()),
      c.P_q.bottomRightCorner<kMostFreedoms, kMostFreedoms>().transpose().lazyProduct(p.tail<kMostFreedoms>());
  return d;
}

}  // namespace

// --- a Jacobian times a vector ---------------------------------------------------------------------------------------

StepResponse StepLinearisation::tangent(const StepInput& change) {
  const ByBody dq = spread(change.state.q), du = spread(change.state.u);
  ByBody dq_mid(bodies.size(), BodyVector::Zero()), pull = dq_mid, explicit_u = dq_mid;
  for (const BodyId id : moving) {
    dq_mid[id.value()] = of(id).qq * dq[id.value()] + of(id).qu * du[id.value()];
  }

  // What rows change by at fixed u⁺, σ with them, and what reactions pull as they are.
  const auto rows = static_cast<Eigen::Index>(system.graph().diagonal_arena().size());
  Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(3, rows), shifted = moved, coefficients = moved;
  std::vector<PlaceVector> places;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    const ContactVariation self = own(c, k, change);
    const auto memory = change.state.memory.find(c.identity);
    const ContactMemory was = c.identity != 0 && memory != change.state.memory.end() ? memory->second : ContactMemory{};
    const PairVector d = pair(c, dq_mid);
    Eigen::Matrix<double, kGeometryColumns, 1> in;
    in << d, shapes(c, change.parameters);
    PlaceVector z = c.Z * in + place_vector(self);
    z.segment<3>(3) += c.frame_by_past * was.frame;
    places.push_back(z);
    add_rows(c.U_q * d + c.U_z * z, c.place, c.size, moved);
    const RowVector dV = c.H * pair(c, du) + c.V_q * d + c.V_z * z;
    RowVector shift = RowVector::Zero();
    shift[2] = c.shift_by_V * dV[2] + c.shift_by_gap * z[6] + c.shift_by_e * self.restitution;
    if (c.turned)
      shift.head<2>() =
          0.5 * (dV - RowVector::Unit(0) * was.velocity[0] - RowVector::Unit(1) * was.velocity[1]).head<2>();
    add_rows(shift, c.place, c.size, shifted);
    add_rows(by_coefficients(active->law(c.constraint), self), c.place, c.size, coefficients);
    add_pair(c, c.P_q * d + c.P_z * z, pull);
  }
  for (const ConstraintLinearisation& t : tied) {
    const Eigen::VectorXd d = many(t.bodies, dq_mid);
    const auto size = static_cast<int>(t.H.rows());
    add_rows(t.U_q * d, t.place, size, moved);
    add_rows(t.S_q * d + t.S_V * (t.H * many(t.bodies, du) + t.V_q * d), t.place, size, shifted);
    add_many(t.bodies, t.P_q * d, pull);
  }

  // The velocities after the step at fixed R.
  ByBody force = spread(change.parameters.force);
  for (const ForceLinearisation& f : forces) add_many(f.bodies, f.by_q * many(f.bodies, dq_mid), force);
  for (const BodyId id : moving) {
    const BodyLinearisation& b = of(id);
    const auto k = id.value();
    explicit_u[k] = b.fq * dq_mid[k] + b.fu * du[k] + b.ff * force[k] + b.fg * change.parameters.gravity +
                    b.by_mass * change.parameters.mass[k] + b.by_inertia * change.parameters.inertia.col(k) +
                    h * (b.inverse_inertia * pull[k]);
  }

  // The laws.
  StepResponse response;
  response.reaction = Eigen::MatrixXd::Zero(3, rows);
  if (active != nullptr) {
    std::vector<Eigen::Vector3d> c_rows(static_cast<std::size_t>(rows), Eigen::Vector3d::Zero());
    const auto pose = [&](ConstraintId id, Index place, int size, const Eigen::VectorXd& H_e) {
      const LawLinearisation& law = active->law(id);
      RowVector U = row_vector(moved, place, size) + row_vector(shifted, place, size);
      U.head(size) += H_e.head(size);
      const RowVector c = -(law.E * U) - row_vector(coefficients, place, size);
      for (int k = 0; 3 * k < size; ++k) c_rows[place + static_cast<Index>(k)] = c.segment<3>(3 * k);
    };
    for (const ContactLinearisation& c : touching) pose(c.constraint, c.place, c.size, c.H * pair(c, explicit_u));
    for (const ConstraintLinearisation& t : tied) {
      pose(t.constraint, t.place, static_cast<int>(t.H.rows()), t.H * many(t.bodies, explicit_u));
    }
    const std::vector<double> zero(active->unknowns(), 0.0);
    const ActiveSystem::Solution solution = active->solve(zero, c_rows);
    check(solution, "a change that every contact can follow in its state");
    for (const BodyId id : moving) {
      if (first_unknown[id.value()] < 0) continue;
      for (int i = 0; i < of(id).freedoms; ++i) {
        explicit_u[id.value()][i] += solution.velocity[static_cast<std::size_t>(first_unknown[id.value()] + i)];
      }
    }
    for (Eigen::Index k = 0; k < rows; ++k) response.reaction.col(k) = solution.reaction[static_cast<std::size_t>(k)];
  }

  // What the step gives.
  ByBody dq_after(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    dq_after[id.value()] = of(id).pq * dq_mid[id.value()] + of(id).pu * explicit_u[id.value()];
  }
  response.state.q = gathered(dq_after);
  response.state.u = gathered(explicit_u);
  response.velocity = moved;
  for (const ConstraintLinearisation& t : tied) {
    add_rows(t.H * many(t.bodies, explicit_u), t.place, static_cast<int>(t.H.rows()), response.velocity);
  }
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    add_rows(c.H * pair(c, explicit_u), c.place, c.size, response.velocity);
    if (c.identity == 0) continue;
    response.state.memory[c.identity] = {places[k].segment<3>(3), response.velocity.col(c.place)};
  }
  return response;
}

// --- a vector times a Jacobian: the same lines backwards -------------------------------------------------------------

StepInput StepLinearisation::adjoint(const StepResponse& by_response) {
  const auto rows = static_cast<Eigen::Index>(system.graph().diagonal_arena().size());
  ByBody q_mid(bodies.size(), BodyVector::Zero()), u(q_mid), pull(q_mid), after = spread(by_response.state.u);
  const ByBody q_after = spread(by_response.state.q);
  for (const BodyId id : moving) {
    q_mid[id.value()] = of(id).pq.transpose() * q_after[id.value()];
    after[id.value()] += of(id).pu.transpose() * q_after[id.value()];
  }
  Eigen::MatrixXd moved = by_response.velocity;
  std::vector<PlaceVector> places(touching.size(), PlaceVector::Zero());
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    const auto memory = by_response.state.memory.find(c.identity);
    if (c.identity != 0 && memory != by_response.state.memory.end()) {
      places[k].segment<3>(3) = memory->second.frame;
      moved.col(c.place) += memory->second.velocity;
    }
    const RowVector by_U = row_vector(moved, c.place, c.size);
    if (!by_U.isZero(0)) add_pair(c, by_columns(c.H, by_U, c.size), after);
  }
  for (const ConstraintLinearisation& t : tied) {
    const auto size = static_cast<int>(t.H.rows());
    add_many(t.bodies, t.H.transpose() * row_vector(moved, t.place, size).head(size), after);
  }

  // The laws.
  Eigen::MatrixXd shifted = Eigen::MatrixXd::Zero(3, rows), multiplier = shifted;
  if (active != nullptr) {
    std::vector<Eigen::Vector3d> by_reaction(static_cast<std::size_t>(rows));
    for (Eigen::Index k = 0; k < rows; ++k) by_reaction[static_cast<std::size_t>(k)] = by_response.reaction.col(k);
    const ActiveSystem::Solution solution = active->solve_transposed(unknowns_of(after), by_reaction);
    check(solution, "a number of velocities and unique reactions");
    for (Eigen::Index k = 0; k < rows; ++k) multiplier.col(k) = solution.reaction[static_cast<std::size_t>(k)];
    const auto pose = [&](ConstraintId id, Index place, int size) {
      const RowVector by_U = by_velocities(active->law(id), row_vector(multiplier, place, size));
      add_rows(by_U, place, size, moved);
      add_rows(by_U, place, size, shifted);
      return by_U;
    };
    for (const ContactLinearisation& c : touching) {
      add_pair(c, by_columns(c.H, pose(c.constraint, c.place, c.size), c.size), after);
    }
    for (const ConstraintLinearisation& t : tied) {
      const auto size = static_cast<int>(t.H.rows());
      add_many(t.bodies, t.H.transpose() * pose(t.constraint, t.place, size).head(size), after);
    }
  }

  // The velocities at fixed R.
  StepInput result{.state = no_state(system), .parameters = no_parameters(system), .contacts = {}};
  result.contacts.resize(touching.size());
  ByBody force(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    const BodyLinearisation& b = of(id);
    const auto k = id.value();
    q_mid[k] += b.fq.transpose() * after[k];
    u[k] += b.fu.transpose() * after[k];
    force[k] = b.ff.transpose() * after[k];
    result.parameters.gravity += b.fg.transpose() * after[k];
    result.parameters.mass[k] = b.by_mass.dot(after[k]);
    result.parameters.inertia.col(k) = b.by_inertia.transpose() * after[k];
    pull[k] = h * (b.inverse_inertia.transpose() * after[k]);
  }
  result.parameters.force = gathered(force);
  for (const ForceLinearisation& f : forces) add_many(f.bodies, f.by_q.transpose() * many(f.bodies, force), q_mid);

  // The rows.
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    PlaceVector& z = places[k];
    const RowVector by_U = row_vector(moved, c.place, c.size), by_shift = row_vector(shifted, c.place, c.size);
    const PairVector by_pull = pair(c, pull);
    z[6] += c.shift_by_gap * by_shift[2];
    z += by_columns(c.U_z, by_U, c.size);
    PairVector d = by_columns(c.U_q, by_U, c.size);
    RowVector by_V = RowVector::Zero();
    by_V[2] = c.shift_by_V * by_shift[2];
    if (c.turned) by_V.head<2>() = 0.5 * by_shift.head<2>();
    if (!by_V.isZero(0)) {
      z += by_columns(c.V_z, by_V, 3);
      d += by_columns(c.V_q, by_V, 3);
      add_pair(c, by_columns(c.H, by_V, 3), u);
    }
    if (c.pulls) {
      z += c.P_z.transpose().lazyProduct(by_pull);
      d += by_poses(c, by_pull);
    }
    const Eigen::Matrix<double, kGeometryColumns, 1> in = c.Z.transpose().lazyProduct(z);
    d += in.head<2 * kMostFreedoms>();
    add_shapes(c, in.tail<12>(), result.parameters);
    add_pair(c, d, q_mid);

    ContactVariation& self = result.contacts[k];
    self.point = z.head<3>();
    self.frame = z.segment<3>(3);
    self.gap = z[6];
    self.restitution = c.shift_by_e * by_shift[2];
    const LawLinearisation& law = active->law(c.constraint);
    if (c.size > 3 || law.state == StrictState::slip) {  // of the others F does not name the coefficients
      const RowVector by_law = -row_vector(multiplier, c.place, c.size);
      self.friction = law.by_friction.dot(by_law);
      self.cross_friction = law.by_cross_friction.dot(by_law);
      self.rolling = law.by_rolling.dot(by_law);
      self.torsional = law.by_torsional.dot(by_law);
    }
    if (c.pair >= 0) {
      result.parameters.friction[c.pair] += self.friction;
      result.parameters.restitution[c.pair] += self.restitution;
    }
    if (c.identity == 0) continue;
    ContactMemory& memory = result.state.memory[c.identity];
    memory.frame = c.frame_by_past.transpose() * z.segment<3>(3);
    if (c.turned) memory.velocity.head<2>() = -0.5 * by_shift.head<2>();
  }
  for (const ConstraintLinearisation& t : tied) {
    const auto size = static_cast<int>(t.H.rows());
    const Eigen::VectorXd by_U = row_vector(moved, t.place, size).head(size),
                          by_shift = row_vector(shifted, t.place, size).head(size);
    const Eigen::VectorXd by_V = t.S_V.transpose() * by_shift;
    add_many(t.bodies, t.H.transpose() * by_V, u);
    add_many(t.bodies,
             t.U_q.transpose() * by_U + t.S_q.transpose() * by_shift + t.V_q.transpose() * by_V +
                 t.P_q.transpose() * many(t.bodies, pull),
             q_mid);
  }
  ByBody q(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    q[id.value()] = of(id).qq.transpose() * q_mid[id.value()];
    u[id.value()] += of(id).qu.transpose() * q_mid[id.value()];
  }
  result.state.q = gathered(q);
  result.state.u = gathered(u);
  return result;
}

}  // namespace locdyn::detail
