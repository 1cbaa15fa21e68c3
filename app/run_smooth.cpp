#include "run_smooth.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iostream>
#include <memory>
#include <vector>

#include <locdyn/io/output/mechanism_recorder.hpp>
#include <locdyn/io/scene/build_mechanism.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/check_scene.hpp>
#include <locdyn/ldy/file_error.hpp>
#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/simulation/energies.hpp>

#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "smooth_motion.hpp"

namespace locdyn::app {
namespace {

// What the start had to be changed by to meet the rows.
struct Start {
  double moved = 0, velocity = 0;  // [m]; the largest of u
};

std::string at_time(double t, const std::string& what) {
  return "t = " + plain(t) + " s: " + what;
}

// The nearest positions and velocities that meet the rows. Returns what was missing, else nothing.
std::string meet_rows(Mechanism& mechanism, Start& start) {
  const CloseReport closing = close(mechanism);
  if (!closing.closed()) return at_time(0, closing.message());
  start.moved = closing.moved;
  const Eigen::VectorXd before = mechanism.velocity();
  const RateReport rates = solve_velocities(mechanism, before);
  if (!rates.met) {
    return at_time(0, "expected velocities that meet all rows, found " + scientific(rates.residual) +
                          " m/s missing in " + rates.at_fault);
  }
  if (before.size() > 0) start.velocity = (rates.value - before).cwiseAbs().maxCoeff();
  return {};
}

class SmoothRun {
 public:
  SmoothRun(const Scene& scene, const MechanismRun& how)
      : scene_(scene), how_(how), system_(build_mechanism(scene)), mechanism_(*system_) {}

  int run() {
    require_outputs();
    require_moving_body(how_.scene, *system_);
    tell_ignored_contacts(how_.scene, *system_);
    const InterruptGuard guard;
    const auto began = std::chrono::steady_clock::now();
    std::string stopped;
    try {
      stopped = meet_rows(mechanism_, start_);
      mobility_ = mobility(mechanism_);
    } catch (const std::exception& fault) {  // rows that are no numbers where the bodies are
      stopped = at_time(0, fault.what());
    }
    if (stopped.empty()) stopped = move();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (how_.json) {
      std::cout << json_text(json(wall, stopped)) << '\n';
    } else if (!how_.quiet) {
      print(wall);
    }
    flush_output();
    if (!fault_.empty()) throw FileError(fault_);
    return status_of(how_, stopped);
  }

 private:
  [[nodiscard]] double output_step() const { return scene_.stepping.step * std::max(1, scene_.output.every); }

  void require_outputs() const {
    constexpr double kMost = 1e7;
    const double outputs = scene_.duration / output_step();
    if (outputs <= kMost) return;
    throw UsageError(how_.scene + ": expected a duration of at most 1e7 outputs, found " + plain(outputs));
  }

  // To the end, or until why it stopped, which is returned.
  std::string move() {
    if (!how_.output.empty()) {
      recorder_ = std::make_unique<MechanismRecorder>(
          how_.output, *system_, mechanism_,
          MechanismRecorderOptions{.title = scene_.title,
                                   .table = "energies.csv",
                                   .columns = {"kinetic [J]", "potential [J]", "total [J]",
                                               "largest position error [m]", "largest velocity error [m/s]"},
                                   .trajectory = scene_.output.every > 0});
    }
    StepProgress progress(0, scene_.duration,
                          how_.quiet || how_.json ? StatusLine::Wish::hidden : StatusLine::Wish::shown);
    const auto visit = [&](const SmoothPoint& point) {
      try {
        take(point, progress);
      } catch (const FileError& error) {
        fault_ = error.what();
        throw Interrupted{};
      }
      stop_if_interrupted();
    };
    std::string stopped;
    try {
      smooth_motion(scene_, *system_, mechanism_, output_step(), motion_, visit);
    } catch (const Interrupted&) {
    } catch (const MotionError& error) {
      stopped = error.what();
    } catch (const std::exception& error) {
      stopped = at_time(mechanism_.bodies().time(), error.what());
    }
    try {
      if (recorder_ && fault_.empty()) recorder_->close();
    } catch (const FileError& error) {
      fault_ = error.what();
    }
    return stopped;
  }

  void take(const SmoothPoint& point, StepProgress& progress) {
    const Energies now = energies(*system_);
    if (points_++ == 0) at_start_ = now;
    last_ = now;
    time_ = point.time;
    drift_ = std::max(drift_, std::abs(now.total - at_start_.total));
    if (recorder_) {
      const double numbers[] = {now.kinetic, now.potential, now.total, point.position_error, point.velocity_error};
      recorder_->record(point.time, numbers, point.reactions);
    }
    progress.update(motion_.steps, point.time);
  }

  void print(double wall) const {
    print_scene(scene_, how_, *system_);
    print_mobility(mobility_);
    if (start_.moved > kChanged || start_.velocity > kChanged) {
      std::cout << "start        bodies moved by up to " << scientific(start_.moved)
                << " m, velocities changed by up to " << scientific(start_.velocity) << " to meet the joints\n";
    }
    std::cout << "steps        " << motion_.steps << ", ";
    if (scene_.smooth->fixed_step()) {
      std::cout << motion_.iterations << " iterations";
    } else {
      std::cout << motion_.rejected << " rejected, " << motion_.evaluations << " evaluations";
    }
    std::cout << ", to " << plain(time_) << " s, in " << duration(wall) << '\n'
              << "constraints  " << scientific(motion_.position_error) << " m, " << scientific(motion_.velocity_error)
              << " m/s at most\n"
              << "weakest      " << plain(motion_.weakest) << " at " << plain(motion_.weakest_time) << " s"
              << (motion_.weakest_row.empty() ? "" : ", " + one_line(motion_.weakest_row)) << '\n'
              << "energy       " << plain(at_start_.total) << " J at start, " << plain(last_.total) << " J at the end ("
              << plain(last_.kinetic) << " kinetic), changed by up to " << scientific(drift_) << " J\n";
    if (recorder_) std::cout << "output       " << how_.output << ", " << counted(recorder_->frames(), "frame") << '\n';
  }

  [[nodiscard]] nlohmann::ordered_json json(double wall, const std::string& stopped) const {
    nlohmann::ordered_json object = {{"scene", how_.scene}, {"bodies", system_->bodies().size()}};
    add_mobility(mobility_, object);
    object.update({{"steps", motion_.steps},
                   {"rejected_steps", motion_.rejected},
                   {"evaluations", motion_.evaluations},
                   {"iterations", motion_.iterations},
                   {"simulated_s", time_},
                   {"time_s", wall},
                   {"position_error_m", motion_.position_error},
                   {"velocity_error_m_s", motion_.velocity_error},
                   {"weakest", motion_.weakest},
                   {"weakest_s", motion_.weakest_time},
                   {"weakest_row", motion_.weakest_row},
                   {"start_moved_m", start_.moved},
                   {"start_velocity_change", start_.velocity},
                   {"energy_J",
                    {{"total_at_start", at_start_.total},
                     {"kinetic", last_.kinetic},
                     {"potential", last_.potential},
                     {"largest_change", drift_}}},
                   {"stopped", stopped},
                   {"interrupted", InterruptGuard::interrupted()}});
    return object;
  }

  static constexpr double kChanged = 1e-9;  // [m], [m/s]: less is rounding

  const Scene& scene_;
  const MechanismRun& how_;
  std::unique_ptr<System> system_;
  Mechanism mechanism_;
  std::unique_ptr<MechanismRecorder> recorder_;
  Start start_;
  Mobility mobility_;
  SmoothMotion motion_;
  Energies at_start_, last_;
  double time_ = 0, drift_ = 0;
  long points_ = 0;
  std::string fault_;  // of output
};

}  // namespace

int run_smooth(const Scene& scene, const MechanismRun& how) {
  // The duration may be another than that of the file, by which it was checked.
  std::vector<std::string> faults = scene_format::find_faults(scene);
  for (std::string& line : faults) line = scene.file.string() + ": " + line;
  if (!faults.empty()) throw SceneError(std::move(faults));
  require_integrator(scene);
  const Scene flat = expanded(scene);
  return SmoothRun(flat, how).run();
}

}  // namespace locdyn::app
