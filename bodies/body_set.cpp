#include <locdyn/bodies/body_set.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr std::int64_t kRun = 64;  // of bodies that a thread takes at a time

void require_id(BodyId id, std::size_t size) {
  if (id < size) return;
  throw std::out_of_range("body id: expected less than " + std::to_string(size) + ", found " + std::to_string(id));
}

std::string named(BodyId id, const std::exception& error) {
  return "body " + std::to_string(id) + ": " + error.what();
}

}  // namespace

BodyId BodySet::add(std::unique_ptr<Body> body) {
  if (!body) throw std::invalid_argument("body: expected a body, found a null pointer");
  bodies_.push_back(std::move(body));
  return static_cast<BodyId>(bodies_.size() - 1);
}

Body& BodySet::operator[](BodyId id) {
  require_id(id, bodies_.size());
  return *bodies_[id];
}

const Body& BodySet::operator[](BodyId id) const {
  require_id(id, bodies_.size());
  return *bodies_[id];
}

void BodySet::advance(double dt) {
  for (const auto& body : bodies_) body->advance(dt);
}

void BodySet::predict_one(BodyId id, double h, const Eigen::Vector3d& gravity, Scheme scheme) {
  try {
    (*this)[id].predict(h, gravity, scheme);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(named(id, error));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(named(id, error));
  }
}

void BodySet::predict(double h, const Eigen::Vector3d& gravity, Scheme scheme) {
  for (BodyId id{0}; id < bodies_.size(); ++id) predict_one(id, h, gravity, scheme);
}

void BodySet::advance(double dt, std::span<const BodyId> ids, int threads) {
  in_parallel(std::ssize(ids), threads, kRun, [&](std::int64_t i) { (*this)[ids[i]].advance(dt); });
}

void BodySet::predict(double h, const Eigen::Vector3d& gravity, std::span<const BodyId> ids, int threads) {
  in_parallel(std::ssize(ids), threads, kRun,
              [&](std::int64_t i) { predict_one(ids[i], h, gravity, Scheme::half_step); });
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
  for (const auto& body : bodies_) energy += body->kinetic_energy();
  return energy;
}

double BodySet::potential_energy(const Eigen::Vector3d& gravity) const {
  double energy = 0;
  for (const auto& body : bodies_) energy += body->potential_energy(gravity);
  return energy;
}

}  // namespace locdyn
