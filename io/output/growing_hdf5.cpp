#include <locdyn/io/output/growing_hdf5.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include <locdyn/io/output/patient_driver.hpp>
#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace fs = std::filesystem;
namespace {

using Type = GrowingHdf5::Type;

constexpr std::size_t kChunkBytes = 16 << 10, kLargestChunk = 1 << 20;
constexpr std::size_t kDatasetOverhead = 8 << 10;  // of headers, index nodes and group entries, several times over
constexpr std::size_t kMargin = 256 << 10;

// In the file as in memory: rows are written as they are.
hid_t stored(Type type) {
  switch (type) {
    case Type::float32: return H5T_NATIVE_FLOAT;
    case Type::float64: return H5T_NATIVE_DOUBLE;
    case Type::int32: return H5T_NATIVE_INT32;
    case Type::int64: return H5T_NATIVE_INT64;
    case Type::text: break;
  }
  return -1;
}

std::size_t bytes_of(Type type) {
  return type == Type::float32 || type == Type::int32 ? 4 : 8;
}

std::size_t count_of(const std::vector<hsize_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

// Text of any length, UTF-8.
Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

Hdf5Handle space_of(const std::vector<hsize_t>& extent, const hsize_t* largest = nullptr) {
  return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), largest), H5Sclose};
}

// How a dataset is made that stores no time of its own.
Hdf5Handle of_no_time() {
  Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (creation && H5Pset_obj_track_times(creation.id(), false) < 0) return {};
  return creation;
}

}  // namespace

GrowingHdf5::GrowingHdf5(const fs::path& path, FileGroup& group, const fs::path& called)
    : path_(path), called_(called.empty() ? path : called), group_(group) {
  const Hdf5Silence silence;
  try {
    together(group_, [&] {
      if (group_.leads()) make();
    });
    together(group_, [&] {
      if (group_.leads()) return;
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor_ < 0) throw FileError(called_, "", "a file that every rank can write to", std::strerror(errno));
    });
  } catch (...) {
    file_ = {};
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

void GrowingHdf5::make() {
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  if (fs::is_directory(status)) throw FileError(called_, "", "a file to write", "a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError(called_, "", "a regular file to write", "a device, pipe or socket");
  }
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(called_, "", "a file that can be written to", std::strerror(errno));
  reserve(kMargin);
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  require(access && H5Pset_driver(access.id(), patient_driver(), nullptr) >= 0, "a file");
  file_ = Hdf5Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  require(static_cast<bool>(file_), "a file");
}

GrowingHdf5::~GrowingHdf5() {
  try {
    close();
  } catch (const FileError&) {  // whoever wants to know calls `close`
  }
}

void GrowingHdf5::require(bool done, const std::string& what) {
  if (!done) throw FileError(called_, what, "an HDF5 file that can be written to", "an error of HDF5");
}

// --- what the file holds ---------------------------------------------------------------------------------------------

void GrowingHdf5::write_attribute(hid_t object, const char* name, std::string_view value) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  const std::string text(value);
  require(type && H5Tset_size(type.id(), text.size() + 1) >= 0 && H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0, name);
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(object, name, type.id(), scalar.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  require(attribute && H5Awrite(attribute.id(), type.id(), text.c_str()) >= 0, name);
}

void GrowingHdf5::describe(hid_t object, const Meaning& meaning) {
  write_attribute(object, "description", meaning.description);
  if (!meaning.unit.empty()) write_attribute(object, "unit", meaning.unit);
}

void GrowingHdf5::attribute(const std::string& name, const std::string& value) {
  if (!group_.leads()) return;
  const Hdf5Silence silence;
  write_attribute(file_.id(), name.c_str(), value);
}

void GrowingHdf5::attribute(const std::string& name, std::int64_t value) {
  if (!group_.leads()) return;
  const Hdf5Silence silence;
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(file_.id(), name.c_str(), H5T_STD_I64LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  require(attribute && H5Awrite(attribute.id(), H5T_NATIVE_INT64, &value) >= 0, name);
}

void GrowingHdf5::group(const std::string& name, const Meaning& meaning) {
  if (!group_.leads()) return;
  const Hdf5Silence silence;
  const Hdf5Handle group(H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  require(static_cast<bool>(group), name);
  describe(group.id(), meaning);
}

void GrowingHdf5::text(const std::string& name, const std::string& value) {
  if (!group_.leads()) return;
  const Hdf5Silence silence;
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  require(type && H5Tset_size(type.id(), value.size() + 1) >= 0, name);
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose), creation = of_no_time();
  const Hdf5Handle dataset(
      H5Dcreate2(file_.id(), name.c_str(), type.id(), scalar.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  require(dataset && H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()) >= 0, name);
}

int GrowingHdf5::series(const std::string& name, Type type, const std::vector<hsize_t>& row_shape,
                        const Meaning& meaning) {
  std::vector<hsize_t> extent{0}, chunk{1};
  for (const hsize_t size : row_shape) {
    extent.push_back(size);
    chunk.push_back(std::max<hsize_t>(size, 1));
  }
  while (chunk.size() > 1 && count_of(chunk) * bytes_of(type) > kLargestChunk) chunk[1] = (chunk[1] + 1) / 2;
  chunk[0] = std::max<hsize_t>(1, kChunkBytes / (count_of(chunk) * bytes_of(type)));
  series_.push_back({name, {}, type, extent, chunk});
  const int number = static_cast<int>(series_.size()) - 1;
  if (!group_.leads()) return number;

  const Hdf5Silence silence;
  const std::vector<hsize_t> largest(extent.size(), H5S_UNLIMITED);
  const Hdf5Handle creation = of_no_time();
  require(creation && H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()) >= 0, name);
  // Rows of all processes have their place as soon as there is a row.
  if (!row_shape.empty()) require(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY) >= 0, name);
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const std::int32_t none = 0;
  if (type == Type::float64) require(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &missing) >= 0, name);
  if (type == Type::int32) require(H5Pset_fill_value(creation.id(), H5T_NATIVE_INT32, &none) >= 0, name);
  const Hdf5Handle space = space_of(extent, largest.data());
  const Hdf5Handle text = text_type();
  Hdf5Handle& dataset = series_.back().dataset;
  dataset = Hdf5Handle(H5Dcreate2(file_.id(), name.c_str(), type == Type::text ? text.id() : stored(type), space.id(),
                                  H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                       H5Dclose);
  require(static_cast<bool>(dataset), name);
  describe(dataset.id(), meaning);
  return number;
}

// --- staging ---------------------------------------------------------------------------------------------------------

void GrowingHdf5::append(int series, const void* data, hsize_t rows) {
  if (group_.leads() && rows > 0)
    staged_.push_back({Kind::values, series, {}, series_[static_cast<std::size_t>(series)].type, data, rows, 1});
}

void GrowingHdf5::append_row(int series, const void* data, hsize_t count, hsize_t width) {
  staged_.push_back({Kind::row, series, {}, series_[static_cast<std::size_t>(series)].type, data, count, width});
}

void GrowingHdf5::stage_new(const std::string& name, Type type, const void* data, std::size_t count, hsize_t width) {
  staged_.push_back({Kind::dataset, -1, name, type, data, count / width, width});
}

void GrowingHdf5::add(const std::string& name, std::span<const float> values, hsize_t width) {
  stage_new(name, Type::float32, values.data(), values.size(), width);
}
void GrowingHdf5::add(const std::string& name, std::span<const double> values, hsize_t width) {
  stage_new(name, Type::float64, values.data(), values.size(), width);
}
void GrowingHdf5::add(const std::string& name, std::span<const std::int32_t> values, hsize_t width) {
  stage_new(name, Type::int32, values.data(), values.size(), width);
}
void GrowingHdf5::add(const std::string& name, std::span<const std::int64_t> values, hsize_t width) {
  stage_new(name, Type::int64, values.data(), values.size(), width);
}

// --- commit ----------------------------------------------------------------------------------------------------------

// Of all processes together: `totals` by what is staged.
std::size_t GrowingHdf5::room_for_staged(const Numbers& totals) const {
  std::size_t room = kMargin;
  std::size_t split = 0;
  for (const Staged& staged : staged_) {
    const std::size_t count = staged.kind == Kind::values ? staged.count : totals[split++];
    room += count * staged.width * bytes_of(staged.type) + kDatasetOverhead;
    if (staged.type == Type::text) {
      for (std::size_t k = 0; k < count; ++k) {
        room += std::strlen(static_cast<const char* const*>(staged.data)[k]) + 64;
      }
    }
    if (staged.series >= 0) {  // rows may begin new chunks; a longer row begins some in all rows before it
      const Series& series = series_[static_cast<std::size_t>(staged.series)];
      std::size_t chunks = 4;
      if (staged.kind == Kind::row && count > series.extent[1]) {
        const std::size_t more = (count - series.extent[1]) / series.chunk[1] + 1;
        chunks += more * (series.extent[0] / series.chunk[0] + 1);
      }
      room += chunks * count_of(series.chunk) * bytes_of(series.type);
    }
  }
  return room;
}

// Makes sure that the file can grow by so many bytes: they are there before HDF5 asks for them.
void GrowingHdf5::reserve(std::size_t bytes) {
  hsize_t size = 0;
  if (file_) require(H5Fget_filesize(file_.id(), &size) >= 0, "");
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  const int error = ::posix_fallocate(descriptor_, static_cast<off_t>(size), static_cast<off_t>(bytes));
  if (error == 0) return;
  if (before >= 0 && ::ftruncate(descriptor_, before) != 0) errno = 0;  // what was reserved in part is no harm
  throw FileError(called_, "", "room for " + std::to_string(bytes) + " more bytes", std::strerror(error));
}

void GrowingHdf5::append_values(const Staged& staged) {
  Series& series = series_[static_cast<std::size_t>(staged.series)];
  const hsize_t start = series.extent[0];
  series.extent[0] += staged.count;
  require(H5Dset_extent(series.dataset.id(), series.extent.data()) >= 0, series.name);
  const Hdf5Handle whole(H5Dget_space(series.dataset.id()), H5Sclose), rows = space_of({staged.count});
  require(whole && H5Sselect_hyperslab(whole.id(), H5S_SELECT_SET, &start, nullptr, &staged.count, nullptr) >= 0,
          series.name);
  const Hdf5Handle text = text_type();
  require(H5Dwrite(series.dataset.id(), staged.type == Type::text ? text.id() : stored(staged.type), rows.id(),
                   whole.id(), H5P_DEFAULT, staged.data) >= 0,
          series.name);
}

RowPlaces GrowingHdf5::lay_out_dataset(const Staged& staged, std::uint64_t total) {
  std::vector<hsize_t> shape{total};
  if (staged.width > 1) shape.push_back(staged.width);
  const Hdf5Handle space = space_of(shape), creation = of_no_time();
  require(creation && H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY) >= 0 &&
              H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER) >= 0,
          staged.name);
  const Hdf5Handle dataset(H5Dcreate2(file_.id(), staged.name.c_str(), stored(staged.type), space.id(), H5P_DEFAULT,
                                      creation.id(), H5P_DEFAULT),
                           H5Dclose);
  require(static_cast<bool>(dataset), staged.name);
  const haddr_t address = total > 0 ? H5Dget_offset(dataset.id()) : 0;
  require(address != HADDR_UNDEF, staged.name);
  return {std::max<std::uint64_t>(total, 1), {address}};
}

// Pieces are chunks, which lie where HDF5 has room.
RowPlaces GrowingHdf5::lay_out_row(const Staged& staged, std::uint64_t total) {
  Series& series = series_[static_cast<std::size_t>(staged.series)];
  const hsize_t row = series.extent[0]++;
  series.extent[1] = std::max<hsize_t>(series.extent[1], total);
  require(H5Dset_extent(series.dataset.id(), series.extent.data()) >= 0, series.name);
  RowPlaces places{series.chunk[1], {}};
  for (hsize_t first = 0; first < total; first += places.piece) {
    std::vector<hsize_t> corner(series.extent.size());
    corner[0] = row / series.chunk[0] * series.chunk[0];
    corner[1] = first;
    unsigned filters = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    require(H5Dget_chunk_info_by_coord(series.dataset.id(), corner.data(), &filters, &address, &bytes) >= 0 &&
                address != HADDR_UNDEF,
            series.name);
    places.addresses.push_back(address + row % series.chunk[0] * places.piece * staged.width * bytes_of(staged.type));
  }
  return places;
}

void GrowingHdf5::commit() {
  const Hdf5Silence silence;
  try {
    Numbers own;
    for (const Staged& staged : staged_) {
      if (staged.kind != Kind::values) own.push_back(staged.count);
    }
    const FileGroup::Sums rows = group_.add_up(own);
    Numbers places;
    together(group_, [&] {
      if (!group_.leads()) return;
      require(static_cast<bool>(file_), "");
      reserve(room_for_staged(rows.all));
      std::size_t split = 0;
      for (const Staged& staged : staged_) {
        switch (staged.kind) {
          case Kind::values: append_values(staged); break;
          case Kind::row: lay_out_row(staged, rows.all[split++]).put(places); break;
          case Kind::dataset: lay_out_dataset(staged, rows.all[split++]).put(places); break;
        }
      }
    });
    group_.tell(places);
    try {
      together(group_, [&] {
        std::span<const std::uint64_t> left = places;
        std::size_t split = 0;
        for (const Staged& staged : staged_) {
          if (staged.kind == Kind::values) continue;
          const OwnRows own_rows{static_cast<const std::byte*>(staged.data), staged.width * bytes_of(staged.type),
                                 rows.before[split++], staged.count};
          write_rows(descriptor_, RowPlaces::take(left), own_rows, called_);
        }
      });
    } catch (...) {
      if (file_) refuse_writes(file_.id());  // what says that there are these rows stays out of the file
      throw;
    }
    together(group_, [&] {
      if (!group_.leads()) return;
      require(H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0, "");
      require_written();
    });
    staged_.clear();
  } catch (...) {
    try {
      close();
    } catch (const FileError&) {  // the first error says more
    }
    throw;
  }
}

void GrowingHdf5::sync() {
  together(group_, [&] {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) {
      throw FileError(called_, "", "room for the whole file", std::strerror(errno));
    }
  });
}

void GrowingHdf5::require_written() {
  const int error = write_error(file_.id());
  if (error != 0) throw FileError(called_, "", "room for the whole file", std::strerror(error));
}

// After the flush nothing is left that closing would have to write.
void GrowingHdf5::close() {
  if (descriptor_ < 0) return;
  const Hdf5Silence silence;
  staged_.clear();
  series_.clear();
  if (!group_.leads()) {
    ::close(descriptor_);
    descriptor_ = -1;
    return;
  }
  hsize_t size = 0;
  bool closed = !file_ || H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0;
  const int error = file_ ? write_error(file_.id()) : 0;
  const bool sized = file_ && closed && error == 0 && H5Fget_filesize(file_.id(), &size) >= 0;
  const hid_t file = file_.release();
  closed = (file < 0 || H5Fclose(file) >= 0) && closed;
  if (sized && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) closed = false;  // what was reserved too much
  closed = ::close(descriptor_) == 0 && closed;
  descriptor_ = -1;
  if (error != 0) throw FileError(called_, "", "room for the whole file", std::strerror(error));
  require(closed, "");
}

}  // namespace locdyn::detail
