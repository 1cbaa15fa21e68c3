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
    if (!bodies.contains(id)) {
      throw std::invalid_argument("body: expected an id below " + std::to_string(bodies.id_bound()) + ", found " +
                                  missing_body(bodies, id));
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
  if (!name.empty() && place_of(name) != id_bound()) {
    throw std::invalid_argument("force: expected a new name, found \"" + name + "\" again");
  }
  try {
    check_bodies(*force, bodies);
    force->attach(bodies);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(label(id_bound(), name, *force) + error.what());
  }
  depends_on_velocity_ = depends_on_velocity_ || force->depends_on_velocity();
  forces_.push_back(std::move(force));
  names_.push_back(std::move(name));
  ++count_;
  return ForceId{id_bound() - 1};
}

void ForceSet::remove(ForceId id) {
  require(id);
  forces_[id].reset();
  --count_;
  depends_on_velocity_ = false;
  for (const ForceId left : ids()) depends_on_velocity_ = depends_on_velocity_ || forces_[left]->depends_on_velocity();
}

void ForceSet::require(ForceId id) const {
  if (contains(id)) return;
  if (id >= id_bound()) {
    throw std::out_of_range("force: expected an id below " + std::to_string(id_bound()) + ", found " +
                            std::to_string(id));
  }
  throw std::out_of_range("force " + (names_[id].empty() ? std::to_string(id) : '"' + names_[id] + '"') +
                          ": was removed");
}

// Of the force that is there and has the name; the bound where none has.
std::size_t ForceSet::place_of(std::string_view name) const {
  std::size_t at = 0;
  while (at < forces_.size() && (forces_[at] == nullptr || names_[at] != name)) ++at;
  return at;
}

Force& ForceSet::operator[](ForceId id) {
  require(id);
  return *forces_[id];
}

const Force& ForceSet::operator[](ForceId id) const {
  require(id);
  return *forces_[id];
}

ForceId ForceSet::find(std::string_view name) const {
  const std::size_t at = place_of(name);
  if (name.empty() || at == forces_.size()) {
    throw std::invalid_argument("force: expected the name of one, found \"" + std::string(name) + '"');
  }
  return ForceId{at};
}

// Does something with each force; an error gets its name.
template <class Act>
void ForceSet::for_each(const Act& act) const {
  for (const ForceId id : ids()) {
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
  for (const ForceId id : ids()) {
    const std::span<const double> memory = forces_[id]->memory();
    all.insert(all.end(), memory.begin(), memory.end());
  }
  return all;
}

void ForceSet::set_memory(std::span<const double> memory) {
  if (memory.size() != memory_size()) {
    throw std::invalid_argument("forces: memory: expected " + std::to_string(memory_size()) + " numbers, found " +
                                std::to_string(memory.size()));
  }
  for (const ForceId id : ids()) {
    const std::size_t count = forces_[id]->memory().size();
    forces_[id]->set_memory(memory.first(count));
    memory = memory.subspan(count);
  }
}

std::size_t ForceSet::memory_size() const noexcept {
  std::size_t size = 0;
  for (const ForceId id : ids()) size += forces_[id]->memory().size();
  return size;
}

}  // namespace locdyn
