// The cost of the one-contact law in block products (3×3 matrix times vector), both measured in this run, on one
// thread. Two yardsticks: throughput (independent products, U_i = W_i x_i over an array in the L2 cache) and dependent
// (each product waits for the one before). Solves are timed as a sweep meets them, a stream of unlike contacts with
// every mispredicted branch in, and case by case for the median. The worst residual stands beside the times.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <locdyn/solver/local/contact_block.hpp>
#include <numeric>
#include <vector>

#include "solver/random_contacts.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::detail;
using Clock = std::chrono::steady_clock;

constexpr int kCases = 2048;
constexpr int kRounds = 41;

struct Problems {
  std::vector<Eigen::Matrix3d> W;
  std::vector<ContactBlock> block;
  std::vector<Eigen::Vector3d> b, warm;
};

struct Yardstick {
  double throughput, dependent;  // ns a product
};

// The median of several rounds of `pass`, in ns for each of `count`.
template <class Pass>
double nanoseconds(int count, Pass pass) {
  std::array<double, kRounds> times{};
  for (double& time : times) {
    const auto start = Clock::now();
    pass();
    time = std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count;
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

void keep(const void* data) {
  asm volatile("" : : "r"(data) : "memory");
}

Yardstick measure_products(const Problems& p) {
  std::vector<Eigen::Vector3d> U(p.W.size());
  std::vector<Eigen::Matrix3d> contraction(p.W);
  for (auto& W : contraction) W *= 0.9 / W.norm();
  Yardstick y{};
  y.throughput = nanoseconds(kCases, [&] {
    for (int i = 0; i < kCases; ++i) U[i].noalias() = p.W[i] * p.b[i];
    keep(U.data());
  });
  y.dependent = nanoseconds(kCases, [&] {
    Eigen::Vector3d x(1, 1, 1);
    for (int i = 0; i < kCases; ++i) x = contraction[i] * x + p.b[i] * 1e-300;
    keep(x.data());
  });
  return y;
}

struct Cost {
  double mean, median;  // ns a solve
  double worst;         // residual / bound
  std::array<int, kContactPaths> paths;
};

Cost measure_solves(const Problems& p) {
  Cost cost{};
  std::vector<ContactSolution> solution(kCases);
  cost.mean = nanoseconds(kCases, [&] {
    for (int i = 0; i < kCases; ++i) solution[i] = p.block[i].solve(p.b[i], p.warm[i]);
    keep(solution.data());
  });
  std::vector<double> each(kCases);
  for (int i = 0; i < kCases; ++i) {
    each[i] = nanoseconds(50, [&] {
      for (int k = 0; k < 50; ++k) {
        keep(&p.b[i]);
        solution[i] = p.block[i].solve(p.b[i], p.warm[i]);
        keep(&solution[i]);
      }
    });
  }
  std::nth_element(each.begin(), each.begin() + kCases / 2, each.end());
  cost.median = each[kCases / 2];
  for (int i = 0; i < kCases; ++i) {
    ++cost.paths[static_cast<std::size_t>(solution[i].path)];
    const double bound = natural_map_bound(p.W[i], p.b[i], solution[i].R);
    const double residual = natural_map(p.W[i], p.block[i].friction(), p.block[i].rho(), p.b[i], solution[i].R);
    if (bound > 0) cost.worst = std::max(cost.worst, residual / bound);
  }
  return cost;
}

void print(const char* name, const Cost& c, const Yardstick& y) {
  std::printf("%-34s %7.1f %7.1f %8.1f %8.1f %8.1f %8.1f %9.2g ", name, c.mean, c.median, c.mean / y.throughput,
              c.median / y.throughput, c.mean / y.dependent, c.median / y.dependent, c.worst);
  for (int k = 0; k < kContactPaths; ++k) {
    if (c.paths[k] > 0) std::printf(" %s %d", to_string(static_cast<ContactPath>(k)), c.paths[k]);
  }
  std::printf("\n");
}

enum class Choice { every, bodies, sliding_bodies };

Problems make(Choice choice, std::uint64_t seed) {
  testing::RandomContacts random(seed);
  Problems p;
  while (p.W.size() < kCases) {
    testing::ContactCase c = random.next(0.02);
    if (choice != Choice::every) {
      if (c.kind != testing::BlockKind::one_body && c.kind != testing::BlockKind::two_bodies) continue;
      c.friction = random.uniform(0.2, 1);
      c.b = random.vector();
    }
    const ContactBlock block(c.W, c.friction);
    const ContactSolution s = block.solve(c.b, Eigen::Vector3d::Zero());
    if (choice == Choice::sliding_bodies && s.path != ContactPath::newton) continue;
    p.W.push_back(c.W);
    p.block.push_back(block);
    p.b.push_back(c.b);
    p.warm.emplace_back(0, 0, 0);
  }
  return p;
}

// The same contacts one sweep later: R was the solution of a b that differed by `change`.
Problems later(Problems p, double change) {
  testing::RandomContacts random(7);
  for (int i = 0; i < kCases; ++i) {
    const Eigen::Vector3d before = p.b[i] + change * p.b[i].norm() * random.vector();
    p.warm[i] = p.block[i].solve(before, Eigen::Vector3d::Zero()).R;
  }
  return p;
}

}  // namespace

int main() {
  const Problems every = make(Choice::every, 1), bodies = make(Choice::bodies, 2),
                 sliding = make(Choice::sliding_bodies, 3);
  const Yardstick y = measure_products(every);
  const double set_up = nanoseconds(kCases, [&, block = every.block]() mutable {
    for (int i = 0; i < kCases; ++i) block[i] = ContactBlock(every.W[i], every.block[i].friction());
    keep(block.data());
  });
  std::printf(
      "block product: %.2f ns throughput, %.2f ns dependent; set-up of a block %.1f ns = %.1f, %.1f of them; %zu "
      "bytes\n",
      y.throughput, y.dependent, set_up, set_up / y.throughput, set_up / y.dependent, sizeof(ContactBlock));
  std::printf("%-34s %15s %17s %17s %9s  paths\n", "", "ns a solve", "throughput", "dependent", "worst");
  std::printf("%-34s %7s %7s %8s %8s %8s %8s %9s\n", "contacts", "mean", "median", "mean", "median", "mean", "median",
              "residual");
  print("every kind, cold", measure_solves(every), y);
  print("bodies, cold", measure_solves(bodies), y);
  print("bodies that slide, cold", measure_solves(sliding), y);
  print("every kind, b within 1e-2", measure_solves(later(every, 1e-2)), y);
  print("every kind, b within 1e-5", measure_solves(later(every, 1e-5)), y);
  print("bodies, b within 1e-2", measure_solves(later(bodies, 1e-2)), y);
  print("bodies, b within 1e-5", measure_solves(later(bodies, 1e-5)), y);
  print("bodies that slide, b within 1e-2", measure_solves(later(sliding, 1e-2)), y);
  print("bodies that slide, b within 1e-5", measure_solves(later(sliding, 1e-5)), y);
}
