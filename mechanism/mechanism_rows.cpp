// The rows of a mechanism where its bodies are.

#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <variant>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/mechanism.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn {
using namespace detail;
namespace {

// Beyond this squares and their sums are no numbers any more.
constexpr double kLargest = 1e150;
constexpr const char* kUsable = "finite numbers of at most 1e150";

bool usable(double value) {
  return std::abs(value) <= kLargest;
}

}  // namespace

// "hinge \"crank\"", or without a name "hinge of bodies 1, 2".
std::string Mechanism::described(std::string_view kind, const std::string& name, std::span<const BodyId> bodies) {
  std::string text(kind);
  if (!name.empty()) return text + " \"" + name + "\"";
  const char* separator = " of bodies ";
  for (const BodyId body : bodies) {
    text += separator + std::to_string(body);
    separator = ", ";
  }
  return text;
}

std::string Mechanism::described(const Part& part) const {
  const bool drive = &part - parts_.data() >= static_cast<std::ptrdiff_t>(members_);
  return described(drive ? "drive" : part.constraint->kind(), part.name, part.constraint->bodies());
}

std::string Mechanism::constraint_of(Eigen::Index row) const {
  return described(parts_[rows_.at(static_cast<std::size_t>(row)).member]);
}

std::string Mechanism::spelled(const MechanismRow& row) const {
  const bool alone = row.member >= members_;
  return described(parts_.at(row.member)) + (alone ? "" : ", row " + std::to_string(row.row));
}

std::string Mechanism::spelled(Eigen::Index row) const {
  return spelled(rows_.at(static_cast<std::size_t>(row)));
}

std::vector<Eigen::Index> Mechanism::rows_of(std::string_view name) const {
  std::vector<Eigen::Index> found;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].member < members_ && parts_[rows_[i].member].name == name) {
      found.push_back(static_cast<Eigen::Index>(i));
    }
  }
  if (!found.empty()) return found;
  throw std::invalid_argument("mechanism: expected the name of a joint with rows, found \"" + std::string(name) + '"');
}

// What `work` throws, with the name of the constraint before it.
template <class Work>
auto Mechanism::named(const Part& part, const Work& work) const {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {  // functions of a user's throw what they like
    throw std::invalid_argument(described(part) + ": " + fault.what());
  }
}

void Mechanism::evaluate() {
  require_same_bodies();
  for (Part& part : parts_) {
    for (int k = 0; k < part.blocks; ++k) kinematics_.drive(part.first + static_cast<Index>(k)).setZero();
    ConstraintKinematics view(kinematics_, part.first);
    named(part, [&] { part.constraint->evaluate(bodies_, view); });
  }
  const auto m = static_cast<Eigen::Index>(rows_.size());
  std::vector<Eigen::Triplet<double>> entries;
  d_.resize(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const MechanismRow& row = rows_[static_cast<std::size_t>(i)];
    const Part& part = parts_[row.member];
    const Index place = part.first + static_cast<Index>(row.row / 3);
    d_[i] = kinematics_.drive(place)[row.row % 3] - asked_velocity(row);
    double largest = std::abs(d_[i]);
    for (const Coupling& c : kinematics_.couplings(place)) {
      const JacobianMap H = kinematics_.H(c);
      for (Eigen::Index j = 0; j < H.cols(); ++j) {
        // Zeros too: the pattern stays.
        entries.emplace_back(static_cast<int>(i), static_cast<int>(first_[kinematics_.body(c)] + j), H(row.row % 3, j));
        const double entry = std::abs(H(row.row % 3, j));
        if (entry > largest || std::isnan(entry)) largest = entry;
      }
    }
    if (usable(largest)) continue;
    throw std::invalid_argument(spelled(row) + ": expected " + kUsable + " in its H and drive, found " +
                                locdyn::spelled(largest));
  }
  G_.resize(m, coordinates());
  G_.setFromTriplets(entries.begin(), entries.end());
}

// Of a row posed on velocities alone: what its law asks for beside the drive, in a step of no length.
double Mechanism::asked_velocity(const MechanismRow& row) const {
  if (row.holonomic) return 0;
  std::array<Eigen::Vector3d, kMaxLawBlocks> V;
  V.fill(Eigen::Vector3d::Zero());
  const Law law = parts_[row.member].constraint->law(std::numeric_limits<double>::min(), V);
  return -offset(law, row.row / 3)[row.row % 3];
}

Eigen::VectorXd Mechanism::drive_gradient(DriveId drive) const {
  const Part& part = parts_.at(members_ + drive);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(coordinates());
  for (const Coupling& c : kinematics_.couplings(part.first)) {
    const ConstJacobianMap H = kinematics_.H(c);
    gradient.segment(first_[kinematics_.body(c)], H.cols()) = H.row(2).transpose() / drives_[drive]->length();
  }
  return gradient;
}

// What the rows in use take from blocks by part.
Eigen::VectorXd Mechanism::collect(const std::vector<std::vector<Eigen::Vector3d>>& values) const {
  Eigen::VectorXd all(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const MechanismRow& row = rows_[i];
    all[static_cast<Eigen::Index>(i)] = values[row.member][static_cast<std::size_t>(row.row / 3)][row.row % 3];
    if (usable(all[static_cast<Eigen::Index>(i)])) continue;
    throw std::invalid_argument(spelled(row) + ": expected " + kUsable + ", found " +
                                locdyn::spelled(all[static_cast<Eigen::Index>(i)]));
  }
  return all;
}

Eigen::VectorXd Mechanism::error() const {
  std::vector<std::vector<Eigen::Vector3d>> values(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    values[p].assign(static_cast<std::size_t>(parts_[p].blocks), Eigen::Vector3d::Zero());
    named(parts_[p], [&] { parts_[p].constraint->position_error(bodies_, values[p]); });
  }
  Eigen::VectorXd C = collect(values);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].holonomic) C[static_cast<Eigen::Index>(i)] = 0;
  }
  return C;
}

Eigen::VectorXd Mechanism::bias() const {
  std::vector<std::vector<Eigen::Vector3d>> values(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    values[p].assign(static_cast<std::size_t>(parts_[p].blocks), Eigen::Vector3d::Zero());
    named(parts_[p], [&] { parts_[p].constraint->acceleration_bias(bodies_, values[p]); });
  }
  return collect(values);
}

// b is quadratic in u: its even part less that at rest is what is asked for.
Eigen::VectorXd Mechanism::curvature(const Eigen::VectorXd& u) {
  const Eigen::VectorXd before = velocity();
  const auto bias_with = [&](const Eigen::VectorXd& given) {
    set_velocity(given);
    try {
      const Eigen::VectorXd b = bias();
      set_velocity(before);
      return b;
    } catch (...) {
      set_velocity(before);
      throw;
    }
  };
  const Eigen::VectorXd forwards = bias_with(u), backwards = bias_with(-u);
  return 0.5 * (forwards + backwards) - bias_with(Eigen::VectorXd::Zero(coordinates()));
}

const SaddleSystem& Mechanism::factorise() {
  evaluate();
  system_->factorise({.A = metric_, .G = G_, .compliance = {}, .rows = {}});
  return *system_;
}

}  // namespace locdyn
