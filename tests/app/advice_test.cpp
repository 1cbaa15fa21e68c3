#include <doctest/doctest.h>
#include <advice.hpp>
#include <format.hpp>
#include <matrix_facts.hpp>

#include <limits>

using namespace locdyn;
using namespace locdyn::app;

namespace {

Run made(const std::string& problem, std::size_t contacts, const std::string& solver, double seconds,
         bool converged = true, bool pyramid = false) {
  Run run;
  run.problem = problem;
  run.solver = solver;
  run.contacts = contacts;
  run.blocks = 4 * contacts;
  run.pyramid = pyramid;
  run.report.status = converged ? SolveStatus::converged : SolveStatus::max_time;
  run.report.seconds = seconds;
  return run;
}

}  // namespace

TEST_CASE("advice finds the size that separates two solvers") {
  std::vector<Run> runs;
  for (const std::size_t contacts : {10, 20, 40, 80, 160, 320}) {
    const std::string name = std::string("p").append(std::to_string(contacts));
    runs.push_back(made(name, contacts, "nsgs", contacts <= 40 ? 0.001 : 1.0));
    runs.push_back(made(name, contacts, "newton", 0.1));
    runs.push_back(made(name, contacts, "pyramid-pgs", 1e-6, true, true));  // another problem: never recommended
  }
  const std::string text = advice(runs);
  CAPTURE(text);
  CHECK(text.find("Of these newton did best: it converged on 6 of 6 problems") != std::string::npos);
  CHECK(text.find("nsgs up to about 40 contacts, newton above") != std::string::npos);
  CHECK(text.find("6 of 6 problems.") != std::string::npos);
  CHECK(text.find("pyramid") == std::string::npos);
}

TEST_CASE("advice never speaks against the default") {
  const std::vector<Run> first = {made("a", 1, "auto", 1), made("a", 1, "newton", 2), made("a", 1, "nsgs", 3)};
  CHECK(advice(first).find("Use auto, the default: it converged on 1 of 1 problem in 1.00 s") == 0);
  const std::vector<Run> second = {made("a", 1, "auto", 2), made("a", 1, "newton", 1), made("a", 1, "nsgs", 3)};
  CHECK(advice(second).find("newton did best on this set: it converged on 1 of 1 problem in 1.00 s altogether, the best "
                            "of 3. auto, the default, converged on 1 of 1 problem in 2.00 s: keep it for problems that "
                            "you do not know.") == 0);
  const std::vector<Run> failed = {made("a", 1, "auto", 2, false), made("a", 1, "newton", 1)};
  CHECK(advice(failed).find("auto, the default, converged on 0 of 1 problem in 2.00 s.") != std::string::npos);
}

TEST_CASE("advice says so where size does not tell, where nothing converged, and where one solver ran") {
  std::vector<Run> runs;
  for (std::size_t k = 1; k <= 6; ++k) {
    runs.push_back(made(std::string("p").append(std::to_string(k)), k, "nsgs", k % 2 == 0 ? 1.0 : 0.01));
    runs.push_back(made(std::string("p").append(std::to_string(k)), k, "newton", 0.1));
  }
  CHECK(advice(runs).find("neither size nor coupling tells which") != std::string::npos);
  CHECK(advice({}).empty());
  const std::vector<Run> failed = {made("a", 1, "nsgs", 1, false), made("a", 1, "newton", 1, false)};
  CHECK(advice(failed).find("Nothing converged") != std::string::npos);
  const std::vector<Run> alone = {made("a", 1, "nsgs", 0.5)};
  CHECK(advice(alone) == "nsgs converged on 1 of 1 problem in 500 ms.");
}

TEST_CASE("summaries count what converged and who was first") {
  const std::vector<Run> runs = {made("a", 1, "nsgs", 1), made("a", 1, "newton", 2), made("b", 1, "nsgs", 1, false),
                                 made("b", 1, "newton", 3)};
  const auto all = summaries(runs);
  REQUIRE(all.size() == 2);
  CHECK(all[0].solver == "nsgs");
  CHECK(all[0].converged == 1);
  CHECK(all[0].fastest == 1);
  CHECK(all[1].converged == 2);
  CHECK(all[1].seconds == 5.0);
}

TEST_CASE("numbers and widths for people") {
  CHECK(duration(12.34e-6) == "12.3 µs");
  CHECK(duration(0.00999) == "9.99 ms");
  CHECK(duration(0.9999) == "1.00 s");
  CHECK(duration(std::numeric_limits<double>::quiet_NaN()) == "–");
  CHECK(width("µ‖b‖") == 4);
  CHECK(right("µ", 3) == "  µ");
  CHECK(shortened("αβγδεζηθ", 5) == "αβ…ηθ");
  CHECK(shortened("short", 5) == "short");
}

TEST_CASE("facts of W: rank, asymmetry and condition of a chain of coupled contacts") {
  LocalDynamics ldy;
  const auto a = ldy.insert(ContactLaw{.friction = 0.5});
  const auto b = ldy.insert(ContactLaw{.friction = 0.5});
  ldy.couple(a, b);
  // W = J Jᵀ with J = (I; 2 I): rank 3 of 6
  ldy.row(a).W.setIdentity();
  ldy.row(b).W = 4 * Eigen::Matrix3d::Identity();
  ldy.find(a, 0, b, 0)->W = 2 * Eigen::Matrix3d::Identity();
  ldy.find(b, 0, a, 0)->W = 2 * Eigen::Matrix3d::Identity();
  MatrixFacts facts = matrix_facts(ldy);
  CHECK(facts.rows == 6);
  CHECK(facts.rank == 3);
  CHECK(facts.asymmetry == 0.0);
  CHECK(facts.worst_condition == doctest::Approx(1));
  ldy.find(b, 0, a, 0)->W(0, 1) = 0.4;
  CHECK(matrix_facts(ldy).asymmetry == doctest::Approx(0.1));
  ldy.row(a).W = Eigen::Vector3d(1, 1, 0).asDiagonal();
  CHECK(matrix_facts(ldy).worst_condition == std::numeric_limits<double>::infinity());

  LocalDynamics empty;
  CHECK(matrix_facts(empty).rank == 0);
}
