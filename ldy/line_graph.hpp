#pragma once
// Which rows act on which bodies, told by who has a block with whom. Rows with the same neighbours act on the same
// bodies: a group for each pair of bodies that touch. Two groups that share a body know each other, so that the groups
// are the line graph of the bodies' contact graph, and the neighbours of a group fall into those on its one body, all
// of whom know each other, and those on its other.
//
// Source: Whitney, Amer. J. Math. 54 (1932) 150–168 (a line graph tells its root); Lehot, J. ACM 21 (1974) 569–575.

#include <cstdint>
#include <optional>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

class LineGraph {
 public:
  using Numbers = std::vector<std::uint32_t>;  // ascending

  /// Cost: a sort of the rows by their neighbours.
  explicit LineGraph(const LocalDynamics& ldy);

  /// The groups on each body; each group is on one or two. A body that touches one other alone is told by no one: its
  /// group counts as on that other alone, like one on an obstacle. Nothing where some groups' bodies are not told, as
  /// where few bodies all touch each other. Cost: the square of its neighbours for each group.
  [[nodiscard]] std::optional<std::vector<Numbers>> bodies() const;

  std::vector<Numbers> rows;        ///< by group, by place in the arena, in sweep order
  std::vector<Numbers> neighbours;  ///< by group: the groups that it knows

 private:
  [[nodiscard]] bool know(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] std::optional<std::vector<Numbers>> sides(std::uint32_t group) const;
};

}  // namespace locdyn::detail
