#include <locdyn/simulation/unique_forces.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <locdyn/solver/free_reactions.hpp>

namespace locdyn {
namespace {

// δ of one sample in a contact; as reactions in the contact's own frame.
ActiveContact changed(ActiveContact contact, const LocalDynamics& ldy, const FreeReaction& sample) {
  contact.reaction.setZero();
  contact.moment.setZero();
  if (contact.constraint == kNone) return contact;
  const Law& law = ldy.law(contact.constraint);
  const auto delta = [&](int block) {
    return sample[static_cast<std::size_t>(&ldy.row(contact.constraint, block) - ldy.diagonal_arena().data())];
  };
  contact.reaction = delta(0);
  if (block_count(law) > 1) contact.moment = friction_discs(law).length * delta(1);
  return contact;
}

// A sum of contacts: which of them, and is what they give together 0 in every sample?
class Sum {
 public:
  explicit Sum(const std::vector<ActiveContact>& contacts) : contacts_(contacts) {}

  // sign: of what acts on the second side.
  void add(std::size_t contact, bool asleep, double sign) {
    members_.emplace_back(contact, sign);
    asleep_ = asleep_ || asleep;
  }

  [[nodiscard]] Uniqueness judge(const std::vector<std::vector<ActiveContact>>& samples) const {
    if (asleep_) return {.known = false, .normal = false, .friction = false, .force = false, .moment = false};
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (const auto& [k, sign] : members_) middle += contacts_[k].point.point / static_cast<double>(members_.size());
    Uniqueness all;
    for (const std::vector<ActiveContact>& sample : samples) {
      Eigen::Vector3d force = Eigen::Vector3d::Zero(), normal = force, moment = force;
      double size = 1, lever = 0;  // δ is of size 1 where all is free
      for (const auto& [k, sign] : members_) {
        const ActiveContact& contact = sample[k];
        const Eigen::Matrix3d& frame = contact.point.frame;
        const Eigen::Vector3d arm = contact.point.point - middle, pull = sign * (frame * contact.reaction);
        const Eigen::Vector3d turn = sign * (frame * contact.moment);
        force += pull;
        normal += sign * contact.reaction[2] * frame.col(2);
        moment += turn;
        moment[0] += arm[1] * pull[2] - arm[2] * pull[1];
        moment[1] += arm[2] * pull[0] - arm[0] * pull[2];
        moment[2] += arm[0] * pull[1] - arm[1] * pull[0];
        size += pull.norm();
        lever += arm.norm() * pull.norm() + turn.norm();
      }
      const double zero = kUniqueReaction * size;
      all.normal = all.normal && normal.norm() <= zero;
      all.friction = all.friction && (force - normal).norm() <= zero;
      all.force = all.force && force.norm() <= zero;
      all.moment = all.moment && force.norm() <= zero && moment.norm() <= kUniqueReaction * std::max(lever, 1e-3);
    }
    return all;
  }

 private:
  const std::vector<ActiveContact>& contacts_;
  std::vector<std::pair<std::size_t, double>> members_;
  bool asleep_ = false;
};

}  // namespace

UniqueForces::UniqueForces(const TimeStepper& stepper) : contacts_(stepper.contacts()) {
  const LocalDynamics& ldy = stepper.system().graph();
  for (const ActiveContact& contact : contacts_) {
    asleep_.push_back(stepper.sleeps(contact.point.master) || stepper.sleeps(contact.point.slave));
  }
  for (const FreeReaction& sample : free_reactions(ldy)) {
    std::vector<ActiveContact>& of_sample = samples_.emplace_back();
    for (const ActiveContact& contact : contacts_) of_sample.push_back(changed(contact, ldy, sample));
  }
}

std::vector<Uniqueness> UniqueForces::of_contacts() const {
  std::vector<Uniqueness> all;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Sum one(contacts_);
    one.add(k, asleep_[k], 1);
    all.push_back(one.judge(samples_));
  }
  return all;
}

Uniqueness UniqueForces::between(const ColliderGroup& first, const ColliderGroup& second) const {
  Sum sum(contacts_);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const ActiveContact& contact = contacts_[k];
    const bool onto_slave = first.contains(contact.master) && second.contains(contact.slave);
    const bool onto_master = first.contains(contact.slave) && second.contains(contact.master);
    if (onto_slave != onto_master) sum.add(k, asleep_[k], onto_slave ? 1 : -1);
  }
  return sum.judge(samples_);
}

std::vector<Uniqueness> UniqueForces::by_body() const {
  std::map<std::pair<BodyId, BodyId>, Sum> pairs;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const BodyId master = contacts_[k].point.master, slave = contacts_[k].point.slave;
    const auto ids = std::minmax(master, slave);
    pairs.try_emplace({ids.first, ids.second}, contacts_)
        .first->second.add(k, asleep_[k], slave == ids.second ? 1 : -1);
  }
  std::vector<Uniqueness> all;
  for (const auto& [ids, sum] : pairs) all.push_back(sum.judge(samples_));
  return all;
}

}  // namespace locdyn
