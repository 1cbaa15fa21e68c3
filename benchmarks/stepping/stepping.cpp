// One run of another engine through a scene, for `locdyn bench SCENE… --peers bullet,mujoco`: our reader, their step,
// our residual. It speaks as `locdyn bench-scene` does. A step's time is its processor time; every so many steps the
// forces that the engine put in are judged in the local dynamics built from its own contact points, off the clock.
//
//   benchmark_stepping --list
//   benchmark_stepping --engine E --setting S [--max-time S] SCENE

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <bench_matrix.hpp>
#include <blas_threads.hpp>
#include <command.hpp>
#include <stepping/processor_limit.hpp>
#include <stepping/step_teller.hpp>

#include <locdyn/io/scene/read_scene.hpp>

#include "../peers/judge.hpp"
#include "peer_scene.hpp"
#include "settings.hpp"

namespace locdyn::peers {
namespace {

using Json = nlohmann::ordered_json;

constexpr long kJudged = 60;  // steps of a scene that are judged

struct Asked {
  std::string file, engine, setting;
  double max_seconds = 0;
  bool list = false;
};

const EngineSetting& find(const Asked& asked) {
  for (const EngineSetting& one : engine_settings()) {
    if (one.engine == asked.engine && one.setting == asked.setting) return one;
  }
  throw app::UsageError("--setting: expected one that --list names, found " + asked.engine + ":" + asked.setting);
}

std::vector<BodyState> states_in(const Engine& engine, std::size_t bodies) {
  std::vector<BodyState> states;
  for (std::size_t i = 0; i < bodies; ++i) states.push_back(engine.state(static_cast<int>(i)));
  return states;
}

// The k-th step: timed, and judged where its turn has come: contact and cone as ours, with what the engine asks for to
// take back penetration, by the velocities that it ended with.
app::StepSample step(const Scene& scene, Engine& engine, long k, long every) {
  const bool judged = k % every == every - 1;
  std::vector<BodyState> before;
  if (judged) before = states_in(engine, scene.bodies.size());
  const app::CallClock clock;
  engine.step();
  const app::CallTime time = clock.read();
  app::StepSample sample;
  sample.time_s = time.cpu_s;
  sample.wall_s = time.wall_s;
  if (judged) {
    sample.residual = judge(scene, before, engine, static_cast<double>(k) * scene.h).solved;
    sample.contacts = static_cast<double>(engine.contacts().size());
  } else {
    sample.contacts = app::StepSample::kUntold;
  }
  return sample;
}

Json step_through(const Scene& scene, Engine& engine, long steps, double max_seconds, app::StepTeller& teller) {
  const long every = std::max(1L, steps / kJudged);
  double spent = 0;
  for (long k = 0; k < steps; ++k) {
    const app::StepSample sample = step(scene, engine, k, every);
    teller.tell(sample);
    spent += sample.time_s;
    if (max_seconds > 0 && spent > max_seconds && k + 1 < steps) return {{"end", "time limit"}, {"reason", ""}};
  }
  return {{"end", "done"}, {"reason", ""}};
}

int run(const Asked& asked) {
  const EngineSetting& setting = find(asked);
  const app::ChildChannel channel;
  app::StepTeller teller(channel);
  Json end = {{"end", "left out"}, {"reason", ""}};
  try {
    const locdyn::Scene read = read_scene(asked.file);
    const long steps = std::lround(read.duration / read.stepping.step);
    const Scene scene = peer_scene(read);
    const EnginePtr engine = setting.make(scene);
    channel.say(app::json_text({{"bodies", scene.bodies.size()}, {"steps", steps}}));
    end["end"] = "stopped";
    const double most = asked.max_seconds > 0 ? app::patience(asked.max_seconds) : 0;
    const app::ProcessorLimit limit(most, [&] { teller.tell_rest(); });
    channel.solving();
    end = step_through(scene, *engine, steps, asked.max_seconds, teller);
  } catch (const std::exception& error) {
    end["reason"] = error.what();
  }
  teller.tell_rest();
  channel.say(app::json_text(end));
  return 0;
}

}  // namespace
}  // namespace locdyn::peers

int main(int argc, char** argv) {
  using namespace locdyn::peers;
  locdyn::app::end_blas_threads();
  CLI::App parser("One run of another engine through a scene", "benchmark_stepping");
  Asked asked;
  parser.add_option("SCENE", asked.file);
  parser.add_option("--engine", asked.engine);
  parser.add_option("--setting", asked.setting);
  parser.add_option("--max-time", asked.max_seconds);
  parser.add_flag("--list", asked.list);
  try {
    parser.parse(argc, argv);
    if (!asked.list) return run(asked);
    for (const EngineSetting& one : engine_settings()) std::printf("%s:%s\n", one.engine.c_str(), one.setting.c_str());
    return 0;
  } catch (const std::exception& error) {
    locdyn::app::complain(error.what());
  }
  return 2;
}
