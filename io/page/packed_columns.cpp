#include <locdyn/io/page/packed_columns.hpp>

#include <zlib.h>

#include <bit>
#include <cmath>
#include <new>
#include <string_view>

namespace locdyn::detail {
namespace {

constexpr int kLevel = 4;  // of zlib: 6 takes twice the time for 2 % fewer bytes

}  // namespace

void PackedColumns::add(std::span<const std::uint32_t> values) {
  std::uint32_t all = 0;
  for (const std::uint32_t value : values) all |= value;
  const int planes = (std::bit_width(all) + 7) / 8;
  bytes_ += static_cast<char>(planes);
  for (int plane = 0; plane < planes; ++plane) {
    for (const std::uint32_t value : values) bytes_ += static_cast<char>(value >> (8 * plane));
  }
}

void PackedColumns::add_signed(std::span<const std::int32_t> values) {
  std::vector<std::uint32_t> folded;
  folded.reserve(values.size());
  for (const std::int32_t value : values) {
    folded.push_back((static_cast<std::uint32_t>(value) << 1) ^ static_cast<std::uint32_t>(value >> 31));
  }
  add(folded);
}

void PackedColumns::add_motion(std::vector<std::int32_t> values, std::size_t width) {
  // From the end, so that what predicts is still there.
  for (std::size_t k = values.size(); k-- > width;) {
    const auto now = static_cast<std::uint32_t>(values[k]), one = static_cast<std::uint32_t>(values[k - width]);
    const auto two = k < 2 * width ? one : static_cast<std::uint32_t>(values[k - 2 * width]);
    values[k] = static_cast<std::int32_t>(now - 2 * one + two);
  }
  add_signed(values);
}

void PackedColumns::add_floats(std::span<const float> values, int bits) {
  std::vector<std::uint32_t> cut;
  cut.reserve(values.size());
  const int lost = 32 - bits;
  for (const float value : values) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    const bool rounds = lost > 0 && std::isfinite(value);
    cut.push_back((whole + (rounds ? 1u << (lost - 1) : 0u)) >> lost);
  }
  add(cut);
}

std::string PackedColumns::deflated() const {
  uLongf size = compressBound(bytes_.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes_.data()),
                bytes_.size(), kLevel) != Z_OK) {
    throw std::bad_alloc();  // the bound leaves no other error
  }
  packed.resize(size);
  return packed;
}

std::string base64(std::string_view bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (at + k < bytes.size() ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += at + k <= bytes.size() ? kDigits[(group >> (18 - 6 * k)) & 63] : '=';
    }
  }
  return text;
}

}  // namespace locdyn::detail
