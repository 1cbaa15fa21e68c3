// all_examples NAME [WORD…]: runs the example of that name with those words; its status is that of the example's
// `main`.
#include "all_examples.hpp"

#include <cstdio>
#include <cstring>

#include "all_examples_list.hpp"

int main(int argc, char** argv) {
  for (const example::Entry& entry : example::kEntries) {
    if (argc > 1 && std::strcmp(argv[1], entry.name) == 0) return entry.run(argc - 1, argv + 1);
  }
  std::fprintf(stderr, "expected the name of an example, found %s\n", argc > 1 ? argv[1] : "nothing");
  return 2;
}
