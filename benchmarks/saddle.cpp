// The holonomic saddle point on chains of links: time a link from 100 to 10 000 links in each form, one factorisation
// and one solve, beside dense LU of the same matrix; and a legged machine on contacts with its joints condensed or
// swept.

#include <Eigen/LU>
#include <cstdio>
#include <cstdlib>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/saddle/condensed.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>
#include <measure.hpp>
#include <solver/random_saddle.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

struct Timed {
  double seconds, residual;
  int refinements;
};

Timed solve_chain(const SaddleProblem& chain, SaddleMethod method, RankCheck rank) {
  const Eigen::VectorXd weight = Eigen::Vector3d(0.3, -9.81, 0).replicate(chain.A.rows() / 3, 1);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(chain.G.rows());
  SaddleSolution solution;
  const auto work = [&] {
    SaddleSystem system({.method = method, .rank_check = rank});
    system.factorise(chain);
    solution = system.solve(weight, rest);
  };
  const double seconds = benchmark::best_times<1>({work}, 3, 1, benchmark::thread_seconds_now)[0];
  return {seconds, solution.residual, solution.refinements};
}

double solve_dense(const SaddleProblem& chain) {
  const Eigen::Index n = chain.A.rows(), m = chain.G.rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = chain.A;
  K.topRightCorner(n, m) = -Eigen::MatrixXd(chain.G).transpose();
  K.bottomLeftCorner(m, n) = chain.G;
  const double start = benchmark::thread_seconds_now();
  const Eigen::VectorXd x = Eigen::PartialPivLU<Eigen::MatrixXd>(K).solve(Eigen::VectorXd::Ones(n + m));
  benchmark::keep(x);
  return benchmark::thread_seconds_now() - start;
}

void compare_machine() {
  std::printf("\n50 joints (10 redundant rows) on 40 contacts, joint velocity error [m/s] after so many sweeps\n");
  std::printf("%8s %16s %16s\n", "sweeps", "condensed", "joints swept");
  for (const long sweeps : {1L, 20L, 200L, 2000L}) {
    const BuiltinProblem problem = make_builtin("machine", 100);
    LocalDynamics& ldy = *problem.ldy;
    const StopOptions stop{.tolerance = 1e-15, .max_iterations = sweeps};
    (void)solve_condensed(ldy, {.stop = stop, .contact_solver = "nsgs"});
    const double condensed = joint_velocity_error(ldy);
    for (DiagonalBlock& row : ldy.rows()) row.R.setZero();
    (void)solve_nsgs(ldy, {.stop = stop});
    std::printf("%8ld %16.1e %16.1e\n", sweeps, condensed, joint_velocity_error(ldy));
  }
}

}  // namespace

int main() {
  constexpr struct {
    const char* name;
    SaddleMethod method;
    RankCheck rank;
  } kForms[] = {{"saddle", SaddleMethod::saddle, RankCheck::always},
                {"delassus", SaddleMethod::delassus, RankCheck::always},
                {"null space", SaddleMethod::null_space, RankCheck::always},
                {"saddle, rank known", SaddleMethod::saddle, RankCheck::never},
                {"delassus, rank known", SaddleMethod::delassus, RankCheck::never}};
  double at_1000 = 0;
  std::printf("%-22s %8s %12s %12s %12s\n", "form", "links", "us a link", "refinements", "residual");
  for (const auto& form : kForms) {
    for (const int links : {100, 300, 1000, 3000, 10'000}) {
      const Timed timed = solve_chain(chain_of_links(links).problem(), form.method, form.rank);
      std::printf("%-22s %8d %12.2f %12d %12.1e\n", form.name, links, 1e6 * timed.seconds / links, timed.refinements,
                  timed.residual);
      if (links == 1000 && form.method == SaddleMethod::saddle && form.rank == RankCheck::always) {
        at_1000 = timed.seconds;
      }
    }
  }
  const double dense = solve_dense(chain_of_links(1000).problem());
  std::printf("dense LU of 1000 links: %.2f s, %.0f times the saddle form with its rank checked\n", dense,
              dense / at_1000);
  compare_machine();
  return EXIT_SUCCESS;
}
