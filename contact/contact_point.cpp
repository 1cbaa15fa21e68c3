#include <locdyn/contact/contact_point.hpp>

#include <Eigen/LU>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

void require_body(BodyId id, const BodySet& bodies, const char* what) {
  if (bodies.contains(id)) return;
  throw std::invalid_argument(std::string(what) + ": expected a body id below " + std::to_string(bodies.id_bound()) +
                              ", found " + missing_body(bodies, id));
}

}  // namespace

void validate(const ContactPoint& contact, const BodySet& bodies) {
  require_body(contact.master, bodies, "master");
  require_body(contact.slave, bodies, "slave");
  if (contact.slave == contact.master) {
    throw std::invalid_argument("slave: expected a body other than the master, found body " +
                                std::to_string(contact.slave) + " as both");
  }
  if (bodies[contact.slave].freedoms() == 0) {
    const bool both = bodies[contact.master].freedoms() == 0;
    throw std::invalid_argument("slave: expected a moving body, found obstacle " + std::to_string(contact.slave) +
                                (both ? " against obstacle " + std::to_string(contact.master) : ""));
  }
  require_finite(contact.point, "contact point");
  require_finite(contact.gap, "gap");
  require_finite(contact.frame, "frame");
  const double skewness = (contact.frame.transpose() * contact.frame - Eigen::Matrix3d::Identity()).norm();
  if (skewness > 1e-9 || contact.frame.determinant() < 0) {
    throw std::invalid_argument("frame: expected a right-handed orthonormal (t1, t2, n), found determinant " +
                                spelled(contact.frame.determinant()) + " and ‖FᵀF − I‖ = " + spelled(skewness));
  }
  require_finite(contact.surface_velocity, "surface velocity");
  if (!(contact.feedback >= 0)) {
    throw std::invalid_argument("feedback: expected a velocity >= 0, found " + spelled(contact.feedback));
  }
  require_finite(contact.feedback, "feedback");
  require_finite(contact.past.velocity, "velocity before");
  require_finite(contact.past.slip, "slip before");
  for (int k = 0; k < 2; ++k) {
    require_finite(contact.past.stretch[k], "stretch");
    require_finite(contact.past.stretching[k], "stretching");
  }
  validate(contact.material);
}

}  // namespace locdyn
