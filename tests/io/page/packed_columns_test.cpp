#include <doctest/doctest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <random>

#include <locdyn/io/page/packed_columns.hpp>

using namespace locdyn::detail;

namespace {

std::string inflated(const std::string& packed) {
  std::string bytes(1 << 20, '\0');
  uLongf size = bytes.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                     packed.size()) == Z_OK);
  bytes.resize(size);
  return bytes;
}

// The next column, as the page reads it.
std::vector<std::uint32_t> column(const std::string& bytes, std::size_t& at, std::size_t count) {
  const auto planes = static_cast<unsigned char>(bytes.at(at++));
  std::vector<std::uint32_t> values(count, 0);
  for (int plane = 0; plane < planes; ++plane) {
    for (std::uint32_t& value : values)
      value |= std::uint32_t{static_cast<unsigned char>(bytes.at(at++))} << (8 * plane);
  }
  return values;
}

std::int32_t unfolded(std::uint32_t value) {
  return static_cast<std::int32_t>((value >> 1) ^ (0u - (value & 1)));
}

}  // namespace

TEST_CASE("base64 of RFC 4648, section 10") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64(std::string("\xff\x00\xfe", 3)) == "/wD+");
}

TEST_CASE("columns come back, whatever the number of their planes") {
  const std::vector<std::uint32_t> zeros(5, 0), bits = {0, 1, 255, 256, 0xffffffffu};
  const std::vector<std::int32_t> numbers = {0, -1, 1, INT32_MAX, INT32_MIN};
  PackedColumns packed;
  packed.add(zeros);
  packed.add(bits);
  packed.add_signed(numbers);
  const std::string bytes = inflated(packed.deflated());
  CHECK(bytes.size() == 1 + (1 + 4 * 5) + (1 + 4 * 5));  // zeros take one byte in all
  std::size_t at = 0;
  CHECK(column(bytes, at, 5) == zeros);
  CHECK(column(bytes, at, 5) == bits);
  const std::vector<std::uint32_t> folded = column(bytes, at, 5);
  for (std::size_t k = 0; k < 5; ++k) CHECK(unfolded(folded[k]) == numbers[k]);
  CHECK(at == bytes.size());
}

TEST_CASE("motion comes back from its predictions, also where they overflow") {
  constexpr std::size_t kWidth = 3, kFrames = 20;
  std::mt19937 random(7);
  std::vector<std::int32_t> values(kWidth * kFrames);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = k % kWidth == 0 ? static_cast<std::int32_t>(random()) : static_cast<std::int32_t>(100 * k);
  }
  PackedColumns packed;
  packed.add_motion(values, kWidth);
  const std::string bytes = inflated(packed.deflated());
  std::size_t at = 0;
  const std::vector<std::uint32_t> folded = column(bytes, at, values.size());
  std::vector<std::uint32_t> found(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::uint32_t one = k < kWidth ? 0 : found[k - kWidth];
    const std::uint32_t two = k < kWidth ? 0 : k < 2 * kWidth ? one : found[k - 2 * kWidth];
    found[k] = static_cast<std::uint32_t>(unfolded(folded[k])) + 2 * one - two;
    CHECK(static_cast<std::int32_t>(found[k]) == values[k]);
    if (k >= 2 * kWidth && k % kWidth != 0) CHECK(folded[k] == 0);  // steady motion is predicted
  }
}

TEST_CASE("floats keep so many bits, and what is no number stays none") {
  const std::vector<float> values = {0, 1.0f / 3, -1e30f, NAN, INFINITY};
  PackedColumns packed;
  packed.add_floats(values, 24);
  const std::string bytes = inflated(packed.deflated());
  std::size_t at = 0;
  const std::vector<std::uint32_t> cut = column(bytes, at, values.size());
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(std::bit_cast<float>(cut[k] << 8) == doctest::Approx(values[k]).epsilon(0x1p-16));
  }
  CHECK(std::isnan(std::bit_cast<float>(cut[3] << 8)));
  CHECK(std::isinf(std::bit_cast<float>(cut[4] << 8)));
}
