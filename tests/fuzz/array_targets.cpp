// Arrays handed in: matrices of contact problems through C++ and C, and bodies and contacts of an embedding program.

#include <c/locdyn.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <locdyn/embedding/contact_problem.hpp>
#include <locdyn/embedding/matrix_problem.hpp>
#include <string>
#include <vector>

#include "byte_source.hpp"
#include "refusal.hpp"
#include "target_list.hpp"

namespace locdyn::fuzz {
namespace {

// W of some contacts, sound or not: pointers, columns, values, b and μ.
struct Arrays {
  std::size_t contacts;
  bool blocks;  // 3×3 blocks, or single entries
  std::vector<int> pointers, columns;
  std::vector<double> values, b, friction;

  explicit Arrays(ByteSource& source)
      : contacts(static_cast<std::size_t>(source.below(5))), blocks(source.below(2) == 1) {
    const std::size_t rows = contacts * (blocks ? 1 : 3);
    const bool sound = source.below(4) > 0;
    pointers.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
      pointers.push_back(sound ? pointers.back() + source.below(4) : source.any_integer());
    }
    const auto entries = static_cast<std::size_t>(sound ? pointers.back() : source.below(16));
    const int bound = static_cast<int>(std::max<std::size_t>(rows, 1));
    for (std::size_t k = 0; k < entries; ++k) columns.push_back(sound ? source.below(bound) : source.any_integer());
    const std::size_t per_entry = blocks ? 9 : 1;
    for (std::size_t k = 0; k < per_entry * entries; ++k) values.push_back(source.any_number());
    for (std::size_t k = 0; k < 3 * contacts; ++k) b.push_back(source.any_number());
    for (std::size_t k = 0; k < (source.below(2) == 0 ? 1 : contacts); ++k)
      friction.push_back(std::abs(source.any_number()));
    if (source.below(8) != 0) return;  // of another size
    auto& odd = source.below(2) == 0 ? b : friction;
    odd.resize(static_cast<std::size_t>(source.below(8)), 0.5);
  }
};

void check_report(const SolveReport& report, std::span<const double> R) {
  promise(report.reason.empty() == (report.status == SolveStatus::converged),
          "expected a reason where it is not solved");
  promise(std::isfinite(report.residual.scaled),
          "expected a finite residual, found " + report.solver + ": " + report.reason);
  for (const double r : R) promise(std::isfinite(r), "expected finite reactions");
}

template <class View>
void solve_view(const Arrays& a, ByteSource& source) {
  std::vector<double> R(3 * a.contacts, 0), U(source.below(2) == 0 ? 0 : 3 * a.contacts);
  if (source.below(8) == 0) R.resize(static_cast<std::size_t>(source.below(8)), 1);
  refused([&] {
    check_report(solve(View{a.pointers, a.columns, a.values}, a.b, a.friction, R, {.stop = {.max_iterations = 30}}, U),
                 R);
  });
}

std::vector<int> copy_up_to(std::vector<int> numbers, std::size_t count) {
  numbers.resize(std::max(count, numbers.size()), 0);
  return numbers;
}

}  // namespace

void run_arrays(Bytes bytes) {
  ByteSource source(bytes);
  const Arrays a(source);
  if (a.blocks) {
    solve_view<BsrView>(a, source);
  } else {
    solve_view<CsrView>(a, source);
  }
}

// C knows no lengths: the caller owes as many entries as the pointers say, and what they say must be bounded here.
void run_c_arrays(Bytes bytes) {
  ByteSource source(bytes);
  Arrays a(source);
  constexpr int kMost = 64;
  for (int& pointer : a.pointers) pointer = std::min(pointer, kMost);
  a.columns = copy_up_to(a.columns, kMost);
  a.values.resize(static_cast<std::size_t>(9 * kMost), 0.25);
  a.b.resize(std::max(a.b.size(), 3 * a.contacts), 0.5);
  locdyn_problem* problem = nullptr;
  const auto make = a.blocks ? locdyn_problem_from_bsr : locdyn_problem_from_csr;
  locdyn_status status = make(a.contacts, a.pointers.data(), a.columns.data(), a.values.data(), a.b.data(),
                              a.friction.data(), a.friction.size(), &problem);
  promise(status == LOCDYN_OK || status == LOCDYN_BAD_INPUT, std::string("make: ") + locdyn_last_error());
  promise((status == LOCDYN_OK) == (problem != nullptr), "expected a problem where all is well, and only there");
  if (problem == nullptr) return;

  locdyn_solve_options options;
  (void)locdyn_solve_options_init(&options, sizeof options);
  options.max_iterations = source.below(16) == 0 ? source.any_integer() : 30;
  if (source.below(8) == 0) options.tolerance = source.any_number();
  if (source.below(8) == 0) options.measure = source.any_integer();
  if (source.below(8) == 0) options.facets = source.below(40) - 2;
  options.max_seconds = source.below(8) == 0 ? source.any_number() : 10;
  options.solver = source.below(8) == 0
                       ? "nobody"
                       : locdyn_solver_name(static_cast<std::size_t>(source.below(30)) % locdyn_solver_count());
  if (options.max_iterations > 1000) options.max_iterations = 1000;
  locdyn_solve_report report = {};
  report.size = sizeof report;
  status = locdyn_solve(problem, &options, &report);
  promise(status == LOCDYN_OK || status == LOCDYN_BAD_INPUT, std::string("solve: ") + locdyn_last_error());
  if (status == LOCDYN_OK) {
    promise((report.reason[0] == '\0') == (report.outcome == LOCDYN_CONVERGED),
            "expected a reason where it is not solved");
  }
  std::vector<double> R(3 * a.contacts);
  promise(locdyn_problem_get_vector(problem, LOCDYN_R, R.data(), R.size()) == LOCDYN_OK, "expected R");
  for (const double r : R) promise(std::isfinite(r), "expected finite reactions");
  R.assign(R.size(), source.any_number());
  (void)locdyn_problem_set_vector(problem, source.any_integer(), R.data(), R.size());
  promise(locdyn_problem_free(problem) == LOCDYN_OK, "expected the end of the problem");
  promise(locdyn_problem_free(problem) == LOCDYN_BAD_INPUT, "expected a refusal of what was freed");
}

void run_bodies(Bytes bytes) {
  ByteSource source(bytes);
  ContactProblem problem;
  std::vector<ContactId> contacts;
  const auto body = [&] { return static_cast<BodyIndex>(source.below(static_cast<int>(problem.body_count()) + 1)); };
  const auto vector = [&] { return Eigen::Vector3d(source.any_number(), source.any_number(), source.any_number()); };
  for (int act = 0; act < 40 && !source.empty(); ++act) {
    refused([&] {
      switch (source.below(10)) {
        case 0: problem.add_fixed_body(source.below(16) == 0 ? source.any_integer() % 8 : 6); break;
        case 1:
        case 2:
          problem.add_body(rigid_inverse_inertia(source.below(8) == 0 ? source.any_number() : 1 + source.share(),
                                                 Eigen::Vector3d::Constant(0.5 + source.share()).asDiagonal()));
          break;
        case 3: {
          const int n = source.below(7);
          Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, source.below(8) == 0 ? source.below(7) : n);
          if (A.size() > 0)
            A(source.below(static_cast<int>(A.rows())), source.below(static_cast<int>(A.cols()))) = source.any_number();
          problem.add_body(A);
          break;
        }
        case 4:
          problem.set_velocity(
              body(), Eigen::VectorXd::Constant(source.below(8) == 0 ? source.below(8) : 6, source.any_number()));
          break;
        case 5:
        case 6: {
          PointContact contact{.master = body(), .slave = body(), .point = vector()};
          contact.friction = std::abs(source.any_number());
          if (source.below(8) == 0) contact.gap = source.any_number();
          if (source.below(8) == 0) contact.shift = vector();
          if (source.below(8) == 0) contact.frame(source.below(3), source.below(3)) = source.any_number();
          contacts.push_back(problem.add_contact(contact));
          break;
        }
        case 7:
          problem.remove_contact(
              contacts.empty() || source.below(8) == 0
                  ? ContactId{source.take<std::uint64_t>()}
                  : contacts[static_cast<std::size_t>(source.below(static_cast<int>(contacts.size())))]);
          break;
        case 8: {
          std::array<double, 18> H{};
          for (double& h : H) h = source.any_number();
          const BodyJacobian jacobian(body(), H.data(), 3, source.below(8) == 0 ? source.below(7) : 6);
          contacts.push_back(problem.add_contact({jacobian}, ContactLaw{.friction = std::abs(source.any_number())}));
          break;
        }
        default: {
          const IslandsReport report = problem.solve(
              {.step = source.below(8) == 0 ? source.any_number() : 1e-3, .stop = {.max_iterations = 20}});
          promise(report.reason.empty() == (report.status == SolveStatus::converged),
                  "expected a reason where it is not solved");
        }
      }
    });
  }
}

}  // namespace locdyn::fuzz
