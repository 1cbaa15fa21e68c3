#include <locdyn/mechanism/closing.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/jacobian_check.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kShortest = 1.0 / 64;  // λ below which Newton's direction is given up
constexpr double kDescent = 1e-4;       // Armijo's share of the predicted decrease
constexpr double kStationary = 1e-9;    // predicted decrease over ‖C‖ that counts as none
constexpr int kMostMarquardt = 16;      // values of κ tried for one step
constexpr int kMostPolishing = 3;       // iterations from the tolerance to rounding
constexpr double kPolished = 0.5;       // what each of them must gain

class Closing {
 public:
  Closing(Mechanism& mechanism, const CloseOptions& options)
      : mechanism_(mechanism), options_(options), hard_(mechanism.closing_system()) {
    const auto& rows = mechanism.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].holonomic) chosen_.push_back(static_cast<int>(i));
    }
    here_ = mechanism.state();
    C_ = error();
  }

  CloseReport run() {
    int polishing = 0;
    while (true) {
      const double before = largest();
      const bool met = before <= options_.tolerance;
      if (met) report_.status = CloseStatus::closed;
      if (before == 0 || (met && polishing++ == kMostPolishing)) break;
      if (!met && report_.iterations == options_.max_iterations) break;
      evaluate();
      if (!newton() && (met || !marquardt())) {
        if (!met) report_.status = CloseStatus::least_residual;
        break;
      }
      ++report_.iterations;
      if (met && largest() > kPolished * before) break;
    }
    finish();
    return std::move(report_);
  }

 private:
  [[nodiscard]] Eigen::VectorXd error() const { return mechanism_.error()(chosen_); }
  [[nodiscard]] double largest() const { return C_.size() == 0 ? 0 : C_.cwiseAbs().maxCoeff(); }

  void evaluate() {
    mechanism_.evaluate();
    here_ = mechanism_.state();
    const Eigen::SparseMatrix<double, Eigen::RowMajor> all = mechanism_.G();
    Eigen::SparseMatrix<double, Eigen::RowMajor> some(static_cast<Eigen::Index>(chosen_.size()), all.cols());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      some.startVec(static_cast<Eigen::Index>(i));
      for (decltype(all)::InnerIterator at(all, chosen_[i]); at; ++at) {
        some.insertBack(static_cast<Eigen::Index>(i), at.col()) = at.value();
      }
    }
    some.finalize();
    problem_.A = mechanism_.metric();
    problem_.G = some;
  }

  // d of least ‖d‖_M with G d = −C, or with compliant rows Marquardt's.
  Eigen::VectorXd direction(SaddleSystem& system, double compliance) {
    problem_.compliance = Eigen::VectorXd::Constant(compliance > 0 ? C_.size() : 0, compliance);
    system.factorise(problem_);
    Eigen::VectorXd d = system.solve(Eigen::VectorXd::Zero(mechanism_.coordinates()), -C_).a;
    const double turn = mechanism_.largest_turn(d);
    if (turn > options_.max_turn) d *= options_.max_turn / turn;
    return d;
  }

  // To q ⊕ d, and back where ‖C‖ does not come below `bound` there.
  bool try_step(const Eigen::VectorXd& d, double bound) {
    mechanism_.displace(d);
    Eigen::VectorXd C = error();
    if (!(C.norm() < bound)) {
      mechanism_.restore(here_);
      return false;
    }
    C_ = std::move(C);
    report_.moved += mechanism_.largest_displacement(d);
    return true;
  }

  bool newton() {
    const Eigen::VectorXd d = direction(hard_, 0);
    report_.freedoms = hard_.freedoms();
    const double norm = C_.norm();
    for (double step = 1; step >= kShortest; step /= 2) {
      if (!try_step(step * d, (1 - kDescent * step) * norm)) continue;
      if (step < 1) ++report_.damped;
      return true;
    }
    return false;
  }

  bool marquardt() {
    // κ against what a row answers to a unit reaction, on average.
    const double inertia = problem_.A.diagonal().mean();
    const double response = problem_.G.squaredNorm() / static_cast<double>(C_.size()) / (inertia > 0 ? inertia : 1);
    const double norm = C_.norm();
    for (int i = 0; i < kMostMarquardt; ++i, kappa_ *= 8) {
      const Eigen::VectorXd d = direction(soft_, kappa_ * response);
      const double predicted = norm - (C_ + problem_.G * d).norm();
      if (predicted <= kStationary * norm) return false;
      if (!try_step(d, norm - kDescent * predicted)) continue;
      kappa_ = std::max(kappa_ / 16, 1e-12);
      ++report_.damped;
      return true;
    }
    return false;
  }

  void finish() {
    mechanism_.evaluate();  // angles are counted on to here
    report_.residual = largest();
    if (report_.closed()) return;
    Eigen::Index worst = 0;
    C_.cwiseAbs().maxCoeff(&worst);
    report_.worst_row = mechanism_.spelled(static_cast<Eigen::Index>(chosen_[static_cast<std::size_t>(worst)]));
    report_.wrong_jacobian = wrong_jacobian(mechanism_);
  }

  Mechanism& mechanism_;
  const CloseOptions& options_;
  SaddleSystem& hard_;
  SaddleSystem soft_;
  std::vector<int> chosen_;
  MechanismState here_;
  Eigen::VectorXd C_;
  SaddleProblem problem_;
  double kappa_ = 1e-3;
  CloseReport report_;
};

}  // namespace

std::string CloseReport::message() const {
  if (closed()) return {};
  const std::string how = status == CloseStatus::least_residual ? "it does not close from here" : "iterations ran out";
  return "mechanism: expected a configuration that closes, found a residual of " + spelled(residual) + " m in " +
         worst_row + ": " + (wrong_jacobian.empty() ? how : wrong_jacobian);
}

CloseReport close(Mechanism& mechanism, const CloseOptions& options) {
  require_positive(options.tolerance, "tolerance");
  require_positive(options.max_turn, "max_turn");
  if (options.max_iterations < 0) {
    throw std::invalid_argument("max_iterations: expected a number >= 0, found " +
                                std::to_string(options.max_iterations));
  }
  const MechanismState start = mechanism.state();
  try {
    return Closing(mechanism, options).run();
  } catch (...) {
    mechanism.restore(start);
    throw;
  }
}

}  // namespace locdyn
