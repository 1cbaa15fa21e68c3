#include <locdyn/io/output/number_table.hpp>

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>

#include <io/output/scene.hpp>
#include <locdyn/ldy/file_error.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

TEST_CASE("numbers of a time are a line, names are cut at commas by nobody") {
  const ScratchFolder folder;
  NumberTable table(folder / "t.csv", {"hinge \"crank\", row 2 [N]", "a\nb"});
  table.append(0.1, std::array{1.0 / 3, -2.0});
  CHECK(content_of(folder / "t.csv") ==
        "time [s],hinge crank row 2 [N],a?b\n0.10000000000000001,0.33333333333333331,-2\n");
  CHECK_THROWS_WITH_AS(table.append(0.2, std::array{1.0}), "table: expected 2 numbers, found 1", std::invalid_argument);
  table.close();
  table.close();
  CHECK_THROWS_AS(NumberTable(folder / "", {}), FileError);
}
