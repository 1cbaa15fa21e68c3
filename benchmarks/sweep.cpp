// What following the links costs: the row products of one sweep on one thread, against a vectorised sum over the same
// arrays, and a whole projected Gauss–Seidel sweep R ← P_K(R − ρ Û), measured in one run.
//
//   benchmark_sweep        prints one line a graph: ns per off-diagonal block and ratios

#include <array>
#include <cstdio>
#include <cstring>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/row_product.hpp>

#include "measure.hpp"
#include "synthetic_graph.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::benchmark;

// Adds up all doubles in 32 accumulators, whatever they mean.
inline __attribute__((always_inline)) double sum_32(const void* data, std::size_t bytes) {
  typedef double Lanes __attribute__((vector_size(32)));
  std::array<Lanes, 8> sum{};
  const char* at = static_cast<const char*>(data);
  for (std::size_t left = bytes / sizeof sum; left > 0; --left, at += sizeof sum) {
    for (std::size_t k = 0; k < sum.size(); ++k) {
      Lanes next;
      std::memcpy(&next, at + k * sizeof next, sizeof next);
      sum[k] += next;
    }
  }
  const Lanes total = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  return (total[0] + total[1]) + (total[2] + total[3]);
}

double portable_sum(const void* data, std::size_t bytes) {
  return sum_32(data, bytes);
}
#if defined(__x86_64__)
__attribute__((target("avx2"))) double avx2_sum(const void* data, std::size_t bytes) {
  return sum_32(data, bytes);
}
#endif

// The sum for the instruction set that the row product uses.
double sum_of(const void* data, std::size_t bytes) {
#if defined(__x86_64__)
  if (std::strcmp(row_product_variants().back().name, "avx2") == 0) return avx2_sum(data, bytes);
#endif
  return portable_sum(data, bytes);
}

double sum_arenas(const LocalDynamics& ldy) {
  const auto rows = ldy.diagonal_arena();
  const auto blocks = ldy.off_diagonal_arena();
  return sum_of(rows.data(), rows.size_bytes()) + sum_of(blocks.data(), blocks.size_bytes());
}

Eigen::Vector3d follow_links(const LocalDynamics& ldy) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const DiagonalBlock& row : ldy.rows()) sum += off_diagonal_product(ldy, row);
  return sum;
}

// The same with the kernel of any processor.
Eigen::Vector3d follow_links_portably(const LocalDynamics& ldy) {
  const RowProductKernel kernel = row_product_variants().front().kernel;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero(), product;
  for (const DiagonalBlock& row : ldy.rows()) {
    kernel(ldy.diagonal_arena().data(), ldy.off_diagonal_arena().data(), row.first, product.data());
    sum += product;
  }
  return sum;
}

void projected_sweep(LocalDynamics& ldy) {
  for (DiagonalBlock& row : ldy.rows()) {
    const ContactLaw& contact = std::get<ContactLaw>(ldy.law(row.constraint));
    row.U = row.B + row_product(ldy, row);
    std::array<Eigen::Vector3d, 1> U_hat;
    contact.dual_velocity({&row.U, 1}, {&row.R, 1}, U_hat);
    row.R = project_on_cone(row.R - row_scale(row.W, kRowsAll) * U_hat[0], contact.friction);
  }
}

void measure(const char* name, LocalDynamics& ldy, int rounds, int repeats) {
  const std::array<std::function<void()>, 4> work = {[&] { keep(sum_arenas(ldy)); }, [&] { keep(follow_links(ldy)); },
                                                     [&] { projected_sweep(ldy); },
                                                     [&] { keep(follow_links_portably(ldy)); }};
  const auto [sum, follow, sweep, portable] = best_times(work, rounds, repeats);
  const double blocks = static_cast<double>(ldy.off_diagonal_count());
  const double megabytes =
      1e-6 * static_cast<double>(ldy.diagonal_arena().size_bytes() + ldy.off_diagonal_arena().size_bytes());
  std::printf(
      "%-12s %8zu rows %9zu blocks %7.1f MB | sum %.3f ns/block, links %.3f = %.2f × sum, "
      "sweep %.3f = %.2f × links, portable links %.3f | residual %.1e\n",
      name, ldy.row_count(), ldy.off_diagonal_count(), megabytes, 1e9 * sum / blocks, 1e9 * follow / blocks,
      follow / sum, 1e9 * sweep / blocks, sweep / follow, 1e9 * portable / blocks, evaluate_residual(ldy).scaled);
}

}  // namespace

int main() {
  std::printf("one thread, instruction set %s, best of several rounds\n", row_product_variants().back().name);
  LocalDynamics tower = banded_graph({.contacts = 570, .half_band = 60, .neighbours = 23});
  measure("tower-like", tower, 40, 20);
  LocalDynamics band = banded_graph({.contacts = 50'000, .half_band = 60, .neighbours = 27});
  measure("band", band, 25, 1);
  LocalDynamics wall = brick_pattern({});
  measure("brick wall", wall, 25, 1);
  wall.pack(SweepOrder::by_bandwidth);
  measure("by bandwidth", wall, 25, 1);
  return 0;
}
