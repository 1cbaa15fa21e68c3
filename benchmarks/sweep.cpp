// One Gauss–Seidel sweep on one thread: following the links (the row products alone) against a vectorised sum over the
// same arrays, and the whole sweep against following the links, all measured in one run at the state that 100 sweeps
// reach.
//
//   benchmark_sweep [FILE…]        prints one line a problem: ns per off-diagonal block, ratios, and what the contacts
//   do
//
// The built-in wall of 50 000 contacts is larger than the L2 cache, KaplasTower of LOCDYN_PROBLEMS (where set) is not.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/row_product.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <string>
#include <vector>
#include "builtin/builtin.hpp"

#include "measure.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::benchmark;

constexpr int kWarmSweeps = 100;
constexpr int kRounds = 60;

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

// Shares of the contacts that are open, stick (R inside the cone) and slide.
std::string shares(const LocalDynamics& ldy) {
  std::array<double, 3> count{};
  for (const DiagonalBlock& row : ldy.rows()) {
    const Law& law = ldy.law(row.constraint);
    if (!is_contact(law)) continue;
    const bool slides = row.R.head<2>().norm() >= (1 - 1e-9) * friction_discs(law).sliding[0] * row.R[2];
    count[row.R[2] == 0 ? 0 : slides ? 2 : 1] += 100.0 / static_cast<double>(ldy.row_count());
  }
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.0f %% open, %.0f stick, %.0f slide", count[0], count[1], count[2]);
  return text.data();
}

void measure(const std::string& name, LocalDynamics& ldy) {
  GaussSeidelSweep sweep(ldy);
  for (int k = 0; k < kWarmSweeps; ++k) sweep.run(SweepDirection::forward, 1);
  const std::string contacts = shares(ldy);
  const double residual = evaluate_residual(ldy).scaled;

  const double blocks = static_cast<double>(ldy.off_diagonal_count());
  const double bytes = static_cast<double>(ldy.diagonal_arena().size_bytes() + ldy.off_diagonal_arena().size_bytes());
  const int repeats = std::max(1, static_cast<int>(1e7 / bytes));
  // All that a sweep streams: the arenas and, in its own order, each law prepared and its step (48 bytes).
  const std::vector<double> prepared(ldy.row_count() * (sizeof(ContactBlock) + 48) / sizeof(double), 1.0);
  const double streamed = bytes + static_cast<double>(prepared.size() * sizeof(double));
  const std::array<std::function<void()>, 5> work = {
      [&] { keep(sum_arenas(ldy) + sum_of(prepared.data(), prepared.size() * sizeof(double))); },
      [&] { keep(sum_arenas(ldy)); }, [&] { keep(follow_links(ldy)); },
      [&] { keep(sweep.run(SweepDirection::forward, 1)); }, [&] { keep(follow_links_portably(ldy)); }};
  const auto [roof, sum, links, whole, portable] = best_times(work, kRounds, repeats, thread_seconds_now);
  std::printf(
      "%-24s %6zu rows %8zu blocks %6.1f MB | sum %.2f ns a block, links %.2f = %.2f × sum (portable %.2f), "
      "sweep %.2f = %.2f × links, local solve %.1f ns a row | %s | residual %.1e\n",
      name.c_str(), ldy.row_count(), ldy.off_diagonal_count(), 1e-6 * bytes, 1e9 * sum / blocks, 1e9 * links / blocks,
      links / sum, portable / sum, 1e9 * whole / blocks, whole / links,
      1e9 * (whole - links) / static_cast<double>(ldy.row_count()), contacts.c_str(), residual);
  std::printf("%-24s roofline: the sweep streams %.1f GB/s, the sum of the same %.1f MB %.1f GB/s: %.0f %%\n",
              name.c_str(), 1e-9 * streamed / whole, 1e-6 * streamed, 1e-9 * streamed / roof, 100 * roof / whole);
  std::fflush(stdout);
}

void measure_file(const std::filesystem::path& path) {
  LocalDynamics ldy = read_fclib(path).ldy;
  measure(path.stem().string(), ldy);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("one thread, processor time, instruction set %s, best of %d rounds, after %d sweeps\n",
              row_product_variants().back().name, kRounds, kWarmSweeps);
  for (int k = 1; k < argc; ++k) measure_file(argv[k]);
  if (argc > 1) return 0;
  const BuiltinProblem wall = make_builtin("wall", 50'000);
  measure(wall.name, *wall.ldy);
  if (const char* problems = std::getenv("LOCDYN_PROBLEMS")) {
    measure_file(std::filesystem::path(problems) / "local3d" / "KaplasTower-i1061-4.hdf5");
  }
  return 0;
}
