#include <locdyn/distributed/part_graph.hpp>

#include <Eigen/Cholesky>
#include <algorithm>
#include <stdexcept>
#include <string>

namespace locdyn::distributed {

PartGraph::PartGraph(std::span<const PartConstraint> constraints, std::span<const GlobalId> bodies,
                     std::span<const Eigen::MatrixXd> inertias, double h, Responses responses) {
  for (const Eigen::MatrixXd& A : inertias) {
    first_inertia_.push_back(inertia_.size());
    inertia_.insert(inertia_.end(), A.data(), A.data() + A.size());
  }
  first_inertia_.push_back(inertia_.size());

  ldy_->make_blocks_on_demand();
  first_.push_back(0);
  for (const PartConstraint& constraint : constraints) {
    (void)ldy_->insert(constraint.law);
    add_couplings(constraint, bodies);
  }
  for (ConstraintId id{0}; id < ldy_->id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy_->law(id)); ++k) {
      const PartConstraint::Block& block = constraints[id].blocks[static_cast<std::size_t>(k)];
      DiagonalBlock& row = ldy_->row(id, k);
      row.W = block.W;
      row.B = block.B;
      row.R = block.R;
    }
  }
  if (responses == Responses::all) add_responses(inertias, h);
  ldy_->set_factor({.first = first_,
                    .coupling = coupling_,
                    .H = H_,
                    .Y = Y_,
                    .inertia = inertia_,
                    .first_inertia = first_inertia_,
                    .level = {},
                    .h = h,
                    .part = nullptr});
}

void PartGraph::add_couplings(const PartConstraint& constraint, std::span<const GlobalId> bodies) {
  const double* H = constraint.H.data();
  for (int k = 0; k < block_count(constraint.law); ++k) {
    for (std::size_t b = 0; b < constraint.bodies.size(); ++b) {
      const auto group = static_cast<std::uint32_t>(
          std::lower_bound(bodies.begin(), bodies.end(), constraint.bodies[b]) - bodies.begin());
      const std::uint32_t n = constraint.freedoms[b];
      if (first_inertia_[group + 1] - first_inertia_[group] != std::uint64_t{n} * n) {
        throw std::invalid_argument("distributed problem: constraint " + std::to_string(constraint.id) +
                                    ": expected the freedoms of body " + std::to_string(constraint.bodies[b]) +
                                    ", found " + std::to_string(n));
      }
      coupling_.push_back({group, n, H_.size() / 4});
      for (std::uint32_t column = 0; column < n; ++column, H += 3) H_.insert(H_.end(), {H[0], H[1], H[2], 0.0});
    }
    first_.push_back(static_cast<std::uint32_t>(coupling_.size()));
  }
}

void PartGraph::add_responses(std::span<const Eigen::MatrixXd> inertias, double h) {
  std::vector<Eigen::LLT<Eigen::MatrixXd>> roots;
  for (const Eigen::MatrixXd& A : inertias) roots.emplace_back(A);
  Y_.resize(H_.size() / 4 * 3);
  for (const Coupling& c : coupling_) {
    const ConstFactorMap H(H_.data() + 4 * c.place, 3, static_cast<Eigen::Index>(c.freedoms));
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 3>>(Y_.data() + 3 * c.place, c.freedoms, 3) =
        h * roots[c.body].solve(H.transpose().eval());
  }
}

}  // namespace locdyn::distributed
