// libFuzzer's entry: LOCDYN_FUZZ_TARGET names the target. `./dev fuzz` builds and runs it.

#include <cstdlib>
#include <exception>
#include <iostream>

#include "fuzz_target.hpp"

namespace {

const locdyn::fuzz::Target& chosen() {
  static const locdyn::fuzz::Target& target = [&]() -> const locdyn::fuzz::Target& {
    const char* name = std::getenv("LOCDYN_FUZZ_TARGET");
    try {
      return locdyn::fuzz::find_target(name == nullptr ? "" : name);
    } catch (const std::exception& error) {
      std::cerr << "LOCDYN_FUZZ_TARGET: " << error.what() << '\n';
      std::exit(2);
    }
  }();
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen().run({data, size});
  } catch (const std::exception& error) {
    std::cerr << "broken: " << error.what() << '\n';
    std::abort();
  }
  return 0;
}
