#pragma once
// The examples as functions of one program (CMakeLists.txt): for the tests.

#include <type_traits>

namespace example {

/// What `main` of an example returns, whether it takes the words of the command line or none.
template <class Main>
int run_main(Main main, int count, char** words) {
  if constexpr (std::is_invocable_v<Main, int, char**>) {
    return main(count, words);
  } else {
    return main();
  }
}

/// One example.
struct Entry {
  const char* name;
  int (*run)(int count, char** words);
};

}  // namespace example
