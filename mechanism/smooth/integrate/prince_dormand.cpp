#include <locdyn/mechanism/smooth/integrate/prince_dormand.hpp>

#include <arkode/arkode_erkstep.h>

#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/mechanism/smooth/motion_error.hpp>

namespace locdyn::detail {
namespace {

constexpr int kStages = 13;
constexpr std::array<double, kStages> kNodes = {0,
                                                1.0 / 18,
                                                1.0 / 12,
                                                1.0 / 8,
                                                5.0 / 16,
                                                3.0 / 8,
                                                59.0 / 400,
                                                93.0 / 200,
                                                5490023248.0 / 9719169821.0,
                                                13.0 / 20,
                                                1201146811.0 / 1299019798.0,
                                                1,
                                                1};
constexpr std::array<double, kStages> kOrder8 = {14005451.0 / 335480064.0,
                                                 0,
                                                 0,
                                                 0,
                                                 0,
                                                 -59238493.0 / 1068277825.0,
                                                 181606767.0 / 758867731.0,
                                                 561292985.0 / 797845732.0,
                                                 -1041891430.0 / 1371343529.0,
                                                 760417239.0 / 1151165299.0,
                                                 118820643.0 / 751138087.0,
                                                 -528747749.0 / 2220607170.0,
                                                 1.0 / 4};
constexpr std::array<double, kStages> kOrder7 = {13451932.0 / 455176623.0,
                                                 0,
                                                 0,
                                                 0,
                                                 0,
                                                 -808719846.0 / 976000145.0,
                                                 1757004468.0 / 5645159321.0,
                                                 656045339.0 / 265891186.0,
                                                 -3867574721.0 / 1518517206.0,
                                                 465885868.0 / 322736535.0,
                                                 53011238.0 / 667516719.0,
                                                 2.0 / 45,
                                                 0};
// Row by row, without the zeros of the second and third column from the fourth row on.
constexpr std::array<double, kStages * kStages> matrix() {
  std::array<double, kStages * kStages> a{};
  const auto set = [&a](int row, std::initializer_list<double> values) {
    int column = 0;
    for (const double value : values) {
      a[static_cast<std::size_t>(row * kStages + column)] = value;
      ++column;
      if (row >= 5 && column == 1) column = 3;
    }
  };
  set(1, {1.0 / 18});
  set(2, {1.0 / 48, 1.0 / 16});
  set(3, {1.0 / 32, 0, 3.0 / 32});
  set(4, {5.0 / 16, 0, -75.0 / 64, 75.0 / 64});
  set(5, {3.0 / 80, 3.0 / 16, 3.0 / 20});
  set(6, {29443841.0 / 614563906.0, 77736538.0 / 692538347.0, -28693883.0 / 1125000000.0, 23124283.0 / 1800000000.0});
  set(7, {16016141.0 / 946692911.0, 61564180.0 / 158732637.0, 22789713.0 / 633445777.0, 545815736.0 / 2771057229.0,
          -180193667.0 / 1043307555.0});
  set(8, {39632708.0 / 573591083.0, -433636366.0 / 683701615.0, -421739975.0 / 2616292301.0, 100302831.0 / 723423059.0,
          790204164.0 / 839813087.0, 800635310.0 / 3783071287.0});
  set(9,
      {246121993.0 / 1340847787.0, -37695042795.0 / 15268766246.0, -309121744.0 / 1061227803.0,
       -12992083.0 / 490766935.0, 6005943493.0 / 2108947869.0, 393006217.0 / 1396673457.0, 123872331.0 / 1001029789.0});
  set(10, {-1028468189.0 / 846180014.0, 8478235783.0 / 508512852.0, 1311729495.0 / 1432422823.0,
           -10304129995.0 / 1701304382.0, -48777925059.0 / 3047939560.0, 15336726248.0 / 1032824649.0,
           -45442868181.0 / 3398467696.0, 3065993473.0 / 597172653.0});
  set(11, {185892177.0 / 718116043.0, -3185094517.0 / 667107341.0, -477755414.0 / 1098053517.0,
           -703635378.0 / 230739211.0, 5731566787.0 / 1027545527.0, 5232866602.0 / 850066563.0,
           -4093664535.0 / 808688257.0, 3962137247.0 / 1805957418.0, 65686358.0 / 487910083.0});
  set(12, {403863854.0 / 491063109.0, -5068492393.0 / 434740067.0, -411421997.0 / 543043805.0,
           652783627.0 / 914296604.0, 11173962825.0 / 925320556.0, -13158990841.0 / 6184727034.0,
           3936647629.0 / 1978049680.0, -160528059.0 / 685178525.0, 248638103.0 / 1413531060.0, 0});
  return a;
}

int project(realtype t, N_Vector y, void* data) {
  return static_cast<SundialsState*>(data)->project(t, y);
}

}  // namespace

PrinceDormand::PrinceDormand(double t, const Eigen::VectorXd& y, double rtol, const Eigen::VectorXd& atol,
                             SundialsState::Function rate, SundialsState::Function projected)
    : state_(y, std::move(rate), std::move(projected)),
      memory_(ERKStepCreate(sundials_rate, t, state_.vector(), state_.context())),
      atol_(N_VNew_Serial(atol.size(), state_.context())),
      t_(t) {
  std::array<double, kStages> c = kNodes, b = kOrder8, embedded = kOrder7;
  std::array<double, kStages* kStages> a = matrix();
  ARKodeButcherTable table = ARKodeButcherTable_Create(kStages, 8, 7, c.data(), a.data(), b.data(), embedded.data());
  const bool ready = memory_ != nullptr && atol_ != nullptr && ERKStepSetTable(memory_, table) == ARK_SUCCESS;
  ARKodeButcherTable_Free(table);
  if (!ready) {
    N_VDestroy(atol_);
    ERKStepFree(&memory_);
    throw std::runtime_error("SUNDIALS: expected an integrator, found none");
  }
  SundialsState::view(atol_) = atol;
  ERKStepSetErrHandlerFn(memory_, ignore_sundials_message, nullptr);
  ERKStepSetUserData(memory_, &state_);
  ERKStepSetInterpolantType(memory_, ARK_INTERP_LAGRANGE);  // the other one costs evaluations
  ERKStepSetInterpolantDegree(memory_, 1);
  ERKStepSVtolerances(memory_, rtol, atol_);
  if (state_.projects()) ERKStepSetPostprocessStepFn(memory_, project);
}

PrinceDormand::~PrinceDormand() {
  N_VDestroy(atol_);
  ERKStepFree(&memory_);
}

void PrinceDormand::set_first_step(double h) {
  ERKStepSetInitStep(memory_, h);
}

void PrinceDormand::set_max_step(double h) {
  ERKStepSetMaxStep(memory_, h);
}

void PrinceDormand::restart(double t, const Eigen::VectorXd& y, double h) {
  SundialsState::view(state_.vector()) = y;
  ERKStepReset(memory_, t, state_.vector());
  ERKStepSetInitStep(memory_, h);
  t_ = t;
}

double PrinceDormand::advance(double stop) {
  return evolve(stop);
}

double PrinceDormand::next_step() const {
  double h = 0;
  ERKStepGetCurrentStep(memory_, &h);
  return h;
}

Eigen::VectorXd PrinceDormand::leap(double from, const Eigen::VectorXd& y, double to) {
  restart(from, y, 0);
  ERKStepSetFixedStep(memory_, to - from);
  evolve(to);
  return this->y();
}

double PrinceDormand::evolve(double stop) {
  ERKStepSetStopTime(memory_, stop);
  realtype t = t_;
  const int flag = ERKStepEvolve(memory_, stop, state_.vector(), &t, ARK_ONE_STEP);
  if (flag == ARK_SUCCESS || flag == ARK_TSTOP_RETURN) return t_ = t;
  state_.rethrow();
  throw MotionError(MotionError::Reason::step_too_small, t,
                    "expected steps that meet the tolerances, found none (ARKODE: " + std::to_string(flag) + ")");
}

StepperCounts PrinceDormand::counts() const {
  StepperCounts counts;
  ERKStepGetNumSteps(memory_, &counts.steps);
  ERKStepGetNumErrTestFails(memory_, &counts.rejected);
  ERKStepGetNumRhsEvals(memory_, &counts.evaluations);
  return counts;
}

}  // namespace locdyn::detail
