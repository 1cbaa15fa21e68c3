#include <locdyn/ldy/matrix_market.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/file_error.hpp>

using namespace locdyn;

namespace {

Eigen::MatrixXd parse(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  CHECK(line == "%%MatrixMarket matrix coordinate real general");
  while (in.peek() == '%') std::getline(in, line);
  int rows = 0, columns = 0, entries = 0;
  in >> rows >> columns >> entries;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows, columns);
  int count = 0, i = 0, j = 0;
  for (double value = 0; in >> i >> j >> value; ++count) W(i - 1, j - 1) = value;
  CHECK(count == entries);
  return W;
}

}  // namespace

TEST_CASE("W in 3D and 2D, rows in use alone, ids with a gap") {
  LocalDynamics ldy;
  const ConstraintId a = ldy.insert(ContactLaw{.friction = 0.5});
  const ConstraintId gone = ldy.insert(ContactLaw{.friction = 0.5});
  const ConstraintId b = ldy.insert(ContactLaw{.friction = 0.5, .planar = true});
  ldy.remove(gone);
  ldy.couple(b, a);
  ldy.row(a).W << 1.0 / 3, 2, 3, 4, 5, 6, 7, 8, 9e-300;
  ldy.row(b).W << 10, 0, 11, 0, 0, 0, 12, 0, 13;
  ldy.find(a, 0, b, 0)->W << 14, 0, 15, 16, 0, 17, 18, 0, 19;
  Eigen::MatrixXd expected(5, 5);
  expected << 1.0 / 3, 2, 3, 14, 15, 4, 5, 6, 16, 17, 7, 8, 9e-300, 18, 19, 0, 0, 0, 10, 11, 0, 0, 0, 12, 13;
  CHECK(parse(matrix_market(ldy)) == expected);
}

TEST_CASE("an empty graph is a matrix of size 0, a file is written whole") {
  CHECK(parse(matrix_market(LocalDynamics{})).size() == 0);
  const test::ScratchFolder folder;
  write_matrix_market(folder / "W.mtx", LocalDynamics{});
  std::ifstream in(folder / "W.mtx");
  std::stringstream content;
  content << in.rdbuf();
  CHECK(content.str() == matrix_market(LocalDynamics{}));
  CHECK_THROWS_AS(write_matrix_market(folder / "missing/W.mtx", LocalDynamics{}), FileError);
}
