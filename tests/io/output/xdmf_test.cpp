#include <locdyn/io/output/xdmf.hpp>

#include <doctest/doctest.h>

using namespace locdyn;
using namespace locdyn::detail;

TEST_CASE("text is escaped and empty collections are left out") {
  CHECK(xml_escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&apos;");
  XdmfCollection empty("empty", "t.h5"), one("one", "a&b.h5");
  one.append(0.1, {"Triangle", {"shapes/triangles/0", 2, 3, "Int", 4}, {"shapes/points/000000", 4, 3}, {}});
  const std::string text = xdmf_text({empty, one});
  CHECK(text.find("empty") == std::string::npos);
  CHECK(text.find("a&amp;b.h5:/shapes/points/000000") != std::string::npos);
  CHECK(text.find("<Time Value=\"0.10000000000000001\"/>") != std::string::npos);
  CHECK(text.find("Dimensions=\"2 3\"") != std::string::npos);
}
