#include <locdyn/ldy/fclib/sparse_group.hpp>

#include <cmath>
#include <limits>

namespace locdyn::detail {
namespace {

constexpr long long kLargest = std::numeric_limits<int>::max() - 1;

int read_size(const Hdf5Input& file, const std::string& name) {
  const long long value = file.integer(name);
  if (value < 0 || value > kLargest) {
    file.fail(name, "a size from 0 to " + std::to_string(kLargest), std::to_string(value));
  }
  return static_cast<int>(value);
}

int checked_index(const Hdf5Input& file, const std::string& name, long long value, int bound, std::size_t at) {
  if (value < 0 || value >= bound) {
    file.fail(name, "indices from 0 to " + std::to_string(bound - 1),
              std::to_string(value) + " at place " + std::to_string(at));
  }
  return static_cast<int>(value);
}

void require_finite(const Hdf5Input& file, const std::string& name, double value, std::size_t at) {
  if (!std::isfinite(value)) {
    file.fail(name, "finite numbers", std::to_string(value) + " at place " + std::to_string(at));
  }
}

// A dataset of triplets holds nz numbers, or nzmax of which the first nz count.
std::size_t triplet_count(const Hdf5Input& file, const std::string& name, std::size_t found, std::size_t nz,
                          std::size_t nzmax) {
  if (found != nz && found != nzmax) {
    file.fail(name, std::to_string(nz) + " numbers (nz triplets) or " + std::to_string(nzmax) + " (nzmax)",
              std::to_string(found));
  }
  return found;
}

void read_triplets(const Hdf5Input& file, const std::string& name, std::size_t nz, std::size_t nzmax,
                   SparseEntries& matrix) {
  if (nz > nzmax) {
    file.fail(name + "/nz", "at most nzmax = " + std::to_string(nzmax) + " triplets", std::to_string(nz));
  }
  const auto read_indices = [&](const std::string& set) {
    return file.integers(set, triplet_count(file, set, file.integer_count(set), nz, nzmax), "triplets");
  };
  const auto i = read_indices(name + "/i");
  const auto p = read_indices(name + "/p");
  const std::string values = name + "/x";
  const auto x = file.reals(values, triplet_count(file, values, file.real_count(values), nz, nzmax), "triplets");
  matrix.entries.reserve(nz);
  for (std::size_t at = 0; at < nz; ++at) {
    require_finite(file, values, x[at], at);
    matrix.entries.push_back({checked_index(file, name + "/i", i[at], matrix.rows, at),
                              checked_index(file, name + "/p", p[at], matrix.columns, at), x[at]});
  }
}

void read_compressed(const Hdf5Input& file, const std::string& name, bool by_rows, std::size_t nzmax,
                     SparseEntries& matrix) {
  const int lines = by_rows ? matrix.rows : matrix.columns;
  const int across = by_rows ? matrix.columns : matrix.rows;
  const auto p = file.integers(name + "/p", static_cast<std::size_t>(lines) + 1, by_rows ? "m + 1" : "n + 1");
  if (p[0] != 0) file.fail(name + "/p", "0 as the first pointer", std::to_string(p[0]));
  for (int line = 0; line < lines; ++line) {
    if (p[line + 1] < p[line]) {
      file.fail(
          name + "/p", "ascending pointers",
          std::to_string(p[line + 1]) + " after " + std::to_string(p[line]) + " at place " + std::to_string(line + 1));
    }
  }
  if (p[lines] > static_cast<long long>(nzmax)) {
    file.fail(name + "/p", "pointers up to nzmax = " + std::to_string(nzmax), std::to_string(p[lines]));
  }

  const auto i = file.integers(name + "/i", nzmax, "nzmax");
  const auto x = file.reals(name + "/x", nzmax, "nzmax");
  matrix.entries.reserve(static_cast<std::size_t>(p[lines]));
  for (int line = 0; line < lines; ++line) {
    for (auto at = static_cast<std::size_t>(p[line]); at < static_cast<std::size_t>(p[line + 1]); ++at) {
      const int index = checked_index(file, name + "/i", i[at], across, at);
      require_finite(file, name + "/x", x[at], at);
      matrix.entries.push_back(by_rows ? SparseEntries::Entry{line, index, x[at]}
                                       : SparseEntries::Entry{index, line, x[at]});
    }
  }
}

}  // namespace

SparseEntries read_sparse_group(const Hdf5Input& file, const std::string& name) {
  file.require_group(name);
  SparseEntries matrix;
  matrix.rows = read_size(file, name + "/m");
  matrix.columns = read_size(file, name + "/n");
  const auto nzmax = static_cast<std::size_t>(read_size(file, name + "/nzmax"));
  const long long nz = file.integer(name + "/nz");
  if (nz < -2) {
    file.fail(name + "/nz", "a count of triplets, −1 (compressed columns) or −2 (compressed rows)", std::to_string(nz));
  }
  if (nz >= 0) {
    read_triplets(file, name, static_cast<std::size_t>(nz), nzmax, matrix);
  } else {
    read_compressed(file, name, nz == -2, nzmax, matrix);
  }
  return matrix;
}

void write_sparse_group(Hdf5Output& file, const std::string& name, const CompressedRows& matrix) {
  file.group(name);
  file.integer(name + "/nzmax", static_cast<int>(matrix.value.size()));
  file.integer(name + "/m", matrix.rows);
  file.integer(name + "/n", matrix.columns);
  file.integer(name + "/nz", -2);
  file.integers(name + "/p", matrix.first);
  file.integers(name + "/i", matrix.column);
  file.reals(name + "/x", matrix.value);
}

}  // namespace locdyn::detail
