// Joints and other constraints for life over ranks. Every rank is told where the bodies of joints lie at q* and how
// they move, so that all find the same H, laws and what joints remember (angles over many turns). To the graph a joint
// comes from one rank, the owner of its moving body of lowest id, as a contact does; its R is told to all, which begin
// the next step with it. What has come apart in the step all ranks close by the same solve (`JointClosing`).

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/distributed/stepper_parts.hpp>
#include <locdyn/simulation/stepping/stepper_state.hpp>

namespace locdyn::distributed {
namespace {

struct JointSolution {
  std::uint64_t number = 0;
  DistributedGraph::Solution rows;
};

}  // namespace

// Laws that sweeps over ranks know, and joints that last.
void DistributedStepper::check_joints() const {
  const auto refuse = [](const std::string& what, const std::string& name) {
    throw std::invalid_argument(
        "distributed steps: expected joints that last, with laws that a solve over ranks knows, found " + what +
        (name.empty() ? "" : " '" + name + "'"));
  };
  for (std::size_t j = 0; j < system_.constraints().size(); ++j) {
    const ConstraintId id = system_.constraints()[j];
    const Law& law = system_.graph().law(id);
    // In ADMM a rank would find it alone, and the others would wait.
    const bool known = options_.admm ? is_coulomb(law) || is_bilateral(law) : !is_contact(law) || is_coulomb(law);
    if (known) continue;
    refuse("a " + std::string(system_.assembly().constraint(id).kind()) + " with a law of " + law_name(law) +
               (options_.admm ? ", which ADMM does not know" : ""),
           system_.constraint_name(j));
  }
  for (const BreakableJoint& joint : system_.breakables()) {
    if (!joint.broken) refuse("a joint that may break", joint.name);
  }
}

// The moving body of lowest id of each.
void DistributedStepper::find_joint_homes() {
  joint_homes_.clear();
  for (const ConstraintId id : system_.constraints()) {
    BodyId home{kNone};
    for (const BodyId body : system_.assembly().constraint(id).bodies()) {
      if (system_.bodies()[body].freedoms() > 0) home = std::min(home, body);
    }
    joint_homes_.push_back(home);
  }
}

// The joints of which this rank owns the home, by their place among the constraints for life.
std::vector<std::size_t> DistributedStepper::own_joints() const {
  std::vector<std::size_t> own;
  for (std::size_t j = 0; j < joint_homes_.size(); ++j) {
    if (owner_[joint_homes_[j]] == rank_of(comm_)) own.push_back(j);
  }
  return own;
}

void DistributedStepper::share_joint_reactions() {
  if (joint_homes_.empty()) return;
  Writer own;
  for (const std::size_t j : own_joints()) {
    JointSolution solution{j, {}};
    const ConstraintId id = system_.constraints()[j];
    for (int k = 0; k < block_count(system_.graph().law(id)); ++k) {
      solution.rows.R[static_cast<std::size_t>(k)] = system_.graph().row(id, k).R;
      solution.rows.U[static_cast<std::size_t>(k)] = system_.graph().row(id, k).U;
    }
    own.put(solution);
  }
  for (const Bytes& bytes : share_with_all(comm_, own.bytes())) {
    for (Reader reader(bytes); !reader.done();) {
      const auto solution = reader.get<JointSolution>();
      const ConstraintId id = system_.constraints()[solution.number];
      for (int k = 0; k < block_count(system_.graph().law(id)); ++k) {
        DiagonalBlock& row = system_.graph().row(id, k);
        row.R = solution.rows.R[static_cast<std::size_t>(k)];
        row.U = solution.rows.U[static_cast<std::size_t>(k)];
      }
    }
  }
}

// At q⁺. The closing is one solve for all joints, the same on all ranks.
void DistributedStepper::close_joints(DistributedStepReport& report) {
  if (joint_homes_.empty() || options_.stepping.correction != Correction::projection) return;
  share_linked_bodies();
  agree_on(comm_, [&] { report.joint_error = closing_.close(system_).error; });
}

void DistributedStepper::restore_joints(std::span<const double> saved) {
  const std::size_t numbers = detail::save_reactions(system_).size();
  if (saved.size() != numbers) {
    throw std::invalid_argument("state: reactions: expected " + std::to_string(numbers) + " numbers, found " +
                                std::to_string(saved.size()));
  }
  detail::restore_reactions(saved, system_);
}

}  // namespace locdyn::distributed
