#include <locdyn/distributed/second_order/velocity_operator.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn::distributed {
namespace {

constexpr int kSix = VelocityUnknowns::kBlock;
constexpr std::size_t kEntries = kSix * kSix;
constexpr double kRounding = 1e-15;  // of the right-hand side: less of a residual is noise
using BlockMap = Eigen::Map<Eigen::Matrix<double, kSix, kSix, Eigen::RowMajor>>;

void check_linear(const LinearOptions& options) {
  const auto refuse = [](const char* field, const char* expected, double found) {
    throw std::invalid_argument(std::string("second order: ") + field + ": expected " + expected + ", found " +
                                std::to_string(found));
  };
  if (!(options.tolerance > 0 && options.tolerance < 1)) refuse("tolerance", "a number in (0, 1)", options.tolerance);
  if (options.max_iterations < 1) refuse("max_iterations", "at least 1", static_cast<double>(options.max_iterations));
  if (!(options.direct_megabytes > 0)) refuse("direct_megabytes", "a number > 0", options.direct_megabytes);
}

}  // namespace

VelocityOperator::VelocityOperator(DistributedGraph& graph, const LinearOptions& options, Symmetry symmetry)
    : graph_(graph),
      options_(options),
      method_(options.method),
      symmetry_(symmetry),
      unknowns_((check_linear(options), graph)) {
  list_pieces();
  list_pairs();
  make_matrix();
  right_ = unknowns_.global_vector();
  y_ = unknowns_.global_vector();
  copies_ = unknowns_.copies_vector();
  require_petsc(VecSet(y_, 0), "vectors");
}

VelocityOperator::~VelocityOperator() {
  if (solver_ != nullptr) (void)KSPDestroy(&solver_);
  for (Mat* matrix : {&factor_, &matrix_}) {
    if (*matrix != nullptr) (void)MatDestroy(matrix);
  }
  for (Vec* vector : {&right_, &y_, &copies_}) {
    if (*vector != nullptr) (void)VecDestroy(vector);
  }
}

void VelocityOperator::list_pieces() {
  const LocalDynamics& ldy = graph_.ldy();
  const DelassusFactor& factor = *ldy.factor();
  first_piece_.push_back(0);
  for (std::uint32_t place = 0; place < ldy.diagonal_arena().size(); ++place) {
    for (const Coupling& c : factor.couplings(place)) {
      for (std::uint32_t column = 0; column < c.freedoms; column += kSix) {
        pieces_.push_back({static_cast<std::uint32_t>(unknowns_.first_block(c.body) + column / kSix),
                           std::min<std::uint32_t>(kSix, c.freedoms - column), 4 * (c.place + column)});
      }
    }
    first_piece_.push_back(static_cast<std::uint32_t>(pieces_.size()));
  }
}

std::size_t VelocityOperator::pair(std::size_t row, std::size_t column) const {
  return static_cast<std::size_t>(std::lower_bound(pairs_.begin(), pairs_.end(), std::uint64_t{row} << 32 | column) -
                                  pairs_.begin());
}

// Blocks that meet in a row of this rank, or within a body of its own, and where each product goes.
void VelocityOperator::list_pairs() {
  for (std::size_t place = 0; place + 1 < first_piece_.size(); ++place) {
    for (std::uint32_t a = first_piece_[place]; a < first_piece_[place + 1]; ++a) {
      for (std::uint32_t b = first_piece_[place]; b < first_piece_[place + 1]; ++b) {
        pairs_.push_back(std::uint64_t{pieces_[a].block} << 32 | pieces_[b].block);
      }
    }
  }
  for (const std::uint32_t group : unknowns_.own()) {
    const std::size_t first = unknowns_.first_block(group), last = unknowns_.first_block(group + 1);
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t column = first; column < last; ++column) pairs_.push_back(std::uint64_t{row} << 32 | column);
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  for (std::size_t place = 0; place + 1 < first_piece_.size(); ++place) {
    first_pair_.push_back(pair_of_.size());
    for (std::uint32_t a = first_piece_[place]; a < first_piece_[place + 1]; ++a) {
      for (std::uint32_t b = first_piece_[place]; b < first_piece_[place + 1]; ++b) {
        pair_of_.push_back(static_cast<std::uint32_t>(pair(pieces_[a].block, pieces_[b].block)));
      }
    }
  }
  values_.resize(kEntries * pairs_.size());
}

// With room for what all ranks add to this rank's rows.
void VelocityOperator::make_matrix() {
  struct Place {
    PetscInt row = 0, column = 0;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Writer> to(static_cast<std::size_t>(size_of(graph_.comm())));
  for (const std::uint64_t one : pairs_) {
    const auto row = static_cast<std::size_t>(one >> 32), column = static_cast<std::size_t>(one & 0xffffffffu);
    to[static_cast<std::size_t>(unknowns_.owner(row))].put(Place{unknowns_.number(row), unknowns_.number(column)});
  }
  std::vector<Place> places;
  for (const Bytes& bytes : exchange_bytes(graph_.comm(), to)) {
    for (Reader reader(bytes); !reader.done();) places.push_back(reader.get<Place>());
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const PetscInt first = unknowns_.first_own(), count = unknowns_.own_blocks();
  std::vector<PetscInt> inside(static_cast<std::size_t>(count), 0), outside(inside);
  for (const Place& place : places) {
    const bool own = place.column >= first && place.column < first + count;
    ++(own ? inside : outside)[static_cast<std::size_t>(place.row - first)];
  }
  require_petsc(MatCreate(graph_.comm(), &matrix_), "matrix");
  require_petsc(MatSetSizes(matrix_, kSix * count, kSix * count, PETSC_DETERMINE, PETSC_DETERMINE), "matrix");
  require_petsc(MatSetBlockSize(matrix_, kSix), "matrix");
  require_petsc(MatSetType(matrix_, MATAIJ), "matrix");
  require_petsc(MatXAIJSetPreallocation(matrix_, kSix, inside.data(), outside.data(), nullptr, nullptr), "matrix");
  if (symmetry_ == Symmetry::general) return;
  require_petsc(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE), "matrix");
  require_petsc(MatSetOption(matrix_, MAT_SPD_ETERNAL, PETSC_TRUE), "matrix");
}

// The near-null space: six vectors made orthonormal.
void VelocityOperator::tell_rigid_motions() {
  std::vector<GlobalId> ids;
  for (const std::uint32_t group : unknowns_.own()) ids.push_back(graph_.bodies()[group]);
  const std::vector<Eigen::MatrixXd> motions = graph_.registry().motions(ids);
  int known = std::none_of(motions.begin(), motions.end(), [](const auto& m) { return m.size() == 0; }) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, graph_.comm());
  if (known == 0) return;
  std::array<Vec, kSix> basis{};
  int count = 0;
  for (int k = 0; k < kSix; ++k) {
    Vec& one = basis[static_cast<std::size_t>(count)];
    if (one == nullptr) one = unknowns_.global_vector();
    require_petsc(VecSet(one, 0), "rigid motions");
    double* numbers = nullptr;
    require_petsc(VecGetArray(one, &numbers), "rigid motions");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const PetscInt block = unknowns_.number(unknowns_.first_block(unknowns_.own()[i])) - unknowns_.first_own();
      Eigen::Map<Eigen::VectorXd>(numbers + kSix * block, motions[i].rows()) = motions[i].col(k);
    }
    require_petsc(VecRestoreArray(one, &numbers), "rigid motions");
    // Twice is enough; what is left of a motion that the others make up is not one of its own.
    double before = 0, left = 0;
    require_petsc(VecNorm(one, NORM_2, &before), "rigid motions");
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < count; ++j) {
        double dot = 0;
        require_petsc(VecDot(one, basis[static_cast<std::size_t>(j)], &dot), "rigid motions");
        require_petsc(VecAXPY(one, -dot, basis[static_cast<std::size_t>(j)]), "rigid motions");
      }
    }
    require_petsc(VecNorm(one, NORM_2, &left), "rigid motions");
    if (!(left > 1e-8 * before)) continue;
    require_petsc(VecScale(one, 1 / left), "rigid motions");
    ++count;
  }
  MatNullSpace near_null = nullptr;
  require_petsc(MatNullSpaceCreate(graph_.comm(), PETSC_FALSE, count, basis.data(), &near_null), "rigid motions");
  require_petsc(MatSetNearNullSpace(matrix_, near_null), "rigid motions");
  require_petsc(MatNullSpaceDestroy(&near_null), "rigid motions");
  for (Vec& one : basis) {
    if (one != nullptr) require_petsc(VecDestroy(&one), "rigid motions");
  }
}

// A/h of this rank's bodies; what fills a block up gets their mean diagonal, and stays at zero.
void VelocityOperator::add_inertia() {
  const DelassusFactor& factor = *graph_.ldy().factor();
  for (const std::uint32_t group : unknowns_.own()) {
    const std::uint64_t entries = factor.first_inertia[group + 1] - factor.first_inertia[group];
    const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(entries))));
    const Eigen::Map<const Eigen::MatrixXd> A(factor.inertia.data() + factor.first_inertia[group], n, n);
    const std::size_t first = unknowns_.first_block(group), last = unknowns_.first_block(group + 1);
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t column = first; column < last; ++column) {
        BlockMap block(values_.data() + kEntries * pair(row, column));
        for (int i = 0; i < kSix; ++i) {
          for (int j = 0; j < kSix; ++j) {
            const auto r = static_cast<Eigen::Index>((row - first) * kSix) + i;
            const auto c = static_cast<Eigen::Index>((column - first) * kSix) + j;
            if (r < n && c < n) {
              block(i, j) += A(r, c) / factor.h;
            } else if (r == c) {
              block(i, j) += A.trace() / (static_cast<double>(n) * factor.h);
            }
          }
        }
      }
    }
  }
}

void VelocityOperator::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
  add_inertia();
}

void VelocityOperator::add_block(Index row, const Eigen::Matrix3d& K, Index column) {
  const DelassusFactor& factor = *graph_.ldy().factor();
  const auto columns = [&](const Piece& piece) {
    return ConstFactorMap(factor.H.data() + piece.place, 3, piece.columns);
  };
  std::size_t at = first_pair_[row];
  for (const Piece& a : pieces_of(row)) {
    const Eigen::Matrix<double, Eigen::Dynamic, 3, 0, kSix, 3> HK = columns(a).transpose() * K;
    for (const Piece& b : pieces_of(column)) {
      BlockMap(values_.data() + kEntries * pair_of_[at++]).topLeftCorner(a.columns, b.columns) += HK * columns(b);
    }
  }
}

void VelocityOperator::add_pull(Index row, const Eigen::Vector3d& r, std::span<double> b) const {
  const DelassusFactor& factor = *graph_.ldy().factor();
  for (const Piece& piece : pieces_of(row)) {
    Eigen::Map<Eigen::VectorXd>(b.data() + kSix * std::size_t{piece.block}, piece.columns) +=
        ConstFactorMap(factor.H.data() + piece.place, 3, piece.columns).transpose() * r;
  }
}

Eigen::Vector3d VelocityOperator::motion(Index row, std::span<const double> y) const {
  const DelassusFactor& factor = *graph_.ldy().factor();
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const Piece& piece : pieces_of(row)) {
    sum += ConstFactorMap(factor.H.data() + piece.place, 3, piece.columns) *
           Eigen::Map<const Eigen::VectorXd>(y.data() + kSix * std::size_t{piece.block}, piece.columns);
  }
  return sum;
}

bool VelocityOperator::everywhere(bool here) const {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, graph_.comm());
  return all != 0;
}

// The blocks of all ranks into the matrix.
void VelocityOperator::sum_blocks() {
  require_petsc(MatZeroEntries(matrix_), "matrix");
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const PetscInt row = unknowns_.number(static_cast<std::size_t>(pairs_[k] >> 32));
    const PetscInt column = unknowns_.number(static_cast<std::size_t>(pairs_[k] & 0xffffffffu));
    require_petsc(MatSetValuesBlocked(matrix_, 1, &row, 1, &column, values_.data() + kEntries * k, ADD_VALUES),
                  "matrix");
  }
  require_petsc(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY), "matrix");
  require_petsc(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY), "matrix");
}

// Orders and counts for MUMPS; false where its factor would not fit.
bool VelocityOperator::plan_direct() {
  const bool symmetric = symmetry_ == Symmetry::symmetric;
  MatFactorInfo info;
  require_petsc(MatFactorInfoInitialize(&info), "MUMPS");
  require_petsc(MatGetFactor(matrix_, MATSOLVERMUMPS, symmetric ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU, &factor_),
                "MUMPS");
  require_petsc(MatMumpsSetIcntl(factor_, 14, 50), "MUMPS");  // room for half as much as it expects
  require_petsc(symmetric ? MatCholeskyFactorSymbolic(factor_, matrix_, nullptr, &info)
                          : MatLUFactorSymbolic(factor_, matrix_, nullptr, nullptr, &info),
                "MUMPS");
  PetscInt megabytes = 0, failed = 0;
  require_petsc(MatMumpsGetInfog(factor_, 16, &megabytes), "MUMPS");
  require_petsc(MatMumpsGetInfog(factor_, 1, &failed), "MUMPS");
  megabytes_ = std::max(1.0, static_cast<double>(megabytes));
  return failed >= 0 && (method_ == LinearMethod::direct || megabytes_ <= options_.direct_megabytes);
}

bool VelocityOperator::prepare_direct() {
  MatFactorInfo info;
  require_petsc(MatFactorInfoInitialize(&info), "MUMPS");
  require_petsc(symmetry_ == Symmetry::symmetric ? MatCholeskyFactorNumeric(factor_, matrix_, &info)
                                                 : MatLUFactorNumeric(factor_, matrix_, &info),
                "MUMPS");
  MatFactorError error = MAT_FACTOR_NOERROR;
  require_petsc(MatFactorGetError(factor_, &error), "MUMPS");
  double flops = 0;
  require_petsc(MatMumpsGetRinfog(factor_, 3, &flops), "MUMPS");
  flops_ += flops;
  return error == MAT_FACTOR_NOERROR;
}

bool VelocityOperator::prepare_iterative() {
  if (solver_ == nullptr) {
    if (method_ == LinearMethod::multigrid) tell_rigid_motions();
    require_petsc(KSPCreate(graph_.comm(), &solver_), "conjugate gradients");
    if (symmetry_ == Symmetry::symmetric) {
      require_petsc(KSPSetType(solver_, KSPCG), "conjugate gradients");
      require_petsc(KSPSetInitialGuessNonzero(solver_, PETSC_TRUE), "conjugate gradients");
      require_petsc(KSPConvergedDefaultSetUIRNorm(solver_), "conjugate gradients");  // over the residual at the start
    } else {
      // builtin:wall:8000, twenty steps of Newton with multigrid: 48.5 iterations a step with 30, 45.6 with 100 and 300;
      // builtin:machine:60, which has joints: 17 592, 6180 and 15 451 in all.
      constexpr PetscInt kRestart = 100;
      require_petsc(KSPSetType(solver_, KSPGMRES), "GMRES");
      require_petsc(KSPGMRESSetRestart(solver_, kRestart), "GMRES");
      require_petsc(KSPSetPCSide(solver_, PC_RIGHT), "GMRES");
    }
    require_petsc(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED), "conjugate gradients");
    PC preconditioner = nullptr;
    require_petsc(KSPGetPC(solver_, &preconditioner), "conjugate gradients");
    require_petsc(PCSetType(preconditioner, method_ == LinearMethod::blocks ? PCPBJACOBI : PCGAMG), "preconditioner");
    // What PETSc's users know: PETSC_OPTIONS="-locdyn_ksp_monitor".
    require_petsc(KSPSetOptionsPrefix(solver_, "locdyn_"), "options");
    require_petsc(KSPSetFromOptions(solver_), "options");
  }
  require_petsc(KSPSetOperators(solver_, matrix_, matrix_), "conjugate gradients");
  require_petsc(KSPSetUp(solver_), "preconditioner");
  return true;
}

bool VelocityOperator::prepare() {
  if (unknowns_.all_blocks() == 0) return true;
  sum_blocks();
  if (factor_ == nullptr && solver_ == nullptr) {
    const bool asked = method_ == LinearMethod::direct ||
                       (method_ == LinearMethod::automatic && all_unknowns() <= options_.direct_unknowns);
    const bool fits = asked && plan_direct();
    if (!fits && factor_ != nullptr) require_petsc(MatDestroy(&factor_), "MUMPS");
    if (!fits && method_ == LinearMethod::direct) return false;
    if (method_ == LinearMethod::automatic) method_ = fits ? LinearMethod::direct : LinearMethod::multigrid;
  }
  return method_ == LinearMethod::direct ? prepare_direct() : prepare_iterative();
}

// y_ of right_, from the y_ before where conjugate gradients begin there.
bool VelocityOperator::iterate() {
  double load = 0;
  require_petsc(VecNorm(right_, NORM_2, &load), "conjugate gradients");
  require_petsc(
      KSPSetTolerances(solver_, options_.tolerance, std::max(kRounding * load, PETSC_MACHINE_EPSILON * 1e-100), 1e100,
                       static_cast<PetscInt>(options_.max_iterations)),
      "conjugate gradients");
  require_petsc(KSPSolve(solver_, right_, y_), "conjugate gradients");
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  require_petsc(KSPGetIterationNumber(solver_, &iterations), "conjugate gradients");
  require_petsc(KSPGetConvergedReason(solver_, &reason), "conjugate gradients");
  iterations_ += iterations;
  return reason > 0;
}

bool VelocityOperator::solve_prepared(std::span<const double> b, std::span<double> x) {
  if (unknowns_.all_blocks() == 0) return true;
  double* copies = nullptr;
  require_petsc(VecGetArray(copies_, &copies), "vectors");
  std::copy(b.begin(), b.end(), copies);
  require_petsc(VecRestoreArray(copies_, &copies), "vectors");
  unknowns_.add_up(copies_, right_);

  bool solved = true;
  ++solves_;
  if (method_ == LinearMethod::direct) {
    require_petsc(MatSolve(factor_, right_, y_), "MUMPS");
  } else {
    solved = iterate();
  }

  unknowns_.hand_out(y_, copies_);
  require_petsc(VecGetArray(copies_, &copies), "vectors");
  std::copy_n(copies, x.size(), x.begin());
  require_petsc(VecRestoreArray(copies_, &copies), "vectors");
  return solved;
}

bool VelocityOperator::solve(std::span<const double> b, std::span<double> x) {
  return prepare() && solve_prepared(b, x);
}

bool VelocityOperator::prepare(std::span<const Eigen::Vector3d> K) {
  clear();
  for (Index place = 0; place < K.size(); ++place) add_block(place, K[place].asDiagonal(), place);
  return prepare();
}

bool VelocityOperator::solve(std::span<const Eigen::Vector3d> pull, std::span<Eigen::Vector3d> motion) {
  pull_.assign(unknowns(), 0.0);
  change_.assign(unknowns(), 0.0);
  for (Index place = 0; place < pull.size(); ++place) add_pull(place, pull[place], pull_);
  const bool solved = solve_prepared(pull_, change_);
  for (Index place = 0; place < motion.size(); ++place) motion[place] = this->motion(place, change_);
  return solved;
}

}  // namespace locdyn::distributed
