#include "random_scene.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <map>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>

namespace locdyn::test {

void Bond::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  const Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  kinematics.set_point(0, bodies, bodies_[0], x_, frame, -1);
  kinematics.set_point(0, bodies, bodies_[1], x_, frame, +1);
  for (int k = 0; k < 2; ++k) {
    JacobianMap H = kinematics.H(1, bodies_[k]);
    if (H.cols() == 0) continue;
    bodies[bodies_[k]].spin_jacobian(frame, H);
    if (k == 0) H *= -1;
  }
}

Law Bond::law(double, std::span<const Eigen::Vector3d>) const {
  return BilateralLaw{.block_count = 2, .block = {}};
}

RandomScene::RandomScene(unsigned seed, int count) : random_(seed) {
  bodies.emplace<Obstacle>();
  bodies.emplace<Obstacle>(random_vector(), random_vector(), random_vector());
  for (int i = 2; i < count; ++i) add_body(i % 4);
  bodies.predict(h, {0, 0, -9.81});
}

void RandomScene::add_body(int kind) {
  const Eigen::Vector3d x = random_vector();
  const double mass = std::exp(3 * random_number());
  BodyId id{0};
  if (kind == 0) {
    id = bodies.emplace<Particle>(mass, x);
  } else if (kind == 1) {
    id = bodies.emplace<PlanarBody>(mass, 0.1 * mass, Eigen::Vector2d(x.head<2>()), random_number());
  } else {
    const Eigen::Vector3d size = (random_vector().array().abs() + 0.2).matrix();
    const MassProperties box = box_mass(1000 * mass / size.prod(), size);
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(3 * random_number(), random_vector().normalized()));
    const MassProperties turned =
        moved(box, turn.toRotationMatrix(), Eigen::Vector3d::Zero());  // a full inertia tensor
    if (kind == 2) {
      id = bodies.emplace<RigidBody>(turned, x, turn);
    } else {
      id = bodies.emplace<PseudoRigidBody>(
          turned.mass, euler_tensor(turned), ElasticMaterial{1e5, 0.3}, size.prod(), x,
          Eigen::Matrix3d(Eigen::Matrix3d::Identity() +
                          0.1 * Eigen::Matrix3d(random_vector() * random_vector().transpose())));
    }
  }
  Body& body = bodies[id];
  Eigen::VectorXd u(body.freedoms());
  for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = random_number();
  body.set_velocity(u);
  body.add_force(10 * random_vector(), x + 0.1 * random_vector());
}

RandomScene::Made RandomScene::make_contact(BodyId master, BodyId slave) {
  ContactPoint base;
  base.master = master;
  base.slave = slave;
  base.point = random_vector();
  base.frame = local_frame(random_vector());
  Tie::Block block{{{master, base.point, -1}, {slave, base.point, +1}}, base.frame};
  return {std::make_unique<Contact>(base), {{block}}};
}

RandomScene::Made RandomScene::make_constraint() {
  const auto slave = static_cast<BodyId>(2 + random_below(bodies.size() - 2));
  auto master = static_cast<BodyId>(random_below(bodies.size()));
  if (master == slave) master = BodyId{1};
  const Eigen::Vector3d x = random_vector();
  const Eigen::Vector3d y = random_vector();
  const Eigen::Vector3d n = random_vector();

  // Points come back from body coordinates: what matters is where they lie, up to the planar body's z.
  const auto pair = [&](const Eigen::Matrix3d& frame, RowMask rows) {
    return Tie{{{{{slave, y, +1}, {master, x, -1}}, frame, rows}}};
  };
  switch (random_below(9)) {
    case 0:
      return {std::make_unique<FixedPoint>(Anchor{x, master}, Anchor{y, slave}),
              pair(Eigen::Matrix3d::Identity(), kRowsAll)};
    case 1: return {std::make_unique<FixedPoint>(Anchor{y, slave}), Tie{{{{{slave, y, +1}}}}}};
    case 2:
      return {std::make_unique<FixedDirection>(Anchor{x, master}, Anchor{y, slave}, n),
              pair(local_frame(n), kRowNormal)};
    case 3:
      return {std::make_unique<PrescribedVelocity>(Anchor{x, master}, Anchor{y, slave}, n, 2.0),
              pair(local_frame(n), kRowNormal)};
    case 4:
      return {std::make_unique<RigidLink>(Anchor{x, master}, Anchor{y, slave}), pair(local_frame(y - x), kRowNormal)};
    case 5:
      return {std::make_unique<SpringDamper>(Anchor{x, master}, Anchor{y, slave}, SpringProperties{100, 1}),
              pair(local_frame(y - x), kRowNormal)};
    case 6: {
      Tie tie{{{{{master, x, -1}, {slave, x, +1}}}, {{{master, x, -1}, {slave, x, +1}}}}};
      tie.blocks[1].spin = true;
      return {std::make_unique<Bond>(master, slave, x), tie};
    }
    default: return make_contact(master, slave);
  }
}

DenseBodies::DenseBodies(const BodySet& bodies) {
  Eigen::Index n = 0;
  for (const BodyId id : bodies.ids()) {
    first.push_back(n);
    n += bodies[id].freedoms();
  }
  A = Eigen::MatrixXd::Zero(n, n);
  velocity.resize(n);
  free_velocity.resize(n);
  for (const BodyId id : bodies.ids()) {
    const int k = bodies[id].freedoms();
    if (k == 0) continue;
    A.block(first[id], first[id], k, k) = bodies[id].inertia();
    velocity.segment(first[id], k) = bodies[id].velocity();
    free_velocity.segment(first[id], k) = bodies[id].free_velocity();
  }
}

DenseRows::DenseRows(const BodySet& bodies, const DenseBodies& dense, const std::vector<const Tie*>& ties) {
  Eigen::Index rows = 0;
  for (const Tie* tie : ties) rows += 3 * static_cast<Eigen::Index>(tie->blocks.size());
  H = Eigen::MatrixXd::Zero(rows, dense.A.rows());
  drive = Eigen::VectorXd::Zero(rows);
  Eigen::Index row = 0;
  for (const Tie* tie : ties) {
    for (const Tie::Block& block : tie->blocks) {
      for (const Tie::End& end : block.ends) {
        const Body& body = bodies[end.body];
        if (body.freedoms() == 0) {
          if (!block.spin) {
            drive.segment<3>(row) += end.sign * (block.frame.transpose() * body.prescribed_velocity(end.x));
          }
          continue;
        }
        PointJacobian part(3, body.freedoms());
        if (block.spin) {
          body.spin_jacobian(block.frame, part);
        } else {
          body.point_jacobian(end.x, block.frame, part);
        }
        H.block(row, dense.first[end.body], 3, body.freedoms()) += end.sign * part;
      }
      for (int i = 0; i < 3; ++i) {
        if (uses(block.rows, i)) continue;
        H.row(row + i).setZero();
        drive[row + i] = 0;
      }
      row += 3;
    }
  }
}

namespace {

std::map<const DiagonalBlock*, Eigen::Index> dense_places(const LocalDynamics& ldy,
                                                          const std::vector<ConstraintId>& ids) {
  std::map<const DiagonalBlock*, Eigen::Index> place;
  Eigen::Index row = 0;
  for (ConstraintId id : ids) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k, row += 3) place[&ldy.row(id, k)] = row;
  }
  return place;
}

}  // namespace

Eigen::MatrixXd dense_w(const LocalDynamics& ldy, const std::vector<ConstraintId>& ids) {
  const auto place = dense_places(ldy, ids);
  const auto n = static_cast<Eigen::Index>(3 * place.size());
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
  for (const auto& [row, at] : place) {
    W.block<3, 3>(at, at) = row->W;
    for (const OffDiagonalBlock& block : ldy.adjacent(*row)) {
      W.block<3, 3>(at, place.at(&ldy.diagonal_arena()[block.other])) = block.W;
    }
  }
  return W;
}

Eigen::VectorXd dense_b(const LocalDynamics& ldy, const std::vector<ConstraintId>& ids) {
  const auto place = dense_places(ldy, ids);
  Eigen::VectorXd B(static_cast<Eigen::Index>(3 * place.size()));
  for (const auto& [row, at] : place) B.segment<3>(at) = row->B;
  return B;
}

}  // namespace locdyn::test
