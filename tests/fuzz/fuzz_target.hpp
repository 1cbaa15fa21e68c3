#pragma once
// What is fed with bytes from nobody knows where: a reader, arrays handed in, a solver. A target makes its input of the
// bytes, and says by throwing that a promise is broken:
//
//   bad input is refused in one line by one of the exceptions that the headers name; whatever is taken is whole.
//
// The same targets run under libFuzzer, which looks for bytes that reach new branches (fuzzer.cpp), and by seeded
// mutations of sound inputs in the ordinary tests (fuzz_test.cpp).
// Source: Miller, Fredriksen & So, CACM 33 (1990) 32–44; libFuzzer: llvm.org/docs/LibFuzzer.html.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace locdyn::fuzz {

using Bytes = std::span<const std::uint8_t>;
using Input = std::vector<std::uint8_t>;

/// A promise that does not hold.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Target {
  std::string_view name;
  void (*run)(Bytes);             ///< throws what no caller should see: `Broken`, or an exception of the wrong kind
  std::vector<Input> (*seeds)();  ///< sound inputs, small
  int executions;                 ///< of mutated inputs in the ordinary tests
  /// Only libraries that stand damage parse the bytes: HDF5 1.10 crashes on some by itself, which longer runs would find
  /// again and again.
  bool any_number;
};

[[nodiscard]] std::span<const Target> targets();

/// Throws std::invalid_argument listing the names there are.
[[nodiscard]] const Target& find_target(std::string_view name);

/// Throws `Broken` with the words where the promise does not hold.
inline void promise(bool holds, const std::string& words) {
  if (!holds) throw Broken(words);
}

[[nodiscard]] inline Input bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

}  // namespace locdyn::fuzz
