#include "surface.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <locdyn/contact/height_field_mesh.hpp>

namespace locdyn::detection {
using namespace locdyn::detail;
namespace {

using Eigen::Vector3d;

btVector3 bullet(const Vector3d& x) {
  return {x[0], x[1], x[2]};
}
btDbvtVolume bullet(const Bounds& bounds) {
  return btDbvtVolume::FromMM(bullet(bounds.low), bullet(bounds.high));
}

}  // namespace

struct Surface::Tree {
  btDbvt boxes;
};

Surface::~Surface() = default;

Surface::Surface(const TriangleMesh& mesh) : tree_(std::make_unique<Tree>()) {
  // Corners that lie in the same place are one vertex; triangles without area touch nothing.
  std::map<std::tuple<double, double, double>, int> places;
  std::vector<int> place;
  for (const Vector3d& x : mesh.vertices) {
    const auto [at, fresh] = places.try_emplace({x[0], x[1], x[2]}, static_cast<int>(vertices_.size()));
    if (fresh) vertices_.push_back(x);
    place.push_back(at->second);
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::array<int, 3> triangle{place[a], place[b], place[c]};
    const Vector3d ab = vertices_[triangle[1]] - vertices_[triangle[0]];
    const Vector3d ac = vertices_[triangle[2]] - vertices_[triangle[0]];
    if (ab.cross(ac).norm() > 1e-14 * std::max(ab.squaredNorm(), ac.squaredNorm())) triangles_.push_back(triangle);
  }
  connect();
}

Surface::Surface(const HeightField& field) : Surface(mesh_of(field)) {}

void Surface::connect() {
  std::map<std::pair<int, int>, int> third;
  std::vector<std::set<int>> rings(vertices_.size());
  for (const auto& triangle : triangles_) {
    for (int k = 0; k < 3; ++k) {
      const int from = triangle[k], to = triangle[(k + 1) % 3];
      third.try_emplace({from, to}, triangle[(k + 2) % 3]);
      rings[from].insert(to);
      rings[to].insert(from);
    }
  }
  for (const auto& triangle : triangles_) {
    std::array<int, 3> across{};
    for (int k = 0; k < 3; ++k) {
      const auto found = third.find({triangle[(k + 1) % 3], triangle[k]});
      across[k] = found == third.end() ? -1 : found->second;
    }
    opposite_.push_back(across);
  }
  ring_start_.assign(1, 0);
  for (const auto& ring : rings) {
    ring_.insert(ring_.end(), ring.begin(), ring.end());
    ring_start_.push_back(static_cast<int>(ring_.size()));
  }

  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    const auto& [a, b, c] = triangles_[t];
    const Bounds box{vertices_[a].cwiseMin(vertices_[b]).cwiseMin(vertices_[c]),
                     vertices_[a].cwiseMax(vertices_[b]).cwiseMax(vertices_[c])};
    btDbvtVolume volume = bullet(box);
    btDbvtNode* leaf = tree_->boxes.insert(volume, nullptr);
    leaf->dataAsInt = t;
    bounds_ = t == 0 ? box : Bounds{bounds_.low.cwiseMin(box.low), bounds_.high.cwiseMax(box.high)};
  }
}

void Surface::find(const Bounds& bounds, std::vector<int>& triangles) const {
  struct Collect final : btDbvt::ICollide {
    void Process(const btDbvtNode* leaf) override { out->push_back(leaf->dataAsInt); }
    std::vector<int>* out = nullptr;
  } collect;
  triangles.clear();
  collect.out = &triangles;
  tree_->boxes.collideTV(tree_->boxes.m_root, bullet(bounds), collect);
  std::sort(triangles.begin(), triangles.end());
}

bool Surface::allows(int t, int corners, const Vector3d& n) const {
  constexpr double kFlat = 1e-6;  // [rad] that a neighbour may rise above the tangent plane
  const auto& triangle = triangles_[t];
  const auto below = [&](int v, const Vector3d& origin) {
    const Vector3d away = vertices_[v] - origin;
    return away.dot(n) <= kFlat * away.norm();
  };
  for (int k = 0; k < 3; ++k) {
    if (corners == 1 << k) {
      const Vector3d& origin = vertices_[triangle[k]];
      return std::all_of(ring_.begin() + ring_start_[triangle[k]], ring_.begin() + ring_start_[triangle[k] + 1],
                         [&](int v) { return below(v, origin); });
    }
    if (corners == (1 << k | 1 << (k + 1) % 3)) {
      return opposite_[t][k] < 0 || below(opposite_[t][k], vertices_[triangle[k]]);
    }
  }
  return true;
}

}  // namespace locdyn::detection
