#include <locdyn/io/page/graph_layout.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace locdyn::detail {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;
using Places = std::vector<Eigen::Vector3d>;

constexpr std::uint32_t kFar = 0xffffffffu;

// Breadth first: `distance` of all nodes that `from` leads to; returns them, nearest first.
std::vector<std::uint32_t> search(const Graph& graph, std::uint32_t from, std::vector<std::uint32_t>& distance) {
  std::vector<std::uint32_t> reached{from};
  distance[from] = 0;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const std::uint32_t next : graph[reached[k]]) {
      if (distance[next] != kFar) continue;
      distance[next] = distance[reached[k]] + 1;
      reached.push_back(next);
    }
  }
  return reached;
}

// Rows of squared distances to pivots, each as far from those before as there is one.
Eigen::MatrixXd distances(const Graph& graph, const std::vector<std::uint32_t>& nodes, std::size_t pivots) {
  Eigen::MatrixXd D(nodes.size(), pivots);
  std::vector<std::uint32_t> nearest(nodes.size(), kFar), distance(graph.size());
  std::size_t pivot = nodes.size() - 1;  // the last that a search reached: on the rim
  for (std::size_t p = 0; p < pivots; ++p) {
    for (const std::uint32_t node : nodes) distance[node] = kFar;
    search(graph, nodes[pivot], distance);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      D(Eigen::Index(k), Eigen::Index(p)) = std::pow(distance[nodes[k]], 2);
      nearest[k] = std::min(nearest[k], distance[nodes[k]]);
    }
    pivot = static_cast<std::size_t>(std::ranges::max_element(nearest) - nearest.begin());
  }
  return D;
}

// One connected part, about the origin; returns its radius.
double lay_out_part(const Graph& graph, const std::vector<std::uint32_t>& nodes, std::size_t pivots, Places& places) {
  Eigen::MatrixXd C = -0.5 * distances(graph, nodes, std::min(pivots, nodes.size()));
  C.colwise() -= C.rowwise().mean().eval();
  C.rowwise() -= C.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(Eigen::MatrixXd(C.transpose() * C));
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (Eigen::Index axis = 0; axis < std::min<Eigen::Index>(3, C.cols()); ++axis) {
      const Eigen::Index at = C.cols() - 1 - axis;
      const double scale = std::pow(std::max(axes.eigenvalues()[at], 1e-30), 0.25) *
                           std::pow(double(C.cols()) / double(nodes.size()), 0.25);
      places[nodes[k]][axis] = C.row(Eigen::Index(k)).dot(axes.eigenvectors().col(at)) / std::max(scale, 1e-12);
    }
  }
  double most = 0;
  for (const std::uint32_t node : nodes) most = std::max(most, places[node].norm());
  const double radius = 0.7 * std::sqrt(double(nodes.size()));
  for (const std::uint32_t node : nodes) places[node] *= most > 0 ? radius / most : 0;
  return radius;
}

}  // namespace

Places lay_out(const Graph& graph, std::size_t pivots) {
  Places places(graph.size(), Eigen::Vector3d::Zero());
  std::vector<std::uint32_t> seen(graph.size(), kFar);
  const double width = 2.5 * std::sqrt(double(graph.size()));  // of a row of parts
  double right = 0, up = 0, height = 0;
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (seen[node] != kFar) continue;
    const std::vector<std::uint32_t> nodes = search(graph, node, seen);
    const double radius = lay_out_part(graph, nodes, pivots, places);
    if (right > width) {
      up += height;
      right = height = 0;
    }
    for (const std::uint32_t k : nodes) places[k] += Eigen::Vector3d(right + radius, up + radius, 0);
    right += 2 * radius + 1;
    height = std::max(height, 2 * radius + 1);
  }
  return places;
}

}  // namespace locdyn::detail
