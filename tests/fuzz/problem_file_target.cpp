// Problem files (FCLIB): their bytes, and their parts, which bytes of HDF5 hardly ever reach.

#include <cmath>
#include <ldy/raw_problem.hpp>
#include <locdyn/io/problem/file_problem.hpp>
#include <locdyn/ldy/matrix_market.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/registry.hpp>
#include <map>
#include <string>
#include <vector>

#include "byte_source.hpp"
#include "refusal.hpp"
#include "scratch_file.hpp"
#include "target_list.hpp"

namespace locdyn::fuzz {
namespace {

using test::RawProblem;

// Reads it; what is taken is whole: written and read again it is the same W, and a solver takes it or says why not.
void read_and_use(const std::filesystem::path& path) {
  refused([&] {
    FileProblem problem;
    read_problem(path, problem);
    LocalDynamics& ldy = *&problem.ldy;
    for (const auto& row : ldy.rows()) promise(row.B.allFinite(), "B: expected finite numbers from a file");
    const std::string W = matrix_market(ldy);
    write_problem(scratch_path("again.hdf5"), problem);
    FileProblem again;
    read_problem(scratch_path("again.hdf5"), again);
    promise(matrix_market(again.ldy) == W, "W: expected the same from the file written");
    const SolveReport report = find_solver("nsgs").solve(ldy, {.max_iterations = 10}, {});
    promise(report.residual.scaled == evaluate_residual(ldy).scaled,
            "expected the judge's residual, found " + std::to_string(report.residual.scaled));
  });
}

// A global problem of four velocities, d rows of one contact and one bilateral row.
RawProblem global_problem(int d) {
  RawProblem raw;
  const std::string g = d == 5 ? "fclib_global_rolling" : "fclib_global";
  raw.groups = {g, g + "/M", g + "/H", g + "/G", g + "/vectors", g + "/info"};
  std::vector<int> pointers = {0}, rows;
  std::vector<double> entries, w;
  for (int k = 0; k < d; ++k) {
    rows.push_back(k % 4);
    entries.push_back(k + 1);
    w.push_back(0.1 * (k + 1));
    pointers.push_back(k + 1);
  }
  raw.integers = {{g + "/spacedim", {d}},     {g + "/M/m", {4}},     {g + "/M/n", {4}},
                  {g + "/M/nz", {4}},         {g + "/M/nzmax", {4}}, {g + "/M/i", {0, 1, 2, 3}},
                  {g + "/M/p", {0, 1, 2, 3}}, {g + "/H/m", {4}},     {g + "/H/n", {d}},
                  {g + "/H/nz", {-1}},        {g + "/H/nzmax", {d}}, {g + "/H/p", pointers},
                  {g + "/H/i", rows},         {g + "/G/m", {4}},     {g + "/G/n", {1}},
                  {g + "/G/nz", {-2}},        {g + "/G/nzmax", {2}}, {g + "/G/p", {0, 0, 1, 1, 2}},
                  {g + "/G/i", {0, 0}}};
  raw.reals = {{g + "/M/x", {1, 2, 3, 4}},       {g + "/H/x", entries}, {g + "/G/x", {1, -1}},
               {g + "/vectors/f", {1, 2, 3, 4}}, {g + "/vectors/w", w}, {g + "/vectors/b", {0.5}},
               {g + "/vectors/mu", {0.3}}};
  if (d == 5) raw.reals[g + "/vectors/mu_r"] = {0.01};
  raw.texts = {{g + "/info/title", "global"}};
  return raw;
}

RawProblem with_bilateral_rows() {
  RawProblem raw = test::two_contacts();
  const std::string g = "fclib_local";
  raw.groups.insert(raw.groups.end(), {g + "/V", g + "/R"});
  for (const auto& [part, columns] : std::map<std::string, int>{{"/V", 1}, {"/R", 1}}) {
    const int rows = part == "/V" ? 6 : 1;
    raw.integers[g + part + "/m"] = {rows};
    raw.integers[g + part + "/n"] = {columns};
    raw.integers[g + part + "/nz"] = raw.integers[g + part + "/nzmax"] = {1};
    raw.integers[g + part + "/i"] = raw.integers[g + part + "/p"] = {0};
    raw.reals[g + part + "/x"] = {0.5};
  }
  raw.reals[g + "/vectors/s"] = {1};
  return raw;
}

const std::vector<RawProblem>& problems() {
  static const std::vector<RawProblem> all = {test::two_contacts(), with_bilateral_rows(), global_problem(2),
                                              global_problem(3), global_problem(5)};
  return all;
}

template <class Map>
auto pick(Map& map, ByteSource& source) {
  auto at = map.begin();
  std::advance(at, source.below(static_cast<int>(map.size())));
  return at;
}

template <class Numbers, class Odd>
void change_numbers(Numbers& numbers, ByteSource& source, const Odd& odd) {
  const int count = static_cast<int>(numbers.size());
  switch (source.below(4)) {
    case 0: numbers.resize(static_cast<std::size_t>(source.below(9))); break;
    case 1: numbers.push_back(odd()); break;
    default:
      if (count > 0) numbers[static_cast<std::size_t>(source.below(count))] = odd();
  }
}

void change(RawProblem& raw, ByteSource& source) {
  switch (source.below(8)) {
    case 0: raw.integers.erase(pick(raw.integers, source)); break;
    case 1: raw.reals.erase(pick(raw.reals, source)); break;
    case 2: {  // of another type
      const auto at = pick(raw.integers, source);
      raw.reals[at->first] = {source.any_number()};
      raw.integers.erase(at);
      break;
    }
    case 3: {
      const auto at = pick(raw.reals, source);
      raw.integers[at->first] = {source.any_integer()};
      raw.reals.erase(at);
      break;
    }
    case 4:
    case 5: change_numbers(pick(raw.integers, source)->second, source, [&] { return source.any_integer(); }); break;
    default: change_numbers(pick(raw.reals, source)->second, source, [&] { return source.any_number(); });
  }
}

}  // namespace

void run_problem_bytes(Bytes bytes) {
  read_and_use(scratch_file("problem.hdf5", bytes));
}

std::vector<Input> seeds_of_problem_bytes() {
  std::vector<Input> seeds;
  for (const RawProblem& raw : problems()) {
    const std::vector<char> image = raw.image();
    seeds.emplace_back(image.begin(), image.end());
  }
  return seeds;
}

void run_problem_parts(Bytes bytes) {
  ByteSource source(bytes);
  RawProblem raw = problems()[static_cast<std::size_t>(source.below(static_cast<int>(problems().size())))];
  for (int changes = source.below(5); changes > 0 && !raw.integers.empty() && !raw.reals.empty(); --changes) {
    change(raw, source);
  }
  const std::vector<char> image = raw.image();
  read_and_use(scratch_file("parts.hdf5", {reinterpret_cast<const std::uint8_t*>(image.data()), image.size()}));
}

std::vector<Input> seeds_of_problem_parts() {
  std::vector<Input> seeds;
  for (std::uint8_t k = 0; k < 5; ++k) seeds.push_back(Input(48, k));
  return seeds;
}

}  // namespace locdyn::fuzz
