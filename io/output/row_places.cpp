#include <locdyn/io/output/row_places.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace {

void write_at(int descriptor, std::uint64_t address, const std::byte* bytes, std::size_t length,
              const std::filesystem::path& called) {
  while (length > 0) {
    const ssize_t written = ::pwrite(descriptor, bytes, length, static_cast<off_t>(address));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw FileError(called, "", "room for the whole file", std::strerror(written < 0 ? errno : ENOSPC));
    }
    bytes += written;
    address += static_cast<std::uint64_t>(written);
    length -= static_cast<std::size_t>(written);
  }
}

}  // namespace

void RowPlaces::put(std::vector<std::uint64_t>& numbers) const {
  numbers.insert(numbers.end(), {piece, addresses.size()});
  numbers.insert(numbers.end(), addresses.begin(), addresses.end());
}

RowPlaces RowPlaces::take(std::span<const std::uint64_t>& numbers) {
  const std::span<const std::uint64_t> addresses = numbers.subspan(2, numbers[1]);
  const RowPlaces places{numbers[0], {addresses.begin(), addresses.end()}};
  numbers = numbers.subspan(2 + addresses.size());
  return places;
}

void write_rows(int descriptor, const RowPlaces& places, const OwnRows& rows, const std::filesystem::path& called) {
  const std::byte* bytes = rows.data;
  for (std::uint64_t at = rows.before, end = rows.before + rows.count; at < end;) {
    const std::uint64_t in_piece = at % places.piece, count = std::min(places.piece - in_piece, end - at);
    write_at(descriptor, places.addresses[at / places.piece] + in_piece * rows.row_bytes, bytes,
             count * rows.row_bytes, called);
    bytes += count * rows.row_bytes;
    at += count;
  }
}

}  // namespace locdyn::detail
