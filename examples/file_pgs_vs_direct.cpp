// A problem file solved twice: by projected Gauss–Seidel and by the direct solve. Writes the built-in box stack to
// stack.hdf5 in the current folder and reads it back; with a file name as argument it reads that one instead.
// By hand: the ground carries 5 cubes of 1000 kg, 49050 N, whatever the solver; how it shares them out among the four
// corners below is not unique, but the velocities are.

#include <cmath>
#include <cstdio>
#include <exception>

#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/solver/registry.hpp>
#include "builtin/builtin.hpp"

namespace {

void write_stack(const char* file) {
  locdyn::BuiltinProblem scene = locdyn::make_builtin("stack", 20);
  locdyn::FclibProblem problem;
  problem.ldy = std::move(*scene.ldy);
  problem.info.title = "5 cubes of 1 m, 1000 kg/m³, the top one pushed by 1/20 of its weight";
  locdyn::write_fclib(file, problem);
}

int compare(const char* file, bool own) {
  locdyn::FclibProblem problem = locdyn::read_fclib(file);
  bool right = true;
  for (const char* name : {"nsgs", "newton"}) {
    for (locdyn::DiagonalBlock& row : problem.ldy.rows()) row.R.setZero();  // no warm start
    const auto report = locdyn::find_solver(name).solve(problem.ldy, {.tolerance = 1e-10}, 0);
    std::printf("%-6s %s in %ld iterations, %.0f block products, %.0f flops in factors, scaled residual %.1e\n", name,
                to_string(report.status), report.iterations, report.block_products, report.factorisation_flops,
                report.residual.scaled);
    right = right && report.status == locdyn::SolveStatus::converged;
    if (!own) continue;

    // The first four contacts are those on the ground.
    double carried = 0;
    for (locdyn::ConstraintId id{0}; id < 4; ++id) carried += problem.ldy.row(id).R[2];
    std::printf("       the ground carries %.3f N\n", carried);
    right = right && std::abs(carried - 5 * 1000 * 9.81) < 1e-3;
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "stack.hdf5";
  try {
    if (argc == 1) write_stack(file);
    return compare(file, argc == 1);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  }
}
