#include <locdyn/forces/force_set.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace locdyn {
namespace {

std::string label(std::size_t id, const std::string& name, const Force& force) {
  return "force " + (name.empty() ? std::to_string(id) : '"' + name + '"') + " (" + std::string(force.kind()) + "): ";
}

void check_bodies(const Force& force, const BodySet& bodies) {
  bool moves = force.bodies().empty();
  for (const BodyId id : force.bodies()) {
    if (id >= bodies.size()) {
      throw std::invalid_argument("body: expected an id below " + std::to_string(bodies.size()) + ", found " +
                                  std::to_string(id));
    }
    if (bodies[id].freedoms() > 0 && !(bodies[id].mass() > 0)) {
      throw std::invalid_argument("body: expected one with mass, found body " + std::to_string(id) + " without");
    }
    moves = moves || bodies[id].freedoms() > 0;
  }
  if (!moves) throw std::invalid_argument("bodies: expected one that moves, found obstacles alone");
}

}  // namespace

ForceId ForceSet::add(std::unique_ptr<Force> force, const BodySet& bodies, std::string name) {
  if (!force) throw std::invalid_argument("force: expected a force, found a null pointer");
  if (!name.empty() && std::find(names_.begin(), names_.end(), name) != names_.end()) {
    throw std::invalid_argument("force: expected a new name, found \"" + name + "\" again");
  }
  try {
    check_bodies(*force, bodies);
    force->attach(bodies);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(label(size(), name, *force) + error.what());
  }
  depends_on_velocity_ = depends_on_velocity_ || force->depends_on_velocity();
  forces_.push_back(std::move(force));
  names_.push_back(std::move(name));
  return ForceId{size() - 1};
}

ForceId ForceSet::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (name.empty() || at == names_.end()) {
    throw std::invalid_argument("force: expected the name of one, found \"" + std::string(name) + '"');
  }
  return static_cast<ForceId>(at - names_.begin());
}

// Does something with each force; an error gets its name.
template <class Act>
void ForceSet::for_each(const Act& act) const {
  for (std::size_t id = 0; id < forces_.size(); ++id) {
    try {
      act(*forces_[id]);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(label(id, names_[id], *forces_[id]) + error.what());
    }
  }
}

void ForceSet::add_to(BodySet& bodies) {
  for_each([&](Force& force) { force.add_to(bodies); });
}

double ForceSet::potential_energy(const BodySet& bodies) const {
  double energy = 0;
  for_each([&](const Force& force) { energy += force.potential_energy(bodies); });
  return energy;
}

double ForceSet::dissipated_power(const BodySet& bodies) const {
  double power = 0;
  for_each([&](const Force& force) { power += force.dissipated_power(bodies); });
  return power;
}

std::vector<double> ForceSet::memory() const {
  std::vector<double> all;
  for (const auto& force : forces_) all.insert(all.end(), force->memory().begin(), force->memory().end());
  return all;
}

void ForceSet::set_memory(std::span<const double> memory) {
  if (memory.size() != memory_size()) {
    throw std::invalid_argument("forces: memory: expected " + std::to_string(memory_size()) + " numbers, found " +
                                std::to_string(memory.size()));
  }
  for (const auto& force : forces_) {
    const std::size_t count = force->memory().size();
    force->set_memory(memory.first(count));
    memory = memory.subspan(count);
  }
}

std::size_t ForceSet::memory_size() const noexcept {
  std::size_t size = 0;
  for (const auto& force : forces_) size += force->memory().size();
  return size;
}

}  // namespace locdyn
