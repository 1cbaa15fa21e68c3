#pragma once
// An HDF5 file that grows frame by frame and can be read after every frame, however the run ends. All that a frame adds
// is staged and then committed at once: room on the disk is reserved before HDF5 is called, so that a full disk is an
// ordinary error that leaves the file as it was, and the file is flushed after it.
//
// Several processes may write one file (file_group.hpp): the rows of a dataset are those of process 0, then those of
// process 1, … HDF5's own way to do so writes no text of any length, does not survive a disk that fails, and asks all
// processes for every call; so the leader lays out the file and says where its rows lie, and each process writes its
// own there. The bytes of the file do not show how many processes there were.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/io/output/file_group.hpp>
#include <locdyn/io/output/row_places.hpp>
#include <locdyn/ldy/fclib/hdf5_handle.hpp>

namespace locdyn::detail {

/// Names are full paths inside the file without the leading slash. Each function throws FileError naming the file. Not
/// thread-safe, as HDF5. Readers may have the file open meanwhile: it takes no lock. In a group all processes make the
/// same calls; only the constructor, `commit` and `sync` are collective, and what else the leader throws is for the
/// caller to tell the others.
class GrowingHdf5 {
 public:
  enum class Type { float32, float64, int32, int64, text };

  /// What a reader should know of a group or dataset; an empty unit is none.
  struct Meaning {
    std::string_view description, unit = "";
  };

  /// Makes the file, replacing what is there. `group` outlives it. Errors call the file `called`, where that is given.
  explicit GrowingHdf5(const std::filesystem::path& path, FileGroup& group = FileGroup::alone(),
                       const std::filesystem::path& called = {});

  void group(const std::string& name, const Meaning& meaning);
  /// Of the whole file.
  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, std::int64_t value);
  /// A dataset of one string.
  void text(const std::string& name, const std::string& value);

  /// A dataset that grows along its first dimension, with no rows yet; each row of `row_shape` (which may grow too),
  /// chunks of about 16 KiB. Returns its number.
  int series(const std::string& name, Type type, const std::vector<hsize_t>& row_shape, const Meaning& meaning);

  // --- staging: the data must stay where they are until `commit` ----------------------------------------------------

  /// `rows` more rows, of the leader alone, of a series whose rows are single values.
  void append(int series, const void* data, hsize_t rows);
  /// One more row of a series of rows (count, width), or (count) where the width is 1: `count` of this process.
  void append_row(int series, const void* data, hsize_t count, hsize_t width = 1);
  /// A new dataset (rows, width), or (rows) where the width is 1: the rows of this process.
  void add(const std::string& name, std::span<const float> values, hsize_t width = 1);
  void add(const std::string& name, std::span<const double> values, hsize_t width = 1);
  void add(const std::string& name, std::span<const std::int32_t> values, hsize_t width = 1);
  void add(const std::string& name, std::span<const std::int64_t> values, hsize_t width = 1);

  /// Writes what is staged and flushes. Where the disk has no room nothing is written, the file is closed as it was
  /// after the last commit, and FileError is thrown.
  void commit();

  /// Forces what was committed to the disk.
  void sync();

  /// Forgets what is staged and closes the file. A second call does nothing.
  void close();

  GrowingHdf5(const GrowingHdf5&) = delete;
  GrowingHdf5& operator=(const GrowingHdf5&) = delete;
  ~GrowingHdf5();

 private:
  struct Series {
    std::string name;
    Hdf5Handle dataset;  // the leader's
    Type type;
    std::vector<hsize_t> extent, chunk;
  };
  enum class Kind { values, row, dataset };  // of the leader, to HDF5; the others split over the group
  struct Staged {
    Kind kind;
    int series;        // −1: a new dataset
    std::string name;  // of a new one
    Type type;
    const void* data;
    hsize_t count, width;  // `count` of this process
  };
  using Numbers = std::vector<std::uint64_t>;

  void make();
  void stage_new(const std::string& name, Type type, const void* data, std::size_t count, hsize_t width);
  [[nodiscard]] std::size_t room_for_staged(const Numbers& totals) const;
  void reserve(std::size_t bytes);
  void append_values(const Staged& staged);
  [[nodiscard]] RowPlaces lay_out_row(const Staged& staged, std::uint64_t total);
  [[nodiscard]] RowPlaces lay_out_dataset(const Staged& staged, std::uint64_t total);
  void describe(hid_t object, const Meaning& meaning);
  void write_attribute(hid_t object, const char* name, std::string_view value);
  void require(bool done, const std::string& what);
  void require_written();

  std::filesystem::path path_, called_;
  FileGroup& group_;
  int descriptor_ = -1;  // of our own: HDF5 has another
  Hdf5Handle file_;
  std::vector<Series> series_;
  std::vector<Staged> staged_;
};

}  // namespace locdyn::detail
