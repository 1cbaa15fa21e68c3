#pragma once
// Building an HDF5 file in memory: nothing touches the disk until the whole image is there, so that a full disk is an
// ordinary error of one write and never leaves HDF5 with a file that it cannot close.

#include <span>
#include <string>
#include <vector>

#include <locdyn/ldy/fclib/hdf5_handle.hpp>

namespace locdyn::detail {

/// An HDF5 file in memory. Names are full paths inside the file; groups on the way must have been made. The same calls
/// give the same bytes: no times are stored. Each function throws std::runtime_error where HDF5 refuses. Not
/// thread-safe, as HDF5.
class Hdf5Output {
 public:
  Hdf5Output();

  void group(const std::string& name);
  void integer(const std::string& name, int value) { integers(name, {&value, 1}); }
  void integers(const std::string& name, std::span<const int> values);
  void reals(const std::string& name, std::span<const double> values);
  void text(const std::string& name, const std::string& value);

  /// The file's bytes.
  [[nodiscard]] std::vector<char> image() const;

 private:
  void dataset(const std::string& name, hid_t stored, hid_t in_memory, const Hdf5Handle& space, const void* data);

  Hdf5Silence silence_;
  Hdf5Handle file_;
};

}  // namespace locdyn::detail
