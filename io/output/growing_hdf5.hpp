#pragma once
// An HDF5 file that grows frame by frame and can be read after every frame, however the run ends. All that a frame adds
// is staged and then committed at once: room on the disk is reserved before HDF5 is called, so that a full disk is an
// ordinary error that leaves the file as it was, and the file is flushed after it.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/ldy/fclib/hdf5_handle.hpp>

namespace locdyn::detail {

/// Names are full paths inside the file without the leading slash. Each function throws FileError naming the file. Not
/// thread-safe, as HDF5. Readers may have the file open meanwhile: it takes no lock.
class GrowingHdf5 {
 public:
  enum class Type { float32, float64, int32, int64, text };

  /// What a reader should know of a group or dataset; an empty unit is none.
  struct Meaning {
    std::string_view description, unit = "";
  };

  /// Makes the file, replacing what is there.
  explicit GrowingHdf5(const std::filesystem::path& path);

  void group(const std::string& name, const Meaning& meaning);
  /// Of the whole file.
  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, std::int64_t value);

  /// A dataset that grows along its first dimension, with no rows yet; each row of `row_shape` (which may grow too),
  /// chunks of about 16 KiB. Returns its number.
  int series(const std::string& name, Type type, const std::vector<hsize_t>& row_shape, const Meaning& meaning);

  // --- staging: the data must stay where they are until `commit` ----------------------------------------------------

  /// `rows` more rows of a series, each of `row_shape`.
  void append(int series, const void* data, hsize_t rows, const std::vector<hsize_t>& row_shape = {});
  /// A new dataset (rows, width), or (rows) where the width is 1.
  void add(const std::string& name, std::span<const float> values, hsize_t width = 1);
  void add(const std::string& name, std::span<const double> values, hsize_t width = 1);
  void add(const std::string& name, std::span<const std::int32_t> values, hsize_t width = 1);
  void add(const std::string& name, std::span<const std::int64_t> values, hsize_t width = 1);

  /// Writes what is staged and flushes. Where the disk has no room nothing is written, the file is closed as it was
  /// after the last commit, and FileError is thrown.
  void commit();

  /// Forgets what is staged and closes the file. A second call does nothing.
  void close();

  GrowingHdf5(const GrowingHdf5&) = delete;
  GrowingHdf5& operator=(const GrowingHdf5&) = delete;
  ~GrowingHdf5();

 private:
  struct Series {
    std::string name;
    Hdf5Handle dataset;
    Type type;
    std::vector<hsize_t> extent;
    std::size_t chunk_bytes;
  };
  struct Staged {
    int series;        // −1: a new dataset
    std::string name;  // of a new one
    Type type;
    const void* data;
    std::vector<hsize_t> shape;
  };

  void stage_new(const std::string& name, Type type, const void* data, std::size_t count, hsize_t width);
  [[nodiscard]] std::size_t room_for_staged() const;
  void reserve(std::size_t bytes);
  void write_new(const Staged& staged);
  void write_rows(const Staged& staged);
  void describe(hid_t object, const Meaning& meaning);
  void write_attribute(hid_t object, const char* name, std::string_view value);
  void require(bool done, const std::string& what);

  std::filesystem::path path_;
  void require_written();

  int descriptor_ = -1;  // of our own, to reserve room
  Hdf5Handle file_;
  std::vector<Series> series_;
  std::vector<Staged> staged_;
};

}  // namespace locdyn::detail
