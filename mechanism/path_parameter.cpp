#include <locdyn/mechanism/path_parameter.hpp>

#include <algorithm>
#include <utility>

#include <locdyn/mechanism/rates.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn::detail {
namespace {

class AlongDrive final : public PathParameter {
 public:
  AlongDrive(Mechanism& mechanism, DriveId drive) : PathParameter(mechanism), drive_(drive) {}

  void set(double s) override { mechanism_.set_drive(drive_, {.value = s}); }
  double set_rate(double rate) override {
    mechanism_.set_drive(drive_, {.value = mechanism_.drive(drive_).motion().value, .rate = rate});
    return rate;
  }

 private:
  [[nodiscard]] Eigen::VectorXd demand() const override {
    const double length = mechanism_.drive(drive_).length();
    return length * Eigen::VectorXd::Unit(mechanism_.G().rows(), mechanism_.row_of(drive_));
  }
  [[nodiscard]] Eigen::VectorXd demand(const Eigen::VectorXd& first) override { return -mechanism_.curvature(first); }
  [[nodiscard]] Eigen::Index asking_row() const override { return mechanism_.row_of(drive_); }

  DriveId drive_;
};

class AlongTime final : public PathParameter {
 public:
  explicit AlongTime(Mechanism& mechanism) : PathParameter(mechanism) {}

  void set(double s) override { mechanism_.move_time(s); }
  double set_rate(double) override { return 1; }

 private:
  [[nodiscard]] Eigen::VectorXd demand() const override { return -mechanism_.d(); }
  [[nodiscard]] Eigen::VectorXd demand(const Eigen::VectorXd& first) override {
    mechanism_.set_velocity(first);
    return -mechanism_.bias();
  }
};

}  // namespace

PathTangent PathParameter::tangent(const Eigen::VectorXd& expected) {
  const SaddleSystem& factor = mechanism_.factorise();
  PathTangent found;
  find_weakest(factor, found);
  const RateReport first = nearest_rates(mechanism_, demand(), found.singular ? expected : Eigen::VectorXd());
  found.first = first.value;
  found.second = Eigen::VectorXd::Zero(first.value.size());
  found.exists = first.met;
  if (found.exists && !found.singular) {
    const RateReport second = nearest_rates(mechanism_, demand(found.first));
    if (second.met) found.second = second.value;
  }
  if (!found.exists && !found.singular) find_contradiction(factor, first.at_fault, found);
  return found;
}

// The row that asks in vain, and those of other constraints that it depends on.
void PathParameter::find_contradiction(const SaddleSystem& factor, const std::string& at_fault,
                                       PathTangent& found) const {
  Eigen::Index asking = asking_row();
  for (Eigen::Index row = 0; asking < 0 && row < mechanism_.G().rows(); ++row) {
    if (mechanism_.spelled(row) == at_fault) asking = row;
  }
  for (const RedundantRow& redundant : factor.redundant()) {
    std::vector<Eigen::Index> rows = redundant.others;
    rows.push_back(redundant.row);
    if (std::find(rows.begin(), rows.end(), asking) == rows.end()) continue;
    found.constraints = {mechanism_.constraint_of(asking)};
    for (const Eigen::Index row : rows) {
      std::string name = mechanism_.constraint_of(row);
      if (std::find(found.constraints.begin(), found.constraints.end(), name) == found.constraints.end()) {
        found.constraints.push_back(std::move(name));
      }
    }
    found.contradiction = mechanism_.spelled(asking);
    const char* separator = " repeats ";
    for (const Eigen::Index row : rows) {
      if (row == asking) continue;
      found.contradiction += separator + mechanism_.spelled(row);
      separator = ", ";
    }
    return;
  }
  found.contradiction = at_fault + " asks for what no motion can do";
}

// A row is lost where more repeat others than anywhere before.
void PathParameter::find_weakest(const SaddleSystem& factor, PathTangent& found) {
  const std::vector<RedundantRow>& redundant = factor.redundant();
  if (!usual_ || redundant.size() <= usual_->size()) {
    usual_.emplace();
    for (const RedundantRow& row : redundant) usual_->push_back(row.row);
    const WeakestRow weakest = factor.weakest();
    found.weakest = weakest.singular_value;
    if (weakest.row >= 0) found.constraints = {mechanism_.constraint_of(weakest.row)};
    return;
  }
  found.singular = true;
  found.weakest = 0;
  for (const RedundantRow& row : redundant) {
    if (std::count(usual_->begin(), usual_->end(), row.row) > 0) continue;
    found.constraints = {mechanism_.constraint_of(row.row)};
    for (const Eigen::Index other : row.others) {
      std::string name = mechanism_.constraint_of(other);
      if (std::find(found.constraints.begin(), found.constraints.end(), name) == found.constraints.end()) {
        found.constraints.push_back(std::move(name));
      }
    }
    return;
  }
}

std::unique_ptr<PathParameter> along_drive(Mechanism& mechanism, DriveId drive) {
  return std::make_unique<AlongDrive>(mechanism, drive);
}

std::unique_ptr<PathParameter> along_time(Mechanism& mechanism) {
  return std::make_unique<AlongTime>(mechanism);
}

}  // namespace locdyn::detail
