#pragma once
// What HDF5's C interface needs to be safe: handles that close themselves, and its error stack kept silent, and sizes
// that are not believed.

#include <hdf5.h>

#include <utility>

namespace locdyn::detail {

/// An HDF5 identifier, closed by the function that fits its kind. Invalid where the id is negative.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { reset(); }

  [[nodiscard]] explicit operator bool() const noexcept { return id_ >= 0; }
  [[nodiscard]] hid_t id() const noexcept { return id_; }
  void reset() noexcept {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }
  /// Hands the identifier over to the caller, who closes it.
  [[nodiscard]] hid_t release() noexcept { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// While this lives HDF5 prints nothing; the handler that the program had set then comes back.
class Hdf5Silence {
 public:
  Hdf5Silence() {
    H5Eget_auto2(H5E_DEFAULT, &handler_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, handler_, data_); }

 private:
  H5E_auto2_t handler_ = nullptr;
  void* data_ = nullptr;
};

/// Whether a dataset's bytes can hold so many numbers. A shape is a few bytes that promise anything: memory is taken
/// for what the file can hold.
[[nodiscard]] inline bool can_hold(const Hdf5Handle& dataset, hsize_t numbers) {
  constexpr hsize_t kTrusted = 10'000'000;   // numbers that may be asked for unseen
  constexpr hsize_t kNumbersPerByte = 1024;  // no filter of HDF5 packs tighter
  return numbers <= kTrusted || numbers / kNumbersPerByte <= H5Dget_storage_size(dataset.id());
}

}  // namespace locdyn::detail
