#include <locdyn/ldy/global_problem.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn {
namespace {

[[noreturn]] void refuse_global(const std::string& what, const std::string& expected, const std::string& found) {
  throw std::invalid_argument(what + ": expected " + expected + ", found " + found);
}

std::string size_text(Eigen::Index rows, Eigen::Index columns) {
  return std::to_string(rows) + " by " + std::to_string(columns);
}

void require_matrix(const char* name, const GlobalProblem::Matrix& A, Eigen::Index rows, Eigen::Index columns) {
  if (A.rows() != rows || A.cols() != columns) {
    refuse_global(name, size_text(rows, columns), size_text(A.rows(), A.cols()));
  }
  for (Eigen::Index j = 0; j < A.outerSize(); ++j) {
    for (GlobalProblem::Matrix::InnerIterator at(A, j); at; ++at) {
      if (!std::isfinite(at.value())) {
        refuse_global(name, "finite numbers",
                      std::to_string(at.value()) + " in row " + std::to_string(at.row()) + ", column " +
                          std::to_string(at.col()));
      }
    }
  }
}

void require_vector(const char* name, const Eigen::VectorXd& x, Eigen::Index size) {
  if (x.size() != size) refuse_global(name, std::to_string(size) + " numbers", std::to_string(x.size()));
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!std::isfinite(x[i])) {
      refuse_global(name, "finite numbers", std::to_string(x[i]) + " at place " + std::to_string(i));
    }
  }
}

}  // namespace

Eigen::Index GlobalProblem::block_count() const {
  Eigen::Index blocks = 0;
  for (const Law& law : laws) blocks += locdyn::block_count(law);
  return blocks;
}

void GlobalProblem::validate() const {
  const Eigen::Index n = M.rows(), columns = 3 * block_count();
  require_matrix("M", M, n, n);
  require_matrix("H", H, n, columns);
  require_matrix("G", G, n, G.cols());
  require_vector("f", f, n);
  require_vector("w", w, columns);
  require_vector("b", b, G.cols());
  Eigen::Index column = 0;
  for (std::size_t contact = 0; contact < laws.size(); ++contact) {
    const std::string name = "law of contact " + std::to_string(contact);
    const Law& law = laws[contact];
    if (!is_contact(law)) refuse_global(name, "a contact", law_name(law));
    try {
      locdyn::validate(law);
    } catch (const std::invalid_argument& fault) {
      throw std::invalid_argument(name + ": " + fault.what());
    }
    for (int row = 0; row < 3 * locdyn::block_count(law); ++row, ++column) {
      if (uses(rows(law, row / 3), row % 3)) continue;
      if (w[column] != 0 || GlobalProblem::Matrix::InnerIterator(H, column)) {
        refuse_global("H and w", "nothing for a row that its law does not use",
                      "some in column " + std::to_string(column));
      }
    }
  }
}

}  // namespace locdyn
