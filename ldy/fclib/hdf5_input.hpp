#pragma once
// Reading an HDF5 file with every dataset checked for presence, type and size before memory is taken for it.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <locdyn/ldy/fclib/hdf5_handle.hpp>

namespace locdyn::detail {

/// An HDF5 file open for reading. Names are full paths inside the file without the leading slash. Each function throws
/// FileError naming the file and the dataset where what it reads is not as described. Not thread-safe, as HDF5.
class Hdf5Input {
 public:
  explicit Hdf5Input(const std::filesystem::path& path);

  /// Whether the name leads to a group or dataset.
  [[nodiscard]] bool has(const std::string& name) const;
  void require_group(const std::string& name) const;

  /// The number of elements of a dataset of integers (or of reals) with at most one dimension.
  [[nodiscard]] std::size_t integer_count(const std::string& name) const;
  [[nodiscard]] std::size_t real_count(const std::string& name) const;

  /// One integer.
  [[nodiscard]] long long integer(const std::string& name) const;
  /// `count` integers; `meaning` says in the fault line why that many.
  [[nodiscard]] std::vector<long long> integers(const std::string& name, std::size_t count,
                                                const std::string& meaning) const;
  /// `count` reals, any value.
  [[nodiscard]] std::vector<double> reals(const std::string& name, std::size_t count, const std::string& meaning) const;
  /// A string as its bytes up to the first zero; empty where the dataset is missing.
  [[nodiscard]] std::string text(const std::string& name) const;

  [[noreturn]] void fail(const std::string& name, const std::string& expected, const std::string& found) const;

 private:
  [[nodiscard]] Hdf5Handle open_dataset(const std::string& name, H5T_class_t type, const char* type_name) const;
  [[nodiscard]] std::size_t count(const Hdf5Handle& dataset, const std::string& name) const;
  void require_count(std::size_t found, std::size_t expected, const std::string& name,
                     const std::string& meaning) const;

  Hdf5Silence silence_;
  std::filesystem::path path_;
  Hdf5Handle file_;
};

}  // namespace locdyn::detail
