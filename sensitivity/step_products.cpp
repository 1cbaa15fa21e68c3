// The products: a Jacobian times a vector, and a vector times a Jacobian, which is the same lines backwards.

#include <algorithm>
#include <utility>

#include <locdyn/base/fetch.hpp>
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

// Asks memory for what the next contact's product reads.
void fetch(const ContactLinearisation& c) {
  detail::fetch(c.L_in.data(), 3 * kGeometryColumns * sizeof(double));
  detail::fetch(c.L_z.data(), 3 * 7 * sizeof(double));
}

// P_qᵀ p; each body's pull goes with its own pose.
PairVector by_poses(const ContactLinearisation& c, const PairVector& p) {
  PairVector d;
  d << c.detail->P_q.topLeftCorner<kMostFreedoms, kMostFreedoms>().transpose().lazyProduct(p.head<kMostFreedoms>()),
      c.detail->P_q.bottomRightCorner<kMostFreedoms, kMostFreedoms>().transpose().lazyProduct(p.tail<kMostFreedoms>());
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

  // What U and U + σ of rows change by at fixed u⁺, and what reactions pull as they are.
  const auto rows = static_cast<Eigen::Index>(system.graph().diagonal_arena().size());
  Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(3, rows), arguments = moved, coefficients = moved;
  std::vector<PlaceVector> places;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    const ContactVariation self = own(c, k, change);
    const auto memory = change.state.memory.find(c.identity);
    const ContactMemory was = c.identity != 0 && memory != change.state.memory.end() ? memory->second : ContactMemory{};
    const PairVector d = pair(c, dq_mid);
    InVector in;
    in << d, shapes(c, change.parameters);
    PlaceVector z_0 = place_vector(self);
    z_0.segment<3>(3) += c.frame_by_past * was.frame;
    const PlaceVector z = c.detail->Z * in + z_0;
    places.push_back(z);
    add_rows(c.detail->U_in * in + c.detail->U_z * z_0, c.place, c.size, moved);
    RowVector argument = c.L_in * in + c.L_z * z_0;
    argument.head<3>() += c.S.cwiseProduct(c.H.topRows<3>() * pair(c, du));
    argument[2] += c.shift_by_e * self.restitution;
    if (c.turned) argument.head<2>() -= 0.5 * was.velocity.head<2>();
    add_rows(argument, c.place, c.size, arguments);
    add_rows(by_coefficients(active->law(c.constraint), self), c.place, c.size, coefficients);
    add_pair(c, c.detail->P_q * d + c.detail->P_z * z, pull);
  }
  for (const ConstraintLinearisation& t : tied) {
    const Eigen::VectorXd d = many(t.bodies, dq_mid);
    const auto size = static_cast<int>(t.H.rows());
    add_rows(t.U_q * d, t.place, size, moved);
    add_rows(t.U_q * d + t.S_q * d + t.S_V * (t.H * many(t.bodies, du) + t.V_q * d), t.place, size, arguments);
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
      RowVector U = row_vector(arguments, place, size);
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
  Eigen::MatrixXd moved = by_response.velocity;  // by U
  const auto& memories = by_response.state.memory;
  const bool by_contacts = !memories.empty() || !moved.isZero(0);
  std::vector<PlaceVector> places(by_contacts ? touching.size() : 0, PlaceVector::Zero());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    const auto memory = memories.find(c.identity);
    if (c.identity != 0 && memory != memories.end()) {
      places[k].segment<3>(3) = memory->second.frame;
      moved.col(c.place) += memory->second.velocity;
    }
    const RowVector by_U = row_vector(moved, c.place, c.size);
    if (!by_U.isZero(0)) add_pair(c, by_columns(c.H, by_U, c.size), after);
  }
  for (const ConstraintLinearisation& t : tied) {
    const auto size = static_cast<int>(t.H.rows());
    const Eigen::VectorXd by_U = row_vector(moved, t.place, size).head(size);
    add_many(t.bodies, t.H.transpose() * by_U, after);
  }

  // The laws.
  Eigen::MatrixXd argued = Eigen::MatrixXd::Zero(3, rows), multiplier = argued;  // by U + σ, by F
  for (const BodyId id : moving) {
    pull[id.value()] = h * (of(id).inverse_inertia.transpose() * after[id.value()]);
  }
  if (active != nullptr) {
    std::vector<Eigen::Vector3d> by_reaction(static_cast<std::size_t>(rows));
    for (Eigen::Index k = 0; k < rows; ++k) by_reaction[static_cast<std::size_t>(k)] = by_response.reaction.col(k);
    const ActiveSystem::Solution solution = active->solve_transposed(unknowns_of(after), by_reaction);
    check(solution, "a number of velocities and unique reactions");
    for (Eigen::Index k = 0; k < rows; ++k) multiplier.col(k) = solution.reaction[static_cast<std::size_t>(k)];
    active->by_velocity(solution, argued);
    // What rows pull off the velocities leaves A/h λ of them: that is the equation for λ.
    const std::vector<double> left = active->impulse(solution.velocity);
    for (const BodyId id : moving) {
      const int first = first_unknown[id.value()];
      if (first < 0) continue;
      std::copy_n(left.begin() + first, of(id).freedoms, after[id.value()].data());
      std::copy_n(solution.velocity.begin() + first, of(id).freedoms, pull[id.value()].data());
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
  }
  result.parameters.force = gathered(force);
  for (const ForceLinearisation& f : forces) add_many(f.bodies, f.by_q.transpose() * many(f.bodies, force), q_mid);

  // The rows.
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    if (k + 1 < touching.size()) fetch(touching[k + 1]);
    PlaceVector z_0 =
        by_contacts ? places[k] : PlaceVector(PlaceVector::Zero());  // what does not come by way of U and σ
    const RowVector by_argument = row_vector(argued, c.place, c.size);
    const PairVector by_pull = pair(c, pull);
    PlaceVector z = by_columns(c.L_z, by_argument, c.size);
    InVector in = by_columns(c.L_in, by_argument, c.size);
    if (const RowVector by_U = row_vector(moved, c.place, c.size); by_contacts && !by_U.isZero(0)) {
      z += by_columns(c.detail->U_z, by_U, c.size);
      in += by_columns(c.detail->U_in, by_U, c.size);
    }
    const Eigen::Vector3d by_V = c.S.cwiseProduct(by_argument.head<3>());
    if (!by_V.isZero(0)) add_pair(c, c.H.topRows<3>().transpose().lazyProduct(by_V), u);
    if (c.pulls && !by_pull.isZero(0)) {  // all is 0 where contacts hold the bodies
      z_0 += c.detail->P_z.transpose().lazyProduct(by_pull);
      in.head<2 * kMostFreedoms>() += by_poses(c, by_pull);
    }
    if (!z_0.isZero(0)) {
      in += c.detail->Z.transpose().lazyProduct(z_0);
      z += z_0;
    }
    add_shapes(c, in.tail<12>(), result.parameters);
    add_pair(c, in.head<2 * kMostFreedoms>(), q_mid);

    ContactVariation& self = result.contacts[k];
    self.point = z.head<3>();
    self.frame = z.segment<3>(3);
    self.gap = z[6];
    self.restitution = c.shift_by_e * by_argument[2];
    if (c.size > 3 || c.slips) {  // of the others F does not name the coefficients
      const LawLinearisation& law = active->law(c.constraint);
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
    ContactMemory& memory = result.state.memory.try_emplace(result.state.memory.end(), c.identity)->second;
    memory.frame = c.frame_by_past.transpose() * z.segment<3>(3);
    if (c.turned) memory.velocity.head<2>() = -0.5 * by_argument.head<2>();
  }
  for (const ConstraintLinearisation& t : tied) {
    const auto size = static_cast<int>(t.H.rows());
    const Eigen::VectorXd by_argument = row_vector(argued, t.place, size).head(size),
                          by_U = by_argument + row_vector(moved, t.place, size).head(size);
    const Eigen::VectorXd by_V = t.S_V.transpose() * by_argument;
    add_many(t.bodies, t.H.transpose() * by_V, u);
    add_many(t.bodies,
             t.U_q.transpose() * by_U + t.S_q.transpose() * by_argument + t.V_q.transpose() * by_V +
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
