#pragma once
// Columns of numbers as few bytes: integers are predicted from the rows before, folded to unsigned (zigzag), cut into
// planes of one byte, lowest first, and the planes deflated. A plane that holds zeros alone is left out.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace locdyn::detail {

class PackedColumns {
 public:
  /// A column of bits as they are.
  void add(std::span<const std::uint32_t> values);
  /// Signed integers, folded: 0, −1, 1, −2, … become 0, 1, 2, 3, ….
  void add_signed(std::span<const std::int32_t> values);
  /// Of `width` numbers a frame, each predicted by going on as in the two frames before (the first frame by 0, the
  /// second by the first). Arithmetic is modulo 2³².
  void add_motion(std::vector<std::int32_t> values, std::size_t width);
  /// Single precision; `bits` of 32, the lowest others rounded away.
  void add_floats(std::span<const float> values, int bits = 32);

  /// All columns, each a byte with its number of planes and the planes, as a zlib stream.
  [[nodiscard]] std::string deflated() const;

 private:
  std::string bytes_;
};

/// RFC 4648.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace locdyn::detail
