#pragma once
// Seeded changes of an input, as libFuzzer makes them, for whoever is without it: bits, bytes and numbers replaced,
// stretches removed, repeated, moved or taken from another input, and words of a format put in.

#include <algorithm>
#include <random>
#include <span>
#include <string_view>

#include "fuzz_target.hpp"

namespace locdyn::fuzz {

class Mutation {
 public:
  explicit Mutation(std::uint32_t seed) : random_(seed) {}

  /// One of the seeds, changed in one to eight places; at most 64 KiB. The same on every machine.
  Input operator()(std::span<const Input> seeds) {
    Input input = seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(8); changes > 0; --changes) change(input, seeds);
    if (input.size() > kLargest) input.resize(kLargest);
    return input;
  }

 private:
  static constexpr std::size_t kLargest = 1 << 16;

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void change(Input& input, std::span<const Input> seeds) {
    constexpr std::string_view kWords[] = {
        "-1", "0", "1e999", "1e-300", "null", "true", "[]", "{}", "\"\"", "nan", "999999999999", "-",
        ",",  ":", "\"",    "[",      "]",    "{",    "}",  "<",  "/>",   "../", "\n",           "\xff"};
    const std::size_t at = below(input.size() + 1);
    const std::size_t rest = input.size() - at;
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(9)) {
      case 0:  // a bit
        if (rest > 0) input[at] = static_cast<std::uint8_t>(input[at] ^ (1U << below(8)));
        break;
      case 1:  // a byte
        if (rest > 0) input[at] = static_cast<std::uint8_t>(random_());
        break;
      case 2:  // a number of one to eight bytes: 0, all ones, or random
      {
        const std::size_t kind = below(3), width = std::min<std::size_t>(rest, std::size_t{1} << below(4));
        for (std::size_t k = 0; k < width; ++k) {
          input[at + k] = static_cast<std::uint8_t>(kind == 0 ? 0 : kind == 1 ? 0xff : random_());
        }
        break;
      }
      case 3:  // gone
        input.erase(place, place + static_cast<std::ptrdiff_t>(std::min(rest, 1 + below(1 + below(64)))));
        break;
      case 4:  // twice
      {
        const Input copy(place, place + static_cast<std::ptrdiff_t>(std::min(rest, 1 + below(64))));
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(below(input.size() + 1)), copy.begin(), copy.end());
        break;
      }
      case 5:  // a word
      {
        const std::string_view word = kWords[below(std::size(kWords))];
        input.insert(place, word.begin(), word.end());
        break;
      }
      case 6:  // a stretch of another seed
      {
        const Input& other = seeds[below(seeds.size())];
        const std::size_t from = below(other.size() + 1), count = std::min(other.size() - from, below(128));
        const auto first = other.begin() + static_cast<std::ptrdiff_t>(from);
        input.insert(place, first, first + static_cast<std::ptrdiff_t>(count));
        break;
      }
      case 7:  // cut short
        if (below(4) == 0) input.resize(at);
        break;
      default:  // a digit
        for (std::size_t k = at; k < input.size(); ++k) {
          if (input[k] < '0' || input[k] > '9') continue;
          input[k] = static_cast<std::uint8_t>('0' + below(10));
          break;
        }
    }
  }

  std::mt19937 random_;
};

}  // namespace locdyn::fuzz
