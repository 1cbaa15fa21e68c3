// The runs of a bench, with a peer that is a shell script: what climbs the ladder, what ends it, what is kept.

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <bench_matrix.hpp>
#include <ldy/raw_problem.hpp>
#include <scratch_folder.hpp>

#include <locdyn/ldy/replace_file.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using app::BenchReport;
using app::BenchRun;
using app::BenchSettings;

namespace {

// A peer whose solvers meet their own tolerance at once, say that they failed, crash, hang, or take two seconds.
class ScriptedPeer {
 public:
  ScriptedPeer() {
    BenchRun run;
    run.status = "STATUS";
    run.time_s = 0.25;
    run.contacts = 100;
    std::string line = app::json_text(app::to_json(run));
    const std::string scaled = "\"scaled\":0.0";
    line.replace(line.find(scaled), scaled.size(), "\"scaled\":TOL");
    replace_file(folder_ / "peer",
                 "#!/bin/sh\n"
                 "status=converged; scaled=$4\n"
                 "echo $2 $4 >> " +
                     (folder_ / "log").string() +
                     "\n"
                     "echo solving\n"
                     "case $2 in\n"
                     "lax) scaled=1;;\n"
                     "fails) status=failed; scaled=1;;\n"
                     "crashes) kill -SEGV $$;;\n"
                     "hangs) sleep 100;;\n"
                     "slow) sleep 2.5;;\n"
                     "unreadable) echo '{\"unreadable\": \"no problem\"}'; exit 2;;\n"
                     "unsupported) echo '{\"unsupported\": \"not mine\"}'; exit 2;;\n"
                     "half) echo '{\"problem\": \"p\"}'; exit 0;;\n"
                     "esac\n"
                     "echo judging\n"
                     "echo '" +
                     line + "' | sed s/TOL/$scaled/ | sed s/STATUS/$status/\n");
    std::filesystem::permissions(folder_ / "peer", std::filesystem::perms::owner_all);
    problems_.problems = {{"p", "p", {}}};
  }

  BenchReport& run(const std::vector<std::string>& solvers, double limit = 10,
                   BenchSettings::Peers peers = BenchSettings::Peers::all_in_full) {
    BenchSettings settings;
    settings.tolerances = {1e-2, 1e-4};
    settings.options.max_seconds = limit;
    settings.peers = peers;
    app::run_bench(problems_, {}, {{"script", (folder_ / "peer").string(), solvers}}, settings, events, report);
    return report;
  }
  [[nodiscard]] std::size_t starts() const {
    std::ifstream in(folder_ / "log");
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
  }

  BenchReport report;
  app::BenchEvents events;

 private:
  test::ScratchFolder folder_;
  app::ProblemList problems_;
};

}  // namespace

TEST_CASE("a peer climbs its ladder until the judge accepts the tightest accuracy") {
  ScriptedPeer peer;
  const BenchReport& report = peer.run({"good"});
  REQUIRE(report.runs.size() == 3);
  CHECK(report.runs[0].tolerance == 1e-2);
  CHECK(report.runs[2].tolerance == 1e-4);
  CHECK(report.runs[2].residual.scaled == 1e-4);
  CHECK(report.runs[2].full_name() == "script:good");
  CHECK(report.runs[2].time_s == 0.25);
  CHECK(report.status() == 0);
  // To the end where it never does.
  ScriptedPeer lax;
  REQUIRE(lax.run({"lax"}).runs.size() == 19);
  CHECK(lax.report.runs.back().tolerance == 1e-20);
}

TEST_CASE("crash, hang, half a result and failure are runs that failed, and the bench goes on") {
  ScriptedPeer peer;
  const BenchReport& report = peer.run({"crashes", "hangs", "half", "fails", "good"}, 0.3);
  std::map<std::string, std::vector<const BenchRun*>> runs;
  for (const BenchRun& run : report.runs) runs[run.solver].push_back(&run);
  REQUIRE(runs["crashes"].size() == 2);  // two failures in turn end a ladder
  CHECK(runs["crashes"][0]->status == "crashed (signal 11)");
  CHECK(std::isnan(runs["crashes"][0]->residual.scaled));
  REQUIRE(runs["hangs"].size() == 1);  // a run beyond the limit ends it
  CHECK(runs["hangs"][0]->status == "timed out");
  CHECK(runs["hangs"][0]->time_s == 0.3);
  REQUIRE(runs["half"].size() == 2);
  CHECK(runs["half"][0]->status == "exited (status 0)");
  REQUIRE(runs["fails"].size() == 2);
  CHECK(runs["fails"][0]->status == "failed");
  CHECK(runs["good"].size() == 3);
  CHECK_FALSE(report.interrupted);
}

TEST_CASE("a problem that cannot be read is one fault, one that is not a peer's own is none") {
  ScriptedPeer peer;
  const BenchReport& report = peer.run({"unsupported", "unreadable", "good"});
  CHECK(report.runs.empty());
  REQUIRE(report.faults.size() == 1);
  CHECK(report.faults[0] == "no problem");
  CHECK(report.status() == 2);
}

TEST_CASE("what a report holds is not run again") {
  ScriptedPeer peer;
  peer.run({"good"});
  REQUIRE(peer.starts() == 3);
  peer.run({"good", "fails"});
  CHECK(peer.starts() == 5);
  CHECK(peer.report.runs.size() == 5);
}

TEST_CASE("in a race the slow are outrun, the first never, and without one they run again") {
  ScriptedPeer peer;
  peer.run({"good", "slow"}, 10, BenchSettings::Peers::race);
  REQUIRE(peer.report.runs.size() == 4);
  CHECK(peer.report.runs[3].status == "outrun");
  CHECK(peer.report.runs[3].time_s == doctest::Approx(1.75));  // a second and three times 0.25 s
  peer.run({"good", "slow"});
  REQUIRE(peer.report.runs.size() == 6);
  CHECK(peer.report.runs[3].status == "converged");
  ScriptedPeer first;
  first.run({"slow"}, 10, BenchSettings::Peers::race);
  CHECK(first.report.runs.back().status == "converged");
}

TEST_CASE("an interrupt ends the run under way, which is not kept, and an estimate is given from the second on") {
  ScriptedPeer peer;
  std::vector<double> left;
  int asked = 0;
  peer.events.start = [&](std::size_t, std::size_t of, const std::string&, double seconds) {
    CHECK(of == 2);
    left.push_back(seconds);
  };
  peer.events.interrupted = [&] { return left.size() > 3 && ++asked > 3; };
  const BenchReport& report = peer.run({"good", "hangs"});
  CHECK(report.interrupted);
  CHECK(report.runs.size() == 3);
  CHECK(report.status() == 130);
  REQUIRE(left.size() == 4);
  CHECK(left[0] < 0);
  CHECK(left[3] > 0);
}
