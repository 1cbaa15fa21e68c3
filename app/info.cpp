// locdyn info: what a problem is like, without solving it.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>

#include <locdyn/ldy/matrix_market.hpp>

#include "command.hpp"
#include "format.hpp"
#include "matrix_facts.hpp"
#include "plot.hpp"
#include "problems.hpp"

namespace locdyn::app {
namespace {

// A file's text on one line, without the control characters that could reach the terminal.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char byte : text) line += static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f ? ' ' : byte;
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(' ') - first + 1);
}

// The range of one coefficient.
class Range {
 public:
  void take(double value) {
    least_ = std::min(least_, value);
    largest_ = std::max(largest_, value);
  }
  void print(const char* name, const char* unit = "") const {
    if (least_ <= largest_) std::cout << name << plain(least_) << " to " << plain(largest_) << unit << '\n';
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
};

void print_laws(const LocalDynamics& ldy) {
  Range friction, rolling, torsional;
  std::size_t contacts = 0;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const Law& law = ldy.law(id);
    if (!is_contact(law)) continue;
    ++contacts;
    const Friction discs = friction_discs(law);
    for (const double mu : discs.sliding) friction.take(mu);
    if (block_count(law) == 1) continue;
    rolling.take(discs.rolling);
    if (uses(rows(law, 1), 2)) torsional.take(discs.torsional);
  }
  std::cout << "contacts     " << contacts << '\n';
  if (contacts < ldy.constraint_count()) std::cout << "bilateral    " << ldy.constraint_count() - contacts << '\n';
  std::cout << "blocks       " << ldy.row_count() << " diagonal, " << ldy.off_diagonal_count() << " off-diagonal";
  if (ldy.row_count() > 0) {
    std::cout << " (" << plain(double(ldy.off_diagonal_count()) / double(ldy.row_count())) << " a row)";
  }
  std::cout << '\n';
  friction.print("friction     ");
  rolling.print("rolling      ", " m");
  torsional.print("torsional    ", " m");
}

void print_facts(const MatrixFacts& facts) {
  std::cout << "W            " << facts.rows << " rows, largest entry " << plain(facts.largest) << '\n'
            << "asymmetry    " << scientific(facts.asymmetry) << " (max |W − Wᵀ| / max |W|)\n"
            << "rank         ";
  if (facts.rank) {
    std::cout << *facts.rank << " of " << facts.rows << " (estimate, to " << plain(kRankTolerance)
              << " of the largest diagonal entry)\n";
  } else {
    std::cout << "not estimated above " << kMostRankRows << " rows\n";
  }
  std::cout << "W_αα         trace " << plain(facts.least_trace) << " to " << plain(facts.largest_trace)
            << ", condition " << plain(facts.median_condition) << " (median) to " << plain(facts.worst_condition)
            << '\n'
            << "‖b‖          " << plain(facts.free_velocity) << '\n';
}

int print_info(const std::string& what) {
  const auto loaded = find_problem(what).load();
  const GlobalCondensation* global = loaded->global.get();
  FclibProblem& problem = *loaded;
  std::cout << "problem      " << what << '\n';
  if (const auto title = on_one_line(problem.info.title); !title.empty()) std::cout << "title        " << title << '\n';
  if (const auto text = on_one_line(problem.info.description); !text.empty())
    std::cout << "description  " << text << '\n';
  std::cout << "dimension    " << problem.spacedim << '\n';
  if (global != nullptr) {
    std::cout << "condensed    from " << global->problem().M.rows() << " velocities in "
              << counted(global->components(), "component") << ", " << global->problem().G.cols()
              << " bilateral rows; W " << (problem.ldy.factor() != nullptr ? "known by its factors\n" : "as blocks\n");
  }
  if (loaded->bilateral) {
    const std::size_t held = loaded->whole->ldy.constraint_count() - problem.ldy.constraint_count();
    std::cout << "condensed    from " << counted(held, "bilateral constraint") << " beside the contacts\n";
  }
  print_laws(problem.ldy);
  print_facts(matrix_facts(problem.ldy));
  if (problem.solution || !problem.guesses.empty()) {
    std::cout << "stored       " << (problem.solution ? "a solution" : "no solution") << ", "
              << counted(problem.guesses.size(), "initial value") << '\n';
  }
  return kConverged;
}

constexpr const char* kSpyScript = "plot_spy.py";

// W as it lies after the reader has packed it, by id.
void draw_pattern(const std::string& what, const std::string& picture) {
  plot_report(kSpyScript, matrix_market(find_problem(what).load()->ldy), picture, {});
  std::cout << "pattern      " << picture << '\n';
}

}  // namespace

Command info_command(CLI::App& app) {
  auto what = std::make_shared<std::string>(), spy = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("info", "describe one problem without solving it");
  parser->add_option("FILE", *what, "problem file, or builtin:scene[:size]")->required();
  parser->add_option("--spy", *spy, "draw where W has entries into this file (.png or .svg)");
  return {parser, [what, spy] {
            if (!spy->empty()) check_drawing("--spy", *spy, kSpyScript);
            const int status = print_info(*what);
            if (!spy->empty()) draw_pattern(*what, *spy);
            return status;
          }};
}

}  // namespace locdyn::app
