#pragma once
// The file below HDF5, which does not take a disk that fails: a flush that breaks off leaves its cache as it was in the
// middle, the file cannot be closed any more, and the library crashes when the program ends (1.10.8). This driver (a
// "virtual file driver", as HDF5 calls it) keeps the first error to itself, for us to ask for, and writes nothing from
// then on. Files are those of HDF5's own driver.

#include <hdf5.h>

namespace locdyn::detail {

/// The driver's id, for H5Pset_driver without information. Threads: as HDF5, one at a time.
[[nodiscard]] hid_t patient_driver();

/// errno of the first write of a file of that driver that has failed; 0 where none has.
[[nodiscard]] int write_error(hid_t file);

/// From now on the file stays as it is on the disk.
void refuse_writes(hid_t file);

}  // namespace locdyn::detail
