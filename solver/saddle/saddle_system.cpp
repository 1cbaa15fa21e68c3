#include <locdyn/solver/saddle/saddle_system.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace locdyn::detail {
namespace {

constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
constexpr int kRefinementPatience = 3;  // refinements without a gain before it ends
constexpr double kGain = 0.8;           // what counts as one

template <class Value>
void require(bool good, const char* field, const char* expected, Value found) {
  if (good) return;
  throw std::invalid_argument("saddle point: " + std::string(field) + ": expected " + expected + ", found " +
                              std::to_string(found));
}

std::unique_ptr<SaddleFactorisation> make_form(SaddleMethod method) {
  switch (method) {
    case SaddleMethod::delassus: return make_delassus_form();
    case SaddleMethod::null_space: return make_null_space_form();
    default: return make_quasi_definite_form();
  }
}

Eigen::Index largest(const Eigen::VectorXd& x) {
  Eigen::Index at = -1;
  if (x.size() > 0) x.cwiseAbs().maxCoeff(&at);
  return at;
}

}  // namespace

SaddleSystem::SaddleSystem(const SaddleOptions& options) : options_(options), form_(make_form(options.method)) {
  const auto& o = options;
  require(o.rank_tolerance > 0 && o.rank_tolerance < 1, "rank_tolerance", "a number in (0, 1)", o.rank_tolerance);
  require(o.consistency > 0 && o.consistency < 1, "consistency", "a number in (0, 1)", o.consistency);
  require(o.regularisation > 0 && o.regularisation <= 1e-2, "regularisation", "a number in (0, 0.01]",
          o.regularisation);
  require(o.tolerance > 0 && std::isfinite(o.tolerance), "tolerance", "a finite number > 0", o.tolerance);
  require(o.max_refinements >= 0, "max_refinements", "a number >= 0", o.max_refinements);
}

SaddleParts SaddleSystem::parts() const noexcept {
  return {.scaled = scaled_,
          .massless = massless_,
          .rank = options_.rank_check == RankCheck::always ? &rank_ : nullptr,
          .regularisation = options_.regularisation,
          .rank_tolerance = options_.rank_tolerance};
}

void SaddleSystem::factorise(const SaddleProblem& problem) {
  factorised_ = false;
  const Eigen::Index rows_before = problem_.G.rows(), columns_before = problem_.G.cols();
  problem_ = problem;
  problem_.A.makeCompressed();
  problem_.G.makeCompressed();
  scaled_.scale(problem_);
  massless_.eliminate(scaled_, options_.rank_tolerance);
  if (options_.rank_check == RankCheck::always) rank_.analyse(scaled_, options_.rank_tolerance);
  form_->factorise(parts());
  factorised_ = true;
  const bool same_size = problem_.G.rows() == rows_before && problem_.G.cols() == columns_before;
  best_rank_ = same_size ? std::max(best_rank_, rank()) : rank();
}

void SaddleSystem::check_load(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) const {
  if (!factorised_) throw std::logic_error("saddle point: expected a factor, found none: call factorise first");
  const auto check = [](const Eigen::VectorXd& x, Eigen::Index size, const char* what) {
    if (x.size() != size) require(false, what, (std::to_string(size) + " numbers").c_str(), x.size());
    if (x.allFinite()) return;
    for (Eigen::Index i = 0; i < size; ++i) {
      require(std::isfinite(x[i]), (std::string(what) + "[" + std::to_string(i) + "]").c_str(), "a finite number",
              x[i]);
    }
  };
  check(f, problem_.A.rows(), "f");
  check(gamma, problem_.G.rows(), "gamma");
}

// What is left of both equations, in scaled units.
SaddleSystem::Residual SaddleSystem::residual(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma,
                                              const Eigen::VectorXd& a, const Eigen::VectorXd& lambda) const {
  const Eigen::VectorXd force = f - problem_.A * a + problem_.G.transpose() * lambda;
  Eigen::VectorXd rows = gamma - problem_.G * a;
  if (problem_.compliance.size() != 0) rows -= problem_.compliance.cwiseProduct(lambda);
  Residual left{scaled_.force_with_mass(force), scaled_.force_without_mass(force),
                scaled_.row_scale().cwiseProduct(rows), 0};
  // Rounding must not pull along what no motion can meet.
  if (!redundant().empty()) left.rows -= rank_.contradiction(left.rows);
  left.norm = std::sqrt(left.force.squaredNorm() + left.massless.squaredNorm() + left.rows.squaredNorm());
  return left;
}

SaddleSolution SaddleSystem::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) const {
  check_load(f, gamma);
  const Eigen::VectorXd& D = scaled_.row_scale();
  SaddleSolution solution;

  // What γ asks that no motion can do, and forces that no row can carry, are left out and reported.
  Eigen::VectorXd met = gamma, carried = f;
  const Eigen::VectorXd wanted = D.cwiseProduct(gamma);
  if (!redundant().empty()) {
    const Eigen::VectorXd missed = rank_.contradiction(wanted);
    met -= missed.cwiseQuotient(D);
    solution.contradictory = missed.norm() > options_.consistency * wanted.norm();
    if (solution.contradictory) {
      const Eigen::Index row = largest(missed);
      solution.contradiction = {.row = row, .name = problem_.name(row), .residual = missed[row] / D[row]};
    }
  }
  if (massless_.free_parameters() > 0) {
    const Eigen::VectorXd e = scaled_.force_without_mass(f), held = massless_.carried(e);
    const double scale = scaled_.force_with_mass(f).norm() + e.norm();
    if ((e - held).norm() > options_.consistency * scale) {
      solution.unsupported = scaled_.massless()[largest(e - held)];
    }
    scaled_.replace_force_without_mass(held, carried);
  }

  refine(*form_, carried, met, solution);
  // Next to a singular position δ is no longer small beside σ². The QR that found the rank has no δ.
  const bool has_qr = options_.rank_check == RankCheck::always && options_.method != SaddleMethod::null_space;
  if (!solution.converged && has_qr) {
    const std::unique_ptr<SaddleFactorisation> by_qr = make_null_space_form();
    by_qr->factorise(parts());
    SaddleSolution other = solution;
    refine(*by_qr, carried, met, other);
    if (other.residual < solution.residual) solution = std::move(other);
  }
  return solution;
}

// Proximal refinement from a = 0: each solve takes away all but δ/(δ + σ²) of what is left along a singular value σ.
void SaddleSystem::refine(const SaddleFactorisation& form, const Eigen::VectorXd& f, const Eigen::VectorXd& gamma,
                          SaddleSolution& solution) const {
  const Eigen::VectorXd& D = scaled_.row_scale();
  solution.a = Eigen::VectorXd::Zero(problem_.A.rows());
  solution.lambda = Eigen::VectorXd::Zero(problem_.G.rows());
  solution.refinements = 0;
  Eigen::VectorXd a = solution.a, lambda = solution.lambda, scaled_lambda = lambda;
  Eigen::VectorXd z = Eigen::VectorXd::Zero(scaled_.with_mass()), s = Eigen::VectorXd::Zero(scaled_.without_mass());
  Residual left = residual(f, gamma, a, lambda);
  const double load = left.norm;
  double best = load, scale = load;
  int waited = 0;
  for (int i = 0; i <= options_.max_refinements && best > 0 && waited < kRefinementPatience; ++i) {
    if (left.norm <= kRounding * scale) break;
    const ScaledSolution step = form.solve(parts(), left.force, left.massless, left.rows);
    z += step.z;
    s += step.s;
    if (massless_.free_parameters() > 0) s = massless_.parameters(scaled_.S() * s);
    scaled_lambda += step.lambda;
    if (!redundant().empty()) {
      scaled_lambda = options_.norm == MultiplierNorm::rows ? rank_.least_norm(scaled_lambda)
                                                            : rank_.least_scaled_norm(scaled_lambda);
    }
    a = scaled_.coordinates(z, s);
    lambda = D.cwiseProduct(scaled_lambda);
    left = residual(f, gamma, a, lambda);
    if (!std::isfinite(left.norm)) break;
    waited = left.norm <= kGain * best ? 0 : waited + 1;
    if (left.norm < best) {
      best = left.norm;
      scale = load + z.norm() + scaled_lambda.norm();
      solution.a = a;
      solution.lambda = lambda;
      solution.refinements = i;
    }
  }
  solution.residual = best > 0 ? best / scale : 0;
  solution.converged = solution.residual <= options_.tolerance;
}

Eigen::Index SaddleSystem::rank() const noexcept {
  return options_.rank_check == RankCheck::always ? rank_.rank() : problem_.G.rows();
}

const std::vector<RedundantRow>& SaddleSystem::redundant() const noexcept {
  return rank_.redundant();
}

WeakestRow SaddleSystem::weakest() const {
  if (!factorised_ || options_.rank_check == RankCheck::never) {
    throw std::logic_error("saddle point: expected a factor with its rank checked, found none");
  }
  return rank_.weakest();
}

long SaddleSystem::analyses() const noexcept {
  return form_->analyses() + rank_.qr().analyses();
}

}  // namespace locdyn::detail
