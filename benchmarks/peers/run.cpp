#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "../measure.hpp"
#include "judge.hpp"

namespace locdyn::peers {
namespace {

using benchmark::thread_seconds_now;

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Half the longest edge, the radius, or the farthest corner: what ω is multiplied by.
double extent(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  if (const auto* box = std::get_if<Box>(&shape)) return 0.5 * box->size.norm();
  double largest = 0;
  for (const Eigen::Vector3d& point : std::get<ConvexHull>(shape).points) largest = std::max(largest, point.norm());
  return largest;
}

// One engine on its way through a scene.
class Runner {
 public:
  Runner(const Scene& scene, const EngineMaker& make) : scene_(scene) {
    try {
      engine_ = make(scene);
      figures_.engine = engine_->name();
    } catch (const std::exception& error) {
      fail(error);
    }
  }

  void warm_up(double budget) {
    const double start = thread_seconds_now();
    while (engine_ && figures_.warm_up < scene_.warm_up && thread_seconds_now() - start < budget) {
      step();
      ++figures_.warm_up;
    }
    before_ = states();
  }

  void time_steps(int steps, double budget) {
    for (int i = 0; engine_ && i < steps && spent_ < budget; ++i) {
      const bool judged = i == 0;
      if (judged) before_step_ = states();
      const double seconds = step();
      if (!engine_) return;
      spent_ += seconds;
      times_.push_back(seconds);
      look(judged);
    }
  }

  Figures finish() {
    if (engine_) figures_.remark = engine_->remark();
    figures_.timed = static_cast<int>(times_.size());
    figures_.step_seconds = median(times_);
    figures_.mean_seconds = spent_ / std::max(1, figures_.timed);
    figures_.contacts = median(contacts_);
    figures_.residual = median(residuals_);
    figures_.own = median(owns_);
    if (engine_ && !times_.empty()) {
      const std::vector<BodyState> after = states();
      for (std::size_t i = 0; i < after.size(); ++i) {
        const double way = (after[i].position - before_[i].position).norm();
        figures_.drift = std::max(figures_.drift, way / (figures_.timed * scene_.h));
      }
    }
    return figures_;
  }

 private:
  void fail(const std::exception& error) {
    engine_.reset();
    figures_.remark = error.what();
  }

  double step() {
    const double start = thread_seconds_now();
    try {
      engine_->step();
    } catch (const std::exception& error) {
      fail(error);
    }
    return thread_seconds_now() - start;
  }

  std::vector<BodyState> states() const {
    std::vector<BodyState> result;
    for (std::size_t i = 0; engine_ && i < scene_.bodies.size(); ++i) {
      result.push_back(engine_->state(static_cast<int>(i)));
    }
    return result;
  }

  void look(bool judged) {
    const std::vector<BodyState> now = states();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (scene_.bodies[i].fixed) continue;
      figures_.speed = std::max(
          {figures_.speed, now[i].velocity.norm(), now[i].angular_velocity.norm() * extent(scene_.bodies[i].shape)});
    }
    const std::vector<EngineContact> contacts = engine_->contacts();
    contacts_.push_back(static_cast<double>(contacts.size()));
    for (const EngineContact& contact : contacts) figures_.penetration = std::max(figures_.penetration, -contact.gap);
    if (!judged) return;
    const double t = (figures_.warm_up + static_cast<double>(times_.size()) - 1) * scene_.h;
    const Verdict verdict = judge(scene_, before_step_, *engine_, t);
    residuals_.push_back(verdict.residual);
    owns_.push_back(verdict.own);
    figures_.cone = std::max(figures_.cone, verdict.cone);
  }

  const Scene& scene_;
  EnginePtr engine_;
  Figures figures_;
  std::vector<BodyState> before_, before_step_;  // the steps timed, the step judged
  std::vector<double> times_, contacts_, residuals_, owns_;
  double spent_ = 0;
};

}  // namespace

std::vector<Figures> run(const Scene& scene, const std::vector<EngineMaker>& makers, const RunOptions& options) {
  std::vector<Runner> runners;
  runners.reserve(makers.size());
  for (const EngineMaker& make : makers) {
    runners.emplace_back(scene, make);
    runners.back().warm_up(options.budget);
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (Runner& runner : runners) runner.time_steps(scene.timed / options.rounds, options.budget);
  }
  std::vector<Figures> result;
  for (Runner& runner : runners) result.push_back(runner.finish());
  return result;
}

void print(const Scene& scene, const std::vector<Figures>& figures) {
  std::printf("\n%s: %zu bodies, h = 1/%.0f s, friction %.2g\n", scene.name.c_str(), scene.bodies.size(), 1 / scene.h,
              scene.friction);
  std::printf("%-38s %8s %9s %9s %6s %9s %9s %9s %9s %9s %9s  %s\n", "engine", "contacts", "ms/step", "mean", "ratio",
              "speed", "drift", "penetr.", "residual", "own res.", "cone", "steps, remark");
  for (const Figures& f : figures) {
    std::printf("%-38s %8.0f %9.3f %9.3f %6.2f %9.1e %9.1e %9.1e %9.1e %9.1e %9.1e  %d + %d%s%s\n", f.engine.c_str(),
                f.contacts, 1e3 * f.step_seconds, 1e3 * f.mean_seconds, f.step_seconds / figures[0].step_seconds,
                f.speed, f.drift, f.penetration, f.residual, f.own, f.cone, f.warm_up, f.timed,
                f.remark.empty() ? "" : ", ", f.remark.c_str());
  }
  std::fflush(stdout);
}

}  // namespace locdyn::peers
