// Every target on its seeds, on the inputs that once broke something (corpus/), and on seeded mutations of them: the
// same inputs on every machine. LOCDYN_FUZZ_FACTOR multiplies their number, LOCDYN_FUZZ_SEED gives others,
// LOCDYN_FUZZ_FILE the one input of a file.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "fuzz_target.hpp"
#include "mutation.hpp"
#include "scratch_file.hpp"
#include "solver_target.hpp"

using namespace locdyn::fuzz;

namespace {

long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

// What went wrong, empty where nothing did; the input is then kept as a file beside the test.
std::string fault_of(const Target& target, const Input& input, const std::string& label) {
  std::string fault;
  try {
    target.run(input);
    return {};
  } catch (const std::exception& error) {
    fault = std::string(target.name) + ", " + label + ": " + error.what();
  }
  const std::filesystem::path kept = "broken-" + std::string(target.name) + "-" + label;
  std::filesystem::copy_file(scratch_file("kept", input), kept, std::filesystem::copy_options::overwrite_existing);
  return fault + " (" + std::filesystem::absolute(kept).string() + ")";
}

std::vector<std::filesystem::path> corpus_of(const Target& target) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(LOCDYN_FUZZ_CORPUS) / target.name;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(folder, none)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Seeds, corpus, mutations; the number of inputs that were run. At most three faults are told.
long run_target(const Target& target) {
  long runs = 0;
  int faults = 0;
  const auto check = [&](const Input& input, const std::string& label) {
    ++runs;
    const std::string fault = fault_of(target, input, label);
    if (!fault.empty() && ++faults <= 3) FAIL_CHECK(fault);
  };
  if (const char* file = std::getenv("LOCDYN_FUZZ_FILE")) {
    target.run(content_of(file));
    return 1;
  }
  std::vector<Input> seeds = target.seeds();
  REQUIRE_FALSE(seeds.empty());
  for (std::size_t k = 0; k < seeds.size(); ++k) check(seeds[k], "seed-" + std::to_string(k));
  for (const auto& file : corpus_of(target)) {
    check(content_of(file), file.filename().string());
    seeds.push_back(content_of(file));
  }
  check({}, "nothing");
  const auto seed = static_cast<std::uint32_t>(from_environment("LOCDYN_FUZZ_SEED", 1));
  const long count = target.executions * (target.any_number ? from_environment("LOCDYN_FUZZ_FACTOR", 1) : 1);
  Mutation mutated(seed);
  for (long k = 0; k < count; ++k) check(mutated(seeds), std::to_string(seed) + "-" + std::to_string(k));
  CHECK(faults == 0);
  return runs;
}

}  // namespace

#define LOCDYN_FUZZ_CASE(name)                         \
  TEST_CASE("fuzz " name) {                            \
    MESSAGE(run_target(find_target(name)), " inputs"); \
  }

LOCDYN_FUZZ_CASE("scene")
LOCDYN_FUZZ_CASE("problem-bytes")
LOCDYN_FUZZ_CASE("problem-parts")
LOCDYN_FUZZ_CASE("robot")
LOCDYN_FUZZ_CASE("mesh")
LOCDYN_FUZZ_CASE("checkpoint")
LOCDYN_FUZZ_CASE("trajectory")
LOCDYN_FUZZ_CASE("arrays")
LOCDYN_FUZZ_CASE("c-arrays")
LOCDYN_FUZZ_CASE("bodies")
LOCDYN_FUZZ_CASE("solvers")
LOCDYN_FUZZ_CASE("command-line")

TEST_CASE("fuzz: there is a case for each target, and one that nobody knows is refused") {
  CHECK(targets().size() == 12);
  CHECK_THROWS_WITH_AS((void)find_target("noise"), doctest::Contains("found noise"), std::invalid_argument);
}

TEST_CASE("fuzz: a promise that does not hold is found") {
  constexpr Target kLiar = {"liar",
                            [](Bytes bytes) { promise(bytes.empty() || bytes[0] != 7, "expected another byte"); },
                            [] { return std::vector<Input>{{1}}; }, 0, true};
  CHECK(fault_of(kLiar, {1}, "sound").empty());
  CHECK(fault_of(kLiar, {7}, "seven").find("expected another byte") != std::string::npos);
  std::filesystem::remove("broken-liar-seven");
}

// 200 iterations of auto took 11 s on six such rows: each contact's own solve was a search that nothing bounded.
TEST_CASE("fuzz: contacts with rolling friction and a W without sign cost little, whatever becomes of them") {
  std::mt19937 random(5);
  const auto number = [&random] { return static_cast<double>(random()) / 2147483648.0 - 1; };
  RandomGraph problem;
  locdyn::LocalDynamics& ldy = problem.ldy;
  for (int k = 0; k < 3; ++k) ldy.insert(locdyn::RollingLaw{.friction = 0.8, .rolling = 0.3, .torsional = 0.3});
  for (locdyn::ConstraintId i{0}; i < 3; ++i) {
    for (locdyn::ConstraintId j{0}; j < i; ++j) ldy.couple(i, j);
  }
  for (locdyn::DiagonalBlock& row : ldy.rows()) {
    for (double& w : row.W.reshaped()) w = number();
    for (locdyn::OffDiagonalBlock& block : ldy.adjacent(row)) {
      for (double& w : block.W.reshaped()) w = number();
    }
    row.B = {number(), number(), -1};
  }
  double most = 0;
  for (const auto& solver : locdyn::solvers()) {
    const std::clock_t begin = std::clock();
    CHECK_NOTHROW((void)try_solver(solver, problem));
    most = std::max(most, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  CHECK(most < 4);
}

TEST_CASE("fuzz: the random problems of the solvers are solved, unsolved and refused, each in their share") {
  const long count = 40 * from_environment("LOCDYN_FUZZ_FACTOR", 1);
  const long seed = from_environment("LOCDYN_FUZZ_SEED", 1);
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  static long outcomes[3];
  constexpr Target kCounted = {"solvers",
                               [](Bytes bytes) {
                                 const RandomGraph problem = random_graph(bytes);
                                 for (const auto& solver : locdyn::solvers()) {
                                   ++outcomes[static_cast<int>(try_solver(solver, problem))];
                                 }
                               },
                               [] { return std::vector<Input>{}; }, 0, true};
  for (long k = 0; k < count; ++k) {
    Input input(300);
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
    const std::string fault = fault_of(kCounted, input, "random-" + std::to_string(seed) + "-" + std::to_string(k));
    if (!fault.empty()) FAIL_CHECK(fault);
  }
  MESSAGE(count, " problems: ", outcomes[1], " solves converged, ", outcomes[2], " did not, ", outcomes[0], " refused");
  CHECK(outcomes[0] > 0);
  CHECK(outcomes[1] > 3 * count);
  CHECK(outcomes[2] > 0);
}
