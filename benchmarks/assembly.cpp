// Assembly of W and B of the built-in brick wall: on 1, 2, … threads by the wall clock, and on one thread against a
// block product (3×3 matrix times vector, a stream of them in the cache) for each off-diagonal block, by processor
// time. All in one run, the pieces in turn; a hash of the bits of W and B stands beside each time.
//
//   benchmark_assembly [CONTACTS [MOST_THREADS]]        50 000 contacts and 2 threads

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "builtin/builtin.hpp"
#include <vector>

#include "measure.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::benchmark;

constexpr int kRounds = 25;
constexpr int kProducts = 2048;
constexpr int kPasses = 50;  // of the products, so that the first, which finds the cache cold, does not count

// FNV-1a over the words of W and B in sweep order.
std::uint64_t hash_of(const LocalDynamics& ldy) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const auto& matrix) {
    for (double entry : matrix.reshaped()) {
      std::uint64_t bits;
      std::memcpy(&bits, &entry, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3u;
    }
  };
  for (const DiagonalBlock& row : ldy.rows()) {
    add(row.W);
    add(row.B);
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) add(block.W);
  }
  return hash;
}

// U_i = W_i x_i, independent of each other, in the L2 cache.
struct Products {
  std::vector<Eigen::Matrix3d> W{kProducts, Eigen::Matrix3d::Identity()};
  std::vector<Eigen::Vector3d> x{kProducts, Eigen::Vector3d::Ones()}, U{kProducts, Eigen::Vector3d::Zero()};

  void operator()() {
    for (int i = 0; i < kProducts; ++i) U[i].noalias() = W[i] * x[i];
    keep(*U.data());
  }
};

void print_threads(BuiltinProblem& wall, int most) {
  std::vector<double> best(static_cast<std::size_t>(most), 1e300);
  std::vector<std::uint64_t> hash(best.size());
  for (int round = 0; round < kRounds; ++round) {
    for (int threads = 1; threads <= most; ++threads) {
      const double start = seconds_now();
      wall.assembly->update(wall.h, {.threads = threads});
      wall.ldy->require_blocks(threads);
      double& least = best[static_cast<std::size_t>(threads - 1)];
      least = std::min(least, seconds_now() - start);
      if (round == 0) hash[static_cast<std::size_t>(threads - 1)] = hash_of(*wall.ldy);
    }
  }
  for (int threads = 1; threads <= most; ++threads) {
    const auto k = static_cast<std::size_t>(threads - 1);
    std::printf("%d threads: %7.2f ms, %.2f times faster than 1, bits %016llx%s\n", threads, 1e3 * best[k],
                best[0] / best[k], static_cast<unsigned long long>(hash[k]), hash[k] == hash[0] ? "" : " DIFFER");
  }
}

void print_products(BuiltinProblem& wall) {
  Products products;
  const std::array<std::function<void()>, 3> work = {[&] {
                                                       for (int pass = 0; pass < kPasses; ++pass) products();
                                                     },
                                                     [&] { wall.assembly->update(wall.h); },
                                                     [&] {
                                                       wall.assembly->update(wall.h);
                                                       wall.ldy->require_blocks();
                                                     }};
  const auto [stream, rows, update] = best_times(work, kRounds, 1, thread_seconds_now);
  const double product = stream / (kPasses * kProducts);
  const double block = update / static_cast<double>(wall.ldy->off_diagonal_count());
  const double row = rows / static_cast<double>(wall.ldy->row_count());
  std::printf("1 thread, processor time: %.0f ns a row without its blocks = %.0f block products\n", 1e9 * row,
              row / product);
  std::printf("1 thread, processor time: %.2f ns an off-diagonal block = %.1f block products of %.2f ns\n", 1e9 * block,
              block / product, 1e9 * product);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t contacts = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 50'000;
  const int most = argc > 2 ? std::atoi(argv[2]) : 2;
  BuiltinProblem wall = make_builtin("wall", contacts);
  std::printf("%s: %zu contacts, %zu off-diagonal blocks, best of %d rounds\n", wall.name.c_str(),
              wall.ldy->constraint_count(), wall.ldy->off_diagonal_count(), kRounds);
  print_products(wall);
  print_threads(wall, most);
  return 0;
}
