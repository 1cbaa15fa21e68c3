#include <locdyn/solver/sensitivity/law_linearisation.hpp>

#include <cmath>

namespace locdyn::detail {
namespace {

using Column = LawLinearisation::Column;

// R_t + R_n d(w) = 0 with d = E² w/‖E w‖, written into the rows `at` and `at + 1` of F; w is what slides there, R_n the
// third row of the force block.
void slide(const Eigen::Vector2d& axes, const Eigen::Vector2d& w, double R_n, int at, LawLinearisation& F) {
  const Eigen::Vector2d squares = axes.cwiseProduct(axes);
  const double norm = axes.cwiseProduct(w).norm();
  F.C(at, at) = F.C(at + 1, at + 1) = 1;
  if (norm == 0) return;
  const Eigen::Vector2d d = squares.cwiseProduct(w) / norm;
  F.C.block<2, 1>(at, 2) += d;
  Eigen::Matrix2d turn = -d * d.transpose() / norm;
  turn.diagonal() += squares / norm;
  F.E.block<2, 2>(at, at) = R_n * turn;
}

// ∂(R_n d)/∂E_k.
Eigen::Vector2d slide_by_axis(const Eigen::Vector2d& axes, const Eigen::Vector2d& w, double R_n, int k) {
  const double norm = axes.cwiseProduct(w).norm();
  if (norm == 0) return Eigen::Vector2d::Zero();
  Eigen::Vector2d change = -axes.cwiseProduct(axes).cwiseProduct(w) * (axes[k] * w[k] * w[k] / (norm * norm * norm));
  change[k] += 2 * axes[k] * w[k] / norm;
  return R_n * change;
}

// d of a circle where μ = 0: its direction alone.
Eigen::Vector2d slide_by_friction(const Eigen::Vector2d& w, double R_n) {
  const double speed = w.norm();
  return speed > 0 ? Eigen::Vector2d(R_n * w / speed) : Eigen::Vector2d(Eigen::Vector2d::Zero());
}

void set_rows_unused(RowMask used, int first, LawLinearisation& F) {
  for (int i = 0; i < 3; ++i) {
    if (uses(used, i)) continue;
    F.E.row(first + i).setZero();
    F.C.row(first + i).setZero();
    F.C(first + i, first + i) = 1;
    F.by_friction[first + i] = F.by_cross_friction[first + i] = 0;
  }
}

void not_strict(const char* edge, LawLinearisation& F) {
  F.strict = false;
  if (F.edge.empty()) F.edge = edge;
}

struct Motion {
  double speed;  // of what a disc holds
  double slack;  // what its reaction lacks to the edge, as a velocity
};

enum class Disc { holds, slides, on_edge };

Disc state_of_disc(const Motion& motion, double slow) {
  if (motion.speed > slow) return Disc::slides;
  return motion.slack > slow ? Disc::holds : Disc::on_edge;
}

void linearise_force(const Friction& friction, const Eigen::Vector3d& U, const DiagonalBlock& row, RowMask used,
                     double slow, LawLinearisation& F) {
  F.E(2, 2) = 1;
  const bool planar = used == kRowsPlanar;
  const Eigen::Vector2d axes = friction.sliding;
  Eigen::Vector2d w = U.head<2>(), R_t = row.R.head<2>();
  if (planar) w[1] = R_t[1] = 0;
  const double response = planar ? row.W(0, 0) : 0.5 * (row.W(0, 0) + row.W(1, 1));
  // Where the reaction lies in the ellipse: ‖E⁻¹ R_t‖ against R_n, as a force by the smaller axis.
  const double least = planar ? axes[0] : axes.minCoeff();
  double used_up = 0;
  for (int i = 0; i < 2; ++i) used_up += axes[i] > 0 ? (R_t[i] / axes[i]) * (R_t[i] / axes[i]) : 0;
  const double slack = least * (row.R[2] - std::sqrt(used_up)) * response;
  Disc disc = axes.maxCoeff() == 0 ? Disc::slides : state_of_disc({w.norm(), slack}, slow);
  if (disc == Disc::on_edge) {
    not_strict("on the cone's edge without slip", F);
    disc = Disc::holds;
  }
  if (disc == Disc::holds) {
    F.state = StrictState::stick;
    F.E.topLeftCorner<2, 2>().setIdentity();
    return;
  }
  F.state = StrictState::slip;
  slide(axes, w, row.R[2], 0, F);
  if (axes[0] == axes[1]) {
    F.by_friction.head<2>() = slide_by_friction(w, row.R[2]);
  } else {
    F.by_friction.head<2>() = slide_by_axis(axes, w, row.R[2], 0);
    F.by_cross_friction.head<2>() = slide_by_axis(axes, w, row.R[2], 1);
  }
}

// The second block: rolling along t1 and t2, torsion along n, under the R_n of the first.
void linearise_moment(const Friction& friction, const DiagonalBlock& force, const DiagonalBlock& moment, RowMask used,
                      double slow, LawLinearisation& F) {
  const double R_n = force.R[2], rolling = friction.rolling / friction.length;
  Eigen::Vector2d w = moment.U.head<2>(), M = moment.R.head<2>();
  double response = 0.5 * (moment.W(0, 0) + moment.W(1, 1));
  if (!uses(used, 0)) {
    w[0] = M[0] = 0;
    response = moment.W(1, 1);
  }
  Disc disc = rolling == 0 ? Disc::slides : state_of_disc({w.norm(), (rolling * R_n - M.norm()) * response}, slow);
  if (disc == Disc::on_edge) not_strict("on the edge of rolling friction without rolling", F);
  if (disc == Disc::slides) {
    slide({rolling, rolling}, w, R_n, 3, F);
    F.by_rolling.segment<2>(3) = slide_by_friction(w, R_n) / friction.length;
  } else {
    F.E.block<2, 2>(3, 3).setIdentity();
  }
  if (!uses(used, 2)) return;
  const double torsional = friction.torsional / friction.length, spin = moment.U[2];
  disc = torsional == 0
             ? Disc::slides
             : state_of_disc({std::abs(spin), (torsional * R_n - std::abs(moment.R[2])) * moment.W(2, 2)}, slow);
  if (disc == Disc::on_edge) not_strict("on the edge of torsional friction without spin", F);
  if (disc == Disc::slides) {
    const double sign = spin > 0 ? 1 : spin < 0 ? -1 : 0;
    F.C(5, 5) = 1;
    F.C(5, 2) = torsional * sign;
    F.by_torsional[5] = R_n * sign / friction.length;
  } else {
    F.E(5, 5) = 1;
  }
}

}  // namespace

LawLinearisation linearise_law(const LocalDynamics& ldy, ConstraintId id, double slow) {
  const Law& law = ldy.law(id);
  const int blocks = block_count(law);
  LawLinearisation F;
  F.size = 3 * blocks;
  const Eigen::Vector3d give = compliance(law, 0);
  if (!is_contact(law)) {
    for (int k = 0; k < blocks; ++k) {
      const Eigen::Vector3d C = compliance(law, k);
      for (int i = 0; i < 3; ++i) {
        F.E(3 * k + i, 3 * k + i) = 1;
        F.C(3 * k + i, 3 * k + i) = C[i];
      }
      set_rows_unused(rows(law, k), 3 * k, F);
    }
    return F;
  }
  const DiagonalBlock& force = ldy.row(id);
  const Eigen::Vector3d U = force.U + offset(law, 0) + give.cwiseProduct(force.R);
  const double push = force.R[2] * (force.W(2, 2) + give[2]);  // as a velocity
  if (push <= slow && U[2] <= slow) not_strict("neither presses nor opens", F);
  if (push <= U[2]) {
    F.state = StrictState::open;
    F.C.topLeftCorner(F.size, F.size).setIdentity();
    return F;
  }
  const Friction friction = friction_discs(law);
  linearise_force(friction, U, force, rows(law, 0), slow, F);
  if (blocks == 2) linearise_moment(friction, force, ldy.row(id, 1), rows(law, 1), slow, F);
  for (int i = 0; i < 3; ++i) F.C.col(i) += F.E.col(i) * give[i];
  for (int k = 0; k < blocks; ++k) set_rows_unused(rows(law, k), 3 * k, F);
  return F;
}

}  // namespace locdyn::detail
