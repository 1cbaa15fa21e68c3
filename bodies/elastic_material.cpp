#include <locdyn/bodies/elastic_material.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

double lame(const ElasticMaterial& m) {
  return m.E * m.nu / ((1 + m.nu) * (1 - 2 * m.nu));
}
double shear(const ElasticMaterial& m) {
  return m.E / (2 * (1 + m.nu));
}

Eigen::Matrix3d strain(const Eigen::Matrix3d& F) {
  return 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
}

Eigen::Matrix3d second_stress(const ElasticMaterial& m, const Eigen::Matrix3d& strain) {
  return lame(m) * strain.trace() * Eigen::Matrix3d::Identity() + 2 * shear(m) * strain;
}

}  // namespace

void validate(const ElasticMaterial& material) {
  require_positive(material.E, "Young's modulus");
  if (!(material.nu > -1 && material.nu < 0.5)) {
    throw std::invalid_argument("Poisson's ratio: expected -1 < nu < 0.5, found " + spelled(material.nu));
  }
}

double strain_energy_density(const ElasticMaterial& material, const Eigen::Matrix3d& F) {
  const Eigen::Matrix3d E = strain(F);
  const double trace = E.trace();
  return 0.5 * lame(material) * trace * trace + shear(material) * E.squaredNorm();
}

Eigen::Matrix3d stress(const ElasticMaterial& material, const Eigen::Matrix3d& F) {
  return F * second_stress(material, strain(F));
}

Eigen::Matrix3d stress_change(const ElasticMaterial& material, const Eigen::Matrix3d& F, const Eigen::Matrix3d& dF) {
  const Eigen::Matrix3d mixed = F.transpose() * dF;
  const Eigen::Matrix3d change = 0.5 * (mixed + mixed.transpose());
  return dF * second_stress(material, strain(F)) + F * second_stress(material, change);
}

}  // namespace locdyn
