#include "solvers.hpp"

#include <array>

#include <Friction_cst.h>
#include <SolverOptions.h>

namespace locdyn::peer {
namespace {

// The time limit is to end a sweep, not its count. A Newton method that has not converged after ten times its default
// number of steps goes in circles.
constexpr int kSweeps = 1'000'000'000;
constexpr int kNewtonSteps = 2000;

void start_with_extra_gradient(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
}

// Dearer steps, each with its penalty chosen anew, and often far fewer of them.
void balance_penalty(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
      SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
}

constexpr int kNsgs = SICONOS_FRICTION_3D_NSGS;

constexpr std::array kChoices = {
    SolverChoice{"nsgs", kNsgs, 0, kSweeps, nullptr},
    SolverChoice{"prox", SICONOS_FRICTION_3D_PROX, 0, kSweeps, nullptr},
    SolverChoice{"nsn-fb", SICONOS_FRICTION_3D_NSN_FB, 0, kNewtonSteps, nullptr},
    SolverChoice{"admm", SICONOS_FRICTION_3D_ADMM, 0, kSweeps, nullptr},
    SolverChoice{"admm-balanced", SICONOS_FRICTION_3D_ADMM, 0, kSweeps, balance_penalty},
    SolverChoice{"nsn-ac", SICONOS_FRICTION_3D_NSN_AC, 0, kNewtonSteps, nullptr},
    SolverChoice{"nsn-ac-vi-eg", SICONOS_FRICTION_3D_NSN_AC, 0, kNewtonSteps, start_with_extra_gradient},
    SolverChoice{"nsn-nm", SICONOS_FRICTION_3D_NSN_NM, 0, kNewtonSteps, nullptr},
    SolverChoice{"nsgs-quartic", kNsgs, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, kSweeps, nullptr},
    SolverChoice{"nsgs-projection", kNsgs, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone, kSweeps, nullptr},
    SolverChoice{"nsgs-newton", kNsgs, SICONOS_FRICTION_3D_ONECONTACT_NSN, kSweeps, nullptr},
    SolverChoice{"nsgs-newton-gp", kNsgs, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, kSweeps, nullptr},
    SolverChoice{"nsgs-quartic-nu", kNsgs, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC_NU, kSweeps, nullptr},
    SolverChoice{"nsgs-projection-regularised", kNsgs,
                 SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithRegularization, kSweeps, nullptr},
    SolverChoice{"nsgs-projection-diagonal", kNsgs, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithDiagonalization,
                 kSweeps, nullptr},
    SolverChoice{"nsgs-projection-local", kNsgs, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
                 kSweeps, nullptr},
    SolverChoice{"vi-eg", SICONOS_FRICTION_3D_VI_EG, 0, kSweeps, nullptr},
    SolverChoice{"vi-fpp", SICONOS_FRICTION_3D_VI_FPP, 0, kSweeps, nullptr},
    SolverChoice{"tresca", SICONOS_FRICTION_3D_TFP, 0, kSweeps, nullptr},
    SolverChoice{"aclmfp", SICONOS_FRICTION_3D_ACLMFP, 0, kSweeps, nullptr},
};

}  // namespace

std::span<const SolverChoice> solver_choices() {
  return kChoices;
}

SolverOptions* make_options(const SolverChoice& choice, double tolerance) {
  SolverOptions* options = solver_options_create(choice.solver);
  if (choice.local != 0) solver_options_update_internal(options, 0, choice.local);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = choice.iterations;
  if (choice.set != nullptr) choice.set(options);
  return options;
}

}  // namespace locdyn::peer
