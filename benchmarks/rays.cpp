// Rays against every shape beside closed forms in extended precision, and rays per second beside Bullet's own ray test
// on the same bodies, in one run.
//
//   benchmark_rays [RAYS [BODIES]]
//
// A ray is wrong where its hit lies off the surface, or is missed while the ray cuts deeper, by more than 1e-12 of the
// shape's size.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include <btBulletCollisionCommon.h>

#include <Eigen/Geometry>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/queries/ray_caster.hpp>

#include "measure.hpp"

using namespace locdyn;
using Eigen::Vector3d;

namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, 3, 1>;

// Where a line is inside: t from `enter` to `leave`, and the normal there; nothing where enter > leave.
struct Chord {
  Real enter = -1e30L, leave = 1e30L;
  Vector normal = Vector::Zero(), out_normal = Vector::Zero();

  void cut(const Vector& n, Real offset, const Vector& o, const Vector& u) {  // n·x ≤ offset
    const Real along = n.dot(u), ahead = offset - n.dot(o);
    if (along < 0 && ahead / along > enter) enter = ahead / along, normal = n;
    if (along > 0 && ahead / along < leave) leave = ahead / along, out_normal = n;
    if (along == 0 && ahead < 0) leave = -1e30L;
  }
  void round(const Vector& centre, const Vector& mask, Real r, const Vector& o, const Vector& u) {
    const Vector p = mask.cwiseProduct(o - centre), d = mask.cwiseProduct(u);
    const Real a = d.squaredNorm(), b = p.dot(d), c = p.squaredNorm() - r * r, D = b * b - a * c;
    if (a == 0 || D < 0) {
      if (D < 0 || c > 0) leave = -1e30L;
      return;
    }
    const Real in = (-b - std::sqrt(D)) / a, out = (-b + std::sqrt(D)) / a;
    if (in > enter) enter = in, normal = (p + in * d) / r;
    leave = std::min(leave, out);
  }
};

struct Kind {
  const char* name;
  Shape shape;
  double size;
  std::vector<Chord> (*chords)(const Vector& o, const Vector& u);  // the shape is their union
};

constexpr Real kHalf[3] = {0.5L, 0.4L, 0.3L};

Chord box_chord(const Vector& o, const Vector& u) {
  Chord c;
  for (int k = 0; k < 3; ++k) {
    c.cut(Vector::Unit(k), Real(double(kHalf[k])), o, u);
    c.cut(-Vector::Unit(k), Real(double(kHalf[k])), o, u);
  }
  return c;
}
Chord ball_chord(Real z, double r, const Vector& o, const Vector& u) {
  Chord c;
  c.round(Vector(0, 0, z), Vector::Ones(), r, o, u);
  return c;
}
Chord side_chord(double r, double half, const Vector& o, const Vector& u) {
  Chord c;
  c.round(Vector::Zero(), Vector(1, 1, 0), r, o, u);
  c.cut(Vector::UnitZ(), half, o, u);
  c.cut(-Vector::UnitZ(), half, o, u);
  return c;
}

ConvexHull hull() {
  ConvexHull hull;
  for (int k = 0; k < 8; ++k) hull.points.emplace_back(k & 1 ? 0.5 : -0.5, k & 2 ? 0.4 : -0.4, k & 4 ? 0.3 : -0.3);
  return hull;
}
TriangleMesh mesh() {
  return {hull().points,
          {{0, 2, 3},
           {0, 3, 1},
           {4, 5, 7},
           {4, 7, 6},
           {0, 1, 5},
           {0, 5, 4},
           {2, 6, 7},
           {2, 7, 3},
           {0, 4, 6},
           {0, 6, 2},
           {1, 3, 7},
           {1, 7, 5}}};
}
HeightField field() {
  HeightField f{Eigen::MatrixXd(9, 9), {0.125, 0.125}};
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) f.heights(i, j) = 0.125 * (i - 4) * 0.5 - 0.125 * (j - 4) * 0.25;
  }
  return f;
}

std::vector<Kind> kinds() {
  const auto box = [](const Vector& o, const Vector& u) { return std::vector{box_chord(o, u)}; };
  return {{"sphere", Sphere{0.5}, 1,
           [](const Vector& o, const Vector& u) { return std::vector{ball_chord(0, 0.5, o, u)}; }},
          {"box", Box{{1, 0.8, 0.6}}, 1.41, box},
          {"capsule", Capsule{0.3, 0.8}, 1.4,
           [](const Vector& o, const Vector& u) {
             return std::vector{side_chord(0.3, 0.4, o, u), ball_chord(0.4, 0.3, o, u), ball_chord(-0.4, 0.3, o, u)};
           }},
          {"cylinder", Cylinder{0.4, 0.9}, 1.2,
           [](const Vector& o, const Vector& u) { return std::vector{side_chord(0.4, 0.45, o, u)}; }},
          {"hull", hull(), 1.41, box},
          {"mesh", mesh(), 1.41, box},
          {"height field", field(), 1,
           [](const Vector& o, const Vector& u) {  // a slope of one plane, cut at its sides
             const Vector n = Vector(-0.5L, 0.25L, 1).normalized();
             Chord c;
             const Real t = -n.dot(o) / n.dot(u);
             const Vector x = o + t * u;
             if (std::abs(x[0]) > 0.5L || std::abs(x[1]) > 0.5L) return std::vector<Chord>{};
             c.enter = c.leave = t;
             c.normal = n.dot(u) > 0 ? Vector(-n) : n;
             return std::vector{c};
           }},
          {"plane", Plane{}, 1, [](const Vector& o, const Vector& u) {
             Chord c;
             c.cut(Vector::UnitZ(), 0, o, u);
             return std::vector{c};
           }}};
}

Vector3d random_vector(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double x = uniform(random), y = uniform(random);
  return {x, y, uniform(random)};
}

// How far, as a part of the size, the answer is off along the surface's normal.
double off(const Kind& kind, const Vector& o, const Vector& u, const std::optional<RayHit>& hit) {
  Real first = 1e30L, slope = 1;
  for (const Chord& c : kind.chords(o, u)) {
    if (c.enter > c.leave || c.leave < 0) continue;
    if (c.enter < first) first = c.enter, slope = std::abs(c.normal.dot(u));
    // A surface has nothing inside: a ray from there meets it on its way out.
    if (first < 0 && std::holds_alternative<TriangleMesh>(kind.shape))
      first = c.leave, slope = std::abs(c.out_normal.dot(u));
  }
  if (first > 1e29L || !hit) {
    if (first > 1e29L && !hit) return 0;
    if (!hit) {  // how deep the chords go along their normals, at most
      Real depth = 0;
      for (const Chord& c : kind.chords(o, u)) {
        if (c.enter <= c.leave) depth = std::max(depth, (c.leave - c.enter) * std::abs(c.normal.dot(u)));
      }
      return double(depth / kind.size);
    }
    // Told to hit where extended precision passes by: how far the point is from a shifted ray that hits.
    for (const Real shift : {1e-13L, 1e-12L}) {
      for (int k = 0; k < 6; ++k) {
        const Vector moved = o + (k % 2 ? 1 : -1) * shift * kind.size * Vector::Unit(k / 2);
        for (const Chord& c : kind.chords(moved, u)) {
          if (c.enter <= c.leave && c.leave >= 0) return double(shift);
        }
      }
    }
    return 1;
  }
  return double(std::abs(std::max(first, Real(0)) - Real(hit->distance)) * slope / kind.size);
}

void closed_forms(std::int64_t rays) {
  std::int64_t wrong = 0, asked = 0;
  for (const Kind& kind : kinds()) {
    System system{make_bullet_detector()};
    const BodyId body = system.add(std::make_unique<Obstacle>());
    system.add_collider({.body = body, .shape = kind.shape});
    const RayCaster caster(system);
    std::mt19937_64 random(1);
    double worst = 0;
    std::int64_t hits = 0;
    const std::int64_t count = rays / static_cast<std::int64_t>(kinds().size());
    for (std::int64_t i = 0; i < count; ++i) {
      const Vector3d o = 3 * random_vector(random);
      const Vector3d u = (0.6 * random_vector(random) - o).normalized();
      const auto hit = caster.first({.origin = o, .direction = u});
      hits += hit.has_value();
      // The direction that the caster takes is the one of unit length.
      const double error = off(kind, o.cast<Real>(), u.cast<Real>().normalized(), hit);
      worst = std::max(worst, error);
      wrong += error > 1e-12;
    }
    asked += count;
    std::printf("%-12s %8lld rays, %8lld hits: worst %.1e of the size\n", kind.name, static_cast<long long>(count),
                static_cast<long long>(hits), worst);
  }
  std::printf("%lld rays in all, wrong beyond 1e-12 of the size: %lld\n", static_cast<long long>(asked),
              static_cast<long long>(wrong));
}

// The same spheres, boxes, capsules, cylinders and hulls for both.
struct Both {
  System system{make_bullet_detector()};
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btCollisionWorld world{&dispatcher, &broad_phase, &configuration};
  btSphereShape sphere{0.5};
  btBoxShape box{btVector3(0.5, 0.4, 0.3)};
  btCapsuleShapeZ capsule{0.3, 0.8};
  btCylinderShapeZ cylinder{btVector3(0.4, 0.4, 0.45)};
  btConvexHullShape corners;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
  std::vector<Vector3d> places;
  std::vector<Orientation> turns;

  explicit Both(int bodies) {
    for (const Vector3d& p : hull().points) corners.addPoint(btVector3(p[0], p[1], p[2]));
    corners.setMargin(0);  // it would be put around the hull
    corners.initializePolyhedralFeatures();
    const std::vector<Kind> all = kinds();
    btCollisionShape* shapes[] = {&sphere, &box, &capsule, &cylinder, &corners};
    std::mt19937_64 random(2);
    const double side = std::cbrt(bodies);
    for (int k = 0; k < bodies; ++k) {
      const Vector3d x = side * random_vector(random), v = random_vector(random);
      const Orientation q = Orientation(1.2, v[0], v[1], v[2]).normalized();
      const BodyId body = system.add(std::make_unique<RigidBody>(box_mass(1, {1, 1, 1}), x, q));
      system.add_collider({.body = body, .shape = all[static_cast<std::size_t>(k % 5)].shape});
      places.push_back(x);
      turns.push_back(q);
      objects.push_back(std::make_unique<btCollisionObject>());
      objects.back()->setCollisionShape(shapes[k % 5]);
      objects.back()->setWorldTransform(
          btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), btVector3(x[0], x[1], x[2])));
      world.addCollisionObject(objects.back().get());
    }
    world.updateAabbs();
  }
  ~Both() {
    for (auto& object : objects) world.removeCollisionObject(object.get());
  }
};

// Every body by extended precision for the first rays: how many answers of each are off by more than a tolerance.
void judge(const Both& both, const std::vector<Ray>& rays, const std::vector<std::optional<RayHit>>& ours,
           const std::vector<double>& theirs) {
  const std::vector<Kind> all = kinds();
  std::int64_t wrong = 0, bullets = 0, judged = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(rays.size(), 2000); ++i) {
    Real first = 1e30L, slope = 1;
    for (std::size_t k = 0; k < both.places.size(); ++k) {
      const Eigen::Quaternion<Real> back = both.turns[k].cast<Real>().conjugate();
      const Vector o = back * (rays[i].origin - both.places[k]).cast<Real>();
      const Vector u = back * rays[i].direction.cast<Real>();
      for (const Chord& c : all[k % 5].chords(o, u)) {
        if (c.enter > c.leave || c.leave < 0 || c.enter > first) continue;
        first = c.enter;
        slope = std::abs(c.normal.dot(u));
      }
    }
    if (first < 0) continue;  // it begins inside: Bullet does not say so
    ++judged;
    const Real none = 1e30L, mine = ours[i] ? Real(ours[i]->distance) : none;
    const Real his = std::isfinite(theirs[i]) ? Real(theirs[i]) : none;
    wrong += std::abs(mine - first) * slope > 1e-12L;
    bullets += std::abs(his - first) * slope > 1e-6L;
  }
  std::printf(
      "%lld of these rays against every body in extended precision: wrong beyond 1e-12 m %lld; Bullet's beyond "
      "1e-6 m %lld\n",
      static_cast<long long>(judged), static_cast<long long>(wrong), static_cast<long long>(bullets));
}

void beside_bullet(std::int64_t rays, int bodies) {
  Both both(bodies);
  const RayCaster caster(both.system);
  const double reach = 4 * std::cbrt(bodies);
  std::mt19937_64 random(3);
  std::vector<Ray> many;
  for (std::int64_t i = 0; i < rays; ++i) {
    many.push_back({std::cbrt(bodies) * 1.2 * random_vector(random), random_vector(random).normalized(), reach});
  }
  std::vector<double> theirs(many.size());
  std::vector<std::optional<RayHit>> ours;
  const auto run_ours = [&] { ours = caster.first_of_each(many); };
  const auto run_theirs = [&] {
    for (std::size_t i = 0; i < many.size(); ++i) {
      const Vector3d to = many[i].origin + reach * many[i].direction;
      const btVector3 a(many[i].origin[0], many[i].origin[1], many[i].origin[2]), b(to[0], to[1], to[2]);
      btCollisionWorld::ClosestRayResultCallback closest(a, b);
      both.world.rayTest(a, b, closest);
      theirs[i] = closest.hasHit() ? closest.m_closestHitFraction * reach : HUGE_VAL;
    }
  };
  const auto times = benchmark::best_times<2>({run_ours, run_theirs}, 3, 1, benchmark::thread_seconds_now);
  const auto hits = std::count_if(ours.begin(), ours.end(), [](const auto& hit) { return hit.has_value(); });
  const double n = static_cast<double>(rays);
  std::printf("%d bodies, %lld rays, %lld hits, one thread: %.3g rays/s; Bullet %.3g rays/s; ratio %.2f\n", bodies,
              static_cast<long long>(rays), static_cast<long long>(hits), n / times[0], n / times[1],
              times[1] / times[0]);
  judge(both, many, ours, theirs);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rays = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  closed_forms(rays);
  beside_bullet(rays / 10, argc > 2 ? std::atoi(argv[2]) : 1000);
  return 0;
}
