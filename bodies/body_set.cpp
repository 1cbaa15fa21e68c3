#include <locdyn/bodies/body_set.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr std::int64_t kRun = 64;  // of bodies that a thread takes at a time

std::string named(BodyId id, const std::exception& error) {
  return "body " + std::to_string(id) + ": " + error.what();
}

// What is the same for all bodies is checked once, in the name of the first.
void check_step(BodyId first, double h, const Eigen::Vector3d& gravity) {
  try {
    require_positive(h, "step");
    require_finite(gravity, "gravity");
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(named(first, error));
  }
}

// Calls work(run) for runs of kRun bodies.
template <class Work>
void in_runs(std::span<const BodyId> ids, int threads, const Work& work) {
  const std::int64_t count = std::ssize(ids);
  in_parallel((count + kRun - 1) / kRun, threads, 1,
              [&](std::int64_t run) { work(ids.subspan(run * kRun, std::min(kRun, count - run * kRun))); });
}

}  // namespace

BodyId BodySet::add(std::unique_ptr<Body> body) {
  if (!body) throw std::invalid_argument("body: expected a body, found a null pointer");
  bodies_.push_back(std::move(body));
  ++count_;
  return static_cast<BodyId>(bodies_.size() - 1);
}

void BodySet::remove(BodyId id) {
  require(id);
  bodies_[id].reset();
  --count_;
}

void BodySet::not_there(BodyId id) const {
  if (id < bodies_.size()) throw std::out_of_range("body " + std::to_string(id) + ": was removed");
  throw std::out_of_range("body id: expected less than " + std::to_string(bodies_.size()) + ", found " +
                          std::to_string(id));
}

void BodySet::advance(double dt) {
  for (const BodyId id : ids()) bodies_[id]->advance(dt);
}

// Of what `check_step` has let pass.
void BodySet::predict_one(BodyId id, double h, const Eigen::Vector3d& gravity, Scheme scheme) {
  try {
    (*this)[id].evaluate_free_velocity(h, gravity, scheme);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(named(id, error));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(named(id, error));
  }
}

void BodySet::predict(double h, const Eigen::Vector3d& gravity, Scheme scheme) {
  if (size() == 0) return;
  check_step(*ids().begin(), h, gravity);
  for (const BodyId id : ids()) predict_one(id, h, gravity, scheme);
}

void BodySet::advance(double dt, std::span<const BodyId> ids, int threads) {
  in_runs(ids, threads, [&](std::span<const BodyId> run) { advance_run(dt, run); });
}

// Rigid bodies four at a time.
void BodySet::advance_run(double dt, std::span<const BodyId> ids) {
  std::array<RigidBody*, 4> four = {};
  std::size_t waiting = 0;
  for (const BodyId id : ids) {
    Body& body = (*this)[id];
    RigidBody* const rigid = body.rigid();
    if (rigid == nullptr) {
      body.advance(dt);
      continue;
    }
    four[waiting++] = rigid;
    if (waiting < four.size()) continue;
    RigidBody::advance_four(four, dt);
    waiting = 0;
  }
  for (std::size_t i = 0; i < waiting; ++i) four[i]->advance(dt);
}

void BodySet::predict(double h, const Eigen::Vector3d& gravity, std::span<const BodyId> ids, int threads) {
  if (ids.empty()) return;
  require(ids.front());
  check_step(ids.front(), h, gravity);
  in_runs(ids, threads, [&](std::span<const BodyId> run) { predict_run(h, gravity, run); });
}

// Rigid bodies whose axes differ four at a time.
void BodySet::predict_run(double h, const Eigen::Vector3d& gravity, std::span<const BodyId> ids) {
  constexpr Scheme kScheme = Scheme::half_step;
  std::array<BodyId, 4> names = {};
  std::array<RigidBody*, 4> four = {};
  std::size_t waiting = 0;
  for (const BodyId id : ids) {
    RigidBody* const rigid = (*this)[id].rigid();
    if (rigid == nullptr || rigid->is_isotropic()) {
      predict_one(id, h, gravity, kScheme);
      continue;
    }
    names[waiting] = id;
    four[waiting++] = rigid;
    if (waiting < four.size()) continue;
    const unsigned found = RigidBody::predict_four(four, h, gravity, kScheme);
    for (std::size_t i = 0; i < four.size(); ++i) {
      if ((found >> i & 1) == 0) predict_one(names[i], h, gravity, kScheme);
    }
    waiting = 0;
  }
  for (std::size_t i = 0; i < waiting; ++i) predict_one(names[i], h, gravity, kScheme);
}

void BodySet::watch(BodyId id) {
  Body& body = (*this)[id];
  body.watch_.id = id;
  body.watch_.list = written_.get();
}

void BodySet::unwatch(BodyId id) {
  (*this)[id].watch_.list = nullptr;
}

void BodySet::set_time(double time) {
  require_finite(time, "time");
  time_ = time;
}

double BodySet::kinetic_energy() const {
  double energy = 0;
  for (const BodyId id : ids()) energy += bodies_[id]->kinetic_energy();
  return energy;
}

double BodySet::potential_energy(const Eigen::Vector3d& gravity) const {
  double energy = 0;
  for (const BodyId id : ids()) energy += bodies_[id]->potential_energy(gravity);
  return energy;
}

std::string missing_body(const BodySet& bodies, BodyId id) {
  if (id < bodies.id_bound()) return "body " + std::to_string(id) + ", which was removed";
  return std::to_string(id);
}

}  // namespace locdyn
