#include <locdyn/solver/global/component_search.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

namespace locdyn::detail {
namespace {

using InnerIterator = GlobalProblem::Matrix::InnerIterator;

constexpr std::size_t kMostMerged = 12;

// Disjoint sets of velocities; a set's root is its least member.
class VelocitySets {
 public:
  explicit VelocitySets(Eigen::Index n) : parent_(static_cast<std::size_t>(n)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int i, int j) {
    const int a = root(i), b = root(j);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

// Ties what each column of a matrix holds together, to `first` where that is not negative.
void join_columns(const GlobalProblem::Matrix& A, bool with_diagonal, VelocitySets& sets) {
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    int first = with_diagonal ? static_cast<int>(j) : -1;
    for (InnerIterator at(A, j); at; ++at) {
      const int row = static_cast<int>(at.row());
      if (first >= 0) sets.join(first, row);
      first = row;
    }
  }
}

// By velocity: the blocks that act on it, ascending.
std::vector<std::vector<int>> blocks_on(const GlobalProblem& problem) {
  std::vector<std::vector<int>> blocks(static_cast<std::size_t>(problem.M.rows()));
  for (Eigen::Index j = 0; j < problem.H.cols(); ++j) {
    for (InnerIterator at(problem.H, j); at; ++at) {
      auto& on = blocks[at.row()];
      const int block = static_cast<int>(j / 3);
      if (on.empty() || on.back() != block) on.push_back(block);
    }
  }
  return blocks;
}

std::vector<int> united(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Joins sets that the same blocks act on.
void merge_bodies(const std::vector<std::vector<int>>& blocks, const std::vector<char>& held, VelocitySets& sets) {
  const int n = static_cast<int>(blocks.size());
  std::vector<std::vector<int>> of_root(blocks.size());
  std::vector<std::size_t> size(blocks.size(), 0);
  std::vector<char> root_held(blocks.size(), 0);
  for (int i = 0; i < n; ++i) {
    const int root = sets.root(i);
    of_root[root].insert(of_root[root].end(), blocks[i].begin(), blocks[i].end());
    root_held[root] = static_cast<char>(root_held[root] | held[i]);
    ++size[root];
  }
  std::map<std::vector<int>, int> first_with;
  for (int i = 0; i < n; ++i) {
    if (sets.root(i) != i || root_held[i] != 0 || of_root[i].empty()) continue;
    const auto [at, fresh] = first_with.emplace(united(std::move(of_root[i])), i);
    if (fresh) continue;
    const std::size_t together = size[at->second] + size[i];
    if (together > kMostMerged) {
      at->second = i;
      continue;
    }
    sets.join(at->second, i);
    size[at->second] = together;
  }
}

}  // namespace

std::vector<GlobalComponent> find_components(const GlobalProblem& problem) {
  const Eigen::Index n = problem.M.rows();
  VelocitySets sets(n);
  join_columns(problem.M, true, sets);
  join_columns(problem.G, false, sets);
  std::vector<char> held(static_cast<std::size_t>(n), 0);
  for (Eigen::Index j = 0; j < problem.G.cols(); ++j) {
    for (InnerIterator at(problem.G, j); at; ++at) held[at.row()] = 1;
  }
  const std::vector<std::vector<int>> blocks = blocks_on(problem);
  merge_bodies(blocks, held, sets);

  std::vector<GlobalComponent> components;
  std::vector<int> number(static_cast<std::size_t>(n), -1), place(static_cast<std::size_t>(n), 0);
  for (int i = 0; i < n; ++i) {
    int& mine = number[sets.root(i)];
    if (mine < 0) {
      mine = static_cast<int>(components.size());
      components.emplace_back();
    }
    number[i] = mine;
    GlobalComponent& component = components[mine];
    place[i] = static_cast<int>(component.velocities.size());
    component.velocities.push_back(i);
    component.blocks.insert(component.blocks.end(), blocks[i].begin(), blocks[i].end());
  }
  for (Eigen::Index j = 0; j < problem.G.cols(); ++j) {
    const InnerIterator at(problem.G, j);
    if (at) {
      components[number[at.row()]].bilateral.push_back(static_cast<int>(j));
    } else if (problem.b[j] != 0) {
      throw std::invalid_argument("b: expected 0 where a column of G holds nothing, found " +
                                  std::to_string(problem.b[j]) + " at place " + std::to_string(j));
    }
  }

  // H of each component, by its own rows and columns.
  for (std::size_t c = 0; c < components.size(); ++c) {
    GlobalComponent& component = components[c];
    component.blocks = united(std::move(component.blocks));
    component.H.resize(static_cast<Eigen::Index>(component.velocities.size()),
                       static_cast<Eigen::Index>(3 * component.blocks.size()));
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < component.blocks.size(); ++k) {
      for (int row = 0; row < 3; ++row) {
        for (InnerIterator at(problem.H, 3 * component.blocks[k] + row); at; ++at) {
          if (number[at.row()] != static_cast<int>(c)) continue;
          entries.emplace_back(place[at.row()], static_cast<int>(3 * k) + row, at.value());
        }
      }
    }
    component.H.setFromTriplets(entries.begin(), entries.end());
  }
  return components;
}

}  // namespace locdyn::detail
