#include <locdyn/solver/newton/bent_rows.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace locdyn::detail {
namespace {

// Steps of ten scenes at 1e-8, each from the same state: 0.005 in place of 0.02 1.06 times the time, 0.4 in place of
// 0.7 1.01.
constexpr double kBentShare = 0.02;   // of ‖F‖², of one row
constexpr double kMostOfMerit = 0.7;  // of ‖F‖², of those marked together
// Of the few rows' own equations. Twelve scenes at 1e-8 and 1e-4: 30 steps in place of 12 take as long.
constexpr int kFewSteps = 12, kFewHalvings = 8;
constexpr double kFewDescent = 1e-4, kFewSolved = 1e-2, kFewOfUse = 0.5;

}  // namespace

BentRows::BentRows(const LocalDynamics& ldy, std::span<const NewtonRow> rows, std::span<const LinearisedRow> linear)
    : ldy_(ldy), rows_(rows), linear_(linear) {
  few_.reserve(kMostFewRows);
}

bool BentRows::choose(std::span<const double> squares) {
  const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
  const auto goes_with_another = [this](std::size_t place) {
    return rows_[place].follows() || rows_[place].bounded != 0 ||
           (place + 1 < rows_.size() && rows_[place + 1].follows());
  };
  marked_.clear();
  for (std::size_t place = 0; place < squares.size(); ++place) {
    if (!(squares[place] > 0 && squares[place] >= kBentShare * sum) || goes_with_another(place)) continue;
    const auto index = static_cast<Index>(place);
    if (std::find(few_.begin(), few_.end(), index) == few_.end()) marked_.push_back(index);
  }
  std::stable_sort(marked_.begin(), marked_.end(), [&](Index a, Index b) { return squares[a] > squares[b]; });
  marked_.resize(std::min(marked_.size(), kMostFewRows - few_.size()));
  few_.insert(few_.end(), marked_.begin(), marked_.end());
  const double held = std::accumulate(marked_.begin(), marked_.end(), 0.0,
                                      [&squares](double so_far, Index place) { return so_far + squares[place]; });
  return !marked_.empty() && held >= kMostOfMerit * sum;
}

// Where q goes beside the step: row b moves by m = (Z q)_b and steps by q_b − K_b m more.
struct BentRows::Few {
  const BentRows& of;
  const NewtonStep& step;
  FrictionMap map;
  double augmentation;
  FewRowsMatrix Z;
  std::array<Eigen::Matrix3d, kMostFewRows> K;

  // F of the few rows, and where asked for its derivative by q.
  void evaluate(const FewRowsVector& q, FewRowsVector& F, FewRowsMatrix* J) const;
  // A q with a hundredth of the F that the step leaves, or with half of it where steps do not get there.
  [[nodiscard]] bool solve(FewRowsVector& q) const;
};

void BentRows::Few::evaluate(const FewRowsVector& q, FewRowsVector& F, FewRowsMatrix* J) const {
  const FewRowsVector motion = Z * q;
  for (std::size_t b = 0; b < of.few_.size(); ++b) {
    const Index place = of.few_[b];
    const auto own = static_cast<Eigen::Index>(3 * b);
    const double w = of.linear_[place].weight;
    const Eigen::Vector3d m = motion.segment<3>(own), more = q.segment<3>(own) - K[b] * m;
    DiagonalBlock block = of.ldy_.diagonal_arena()[place];
    block.R = step.R[place] + step.by_R[place] + more;
    block.U = step.U[place] + step.by_U[place] + m + w * more;
    clear_unused(of.rows_[place].rows, block.U);
    bool pressed = false;
    MapDerivative d;
    F.segment<3>(own) = row_map(of.rows_[place], map, augmentation, block, pressed, J != nullptr ? &d : nullptr);
    if (J == nullptr) continue;
    const Eigen::Matrix3d by_q = w * d.E + d.C, by_m = d.E - by_q * K[b];
    J->middleRows<3>(own).noalias() = by_m * Z.middleRows<3>(own);
    J->block<3, 3>(own, own) += by_q;
  }
}

bool BentRows::Few::solve(FewRowsVector& q) const {
  const Eigen::Index n = Z.rows();
  q.setZero(n);
  FewRowsVector F(n), change(n), trial(n);
  FewRowsMatrix J(n, n);
  evaluate(q, F, &J);
  const double first = F.norm();
  double norm = first;
  for (int iteration = 0; iteration < kFewSteps && norm > kFewSolved * first; ++iteration) {
    change = Eigen::PartialPivLU<FewRowsMatrix>(J).solve(-F);
    if (!change.allFinite()) break;
    double t = 1, value = norm;
    for (int halving = 0; halving <= kFewHalvings; ++halving, t *= 0.5) {
      trial = q + t * change;
      evaluate(trial, F, nullptr);
      value = F.norm();
      if (value <= (1 - kFewDescent * t) * norm) break;
    }
    if (!(value < norm)) break;
    q = trial;
    norm = value;
    evaluate(q, F, &J);
  }
  return norm <= kFewOfUse * first;
}

bool BentRows::solve(RowResponses& responses, FrictionMap map, double augmentation, NewtonStep& step) {
  Few few{.of = *this, .step = step, .map = map, .augmentation = augmentation, .Z = {}, .K = {}};
  if (!responses.find_responses(few_, few.Z)) return false;
  for (std::size_t b = 0; b < few_.size(); ++b) few.K[b] = responses.yield(linear_[few_[b]], few_[b]);
  FewRowsVector q;
  if (!few.solve(q)) return false;

  by_R_ = step.by_R;
  by_U_ = step.by_U;
  more_.resize(rows_.size());
  moved_.resize(rows_.size());
  responses.respond(linear_, q, more_, moved_);
  for (const DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - ldy_.diagonal_arena().data();
    step.by_R[place] += more_[place];
    step.by_U[place] += moved_[place] + linear_[place].weight * more_[place];
    clear_unused(rows_[place].rows, step.by_U[place]);
  }
  return true;
}

void BentRows::take_back(NewtonStep& step) {
  std::swap(step.by_R, by_R_);
  std::swap(step.by_U, by_U_);
}

}  // namespace locdyn::detail
