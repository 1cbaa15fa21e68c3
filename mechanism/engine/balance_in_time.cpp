#include <locdyn/mechanism/engine/balance_in_time.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <unsupported/Eigen/FFT>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kShiftRounding = 1e-9;  // of a sample
constexpr int kLeastSamples = 8;

struct SliderCrankBodies {
  BodyId crank, piston;
};

// At ψ = 0, the cylinder along x. Masses are of no account for the motion.
SliderCrankBodies add_slider_crank(System& system, const EngineCylinder& c) {
  const double along = std::sqrt((c.rod_length - c.offset) * (c.rod_length + c.offset));
  const Eigen::Vector3d shaft(0, 0, 0), pin(c.crank_radius, 0, 0), gudgeon(c.crank_radius + along, c.offset, 0);
  const Eigen::Vector2d middle = 0.5 * (pin + gudgeon).head<2>();
  const double mass = c.reciprocating_mass, inertia = mass * c.rod_length * c.rod_length;
  const BodyId crank = system.emplace<PlanarBody>(mass, inertia, Eigen::Vector2d(shaft.head<2>()));
  const BodyId rod = system.emplace<PlanarBody>(mass, inertia, middle);
  const BodyId piston = system.emplace<PlanarBody>(mass, inertia, Eigen::Vector2d(gudgeon.head<2>()));
  const auto revolute = [&](const char* name, const Anchor& a, const Anchor& b) {
    system.add_constraint(std::make_unique<PlanarRevolute>(a, b), name);
  };
  revolute("main bearing", {shaft}, {shaft, crank});
  revolute("crank pin", {pin, crank}, {pin, rod});
  revolute("gudgeon pin", {gudgeon, rod}, {gudgeon, piston});
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX();
  system.add_constraint(std::make_unique<PlanarPrismatic>(Axis{gudgeon, x}, Axis{gudgeon, x, piston}), "cylinder");
  return {crank, piston};
}

// By how many samples a cylinder leads, 0 … N − 1.
int lead_in_samples(const EngineCylinder& cylinder, int samples, std::size_t number) {
  const double lead = cylinder.lead() / kTurn * samples, whole = std::round(lead);
  if (std::abs(lead - whole) > kShiftRounding) {
    throw std::invalid_argument("cylinder " + std::to_string(number) +
                                ": throw angle less bank: expected a whole number of " + std::to_string(samples) +
                                " samples a turn, found " + spelled(lead));
  }
  const double turn = std::fmod(whole, samples);
  return static_cast<int>(turn < 0 ? turn + samples : turn);
}

// Accelerations of the pistons, those of like slider-cranks found once.
class PistonMotions {
 public:
  PistonMotions(double speed, int samples) : speed_(speed), samples_(samples) {}

  const Eigen::VectorXd& of(const EngineCylinder& c) {
    for (const Motion& known : motions_) {
      if (known.crank_radius == c.crank_radius && known.rod_length == c.rod_length && known.offset == c.offset)
        return known.acceleration;
    }
    motions_.push_back({c.crank_radius, c.rod_length, c.offset, piston_accelerations(c, speed_, samples_)});
    return motions_.back().acceleration;
  }

 private:
  struct Motion {
    double crank_radius, rod_length, offset;
    Eigen::VectorXd acceleration;
  };
  double speed_;
  int samples_;
  std::vector<Motion> motions_;
};

// Columns 0 … K of y = Re Σ Y_n e^{inθ}, row by row.
Eigen::Matrix2Xcd orders_of(const Eigen::Matrix2Xd& samples, int highest_order) {
  Eigen::FFT<double> transform;
  Eigen::Matrix2Xcd orders(2, highest_order + 1);
  for (Eigen::Index row = 0; row < 2; ++row) {
    const Eigen::VectorXd signal = samples.row(row);
    Eigen::VectorXcd spectrum;
    transform.fwd(spectrum, signal);
    orders.row(row) = 2 / static_cast<double>(signal.size()) * spectrum.head(highest_order + 1).transpose();
  }
  orders.col(0) *= 0.5;
  return orders;
}

void require_samples(int samples) {
  if (samples >= kLeastSamples) return;
  throw std::invalid_argument("samples: expected a number >= " + std::to_string(kLeastSamples) + ", found " +
                              std::to_string(samples));
}

}  // namespace

Eigen::VectorXd piston_accelerations(const EngineCylinder& cylinder, double speed, int samples) {
  validate({{cylinder}});
  require_finite(speed, "speed");
  require_samples(samples);
  System system;
  const SliderCrankBodies bodies = add_slider_crank(system, cylinder);
  Mechanism mechanism(system);
  const DriveId drive = mechanism.add_drive(planar_angle(bodies.crank), "crank");
  Eigen::VectorXd acceleration(samples);
  Eigen::Index next = 0;
  bool met = true;
  const double step = kTurn / samples;
  const PathReport turn = follow(mechanism, drive, {.from = 0, .to = (samples - 1) * step, .step = step, .rate = speed},
                                 [&](const PathPoint&) {
                                   const RateReport rates = solve_accelerations(mechanism);
                                   met &= rates.met && next < samples;
                                   if (met) acceleration[next++] = rates.value[mechanism.first(bodies.piston)];
                                 });
  if (turn.status != PathStatus::reached || !met || next != samples) {
    throw std::runtime_error("slider-crank: expected a full turn, found " + std::to_string(next) + " of " +
                             std::to_string(samples) + " samples; " + turn.message());
  }
  return acceleration;
}

TimeBalance balance_in_time(const Engine& engine, const TimeBalanceOptions& options) {
  validate(engine);
  require_finite(options.speed, "speed");
  require_samples(options.samples);
  if (options.highest_order < 0 || 2 * options.highest_order >= options.samples) {
    throw std::invalid_argument("highest_order: expected a number >= 0 and below half of " +
                                std::to_string(options.samples) + " samples, found " +
                                std::to_string(options.highest_order));
  }
  const int N = options.samples;
  TimeBalance balance{.angle = Eigen::VectorXd::LinSpaced(N, 0, (N - 1) * kTurn / N),
                      .force = Eigen::Matrix2Xd::Zero(2, N),
                      .couple = Eigen::Matrix2Xd::Zero(2, N),
                      .harmonics = {}};
  PistonMotions motions(options.speed, N);
  std::size_t number = 0;
  for (const EngineCylinder& c : engine.cylinders) {
    const int lead = lead_in_samples(c, N, ++number);
    const Eigen::VectorXd& acceleration = motions.of(c);
    const Eigen::Vector2d d(std::cos(c.bank), std::sin(c.bank));
    for (int j = 0; j < N; ++j) {
      const Eigen::Vector2d F = -c.reciprocating_mass * acceleration[(j + lead) % N] * d;
      balance.force.col(j) += F;
      balance.couple.col(j) += c.position * Eigen::Vector2d(-F.y(), F.x());
    }
  }
  balance.harmonics = {orders_of(balance.force, options.highest_order),
                       orders_of(balance.couple, options.highest_order)};
  return balance;
}

}  // namespace locdyn
