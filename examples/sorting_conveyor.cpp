// Parcels on a belt come to a diverter, whose rollers run on for the blue ones and across for the red ones: a contact
// modifier tells them apart, contact events tell where each arrives and when.
// By hand: a parcel slips until it is as fast as the belt, v²/(2 μ g) behind it, so that its front reaches the diverter
// after v/(2 μ g) + d/v; three red ones end in the bin beside the belt, three blue ones in the bin at its end.

#include <array>
#include <map>
#include <string>

#include <locdyn/simulation/contact_events.hpp>

#include "run.hpp"

using namespace example;
using Eigen::Vector3d;

namespace {

constexpr double kSpeed = 1, kAcross = 1.5, kFriction = 0.6, kEdge = 0.2, kWidth = 0.6;  // [m/s], [m]
constexpr int kParcels = 6;

locdyn::BodyId add_belt(locdyn::System& system, locdyn::SurfaceId surface, const Vector3d& middle, const Vector3d& size,
                        const Vector3d& velocity = {kSpeed, 0, 0}) {
  const auto belt = add_obstacle(system, locdyn::Box{size}, surface, {.position = middle});
  system.set_surface_velocity(locdyn::ColliderId(system.colliders().size() - 1), velocity);
  return belt;
}

}  // namespace

int main() {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto rubber = system.materials.add_surface("rubber", friction(kFriction));
  add_belt(system, rubber, {-0.5, 0, -0.05}, {5, kWidth, 0.1});
  const auto diverter = add_belt(system, rubber, {2.3, 0, -0.05}, {0.6, kWidth, 0.1});
  add_belt(system, rubber, {2.9, 0, -0.05}, {0.6, kWidth, 0.1});
  // The bins take them along, so that none falls on another.
  const auto beside = add_belt(system, rubber, {2.3, 4.4, -0.65}, {2, 8, 0.1}, {0, kSpeed, 0});
  const auto ahead = add_belt(system, rubber, {5.6, 0, -0.55}, {4.8, kWidth, 0.1});

  std::array<double, kParcels> start{};
  std::map<locdyn::BodyId, int> parcel;
  for (int k = 0; k < kParcels; ++k) {  // by turns red and blue, the last one ahead
    start[static_cast<std::size_t>(k)] = -2.8 + 0.8 * k;
    parcel[add_solid(system, locdyn::Box{Vector3d::Constant(kEdge)}, {.density = 200, .surface = rubber},
                     {.position = {-2.8 + 0.8 * k, 0, 0.5 * kEdge}})] = k;
  }
  const auto is_red = [](int k) { return k % 2 == 0; };

  // The rollers of the diverter run as what lies on them is to go.
  system.set_contact_modifier([&](locdyn::ContactToSolve& contact) {
    const bool is_master = contact.point.master == diverter;
    if (!is_master && contact.point.slave != diverter) return;
    const auto other = parcel.find(is_master ? contact.point.slave : contact.point.master);
    if (other != parcel.end() && is_red(other->second)) {
      contact.surface_velocity = (is_master ? 1 : -1) * Vector3d(0, kAcross, 0);
    }
  });

  locdyn::TimeStepper stepper(system, {.step = 2e-3});
  locdyn::ContactEvents events(stepper);
  std::array<double, kParcels> reached{};
  std::array<locdyn::BodyId, kParcels> bin{};
  run(stepper, 7.5, [&](const locdyn::StepReport& report) {
    for (const locdyn::ContactEvent& event : events.update()) {
      const auto found = parcel.find(event.second);
      if (event.change != locdyn::ContactChange::begin || found == parcel.end()) continue;
      const auto k = static_cast<std::size_t>(found->second);
      if (event.first == diverter && reached[k] == 0) reached[k] = report.time;
      if (event.first == beside || event.first == ahead) bin[k] = event.first;
    }
  });

  int sorted = 0;
  bool right = true;
  for (std::size_t k = kParcels; k-- > 0;) {
    sorted += bin[k] == (is_red(static_cast<int>(k)) ? beside : ahead) ? 1 : 0;
    const double by_hand = kSpeed / (2 * kFriction * kGravity) + (2 - 0.5 * kEdge - start[k]) / kSpeed;
    // Seen at the end of the step in which its front edge first bears.
    right &= agrees(is_red(static_cast<int>(k)) ? "red at the diverter [s]" : "blue at the diverter [s]", reached[k],
                    by_hand, 0.02);
  }
  return agrees("parcels in the right bin", sorted, kParcels, 0) && right ? 0 : 1;
}
