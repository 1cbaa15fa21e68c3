#include <locdyn/ldy/recovered_bodies.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <locdyn/ldy/line_graph.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Numbers = LineGraph::Numbers;

constexpr Eigen::Index kFreedoms = 6;
// Over the largest eigenvalue: what is nothing. The least of a brick's face is 0.03.
constexpr double kNoDirection = 1e-9;
// What may be left of a matrix that has a known rank, or is symmetric, and of W_ef − F_e F_fᵀ.
constexpr double kOff = 1e-9;
// Rows whose F is known that are asked first, and all that are asked, but for one group that may have more; rows of
// each of two parts of the others.
constexpr Eigen::Index kFewAsked = 9, kMostAsked = 36, kLargestGroup = 120, kLargestPart = 24;
// Groups of which one is tried after another: to be known by, and to be taken for those on obstacles.
constexpr std::size_t kTried = 4;

// Bodies are told in passes, those first that are told best.
struct Pass {
  double least;  // singular value, or pivot, of all that is divided by, over the largest
  bool trusts;   // groups that no other body is known to act on are taken for those on obstacles
  bool asks_all;
};
constexpr std::array kPasses = {Pass{3e-2, false, true}, Pass{3e-2, true, false}, Pass{3e-3, true, true}};

// F of full column rank with F Fᵀ = S, and its pseudoinverse transposed: S = V Λ Vᵀ, V Λ^½ and V Λ^-½.
struct Root {
  Root() = default;
  explicit Root(const MatrixXd& S) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> own(S);
    const Eigen::VectorXd& value = own.eigenvalues();
    const double most = value[value.size() - 1];
    rank = (value.array() > kNoDirection * most && value.array() > 0).count();
    if (rank > 0) least2 = value[value.size() - rank] / most;
    F = own.eigenvectors().rightCols(rank) * value.tail(rank).cwiseSqrt().asDiagonal();
    inverse = own.eigenvectors().rightCols(rank) * value.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
  }
  [[nodiscard]] bool is_sure(double least) const { return rank == 0 || least2 >= least * least; }

  Eigen::Index rank = 0;
  MatrixXd F, inverse;
  double least2 = 0;  // of the eigenvalues that count, over the largest
};

// Contact points that have so many directions: one has three, two have five.
Eigen::Index points_with(Eigen::Index directions) {
  return directions > 5 ? 3 : directions > 2 ? 2 : 1;
}

class Bodies {
 public:
  Bodies(const LineGraph& graph, std::vector<Numbers> bodies, const SymmetricBlocks& blocks);
  void find_all();
  [[nodiscard]] std::vector<FactorGroup> take();

 private:
  // A body's part of a group.
  struct Part {
    std::uint32_t body;
    MatrixXd F = {};
  };
  // Groups of a body of which F Fᵀ is known.
  struct Known {
    Numbers groups;
    std::vector<MatrixXd> shares;
  };

  [[nodiscard]] Eigen::Index size(std::uint32_t group) const { return 3 * std::ssize(graph_.rows[group]); }
  [[nodiscard]] MatrixXd between(std::span<const std::uint32_t> e, std::span<const std::uint32_t> f) const;
  [[nodiscard]] MatrixXd between(std::uint32_t e, std::uint32_t f) const { return between({&e, 1}, {&f, 1}); }
  [[nodiscard]] bool is_known(std::uint32_t group, std::uint32_t body) const;
  [[nodiscard]] MatrixXd share(std::uint32_t group, std::uint32_t body) const;
  [[nodiscard]] Root root_of(const Known& known) const;
  [[nodiscard]] bool learn_one(Known& known, const Root& root, const Numbers& others, double least) const;
  [[nodiscard]] bool has_group_alone(std::uint32_t body) const;
  bool find(std::uint32_t body, const Pass& pass);
  bool find_by(std::uint32_t body, const Numbers& known, double least);
  [[nodiscard]] bool holds(const Numbers& groups, const std::vector<MatrixXd>& F) const;

  const LineGraph& graph_;
  const SymmetricBlocks& blocks_;
  std::vector<Numbers> bodies_;           // their groups, the largest first
  std::vector<char> found_;               // by body
  std::vector<double> scale_;             // by group: the largest of its rows
  std::vector<std::vector<Part>> parts_;  // by group
};

MatrixXd stack(const std::vector<MatrixXd>& parts) {
  Eigen::Index rows = 0;
  for (const MatrixXd& part : parts) rows += part.rows();
  MatrixXd all(rows, parts.empty() ? 0 : parts.front().cols());
  for (Eigen::Index at = 0; const MatrixXd& part : parts) {
    all.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  return all;
}

Bodies::Bodies(const LineGraph& graph, std::vector<Numbers> bodies, const SymmetricBlocks& blocks)
    : graph_(graph),
      blocks_(blocks),
      bodies_(std::move(bodies)),
      found_(bodies_.size(), 0),
      scale_(graph.rows.size(), 0),
      parts_(graph.rows.size()) {
  for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
    std::stable_sort(bodies_[b].begin(), bodies_[b].end(),
                     [this](std::uint32_t one, std::uint32_t other) { return size(one) > size(other); });
    for (const std::uint32_t g : bodies_[b]) parts_[g].push_back({.body = b});
  }
  for (std::uint32_t g = 0; g < scale_.size(); ++g) {
    for (const std::uint32_t row : graph.rows[g]) scale_[g] = std::max(scale_[g], blocks.scale(row));
  }
}

// W between the rows of groups.
MatrixXd Bodies::between(std::span<const std::uint32_t> e, std::span<const std::uint32_t> f) const {
  const auto rows_of = [this](std::span<const std::uint32_t> all) {
    Numbers rows;
    for (const std::uint32_t g : all) rows.insert(rows.end(), graph_.rows[g].begin(), graph_.rows[g].end());
    return rows;
  };
  const Numbers rows = rows_of(e), columns = rows_of(f);
  MatrixXd W = MatrixXd::Zero(3 * std::ssize(rows), 3 * std::ssize(columns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const Matrix3d* const own = blocks_.find(rows[i], columns[j]);
      if (own == nullptr) continue;
      W.block<3, 3>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(3 * j)) = *own;
    }
  }
  return W;
}

// Is all else that acts on the group?
bool Bodies::is_known(std::uint32_t group, std::uint32_t body) const {
  return std::ranges::all_of(parts_[group],
                             [&](const Part& part) { return part.body == body || found_[part.body] != 0; });
}

// F_e F_eᵀ of a body, where it is.
MatrixXd Bodies::share(std::uint32_t group, std::uint32_t body) const {
  MatrixXd S = between(group, group);
  for (const Part& part : parts_[group]) {
    if (part.body != body) S -= part.F * part.F.transpose();
  }
  return S;
}

Root Bodies::root_of(const Known& known) const {
  if (known.groups.empty()) return {};
  MatrixXd S = between(known.groups, known.groups);
  for (Eigen::Index at = 0; const MatrixXd& share : known.shares) {
    S.block(at, at, share.rows(), share.rows()) = share;
    at += share.rows();
  }
  return Root(S);
}

// One of the others from two parts of the rest, each of which has all that the known ones lack. False where none is
// told so.
bool Bodies::learn_one(Known& known, const Root& root, const Numbers& others, double least) const {
  const Eigen::Index lacking = kFreedoms - root.rank;
  Eigen::Index rows = 0;
  for (const std::uint32_t g : others) rows += size(g);
  if (rows < 3 * (2 * points_with(lacking) + 1)) return false;
  const auto of_known = [&](const Numbers& e) { return MatrixXd(between(e, known.groups) * root.inverse); };
  const auto rest = [&](const Numbers& e, const Numbers& f) {
    return MatrixXd(between(e, f) - of_known(e) * of_known(f).transpose());
  };
  for (std::size_t tried = 0; others.size() >= 3 && tried < std::min(others.size(), kTried); ++tried) {
    const Numbers e = {others[tried]};
    Numbers P, Q;
    Eigen::Index in_P = 0, in_Q = 0;
    for (const std::uint32_t g : others) {
      if (g == e.front() || std::min(in_P, in_Q) >= kLargestPart) continue;
      (in_P <= in_Q ? P : Q).push_back(g);
      (in_P <= in_Q ? in_P : in_Q) += size(g);
    }
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(rest(Q, P));
    const Eigen::VectorXd pivot = qr.matrixQR().diagonal().cwiseAbs();
    if (pivot.size() < lacking || !(pivot[lacking - 1] >= least * pivot[0])) continue;
    if (pivot.size() > lacking && pivot[lacking] > kOff * pivot[0]) return false;
    MatrixXd x = (qr.householderQ().adjoint() * rest(Q, e)).topRows(lacking);
    qr.matrixQR().topLeftCorner(lacking, lacking).triangularView<Eigen::Upper>().solveInPlace(x);
    const MatrixXd R = (rest(e, P) * qr.colsPermutation()).leftCols(lacking) * x;
    if ((R - R.transpose()).cwiseAbs().maxCoeff() > kOff * R.cwiseAbs().maxCoeff()) return false;
    known.shares.emplace_back(0.5 * (R + R.transpose()) + of_known(e) * of_known(e).transpose());
    known.groups.push_back(e.front());
    return true;
  }
  return false;
}

bool Bodies::holds(const Numbers& groups, const std::vector<MatrixXd>& F) const {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double most = kOff * scale_[groups[i]] * scale_[groups[j]];
      if (!((F[i] * F[j].transpose() - between(groups[i], groups[j])).cwiseAbs().maxCoeff() <= most)) return false;
    }
  }
  return true;
}

// By these groups, and what they and the others tell.
bool Bodies::find_by(std::uint32_t body, const Numbers& from, double least) {
  Known known;
  for (const std::uint32_t g : from) {
    known.groups.push_back(g);
    known.shares.push_back(share(g, body));
  }
  Root root;
  Numbers others;
  while (true) {
    others.clear();
    for (const std::uint32_t g : bodies_[body]) {
      if (std::find(known.groups.begin(), known.groups.end(), g) == known.groups.end()) others.push_back(g);
    }
    root = root_of(known);
    if (root.rank > kFreedoms) return false;
    if (others.empty()) break;
    if (!root.is_sure(least)) return false;
    if (root.rank == kFreedoms) break;
    if (!learn_one(known, root, others, least)) return false;
  }
  std::vector<MatrixXd> F;
  for (Eigen::Index at = 0; const std::uint32_t g : known.groups) {
    F.emplace_back(root.F.middleRows(at, size(g)));
    at += size(g);
  }
  for (const std::uint32_t g : others) F.emplace_back(between({&g, 1}, known.groups) * root.inverse);
  Numbers groups = std::move(known.groups);
  groups.insert(groups.end(), others.begin(), others.end());
  if (!holds(groups, F)) return false;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    std::vector<Part>& parts = parts_[groups[k]];
    (parts.front().body == body ? parts.front() : parts.back()).F = std::move(F[k]);
  }
  found_[body] = 1;
  return true;
}

bool Bodies::find(std::uint32_t body, const Pass& pass) {
  Numbers known, trusted;
  Eigen::Index rows = 0, few = 0;
  std::size_t first = 0;  // of `known`
  for (const std::uint32_t g : bodies_[body]) {
    if (size(g) > kLargestGroup || (rows > 0 && rows + size(g) > kMostAsked)) continue;
    if (parts_[g].size() == 1 && bodies_[body].size() > 1) {
      if (pass.trusts) trusted.push_back(g);
      continue;
    }
    if (!is_known(g, body)) continue;
    known.push_back(g);
    rows += size(g);
    if (few < kFewAsked) {
      few = rows;
      first = known.size();
    }
  }
  const Numbers enough(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(first));
  if (first < known.size() && find_by(body, enough, pass.least)) return true;
  if (find_by(body, known, pass.least)) return true;
  if (trusted.empty()) return false;
  Numbers all = known;
  all.insert(all.end(), trusted.begin(), trusted.end());
  if (find_by(body, all, pass.least)) return true;
  // Some are what one body alone touches.
  for (std::size_t k = 0; trusted.size() > 1 && k < std::min(trusted.size(), kTried); ++k) {
    Numbers one = known;
    one.push_back(trusted[k]);
    if (find_by(body, one, pass.least)) return true;
  }
  return false;
}

// One that no other body is known to act on.
bool Bodies::has_group_alone(std::uint32_t body) const {
  return std::ranges::any_of(bodies_[body], [this](std::uint32_t g) { return parts_[g].size() == 1; });
}

// Whatever finds a body asks those that touch it anew.
void Bodies::find_all() {
  for (const Pass& pass : kPasses) {
    Numbers due;
    std::vector<char> waits(bodies_.size(), 0);
    const auto ask = [&](std::uint32_t body) {
      if (found_[body] != 0 || waits[body] != 0) return;
      waits[body] = 1;
      due.push_back(body);
    };
    for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
      if (pass.asks_all || has_group_alone(b)) ask(b);
    }
    for (std::size_t k = 0; k < due.size(); ++k) {
      const std::uint32_t body = due[k];
      waits[body] = 0;
      if (!find(body, pass)) continue;
      for (const std::uint32_t g : bodies_[body]) {
        for (const Part& other : parts_[g]) ask(other.body);
      }
    }
  }
}

std::vector<FactorGroup> Bodies::take() {
  std::vector<FactorGroup> bodies;
  for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
    if (found_[b] == 0) continue;
    std::vector<MatrixXd> F;
    FactorGroup body;
    for (const std::uint32_t g : bodies_[b]) {
      body.rows.insert(body.rows.end(), graph_.rows[g].begin(), graph_.rows[g].end());
      F.push_back(parts_[g].front().body == b ? parts_[g].front().F : parts_[g].back().F);
    }
    body.F = stack(F);
    if (body.F.cols() > 0) bodies.push_back(std::move(body));  // else between obstacles
  }
  return bodies;
}

}  // namespace

std::vector<FactorGroup> recover_bodies(const LocalDynamics& ldy, const SymmetricBlocks& blocks) {
  const LineGraph graph(ldy);
  std::optional<std::vector<Numbers>> bodies = graph.bodies();
  if (!bodies) return {};
  Bodies all(graph, std::move(*bodies), blocks);
  all.find_all();
  return all.take();
}

}  // namespace locdyn::detail
