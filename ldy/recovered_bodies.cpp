#include <locdyn/ldy/recovered_bodies.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <locdyn/ldy/line_graph.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Numbers = LineGraph::Numbers;

constexpr int kFreedoms = 6;
// Over the largest eigenvalue or singular value: what is nothing. The least of a brick's face is 0.03.
constexpr double kNoDirection = 1e-9;
// |W_αβ − W_βαᵀ| over the root of the largest numbers on the diagonals of both rows.
constexpr double kSkew = 1e-9;
// Rows of a body's parts: a slab on hundreds of bodies is left alone.
constexpr Eigen::Index kLargestPart = 240;

// F of rank at most six with F Fᵀ = S, and its pseudoinverse transposed: S = V Λ Vᵀ, V Λ^½ and V Λ^-½.
struct Root {
  explicit Root(const MatrixXd& S) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> own(S);
    const Eigen::VectorXd& value = own.eigenvalues();
    const double least = kNoDirection * value[value.size() - 1];
    rank = (value.array() > least && value.array() > 0).count();
    F = own.eigenvectors().rightCols(rank) * value.tail(rank).cwiseSqrt().asDiagonal();
    inverse = own.eigenvectors().rightCols(rank) * value.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
  }
  MatrixXd F, inverse;
  Eigen::Index rank;
};

class Bodies {
 public:
  Bodies(const LineGraph& graph, std::vector<Numbers> bodies);

  // False where W is not symmetric.
  bool read_blocks(const LocalDynamics& ldy);

  // False where the blocks do not tell.
  bool find_all();
  [[nodiscard]] std::vector<FactorGroup> take();

 private:
  // A body's part of a group.
  struct Part {
    std::uint32_t body;
    MatrixXd F = {};
  };

  [[nodiscard]] const Matrix3d* block(std::uint32_t row, std::uint32_t column) const;
  [[nodiscard]] Eigen::Index size(std::uint32_t group) const { return 3 * std::ssize(graph_.rows[group]); }
  [[nodiscard]] MatrixXd between(std::span<const std::uint32_t> e, std::span<const std::uint32_t> f) const;
  [[nodiscard]] MatrixXd between(std::uint32_t e, std::uint32_t f) const { return between({&e, 1}, {&f, 1}); }
  [[nodiscard]] Part& part(std::uint32_t group, std::uint32_t body);
  [[nodiscard]] std::optional<MatrixXd> own_share(std::uint32_t group, std::uint32_t body) const;
  void spread(std::uint32_t body, std::span<const std::uint32_t> from, const Root& root);
  void find_by_known(std::uint32_t body);
  void find_between_others(std::uint32_t body);
  void trust_obstacles(std::uint32_t body);
  bool find_leaves();

  const LineGraph& graph_;
  std::vector<Numbers> bodies_;            // their groups
  std::vector<char> found_, on_obstacle_;  // by body; by group
  Numbers due_;                            // bodies of which more is known than when they were asked last
  std::vector<std::vector<Part>> parts_;   // by group
  std::vector<std::vector<std::pair<std::uint32_t, const Matrix3d*>>> blocks_;  // by place, of each row; ascending
};

Bodies::Bodies(const LineGraph& graph, std::vector<Numbers> bodies)
    : graph_(graph),
      bodies_(std::move(bodies)),
      found_(bodies_.size(), 0),
      on_obstacle_(graph.rows.size(), 0),
      parts_(graph.rows.size()) {
  for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
    for (const std::uint32_t g : bodies_[b]) parts_[g].push_back({.body = b});
  }
}

bool Bodies::read_blocks(const LocalDynamics& ldy) {
  const auto* arena = ldy.diagonal_arena().data();
  blocks_.resize(ldy.diagonal_arena().size());
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<std::uint32_t>(&row - arena);
    auto& own = blocks_[place];
    own.emplace_back(place, &row.W);
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) own.emplace_back(block.other, &block.W);
    std::sort(own.begin(), own.end());
  }
  const auto near = [](const Matrix3d& a, const Matrix3d& b, double scale) {
    return (a - b.transpose()).cwiseAbs().maxCoeff() <= kSkew * scale;
  };
  for (std::uint32_t a = 0; a < blocks_.size(); ++a) {
    for (const auto& [b, W] : blocks_[a]) {
      const Matrix3d* const back = block(b, a);
      const double scale = std::sqrt(block(a, a)->diagonal().maxCoeff() * block(b, b)->diagonal().maxCoeff());
      if (back == nullptr || !near(*W, *back, scale)) return false;
    }
  }
  return true;
}

const Matrix3d* Bodies::block(std::uint32_t row, std::uint32_t column) const {
  const auto& own = blocks_[row];
  const auto at = std::lower_bound(own.begin(), own.end(), column,
                                   [](const auto& one, std::uint32_t other) { return one.first < other; });
  return at == own.end() || at->first != column ? nullptr : at->second;
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
      const Matrix3d* const own = block(rows[i], columns[j]);
      if (own == nullptr) continue;
      W.block<3, 3>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(3 * j)) = *own;
    }
  }
  return W;
}

Bodies::Part& Bodies::part(std::uint32_t group, std::uint32_t body) {
  std::vector<Part>& both = parts_[group];
  return both.front().body == body ? both.front() : both.back();
}

// F_e F_eᵀ of a body, where all else that acts on the group is known.
std::optional<MatrixXd> Bodies::own_share(std::uint32_t group, std::uint32_t body) const {
  MatrixXd S = between(group, group);
  const std::vector<Part>& both = parts_[group];
  if (both.size() == 1) {
    if (on_obstacle_[group] == 0 && bodies_[body].size() > 1) return std::nullopt;
    return S;
  }
  const Part& other = both.front().body == body ? both.back() : both.front();
  if (found_[other.body] == 0) return std::nullopt;
  S -= other.F * other.F.transpose();
  return S;
}

// F of all groups of a body from that of some.
void Bodies::spread(std::uint32_t body, std::span<const std::uint32_t> from, const Root& root) {
  Eigen::Index at = 0;
  for (const std::uint32_t g : from) {
    part(g, body).F = root.F.middleRows(at, size(g));
    at += size(g);
  }
  for (const std::uint32_t g : bodies_[body]) {
    if (std::find(from.begin(), from.end(), g) != from.end()) continue;
    part(g, body).F = between({&g, 1}, from) * root.inverse;
  }
  found_[body] = 1;
  for (const std::uint32_t g : bodies_[body]) {
    for (const Part& other : parts_[g]) due_.push_back(other.body);
  }
}

// From one group that is known and has all six, or from all where all are known.
void Bodies::find_by_known(std::uint32_t body) {
  Numbers known;
  for (const std::uint32_t g : bodies_[body]) {
    const std::optional<MatrixXd> S = own_share(g, body);
    if (!S) continue;
    known.push_back(g);
    const Root root(*S);
    if (root.rank != kFreedoms) continue;
    return spread(body, {&g, 1}, root);
  }
  if (known.size() < bodies_[body].size()) return;
  MatrixXd S = between(known, known);
  if (S.rows() > kLargestPart) return;
  Eigen::Index at = 0;
  for (const std::uint32_t g : known) {
    S.block(at, at, size(g), size(g)) = *own_share(g, body);
    at += size(g);
  }
  const Root root(S);
  if (root.rank > kFreedoms) return;
  spread(body, known, root);
}

// From the blocks between three parts of its groups: one of them, and two that have all six each.
void Bodies::find_between_others(std::uint32_t body) {
  Numbers all = bodies_[body];
  if (all.size() < 3) return;
  std::stable_sort(all.begin(), all.end(), [this](std::uint32_t a, std::uint32_t b) { return size(a) > size(b); });
  const std::uint32_t e = all.front();
  Numbers P, Q;
  for (std::size_t k = 1; k < all.size(); ++k) (k % 2 == 1 ? P : Q).push_back(all[k]);
  const MatrixXd QP = between(Q, P);
  if (std::max(QP.rows(), QP.cols()) > kLargestPart) return;
  Eigen::JacobiSVD<MatrixXd> svd(QP, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(kNoDirection);
  if (svd.rank() != kFreedoms) return;
  const MatrixXd S = between({&e, 1}, P) * svd.solve(between(Q, {&e, 1}));
  const Root root(0.5 * (S + S.transpose()));
  if (root.rank != kFreedoms) return;
  spread(body, {&e, 1}, root);
}

// The groups that no other body is known to act on are taken for those on obstacles.
void Bodies::trust_obstacles(std::uint32_t body) {
  for (const std::uint32_t g : bodies_[body]) {
    if (parts_[g].size() > 1 || on_obstacle_[g] != 0) continue;
    on_obstacle_[g] = 1;
    due_.push_back(body);
  }
}

// Bodies that touch one other alone: what is left of their group.
bool Bodies::find_leaves() {
  for (std::uint32_t g = 0; g < parts_.size(); ++g) {
    if (parts_[g].size() != 1) continue;
    const MatrixXd W = between(g, g);
    const MatrixXd left = W - parts_[g].front().F * parts_[g].front().F.transpose();
    if (left.cwiseAbs().maxCoeff() <= kNoDirection * W.cwiseAbs().maxCoeff()) continue;
    Root root(left);
    if (root.rank > kFreedoms) return false;
    parts_[g].push_back({.body = static_cast<std::uint32_t>(bodies_.size()), .F = std::move(root.F)});
    bodies_.push_back({g});
    found_.push_back(1);
  }
  return true;
}

// The sure ways first. Whatever finds a body asks those that touch it anew; the blocks between others are the same
// whatever is known, so that nobody is asked for them twice.
bool Bodies::find_all() {
  for (std::uint32_t b = 0; b < bodies_.size(); ++b) due_.push_back(b);
  std::uint32_t asked = 0, trusted = 0;
  while (true) {
    for (std::size_t k = 0; k < due_.size(); ++k) {
      if (found_[due_[k]] == 0) find_by_known(due_[k]);
    }
    due_.clear();
    for (; due_.empty() && asked < bodies_.size(); ++asked) {
      if (found_[asked] == 0) find_between_others(asked);
    }
    for (; due_.empty() && trusted < bodies_.size(); ++trusted) {
      if (found_[trusted] == 0) trust_obstacles(trusted);
    }
    if (due_.empty()) break;
  }
  return std::all_of(found_.begin(), found_.end(), [](char found) { return found != 0; }) && find_leaves();
}

std::vector<FactorGroup> Bodies::take() {
  std::vector<FactorGroup> bodies;
  for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
    const Eigen::Index columns = part(bodies_[b].front(), b).F.cols();
    if (columns == 0) continue;  // between obstacles
    FactorGroup& body = bodies.emplace_back();
    Eigen::Index count = 0;
    for (const std::uint32_t g : bodies_[b]) count += size(g);
    body.F.resize(count, columns);
    Eigen::Index at = 0;
    for (const std::uint32_t g : bodies_[b]) {
      body.rows.insert(body.rows.end(), graph_.rows[g].begin(), graph_.rows[g].end());
      body.F.middleRows(at, size(g)) = part(g, b).F;
      at += size(g);
    }
  }
  return bodies;
}

}  // namespace

std::optional<std::vector<FactorGroup>> recover_bodies(const LocalDynamics& ldy) {
  const LineGraph graph(ldy);
  std::optional<std::vector<Numbers>> bodies = graph.bodies();
  if (!bodies) return std::nullopt;
  Bodies all(graph, std::move(*bodies));
  if (!all.read_blocks(ldy) || !all.find_all()) return std::nullopt;
  return all.take();
}

}  // namespace locdyn::detail
