#include <locdyn/distributed/problem_part.hpp>

#include <Eigen/QR>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace locdyn::distributed {
namespace {

// Laws hold numbers alone, no pointers: they are sent as they lie in memory. All ranks run one build
// (`agree_on_build`).
void put_law(Writer& to, const Law& law) {
  to.put(static_cast<std::uint8_t>(law.index()));
  std::visit([&](const auto& one) { to.put(one); }, law);
}

template <std::size_t index = 0>
Law get_law(Reader& from, std::size_t wanted) {
  if constexpr (index < std::variant_size_v<Law>) {
    if (wanted != index) return get_law<index + 1>(from, wanted);
    return from.get<std::variant_alternative_t<index, Law>>();
  } else {
    throw std::invalid_argument("message: expected the number of a law below " +
                                std::to_string(std::variant_size_v<Law>) + ", found " + std::to_string(wanted));
  }
}

}  // namespace

PartConstraint part_constraint(const LocalDynamics& ldy, const DelassusFactor& factor, ConstraintId id) {
  PartConstraint constraint;
  constraint.id = id.value();
  constraint.law = ldy.law(id);
  const auto first = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
  for (const Coupling& c : factor.couplings(first)) {
    constraint.bodies.push_back(c.body);
    constraint.freedoms.push_back(c.freedoms);
  }
  for (int k = 0; k < block_count(constraint.law); ++k) {
    const DiagonalBlock& row = ldy.row(id, k);
    constraint.blocks[static_cast<std::size_t>(k)] = {row.W, row.B, row.R};
    for (const Coupling& c : factor.couplings(first + static_cast<Index>(k))) {
      const Eigen::MatrixXd H = factor.jacobian(c);
      constraint.H.insert(constraint.H.end(), H.data(), H.data() + H.size());
    }
  }
  return constraint;
}

Eigen::MatrixXd rigid_motions(const Body& body) {
  const Eigen::Vector3d centre = body.to_space(Eigen::Vector3d::Zero());
  const Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  const int n = body.freedoms();
  Eigen::MatrixXd H(18, n), wanted = Eigen::MatrixXd::Zero(18, 6);
  for (int k = 0; k < 6; ++k) {
    // Both ways along each axis, so that what a body cannot follow cancels.
    const Eigen::Vector3d x = centre + (k < 3 ? 1 : -1) * axes.col(k % 3);
    PointJacobian J(3, n);
    body.point_jacobian(x, axes, J);
    H.middleRows<3>(3 * k) = J;
    for (int axis = 0; axis < 3; ++axis) wanted.block<3, 1>(3 * k, axis) = axes.col(axis).cross(x);
    wanted.block<3, 3>(3 * k, 3) = axes;
  }
  return H.completeOrthogonalDecomposition().solve(wanted);
}

ProblemPart part_of_graph(const LocalDynamics& ldy, const std::function<const Body&(std::uint32_t)>& body, int rank,
                          int ranks) {
  const DelassusFactor* factor = ldy.factor();
  if (factor == nullptr) {
    throw std::invalid_argument(
        "distributed problem: expected a graph that comes from bodies, with H and A, found one of blocks of W alone");
  }
  const auto share = [&](std::uint64_t count, int r) {
    return count * static_cast<std::uint64_t>(r) / static_cast<std::uint64_t>(ranks);
  };
  ProblemPart part;
  part.h = factor->h;

  std::vector<ConstraintId> ids;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (ldy.contains(id)) ids.push_back(id);
  }
  for (std::uint64_t i = share(ids.size(), rank); i < share(ids.size(), rank + 1); ++i) {
    part.constraints.push_back(part_constraint(ldy, *factor, ids[i]));
  }

  const std::uint64_t from = share(factor->group_count(), rank), to = share(factor->group_count(), rank + 1);
  std::vector<char> met(factor->group_count(), 0);
  for (const Coupling& c : factor->coupling) {
    if (c.body < from || c.body >= to || met[c.body] != 0) continue;
    met[c.body] = 1;
    const Body& one = body(c.body);
    part.bodies.push_back({c.body, one.to_space(Eigen::Vector3d::Zero()), factor->inertia_of(c), rigid_motions(one)});
  }
  return part;
}

void put(Writer& to, const PartConstraint& constraint) {
  to.put(constraint.id);
  put_law(to, constraint.law);
  to.put_all(std::span(constraint.blocks).first(static_cast<std::size_t>(block_count(constraint.law))));
  to.put(static_cast<std::uint32_t>(constraint.bodies.size()));
  to.put_all(std::span(constraint.bodies));
  to.put_all(std::span(constraint.freedoms));
  to.put(static_cast<std::uint32_t>(constraint.H.size()));
  to.put_all(std::span(constraint.H));
}

PartConstraint get_constraint(Reader& from) {
  PartConstraint constraint;
  constraint.id = from.get<GlobalId>();
  const auto law = from.get<std::uint8_t>();
  constraint.law = get_law(from, law);
  from.get_all(std::span(constraint.blocks).first(static_cast<std::size_t>(block_count(constraint.law))));
  constraint.bodies.resize(from.get<std::uint32_t>());
  constraint.freedoms.resize(constraint.bodies.size());
  from.get_all(std::span(constraint.bodies));
  from.get_all(std::span(constraint.freedoms));
  constraint.H.resize(from.get<std::uint32_t>());
  from.get_all(std::span(constraint.H));
  return constraint;
}

std::vector<GlobalId> bodies_of(std::span<const PartConstraint> constraints) {
  std::vector<GlobalId> bodies;
  for (const PartConstraint& constraint : constraints) {
    bodies.insert(bodies.end(), constraint.bodies.begin(), constraint.bodies.end());
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

}  // namespace locdyn::distributed
