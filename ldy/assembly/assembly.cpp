#include <locdyn/ldy/assembly/assembly.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include <locdyn/base/make_room.hpp>

namespace locdyn {
namespace {

bool moves(const BodySet& bodies, BodyId body) {
  return bodies[body].freedoms() > 0;
}

// "contact of bodies 3, 7": a constraint that has no id yet.
std::string described(const Constraint& constraint) {
  std::string text(constraint.kind());
  const char* separator = " of bodies ";
  for (BodyId body : constraint.bodies()) {
    text += separator + std::to_string(body);
    separator = ", ";
  }
  return text;
}

}  // namespace

Assembly::Assembly(BodySet& bodies, LocalDynamics& ldy) : bodies_(bodies), ldy_(ldy) {
  if (ldy.constraint_count() != 0) {
    throw std::invalid_argument("assembly: expected an empty graph, found " + std::to_string(ldy.constraint_count()) +
                                " constraints");
  }
  ldy.make_blocks_on_demand();
}

void Assembly::check_bodies(const Constraint& constraint) const {
  const std::span<const BodyId> ids = constraint.bodies();
  bool some_move = false;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (!bodies_.contains(ids[k])) {
      throw std::invalid_argument("bodies: expected ids below " + std::to_string(bodies_.id_bound()) + ", found " +
                                  missing_body(bodies_, ids[k]));
    }
    if (std::find(ids.begin(), ids.begin() + k, ids[k]) != ids.begin() + k) {
      throw std::invalid_argument("bodies: expected different bodies, found body " + std::to_string(ids[k]) +
                                  " with itself");
    }
    some_move = some_move || moves(bodies_, ids[k]);
  }
  if (some_move) return;
  std::string found;
  for (BodyId body : ids) found += (found.empty() ? "obstacle " : " and obstacle ") + std::to_string(body);
  throw std::invalid_argument("bodies: expected one that moves, found " + (found.empty() ? "none" : found));
}

ConstraintId Assembly::insert(std::unique_ptr<Constraint> constraint) {
  if (!constraint) throw std::invalid_argument("constraint: expected one, found a null pointer");

  // Everything that can be at fault comes before the graph is touched.
  Law law;
  try {
    check_bodies(*constraint);
    constraint->attach(bodies_);
    std::array<Eigen::Vector3d, kMaxLawBlocks> V;
    V.fill(Eigen::Vector3d::Zero());
    law = constraint->law(1.0, V);
    validate(law);
  } catch (const std::invalid_argument& fault) {
    throw std::invalid_argument(described(*constraint) + ": " + fault.what());
  }

  // So does all memory: the graph must not hold what no list here knows.
  if (constraints_.size() <= ldy_.id_bound()) constraints_.resize(ldy_.id_bound() + 1);
  if (ties_.size() < constraints_.size()) ties_.resize(constraints_.size());
  if (reads_.size() < constraints_.size()) reads_.resize(constraints_.size());
  if (of_body_.size() < bodies_.id_bound()) of_body_.resize(bodies_.id_bound());
  for (BodyId body : constraint->bodies()) {
    if (moves(bodies_, body)) detail::make_room_for_one(of_body_[body]);
  }

  const ConstraintId id = ldy_.insert(law);
  timed_ += constraint->depends_on_time() ? 1 : 0;
  for (BodyId body : constraint->bodies()) {
    if (moves(bodies_, body)) of_body_[body].push_back(id);
  }
  const std::span<const BodyId> ids = constraint->bodies();
  ties_[id].count = static_cast<std::uint32_t>(ids.size());
  std::copy_n(ids.begin(), std::min(ids.size(), ties_[id].body.size()), ties_[id].body.begin());
  reads_[id] = constraint->reads();
  constraints_[id] = std::move(constraint);
  return id;
}

std::span<const BodyId> Assembly::bodies_of(ConstraintId id) const {
  const Ties& ties = ties_[id];
  return ties.count > ties.body.size() ? constraints_[id]->bodies() : std::span(ties.body).first(ties.count);
}

void Assembly::remove(ConstraintId id) {
  ldy_.remove(id);
  for (BodyId body : bodies_of(id)) {
    auto& list = of_body_[body];
    const auto at = std::find(list.begin(), list.end(), id);
    if (at == list.end()) continue;  // a body that does not move
    *at = list.back();
    list.pop_back();
  }
  timed_ -= constraints_[id]->depends_on_time() ? 1 : 0;
  constraints_[id].reset();
}

std::span<const ConstraintId> Assembly::constraints_of(BodyId body) const noexcept {
  if (body >= of_body_.size()) return {};
  return of_body_[body];
}

}  // namespace locdyn
