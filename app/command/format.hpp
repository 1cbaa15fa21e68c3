#pragma once
// Numbers and aligned text for people.

#include <cstddef>
#include <string>
#include <string_view>

namespace locdyn::app {

/// "1 contact", "2 contacts".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);
/// Seconds with three digits and a unit: "12.3 µs", "4.56 ms", "7.89 s".
[[nodiscard]] std::string duration(double seconds);
/// "40 s", "12 min", "3 h 05 min".
[[nodiscard]] std::string roughly(double seconds);
/// "1.2e-09"; "nan", "inf" where it is none.
[[nodiscard]] std::string scientific(double value);
/// A number in its shortest form of about four digits: "0.3", "1.235e+07".
[[nodiscard]] std::string plain(double value);

/// How many columns of a terminal UTF-8 text takes, one a code point.
[[nodiscard]] std::size_t width(std::string_view text);
[[nodiscard]] std::string left(std::string_view text, std::size_t columns);
[[nodiscard]] std::string right(std::string_view text, std::size_t columns);
/// The text, its middle replaced by … where it is wider than `columns` ≥ 3.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace locdyn::app
