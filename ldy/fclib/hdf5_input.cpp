#include <locdyn/ldy/fclib/hdf5_input.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace fs = std::filesystem;

Hdf5Input::Hdf5Input(const fs::path& path) : path_(path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (!fs::exists(status)) fail("", "a problem file", "no such file");
  if (fs::is_directory(status)) fail("", "a problem file", "a folder");
  if (!fs::is_regular_file(status)) fail("", "a problem file", "a device, pipe or socket");
  if (::access(path.c_str(), R_OK) != 0) fail("", "a file that can be read", std::strerror(errno));
  if (H5Fis_hdf5(path.c_str()) <= 0) fail("", "an HDF5 file", "another format");
  file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file_) fail("", "a whole HDF5 file", "one that is truncated, damaged or locked");
}

void Hdf5Input::fail(const std::string& name, const std::string& expected, const std::string& found) const {
  throw FileError(path_, name, expected, found);
}

bool Hdf5Input::has(const std::string& name) const {
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (H5Lexists(file_.id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Oexists_by_name(file_.id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

void Hdf5Input::require_group(const std::string& name) const {
  if (!has(name)) fail(name, "a group", "nothing");
  const Hdf5Handle group(H5Gopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Gclose);
  if (!group) fail(name, "a group", "something else");
}

Hdf5Handle Hdf5Input::open_dataset(const std::string& name, H5T_class_t type, const char* type_name) const {
  if (!has(name)) fail(name, std::string("a dataset of ") + type_name, "nothing");
  Hdf5Handle dataset(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset) fail(name, std::string("a dataset of ") + type_name, "a group or a damaged dataset");
  const Hdf5Handle stored(H5Dget_type(dataset.id()), H5Tclose);
  if (!stored || H5Tget_class(stored.id()) != type) {
    fail(name, std::string("a dataset of ") + type_name, "another type");
  }
  return dataset;
}

std::size_t Hdf5Input::count(const Hdf5Handle& dataset, const std::string& name) const {
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const int dimensions = space ? H5Sget_simple_extent_ndims(space.id()) : -1;
  if (dimensions < 0 || dimensions > 1) {
    fail(name, "one dimension", dimensions < 0 ? "a damaged shape" : std::to_string(dimensions) + " dimensions");
  }
  const hssize_t points = H5Sget_simple_extent_npoints(space.id());
  if (points < 0) fail(name, "one dimension", "a damaged shape");
  const auto found = static_cast<std::size_t>(points);
  if (!can_hold(dataset, found)) {
    fail(name, "the " + std::to_string(found) + " numbers of its shape",
         std::to_string(H5Dget_storage_size(dataset.id())) + " bytes of data");
  }
  return found;
}

void Hdf5Input::require_count(std::size_t found, std::size_t expected, const std::string& name,
                              const std::string& meaning) const {
  if (found != expected) {
    fail(name, std::to_string(expected) + " numbers (" + meaning + ")", std::to_string(found));
  }
}

std::size_t Hdf5Input::integer_count(const std::string& name) const {
  return count(open_dataset(name, H5T_INTEGER, "integers"), name);
}

std::size_t Hdf5Input::real_count(const std::string& name) const {
  return count(open_dataset(name, H5T_FLOAT, "reals"), name);
}

long long Hdf5Input::integer(const std::string& name) const {
  return integers(name, 1, "a single value")[0];
}

std::vector<long long> Hdf5Input::integers(const std::string& name, std::size_t count,
                                           const std::string& meaning) const {
  const Hdf5Handle dataset = open_dataset(name, H5T_INTEGER, "integers");
  require_count(this->count(dataset, name), count, name, meaning);
  std::vector<long long> values(count);
  if (count > 0 && H5Dread(dataset.id(), H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(name, "readable data", "damaged or truncated data");
  }
  return values;
}

std::vector<double> Hdf5Input::reals(const std::string& name, std::size_t count, const std::string& meaning) const {
  const Hdf5Handle dataset = open_dataset(name, H5T_FLOAT, "reals");
  require_count(this->count(dataset, name), count, name, meaning);
  std::vector<double> values(count);
  if (count > 0 && H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(name, "readable data", "damaged or truncated data");
  }
  return values;
}

std::string Hdf5Input::text(const std::string& name) const {
  if (!has(name)) return {};
  const Hdf5Handle dataset = open_dataset(name, H5T_STRING, "characters");
  if (count(dataset, name) != 1) fail(name, "one string", std::to_string(count(dataset, name)));
  const Hdf5Handle stored(H5Dget_type(dataset.id()), H5Tclose);

  if (H5Tis_variable_str(stored.id()) > 0) {
    const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
    char* bytes = nullptr;
    if (H5Dread(dataset.id(), stored.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &bytes) < 0) {
      fail(name, "readable text", "damaged or truncated data");
    }
    const std::string text = bytes == nullptr ? "" : bytes;
    H5Dvlen_reclaim(stored.id(), space.id(), H5P_DEFAULT, static_cast<void*>(&bytes));
    return text;
  }
  constexpr std::size_t kLongest = 1 << 20;
  const std::size_t size = H5Tget_size(stored.id());
  if (size > kLongest) fail(name, "at most 1 MiB of text", std::to_string(size) + " bytes");
  std::string text(size, '\0');
  if (H5Dread(dataset.id(), stored.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
    fail(name, "readable text", "damaged or truncated data");
  }
  text.resize(std::strlen(text.c_str()));
  return text;
}

}  // namespace locdyn::detail
