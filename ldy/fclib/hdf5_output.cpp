#include <locdyn/ldy/fclib/hdf5_output.hpp>

#include <stdexcept>

namespace locdyn::detail {
namespace {

void require(bool done, const std::string& what) {
  if (!done) throw std::runtime_error("HDF5 could not build " + what + " in memory");
}

Hdf5Handle line_of(std::size_t count) {
  const hsize_t size = count;
  return {H5Screate_simple(1, &size, nullptr), H5Sclose};
}

}  // namespace

Hdf5Output::Hdf5Output() {
  constexpr std::size_t kGrowth = 1 << 20;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  require(access && H5Pset_fapl_core(access.id(), kGrowth, false) >= 0, "a file");
  file_ = Hdf5Handle(H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  require(static_cast<bool>(file_), "a file");
}

void Hdf5Output::group(const std::string& name) {
  const Hdf5Handle group(H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  require(static_cast<bool>(group), name);
}

void Hdf5Output::dataset(const std::string& name, hid_t stored, hid_t in_memory, const Hdf5Handle& space,
                         const void* data) {
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  require(creation && H5Pset_obj_track_times(creation.id(), false) >= 0, name);
  const Hdf5Handle set(
      H5Dcreate2(file_.id(), name.c_str(), stored, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  require(static_cast<bool>(set), name);
  if (H5Sget_simple_extent_npoints(space.id()) == 0) return;
  require(H5Dwrite(set.id(), in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, name);
}

void Hdf5Output::integers(const std::string& name, std::span<const int> values) {
  dataset(name, H5T_STD_I32LE, H5T_NATIVE_INT, line_of(values.size()), values.data());
}

void Hdf5Output::reals(const std::string& name, std::span<const double> values) {
  dataset(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, line_of(values.size()), values.data());
}

void Hdf5Output::text(const std::string& name, const std::string& value) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  require(type && H5Tset_size(type.id(), value.size() + 1) >= 0 && H5Tset_strpad(type.id(), H5T_STR_NULLTERM) >= 0,
          name);
  dataset(name, type.id(), type.id(), Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose), value.c_str());
}

std::vector<char> Hdf5Output::image() const {
  require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0, "the file");
  const ssize_t size = H5Fget_file_image(file_.id(), nullptr, 0);
  require(size > 0, "the file");
  std::vector<char> bytes(static_cast<std::size_t>(size));
  require(H5Fget_file_image(file_.id(), bytes.data(), bytes.size()) == size, "the file");
  return bytes;
}

}  // namespace locdyn::detail
