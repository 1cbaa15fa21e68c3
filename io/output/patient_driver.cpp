#include <locdyn/io/output/patient_driver.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <H5FDpublic.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>

namespace locdyn::detail {
namespace {

struct PatientFile {
  H5FD_t base = {};  // HDF5's part comes first
  int descriptor = -1;
  haddr_t allocated = 0, end = 0;
  int error = 0;
};

PatientFile& patient(H5FD_t* file) {
  return *reinterpret_cast<PatientFile*>(file);
}
const PatientFile& patient(const H5FD_t* file) {
  return *reinterpret_cast<const PatientFile*>(file);
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  int how = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_TRUNC) != 0) how |= O_TRUNC;
  if ((flags & H5F_ACC_CREAT) != 0) how |= O_CREAT;
  if ((flags & H5F_ACC_EXCL) != 0) how |= O_EXCL;
  auto* file = new (std::nothrow) PatientFile;
  if (file == nullptr) return nullptr;
  file->descriptor = ::open(name, how | O_CLOEXEC, 0666);
  struct stat now = {};
  if (file->descriptor < 0 || ::fstat(file->descriptor, &now) != 0) {
    if (file->descriptor >= 0) ::close(file->descriptor);
    delete file;
    return nullptr;
  }
  file->end = static_cast<haddr_t>(now.st_size);
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  ::close(patient(file).descriptor);
  delete &patient(file);
  return 0;
}

herr_t tell_features(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) {
  return patient(file).allocated;
}
herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  patient(file).allocated = address;
  return 0;
}
haddr_t end_of(const H5FD_t* file, H5FD_mem_t) {
  return patient(file).end;
}
herr_t show_error(H5FD_t* file, hid_t, void** handle) {
  *handle = &patient(file).error;
  return 0;
}

herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* to) {
  auto* bytes = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t found = ::pread(patient(file).descriptor, bytes, size, static_cast<off_t>(address));
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) return -1;
    if (found == 0) {  // beyond the end
      std::memset(bytes, 0, size);
      return 0;
    }
    bytes += found;
    address += static_cast<haddr_t>(found);
    size -= static_cast<std::size_t>(found);
  }
  return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* from) {
  PatientFile& to = patient(file);
  const auto* bytes = static_cast<const char*>(from);
  while (size > 0 && to.error == 0) {
    const ssize_t written = ::pwrite(to.descriptor, bytes, size, static_cast<off_t>(address));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      to.error = written < 0 ? errno : ENOSPC;
      break;
    }
    bytes += written;
    address += static_cast<haddr_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  to.end = std::max(to.end, address + size);
  return 0;
}

herr_t cut(H5FD_t* file, hid_t, hbool_t) {
  PatientFile& it = patient(file);
  if (it.allocated == it.end) return 0;
  if (it.error == 0 && ::ftruncate(it.descriptor, static_cast<off_t>(it.allocated)) != 0) it.error = errno;
  it.end = it.allocated;
  return 0;
}

H5FD_class_t description() {
  const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
  H5FD_class_t driver = {};
  driver.name = "locdyn";
  driver.maxaddr = ~haddr_t{0} >> 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = &open_file;
  driver.close = &close_file;
  driver.query = &tell_features;
  driver.get_eoa = &allocated;
  driver.set_eoa = &allocate;
  driver.get_eof = &end_of;
  driver.get_handle = &show_error;
  driver.read = &read_file;
  driver.write = &write_file;
  driver.truncate = &cut;
  std::copy(std::begin(lists), std::end(lists), driver.fl_map);
  return driver;
}

int* error_of(hid_t file) {
  void* error = nullptr;
  return H5Fget_vfd_handle(file, H5P_DEFAULT, &error) < 0 ? nullptr : static_cast<int*>(error);
}

}  // namespace

hid_t patient_driver() {
  static const H5FD_class_t driver = description();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

int write_error(hid_t file) {
  const int* error = error_of(file);
  return error != nullptr ? *error : EIO;
}

void refuse_writes(hid_t file) {
  int* error = error_of(file);
  if (error != nullptr && *error == 0) *error = EIO;
}

}  // namespace locdyn::detail
