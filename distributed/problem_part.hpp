#pragma once
// One rank's part of a problem in the form of velocities: bodies with A, constraints with H, W_αα, B and a law, all
// named by ids of 64 bits that are the same on every rank. Who holds which part at first does not matter: the graph is
// cut anew from all of them (distributed_graph.hpp).

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <locdyn/bodies/body.hpp>
#include <locdyn/distributed/exchange.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::distributed {

using GlobalId = std::uint64_t;

/// A body that moves, given by exactly one rank.
struct PartBody {
  GlobalId id = 0;
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< somewhere in it [m], for the partition alone
  Eigen::MatrixXd A;                                ///< inertia (n×n), positive definite
  /// What its velocities are while all bodies move as one (n×6): three rotations about the origin, three translations
  /// (`rigid_motions`). May be empty: second-order solves then know less of the problem.
  Eigen::MatrixXd motions = {};
};

/// A constraint, given by exactly one rank.
struct PartConstraint {
  struct Block {
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();  ///< W_αα [m/(N s)]
    Eigen::Vector3d B = Eigen::Vector3d::Zero();  ///< local free velocity [m/s]
    Eigen::Vector3d R = Eigen::Vector3d::Zero();  ///< warm start [N]
  };
  GlobalId id = 0;
  Law law;
  std::array<Block, kMaxLawBlocks> blocks;  ///< as many in use as the law has
  std::vector<GlobalId> bodies;             ///< those that move, each once; at least one
  std::vector<std::uint32_t> freedoms;      ///< n of each
  std::vector<double> H;                    ///< of one block after the other, in it of one body after the other: 3×n
};

struct ProblemPart {
  std::vector<PartBody> bodies;
  std::vector<PartConstraint> constraints;
  double h = 1;  ///< step [s]: W = h H A⁻¹ Hᵀ
};

/// The share of rank `rank` of `ranks` of a whole graph that knows its factors: constraints by id in equal runs, bodies
/// by their groups, which are their ids. body (of a group): for the partition and for rigid motions. Throws
/// std::invalid_argument where the graph does not know its factor. Cost: one pass over the rows.
[[nodiscard]] ProblemPart part_of_graph(const LocalDynamics& ldy, const std::function<const Body&(std::uint32_t)>& body,
                                        int rank, int ranks);

/// The velocities u (n×6) of a body that moves as part of one rigid whole: with unit velocity around x, y, z through
/// the origin, then along them. Where its kind cannot follow (a particle does not turn, a planar body stays in its
/// plane), those that come nearest at six points around it. Cost: a least-squares fit of 18 equations.
[[nodiscard]] Eigen::MatrixXd rigid_motions(const Body& body);

/// A constraint of a graph with these factors, its bodies named by their groups. Cost: one pass over its couplings.
[[nodiscard]] PartConstraint part_constraint(const LocalDynamics& ldy, const DelassusFactor& factor, ConstraintId id);

/// Puts a constraint into a message, and takes it out.
void put(Writer& to, const PartConstraint& constraint);
[[nodiscard]] PartConstraint get_constraint(Reader& from);

/// The bodies that these constraints act on, ascending.
[[nodiscard]] std::vector<GlobalId> bodies_of(std::span<const PartConstraint> constraints);

}  // namespace locdyn::distributed
