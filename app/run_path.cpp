#include "run_path.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include <locdyn/io/output/body_columns.hpp>
#include <locdyn/io/output/mechanism_recorder.hpp>
#include <locdyn/io/scene/build_mechanism.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/ldy/file_error.hpp>
#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/drive_transmission.hpp>
#include <locdyn/mechanism/loads.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/mechanism/smooth/applied_loads.hpp>

#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "run.hpp"

namespace locdyn::app {
using namespace locdyn::detail;
namespace {

constexpr std::size_t kMostSingular = 5;  // told on a terminal

std::string drive_name(const SceneKinematics& kinematics) {
  return kinematics.angle ? "angle" : kinematics.distance ? "distance" : kinematics.joint;
}

std::string singular_text(const SingularPosition& singular, const char* unit) {
  std::string text = (singular.kind == SingularPosition::Kind::dead_point ? "dead point at " : "rank loss at ") +
                     plain(singular.value) + ' ' + unit;
  const char* separator = ": ";
  for (const std::string& name : singular.constraints) {
    text += separator + name;
    separator = ", ";
  }
  return text;
}

class PathRun {
 public:
  PathRun(const Scene& scene, const MechanismRun& how)
      : scene_(scene),
        kinematics_(*scene.kinematics),
        how_(how),
        system_(build_mechanism(scene)),
        loads_(loads_of(*system_)),
        mechanism_(*system_) {
    Coordinate coordinate = driven_coordinate(scene, *system_);
    angle_ = coordinate.is_angle();
    try {
      drive_ = mechanism_.add_drive(std::move(coordinate), drive_name(kinematics_));
    } catch (const std::invalid_argument& fault) {
      throw SceneError({how.scene + ": kinematics: drive \"" + drive_name(kinematics_) + "\": " + fault.what()});
    }
  }

  int run() {
    require_moving_body(how_.scene, *system_);
    tell_ignored_contacts(how_.scene, *system_);
    const InterruptGuard guard;
    const auto began = std::chrono::steady_clock::now();
    std::string stopped;
    try {
      stopped = go();
    } catch (const Interrupted&) {
    } catch (const FileError& error) {
      fault_ = error.what();
    } catch (const std::exception& error) {  // forces or rows that are no numbers where the bodies are
      stopped = drive_at(value_) + ": " + error.what();
    }
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
  [[nodiscard]] const char* unit() const { return angle_ ? "rad" : "m"; }
  [[nodiscard]] const char* force_unit() const { return angle_ ? "N m" : "N"; }
  [[nodiscard]] std::string drive_at(double value) const {
    const std::string name = "drive \"" + drive_name(kinematics_) + '"';
    return std::isnan(value) ? name + " before it moved" : name + " at " + plain(value) + ' ' + unit();
  }

  // Closes as the bodies are written down, the drive free; goes to `from`, and from there along the path. Returns what
  // stopped it, else nothing.
  std::string go() {
    mechanism_.release(drive_);
    closing_ = close(mechanism_);
    mechanism_.hold(drive_);
    if (!closing_.closed()) return closing_.message();
    const double here = mechanism_.drive_value(drive_);
    mechanism_.set_drive(drive_, {.value = here});
    mobility_ = mobility(mechanism_);
    if (const DriveTransmission transmission = drive_transmission(mechanism_); !transmission.exists) {
      return drive_at(here) + ": expected a drive that can move the mechanism where it closes, found that " +
             contradiction(transmission);
    }
    if (here != kinematics_.from) {
      const PathReport way =
          follow(mechanism_, drive_, options(here, kinematics_.from), [](const PathPoint&) { stop_if_interrupted(); });
      if (way.status != PathStatus::reached) {
        singular_ = way.singular;
        return "on the way to \"from\", " + plain(kinematics_.from) + ' ' + unit() + ", from where it closes, " +
               drive_at(here) + ": " + way.message();
      }
    }
    mobility_ = mobility(mechanism_);
    open_files();
    path_ = follow(mechanism_, drive_, options(kinematics_.from, kinematics_.to), [this](const PathPoint& point) {
      stop_if_interrupted();
      take(point);
    });
    if (recorder_) recorder_->close();
    value_ = path_.reached;
    singular_ = path_.singular;
    if (path_.status == PathStatus::reached) return {};
    return drive_at(path_.reached) + ": " + path_.message();
  }

  // What the drive's row says of the others, or the row that asks in vain.
  [[nodiscard]] std::string contradiction(const DriveTransmission& transmission) const {
    const std::string drive = mechanism_.spelled(mechanism_.row_of(drive_));
    for (const RepeatedRow& row : mobility_.redundant) {
      const bool involved =
          row.row == drive || std::find(row.others.begin(), row.others.end(), drive) != row.others.end();
      if (involved) return repeated_text(row);
    }
    return transmission.at_fault + " does not let it";
  }

  [[nodiscard]] PathOptions options(double from, double to) const {
    return {.from = from, .to = to, .step = kinematics_.step, .rate = to < from ? -kinematics_.rate : kinematics_.rate};
  }

  void open_files() {
    if (how_.output.empty()) return;
    const std::string drive = "drive " + drive_name(kinematics_);
    std::vector<std::string> columns = {drive + " [" + unit() + ']'};
    for (std::string& column : body_columns(*system_)) columns.push_back(std::move(column));
    columns.push_back(drive + (angle_ ? " torque" : " force") + " [" + force_unit() + ']');
    columns.emplace_back("weakest");
    recorder_ = std::make_unique<MechanismRecorder>(how_.output, *system_, mechanism_,
                                                    MechanismRecorderOptions{.title = scene_.title,
                                                                             .table = "path.csv",
                                                                             .columns = std::move(columns),
                                                                             .trajectory = scene_.output.every > 0});
  }

  // A point of the path: rates, what holds the loads at rest.
  void take(const PathPoint& point) {
    value_ = point.value;
    const double time = std::abs(point.value - kinematics_.from) / kinematics_.rate;
    const RateReport accelerations = solve_accelerations(mechanism_);
    const StaticReport rest = at_rest(time);
    const double torque = rest.drives[static_cast<Eigen::Index>(drive_)];
    if (!rest.balanced) ++unbalanced_;
    least_ = std::min(least_, torque);
    most_ = std::max(most_, torque);
    residual_ = std::max(residual_, point.residual);
    if (points_++ == 0 || point.weakest < weakest_) {
      weakest_ = point.weakest;
      weakest_at_ = point.value;
    }
    if (!recorder_) return;
    std::vector<double> numbers = {point.value};
    append_bodies(mechanism_, accelerations.value, numbers);
    numbers.push_back(torque);
    numbers.push_back(point.weakest);
    recorder_->record(time, numbers, rest.reactions);
  }

  // Loads of that time on bodies without velocity.
  StaticReport at_rest(double time) {
    const Eigen::VectorXd u = mechanism_.velocity();
    mechanism_.set_velocity(Eigen::VectorXd::Zero(u.size()));
    AppliedLoads then = loads_;
    then.add = [this, time](BodySet& bodies, double) { loads_.add(bodies, time); };
    StaticReport report = static_reactions(mechanism_, smooth_forces(mechanism_, then));
    mechanism_.set_velocity(u);
    return report;
  }

  void print(double wall) const {
    print_scene(scene_, how_, *system_);
    print_mobility(mobility_);
    std::cout << "closing      " << counted(static_cast<std::size_t>(closing_.iterations), "iteration")
              << ", bodies moved by up to " << scientific(closing_.moved) << " m\n"
              << "path         " << counted(static_cast<std::size_t>(points_), "point") << " to " << plain(value_)
              << ' ' << unit() << ", " << path_.steps << " steps, " << path_.halvings << " halvings, in "
              << duration(wall) << '\n'
              << "constraints  " << scientific(residual_) << " m at most\n";
    if (points_ > 0) {
      std::cout << "weakest      " << plain(weakest_) << " at " << plain(weakest_at_) << ' ' << unit() << '\n'
                << "drive        " << plain(least_) << " to " << plain(most_) << ' ' << force_unit()
                << (unbalanced_ > 0
                        ? ", loads move what is free at " + counted(static_cast<std::size_t>(unbalanced_), "point")
                        : "")
                << '\n';
    }
    for (std::size_t i = 0; i < std::min(kMostSingular, singular_.size()); ++i) {
      std::cout << (i == 0 ? "singular     " : "             ") << one_line(singular_text(singular_[i], unit()))
                << '\n';
    }
    if (singular_.size() > kMostSingular) {
      std::cout << "             and " << singular_.size() - kMostSingular << " more\n";
    }
    if (recorder_) std::cout << "output       " << how_.output << ", " << counted(recorder_->frames(), "frame") << '\n';
  }

  [[nodiscard]] nlohmann::ordered_json json(double wall, const std::string& stopped) const {
    nlohmann::ordered_json object = {{"scene", how_.scene}, {"bodies", system_->bodies().size()}};
    add_mobility(mobility_, object);
    object.update({{"points", points_},
                   {"steps", path_.steps},
                   {"halvings", path_.halvings},
                   {"reached", value_},
                   {"time_s", wall},
                   {"closing_moved_m", closing_.moved},
                   {"position_error_m", residual_},
                   {"weakest", points_ > 0 ? weakest_ : 0},
                   {"weakest_at", weakest_at_},
                   {"drive_force", {{"least", least_}, {"most", most_}}},
                   {"unbalanced_points", unbalanced_},
                   {"singular", nlohmann::ordered_json::array()},
                   {"stopped", stopped},
                   {"interrupted", InterruptGuard::interrupted()}});
    for (const SingularPosition& singular : singular_) {
      object["singular"].push_back(
          {{"kind", singular.kind == SingularPosition::Kind::dead_point ? "dead_point" : "rank_loss"},
           {"value", singular.value},
           {"constraints", singular.constraints}});
    }
    return object;
  }

  const Scene& scene_;
  const SceneKinematics& kinematics_;
  const MechanismRun& how_;
  std::unique_ptr<System> system_;
  AppliedLoads loads_;
  Mechanism mechanism_;
  DriveId drive_ = 0;
  bool angle_ = false;
  std::unique_ptr<MechanismRecorder> recorder_;
  CloseReport closing_;
  Mobility mobility_;
  PathReport path_;
  std::vector<SingularPosition> singular_;
  double value_ = std::numeric_limits<double>::quiet_NaN();  // of the drive, so far
  double residual_ = 0, weakest_ = 1, weakest_at_ = 0;
  double least_ = std::numeric_limits<double>::infinity(), most_ = -std::numeric_limits<double>::infinity();
  long points_ = 0, unbalanced_ = 0;
  std::string fault_;  // of output
};

}  // namespace

int run_path(const Scene& scene, const MechanismRun& how) {
  const Scene flat = expanded(scene);
  return PathRun(flat, how).run();
}

}  // namespace locdyn::app
