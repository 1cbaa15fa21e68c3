// The groups fclib_global and fclib_global_rolling: M, H, G, f, w, b, and which kind of problem a file holds.

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>

#include <locdyn/ldy/fclib/contact_order.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/fclib/file_parts.hpp>
#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/fclib/hdf5_output.hpp>
#include <locdyn/ldy/fclib/sparse_group.hpp>
#include <locdyn/ldy/replace_file.hpp>

namespace locdyn {
using namespace detail;
namespace {

using Matrix = GlobalProblem::Matrix;

const std::string kGlobal = "fclib_global", kGlobalRolling = "fclib_global_rolling";

std::string size_of(const SparseEntries& A) {
  return std::to_string(A.rows) + " by " + std::to_string(A.columns);
}

// Column of the library's three a block, of a column of the file with d a contact.
int graph_column(int column, int d) {
  const FileRow place = kFileRows[column % d];
  return 3 * (column / d * static_cast<int>(file_blocks(d)) + place.block) + place.row;
}

// Repeated places add up.
Matrix assembled(const Hdf5Input& file, const std::string& name, const SparseEntries& stored, Eigen::Index columns,
                 int d) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(stored.entries.size());
  for (const auto& entry : stored.entries) {
    entries.emplace_back(entry.row, d == 0 ? entry.column : graph_column(entry.column, d), entry.value);
  }
  Matrix A(stored.rows, columns);
  A.setFromTriplets(entries.begin(), entries.end());
  for (const double value : std::span(A.valuePtr(), static_cast<std::size_t>(A.nonZeros()))) {
    if (!std::isfinite(value)) file.fail(name + "/x", "finite sums of repeated entries", "an overflow");
  }
  return A;
}

// A vector with three numbers a block.
Eigen::VectorXd padded(std::span<const double> values, int d) {
  const auto blocks = from_file_order(values, d);
  Eigen::VectorXd x(3 * static_cast<Eigen::Index>(blocks.size()));
  for (std::size_t k = 0; k < blocks.size(); ++k) x.segment<3>(3 * static_cast<Eigen::Index>(k)) = blocks[k];
  return x;
}

// Matrices, and their vectors before memory is taken for as many rows as triplets may claim.
void read_equations(const Hdf5Input& file, const std::string& group, int d, GlobalProblem& problem) {
  const SparseEntries M = read_sparse_group(file, group + "/M"), H = read_sparse_group(file, group + "/H");
  if (M.rows != M.columns) file.fail(group + "/M", "a square matrix", size_of(M));
  if (H.rows != M.rows) {
    file.fail(group + "/H", std::to_string(M.rows) + " rows, as many as M", std::to_string(H.rows));
  }
  if (H.columns % d != 0) {
    file.fail(group + "/H/n", "a multiple of spacedim = " + std::to_string(d), std::to_string(H.columns));
  }
  const auto blocks = static_cast<long long>(H.columns / d) * static_cast<long long>(file_blocks(d));
  if (3 * blocks > std::numeric_limits<int>::max()) {
    file.fail(group + "/H/n", "contacts whose blocks an int can count", std::to_string(H.columns / d));
  }
  problem.f = finite_vector(file, group + "/vectors/f", static_cast<std::size_t>(M.rows), "one a row of M");
  problem.w =
      padded(finite_reals(file, group + "/vectors/w", static_cast<std::size_t>(H.columns), "one a column of H"), d);
  problem.M = assembled(file, group + "/M", M, M.columns, 0);
  problem.H = assembled(file, group + "/H", H, 3 * blocks, d);
  problem.G.resize(M.rows, 0);
  if (!file.has(group + "/G")) {
    if (file.has(group + "/vectors/b") && file.real_count(group + "/vectors/b") > 0) {
      file.fail(group + "/G", "the matrix that goes with b", "nothing");
    }
    return;
  }
  const SparseEntries G = read_sparse_group(file, group + "/G");
  if (G.rows != M.rows) {
    file.fail(group + "/G", std::to_string(M.rows) + " rows, as many as M", std::to_string(G.rows));
  }
  problem.b = finite_vector(file, group + "/vectors/b", static_cast<std::size_t>(G.columns), "one a column of G");
  problem.G = assembled(file, group + "/G", G, G.columns, 0);
}

FclibGlobal read_global(const Hdf5Input& file) {
  const bool rolling = !file.has(kGlobal) && file.has(kGlobalRolling);
  if (!rolling && !file.has(kGlobal)) file.fail("", "the group fclib_global or fclib_global_rolling", "none");
  const std::string group = rolling ? kGlobalRolling : kGlobal;
  file.require_group(group);
  const int d = read_dimension(file, group, rolling);
  FclibGlobal read;
  read.spacedim = std::min(d, 3);
  GlobalProblem& problem = read.problem;
  read_equations(file, group, d, problem);
  const auto n = static_cast<std::size_t>(problem.M.rows());
  const std::size_t contacts = static_cast<std::size_t>(problem.H.cols()) / 3 / file_blocks(d);
  const std::size_t rows = contacts * static_cast<std::size_t>(d);
  const auto friction = read_friction(file, group, contacts);
  const auto coefficients = rolling ? read_rolling(file, group, contacts) : std::vector<double>(contacts);
  for (std::size_t contact = 0; contact < contacts; ++contact) {
    Law law = contact_law(friction[contact], d);
    if (auto* roll = std::get_if<RollingLaw>(&law)) roll->rolling = coefficients[contact];
    problem.laws.push_back(law);
  }
  read_texts(file, group, read.info);
  read_solutions(
      file, {.contact_rows = rows, .velocities = n, .bilateral = static_cast<std::size_t>(problem.b.size()), .d = d},
      read.solution, read.guesses);
  return read;
}

// Columns ascending; `d` rows a contact of the file, 0 where columns are as they are.
CompressedRows by_rows(const Matrix& A, Eigen::Index columns, int d) {
  std::vector<int> file_column(static_cast<std::size_t>(A.cols()), -1);
  for (int column = 0; column < columns; ++column) file_column[d == 0 ? column : graph_column(column, d)] = column;
  struct Entry {
    int row, column;
    double value;
  };
  std::vector<Entry> entries;
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (Matrix::InnerIterator at(A, j); at; ++at) {
      entries.push_back({static_cast<int>(at.row()), file_column[j], at.value()});
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  CompressedRows rows;
  rows.rows = static_cast<int>(A.rows());
  rows.columns = static_cast<int>(columns);
  rows.first.assign(static_cast<std::size_t>(A.rows()) + 1, 0);
  for (const Entry& entry : entries) {
    ++rows.first[entry.row + 1];
    rows.column.push_back(entry.column);
    rows.value.push_back(entry.value);
  }
  for (std::size_t row = 0; row + 1 < rows.first.size(); ++row) rows.first[row + 1] += rows.first[row];
  return rows;
}

std::vector<double> unpadded(const Eigen::VectorXd& x, int d) {
  std::vector<Eigen::Vector3d> blocks;
  for (Eigen::Index at = 0; at < x.size(); at += 3) blocks.emplace_back(x.segment<3>(at));
  return to_file_order(blocks, d);
}

std::span<const double> numbers_in(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

// Rows of a contact in the file.
int require_one_kind(const FclibGlobal& problem) {
  if (problem.spacedim != 2 && problem.spacedim != 3) {
    throw std::invalid_argument("spacedim: expected 2 or 3, found " + std::to_string(problem.spacedim));
  }
  const auto& laws = problem.problem.laws;
  const int d = !laws.empty() && block_count(laws.front()) == 2 ? 5 : problem.spacedim;
  for (std::size_t contact = 0; contact < laws.size(); ++contact) {
    const Law& law = laws[contact];
    const bool fits = d == 5 ? block_count(law) == 2 && rows(law, 1) == kRowsRolling
                             : is_coulomb(law) && !gives_way(law) && offset(law, 0).isZero(0) &&
                                   (rows(law, 0) == kRowsPlanar) == (d == 2);
    if (!fits) {
      throw std::invalid_argument("law of contact " + std::to_string(contact) +
                                  ": expected the same kind for all, as a file can hold, found " +
                                  law_name(laws[contact]));
    }
  }
  return d;
}

}  // namespace

FclibKind fclib_kind(const std::filesystem::path& path) {
  const Hdf5Input file(path);
  for (const char* group : {"fclib_local", "fclib_local_rolling"}) {
    if (file.has(group)) return FclibKind::local;
  }
  for (const std::string& group : {kGlobal, kGlobalRolling}) {
    if (file.has(group)) return FclibKind::global;
  }
  file.fail("", "one of the groups fclib_local, fclib_global, fclib_local_rolling, fclib_global_rolling", "none");
}

FclibGlobal read_fclib_global(const std::filesystem::path& path) {
  try {
    return read_global(Hdf5Input(path));
  } catch (const std::bad_alloc&) {
    throw FileError(path, "", "a problem that fits into memory", "a larger one");
  }
}

void write_fclib_global(const std::filesystem::path& path, const FclibGlobal& whole) {
  const GlobalProblem& problem = whole.problem;
  problem.validate();
  const int d = require_one_kind(whole);
  const std::string group = d == 5 ? kGlobalRolling : kGlobal;
  const std::size_t rows = problem.laws.size() * static_cast<std::size_t>(d);

  Hdf5Output file;
  file.group(group);
  file.integer(group + "/spacedim", d);
  write_sparse_group(file, group + "/M", by_rows(problem.M, problem.M.cols(), 0));
  write_sparse_group(file, group + "/H", by_rows(problem.H, static_cast<Eigen::Index>(rows), d));
  if (problem.G.cols() > 0) write_sparse_group(file, group + "/G", by_rows(problem.G, problem.G.cols(), 0));

  std::vector<double> friction, rolling;
  for (const Law& law : problem.laws) {
    const Friction discs = friction_discs(law);
    friction.push_back(discs.sliding[0]);
    if (d == 5) rolling.push_back(discs.rolling);
  }
  file.group(group + "/vectors");
  file.reals(group + "/vectors/f", numbers_in(problem.f));
  file.reals(group + "/vectors/w", unpadded(problem.w, d));
  file.reals(group + "/vectors/mu", friction);
  if (d == 5) file.reals(group + "/vectors/mu_r", rolling);
  if (problem.G.cols() > 0) file.reals(group + "/vectors/b", numbers_in(problem.b));
  write_texts(file, group, whole.info);
  write_solutions(file,
                  {.contact_rows = rows,
                   .velocities = static_cast<std::size_t>(problem.M.rows()),
                   .bilateral = static_cast<std::size_t>(problem.G.cols()),
                   .d = d},
                  whole.solution, whole.guesses);
  const std::vector<char> image = file.image();
  replace_file(path, {image.data(), image.size()});
}

}  // namespace locdyn
