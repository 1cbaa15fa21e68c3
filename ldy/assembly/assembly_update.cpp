// The numeric half of the assembly. Each row writes its own blocks alone, from kinematics that every row has finished
// before: no locks, and no sum whose order depends on the number of threads.

#include <array>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/block_product.hpp>

namespace locdyn {
namespace {

void check(double h, const AssemblyOptions& options) {
  require_positive(h, "step h");
  if (options.threads < 1) {
    throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(options.threads));
  }
  if (!(options.pack_share >= 0 && options.pack_share <= 1)) {
    throw std::invalid_argument("pack_share: expected 0 … 1, found " + spelled(options.pack_share));
  }
}

// Runs `work(i)` for i in 0 … n in parallel. A fault is handed on to the caller: of several, that of the least i.
template <class Work>
void for_each_row(std::int64_t n, int threads, const Work& work) {
  std::int64_t worst = n;
  std::exception_ptr fault;
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads) if (threads > 1)
  for (std::int64_t i = 0; i < n; ++i) {
    try {
      work(i);
    } catch (...) {
#pragma omp critical(locdyn_assembly_fault)
      if (i < worst) {
        worst = i;
        fault = std::current_exception();
      }
    }
  }
  if (fault) std::rethrow_exception(fault);
}

// Y = h A⁻¹ Hᵀ (n×3).
void evaluate_response(const Body& body, double h, ConstJacobianMap H, double* response) {
  Eigen::Map<Eigen::MatrixXd> Y(response, H.cols(), 3);
  Y = H.transpose();
  body.apply_inverse_inertia(Y);
  Y *= h;
}

}  // namespace

void Assembly::update(double h, const AssemblyOptions& options) {
  check(h, options);
  if (ldy_.scattered() > options.pack_share) ldy_.pack(options.order);
  if (!laid_out_ || !kinematics_.fits(ldy_) || kinematics_.body_count() != bodies_.size()) {
    kinematics_.lay_out(ldy_, bodies_, [this](ConstraintId id) { return constraints_[id]->bodies(); });
    laid_out_ = true;
  }
  step_ = h;

  // H, Y, V, B and the law of each constraint.
  const auto diagonal = ldy_.diagonal_arena();
  const auto rows = static_cast<std::int64_t>(diagonal.size());
  for_each_row(rows, options.threads, [&](std::int64_t row) {
    const ConstraintId id = diagonal[row].constraint;
    if (id != kNone && &ldy_.row(id) == &diagonal[row]) evaluate_constraint(static_cast<Index>(row), h);
  });

  // W, row by row.
  const Kinematics& kinematics = kinematics_;
  for_each_row(rows, options.threads, [&](std::int64_t at) {
    DiagonalBlock& row = diagonal[at];
    if (row.constraint == kNone) return;
    assemble_row(ldy_, kinematics, static_cast<Index>(at));
    if (!std::isfinite(row.W.sum() + row.B.sum())) {
      throw std::invalid_argument("constraint " + std::to_string(row.constraint) + " (" +
                                  std::string(constraints_[row.constraint]->kind()) +
                                  "): expected finite W and B, found trace W = " + spelled(row.W.trace()) +
                                  ", |B| = " + spelled(row.B.norm()));
    }
  });
}

void Assembly::evaluate_constraint(Index first, double h) {
  const auto diagonal = ldy_.diagonal_arena();
  const ConstraintId id = diagonal[first].constraint;
  Constraint& constraint = *constraints_[id];
  const auto count = static_cast<Index>(block_count(ldy_.law(id)));

  for (Index row = first; row < first + count; ++row) {
    kinematics_.drive(row).setZero();
    for (const Coupling& c : kinematics_.couplings(row)) kinematics_.H(c).setZero();
  }
  try {
    ConstraintKinematics view(kinematics_, first);
    constraint.evaluate(bodies_, view);
  } catch (const std::invalid_argument& fault) {
    throw std::invalid_argument("constraint " + std::to_string(id) + " (" + std::string(constraint.kind()) +
                                "): " + fault.what());
  }

  std::array<Eigen::Vector3d, kMaxLawBlocks> V;
  for (Index k = 0; k < count; ++k) {
    const Index row = first + k;
    const RowMask used = rows(ldy_.law(id), static_cast<int>(k));
    Eigen::Vector3d B = kinematics_.drive(row);
    V[k] = B;
    for (const Coupling& c : kinematics_.couplings(row)) {
      const Body& body = bodies_[c.body];
      JacobianMap H = kinematics_.H(c);
      for (int i = 0; i < 3; ++i) {
        if (!uses(used, i)) H.row(i).setZero();
      }
      V[k].noalias() += H * body.velocity();
      B.noalias() += H * body.free_velocity();
      evaluate_response(body, h, std::as_const(kinematics_).H(c), kinematics_.response(c));
    }
    for (int i = 0; i < 3; ++i) {
      if (!uses(used, i)) V[k][i] = B[i] = 0;
    }
    diagonal[row].B = B;
    kinematics_.velocity_before(row) = V[k];
  }
  ldy_.set_law(id, constraint.law(h, {V.data(), count}));
}

void Assembly::apply_reactions(int threads) {
  if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
  const Kinematics& kinematics = this->kinematics();
  const auto diagonal = ldy_.diagonal_arena();
  for_each_row(static_cast<std::int64_t>(bodies_.size()), threads, [&](std::int64_t at) {
    const auto id = static_cast<BodyId>(at);
    Body& body = bodies_[id];
    if (body.freedoms() == 0) return;
    Eigen::VectorXd impulse = Eigen::VectorXd::Zero(body.freedoms());
    for (const Kinematics::Hold& hold : kinematics.holds(id)) {
      impulse.noalias() += kinematics.H(kinematics.coupling(hold)).transpose() * diagonal[hold.row].R;
    }
    body.receive_impulse(step_ * impulse);
  });
}

Eigen::Vector3d Assembly::velocity_before(ConstraintId id, int k) const {
  const Kinematics& current = kinematics();
  return current.velocity_before(static_cast<Index>(&ldy_.row(id, k) - ldy_.diagonal_arena().data()));
}

const Kinematics& Assembly::kinematics() const {
  if (!laid_out_ || !kinematics_.fits(ldy_) || kinematics_.body_count() != bodies_.size()) {
    throw std::logic_error("assembly: the graph or the bodies have changed since the last update");
  }
  return kinematics_;
}

}  // namespace locdyn
