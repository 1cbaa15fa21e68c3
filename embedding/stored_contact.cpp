#include <locdyn/embedding/stored_contact.hpp>

#include <algorithm>
#include <stdexcept>
#include <variant>

#include <locdyn/embedding/bad_input.hpp>

namespace locdyn::detail {
namespace {

// H (3·blocks × n) of one body, after those that are there.
void append(const BodyJacobian& part, int height, const VelocityBodies& bodies, StoredContact& stored) {
  const auto what = [&] { return described(stored) + ": H of body " + std::to_string(part.body); };
  const int n = bodies[part.body].freedoms();
  if (part.H.rows() != height || part.H.cols() != n) {
    refuse(what(), std::to_string(height) + "x" + std::to_string(n),
           std::to_string(part.H.rows()) + "x" + std::to_string(part.H.cols()));
  }
  if (!part.H.allFinite()) refuse(what(), "finite numbers", "one that is not");
  stored.H.insert(stored.H.end(), part.H.data(), part.H.data() + part.H.size());
}

}  // namespace

StoredContact stored_contact(const PointContact& contact, const VelocityBodies& bodies) {
  bodies.require(contact.master, "master");
  bodies.require(contact.slave, "slave");
  validate(contact);
  StoredContact stored;
  stored.bodies = {contact.master, contact.slave};
  for (const BodyIndex body : stored.bodies) {
    const int n = bodies[body].freedoms();
    if (n != 6)
      refuse(described(stored), "bodies of 6 velocities", std::to_string(n) + " of body " + std::to_string(body));
  }
  using Half = Eigen::Map<Eigen::Matrix<double, 3, 6>>;
  stored.H.resize(36);
  Half(stored.H.data()) = -point_jacobian(bodies[contact.master].pose, contact.point, contact.frame);
  Half(stored.H.data() + 18) = point_jacobian(bodies[contact.slave].pose, contact.point, contact.frame);
  stored.law = ContactLaw{.friction = contact.friction, .shift = contact.shift};
  stored.gap = contact.gap;
  return stored;
}

StoredContact stored_contact(std::span<const BodyJacobian> given, const Law& law, const VelocityBodies& bodies) {
  StoredContact stored;
  stored.law = law;
  for (const BodyJacobian& part : given) {
    bodies.require(part.body, "body of a contact");
    stored.bodies.push_back(part.body);
  }
  try {
    validate(law);
  } catch (const std::invalid_argument& fault) {
    throw std::invalid_argument(described(stored) + ": law: " + fault.what());
  }
  for (const BodyJacobian& part : given) {
    if (std::ranges::count(stored.bodies, part.body) > 1) {
      refuse(described(stored), "different bodies", "body " + std::to_string(part.body) + " twice");
    }
    append(part, 3 * block_count(law), bodies, stored);
  }
  return stored;
}

std::string described(const StoredContact& contact) {
  std::string text = "contact of bodies ";
  for (std::size_t k = 0; k < contact.bodies.size(); ++k) {
    text += (k == 0 ? "" : ", ") + std::to_string(contact.bodies[k]);
  }
  return text;
}

void require_motion(const StoredContact& contact, const VelocityBodies& bodies) {
  if (std::ranges::any_of(contact.bodies, [&](BodyIndex body) { return bodies[body].rank() > 0; })) return;
  refuse(described(contact), "a body that can move", "none with an inverse inertia");
}

bool same_rows(const Law& a, const Law& b) {
  if (block_count(a) != block_count(b)) return false;
  for (int k = 0; k < block_count(a); ++k) {
    if (rows(a, k) != rows(b, k)) return false;
  }
  return true;
}

Law law_of_step(const StoredContact& contact, double h) {
  Law law = contact.law;
  if (contact.gap > 0) std::get<ContactLaw>(law).shift[2] += contact.gap / h;
  return law;
}

Eigen::Vector3d free_velocity(const StoredContact& contact, int block, const VelocityBodies& bodies) {
  Eigen::Vector3d B = Eigen::Vector3d::Zero();
  for_each_body(contact, bodies, [&](std::size_t body, const double* H, int stride) {
    const double* column = H + std::ptrdiff_t{3} * block;
    for (const double u : bodies.velocity(contact.bodies[body])) {
      B += u * Eigen::Map<const Eigen::Vector3d>(column);
      column += stride;
    }
  });
  const RowMask used = rows(contact.law, block);
  for (int i = 0; i < 3; ++i) {
    if (!uses(used, i)) B[i] = 0;
  }
  return B;
}

}  // namespace locdyn::detail
