#include <locdyn/solver/registry.hpp>

#include <array>
#include <stdexcept>

#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/convex/admm.hpp>
#include <locdyn/solver/convex/interior.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/path/path.hpp>
#include <locdyn/solver/pyramid/pyramid_lemke.hpp>
#include <locdyn/solver/pyramid/pyramid_pgs.hpp>
#include <locdyn/solver/saddle/condensed.hpp>
#include <locdyn/solver/schwarz/schwarz.hpp>

namespace locdyn {
using namespace detail;
namespace {

template <class Options>
Options with_stop(const StopOptions& stop) {
  Options options;
  options.stop = stop;
  return options;
}

template <class Options>
Options with_facets(const StopOptions& stop, int facets) {
  Options options = with_stop<Options>(stop);
  options.facets = facets;
  return options;
}

constexpr std::array kSolvers = {
    SolverEntry{"auto", "all below in stages, cheap ones first, until one converges", false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices& choices) {
                  auto options = with_stop<AutoOptions>(stop);
                  options.without = choices.without;
                  options.swept = choices.swept;
                  return solve_auto(ldy, options);
                },
                true},
    SolverEntry{"nsgs", "projected Gauss–Seidel with exact cones: fastest where it contracts", false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices&) {
                  return solve_nsgs(ldy, with_stop<NsgsOptions>(stop));
                }},
    SolverEntry{"newton", "proximal semismooth Newton on a sparse LU: tight tolerances on stiff problems", false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices&) {
                  return solve_newton(ldy, with_stop<NewtonOptions>(stop));
                }},
    SolverEntry{"admm", "alternating directions, one sparse factor: loose tolerances on walls and piles", false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices&) {
                  return solve_admm(ldy, with_stop<AdmmOptions>(stop));
                }},
    SolverEntry{"interior", "interior points on the cones, sliding speeds of the round before: reactions far from unique",
                false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices&) {
                  return solve_interior(ldy, with_stop<InteriorOptions>(stop));
                }},
    SolverEntry{"path", "the central path of all cones by its arc length: where nothing else converges", false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices&) {
                  return solve_path(ldy, with_stop<CentralPathOptions>(stop));
                }},
    SolverEntry{"condensed", "joints exactly by a sparse factor, the contacts left by auto: mechanisms", false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices& choices) {
                  auto options = with_stop<CondensedOptions>(stop);
                  options.facets = choices.facets;
                  return solve_condensed(ldy, options);
                },
                false, true},
    SolverEntry{"schwarz", "sweeps, and Newton apart on the patches where they leave the residual: piles", false,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices&) {
                  return solve_schwarz(ldy, with_stop<SchwarzOptions>(stop));
                }},
    SolverEntry{"pyramid-pgs", "projected Gauss–Seidel on friction pyramids", true,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices& choices) {
                  return solve_pyramid_pgs(ldy, with_facets<PyramidPgsOptions>(stop, choices.facets));
                }},
    SolverEntry{"pyramid-lemke", "Lemke's pivoting on friction pyramids: exact, for small problems", true,
                [](LocalDynamics& ldy, const StopOptions& stop, const SolverChoices& choices) {
                  return solve_pyramid_lemke(ldy, with_facets<PyramidLemkeOptions>(stop, choices.facets));
                }},
};

}  // namespace

std::span<const SolverEntry> solvers() {
  return kSolvers;
}

const SolverEntry& find_solver(std::string_view name) {
  std::string names;
  for (const SolverEntry& entry : kSolvers) {
    if (entry.name == name) return entry;
    names.append(names.empty() ? "" : ", ").append(entry.name);
  }
  std::string fault = "solver: expected one of ";
  fault.append(names).append(", found '").append(name).append("'");
  throw std::invalid_argument(fault);
}

}  // namespace locdyn
