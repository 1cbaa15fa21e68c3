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

hid_t in_memory(Type type) {
  switch (type) {
    case Type::float32: return H5T_NATIVE_FLOAT;
    case Type::float64: return H5T_NATIVE_DOUBLE;
    case Type::int32: return H5T_NATIVE_INT32;
    case Type::int64: return H5T_NATIVE_INT64;
    case Type::text: break;
  }
  return -1;
}

hid_t stored(Type type) {
  switch (type) {
    case Type::float32: return H5T_IEEE_F32LE;
    case Type::float64: return H5T_IEEE_F64LE;
    case Type::int32: return H5T_STD_I32LE;
    case Type::int64: return H5T_STD_I64LE;
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

}  // namespace

GrowingHdf5::GrowingHdf5(const fs::path& path) : path_(path) {
  const Hdf5Silence silence;
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::is_directory(status)) throw FileError(path, "", "a file to write", "a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError(path, "", "a regular file to write", "a device, pipe or socket");
  }
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(path, "", "a file that can be written to", std::strerror(errno));

  try {
    reserve(kMargin);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    require(access && H5Pset_driver(access.id(), patient_driver(), nullptr) >= 0, "a file");
    file_ = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
    require(static_cast<bool>(file_), "a file");
  } catch (...) {
    ::close(descriptor_);
    descriptor_ = -1;
    throw;
  }
}

GrowingHdf5::~GrowingHdf5() {
  try {
    close();
  } catch (const FileError&) {  // whoever wants to know calls `close`
  }
}

void GrowingHdf5::require(bool done, const std::string& what) {
  if (!done) throw FileError(path_, what, "an HDF5 file that can be written to", "an error of HDF5");
}

// --- what the file holds
// ----------------------------------------------------------------------------------------------

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
  const Hdf5Silence silence;
  write_attribute(file_.id(), name.c_str(), value);
}

void GrowingHdf5::attribute(const std::string& name, std::int64_t value) {
  const Hdf5Silence silence;
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(file_.id(), name.c_str(), H5T_STD_I64LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  require(attribute && H5Awrite(attribute.id(), H5T_NATIVE_INT64, &value) >= 0, name);
}

void GrowingHdf5::group(const std::string& name, const Meaning& meaning) {
  const Hdf5Silence silence;
  const Hdf5Handle group(H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  require(static_cast<bool>(group), name);
  describe(group.id(), meaning);
}

int GrowingHdf5::series(const std::string& name, Type type, const std::vector<hsize_t>& row_shape,
                        const Meaning& meaning) {
  const Hdf5Silence silence;
  std::vector<hsize_t> extent{0}, chunk{1};
  for (const hsize_t size : row_shape) {
    extent.push_back(size);
    chunk.push_back(std::max<hsize_t>(size, 1));
  }
  while (chunk.size() > 1 && count_of(chunk) * bytes_of(type) > kLargestChunk) chunk[1] = (chunk[1] + 1) / 2;
  chunk[0] = std::max<hsize_t>(1, kChunkBytes / (count_of(chunk) * bytes_of(type)));
  const std::vector<hsize_t> largest(extent.size(), H5S_UNLIMITED);

  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  require(creation && H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()) >= 0, name);
  if (type == Type::float64) {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    require(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &missing) >= 0, name);
  }
  const Hdf5Handle space = space_of(extent, largest.data());
  const Hdf5Handle text = text_type();
  Hdf5Handle dataset(H5Dcreate2(file_.id(), name.c_str(), type == Type::text ? text.id() : stored(type), space.id(),
                                H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                     H5Dclose);
  require(static_cast<bool>(dataset), name);
  describe(dataset.id(), meaning);
  series_.push_back({name, std::move(dataset), type, extent, count_of(chunk) * bytes_of(type)});
  return static_cast<int>(series_.size()) - 1;
}

// --- staging
// ----------------------------------------------------------------------------------------------------------

void GrowingHdf5::append(int series, const void* data, hsize_t rows, const std::vector<hsize_t>& row_shape) {
  std::vector<hsize_t> shape{rows};
  shape.insert(shape.end(), row_shape.begin(), row_shape.end());
  if (count_of(shape) > 0) staged_.push_back({series, {}, series_[series].type, data, std::move(shape)});
}

void GrowingHdf5::stage_new(const std::string& name, Type type, const void* data, std::size_t count, hsize_t width) {
  std::vector<hsize_t> shape{count / width};
  if (width > 1) shape.push_back(width);
  staged_.push_back({-1, name, type, data, std::move(shape)});
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

// --- commit
// -----------------------------------------------------------------------------------------------------------

std::size_t GrowingHdf5::room_for_staged() const {
  std::size_t room = kMargin;
  for (const Staged& staged : staged_) {
    std::size_t bytes = count_of(staged.shape) * bytes_of(staged.type);
    if (staged.type == Type::text) {
      for (std::size_t k = 0; k < staged.shape[0]; ++k) {
        bytes += std::strlen(static_cast<const char* const*>(staged.data)[k]) + 64;
      }
    }
    room += bytes + kDatasetOverhead;
    if (staged.series >= 0) room += 4 * series_[staged.series].chunk_bytes;  // rows may begin new chunks
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
  throw FileError(path_, "", "room for " + std::to_string(bytes) + " more bytes", std::strerror(error));
}

void GrowingHdf5::write_new(const Staged& staged) {
  const Hdf5Handle space = space_of(staged.shape);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  require(creation && H5Pset_obj_track_times(creation.id(), false) >= 0, staged.name);
  const Hdf5Handle dataset(H5Dcreate2(file_.id(), staged.name.c_str(), stored(staged.type), space.id(), H5P_DEFAULT,
                                      creation.id(), H5P_DEFAULT),
                           H5Dclose);
  require(static_cast<bool>(dataset), staged.name);
  if (count_of(staged.shape) == 0) return;
  require(H5Dwrite(dataset.id(), in_memory(staged.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, staged.data) >= 0, staged.name);
}

void GrowingHdf5::write_rows(const Staged& staged) {
  Series& series = series_[staged.series];
  std::vector<hsize_t> start(series.extent.size(), 0);
  start[0] = series.extent[0];
  series.extent[0] += staged.shape[0];
  for (std::size_t k = 1; k < start.size(); ++k) series.extent[k] = std::max(series.extent[k], staged.shape[k]);
  require(H5Dset_extent(series.dataset.id(), series.extent.data()) >= 0, series.name);

  const Hdf5Handle whole(H5Dget_space(series.dataset.id()), H5Sclose);
  const Hdf5Handle rows = space_of(staged.shape);
  require(whole &&
              H5Sselect_hyperslab(whole.id(), H5S_SELECT_SET, start.data(), nullptr, staged.shape.data(), nullptr) >= 0,
          series.name);
  const Hdf5Handle text = text_type();
  require(H5Dwrite(series.dataset.id(), staged.type == Type::text ? text.id() : in_memory(staged.type), rows.id(),
                   whole.id(), H5P_DEFAULT, staged.data) >= 0,
          series.name);
}

void GrowingHdf5::commit() {
  const Hdf5Silence silence;
  require(static_cast<bool>(file_), "");
  try {
    reserve(room_for_staged());
    for (const Staged& staged : staged_) staged.series < 0 ? write_new(staged) : write_rows(staged);
    staged_.clear();
    require(H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0, "");
    require_written();
  } catch (...) {
    try {
      close();
    } catch (const FileError&) {  // the first error says more
    }
    throw;
  }
}

void GrowingHdf5::require_written() {
  const int error = write_error(file_.id());
  if (error != 0) throw FileError(path_, "", "room for the whole file", std::strerror(error));
}

// After the flush nothing is left that closing would have to write.
void GrowingHdf5::close() {
  if (descriptor_ < 0) return;
  const Hdf5Silence silence;
  staged_.clear();
  series_.clear();
  hsize_t size = 0;
  bool closed = !file_ || H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0;
  const int error = file_ ? write_error(file_.id()) : 0;
  const bool sized = file_ && closed && error == 0 && H5Fget_filesize(file_.id(), &size) >= 0;
  const hid_t file = file_.release();
  closed = (file < 0 || H5Fclose(file) >= 0) && closed;
  if (sized && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) closed = false;  // what was reserved too much
  closed = ::close(descriptor_) == 0 && closed;
  descriptor_ = -1;
  if (error != 0) throw FileError(path_, "", "room for the whole file", std::strerror(error));
  require(closed, "");
}

}  // namespace locdyn::detail
