// One thread or all: whichever is faster, and the other one again when that has changed.

#include <doctest/doctest.h>

#include <locdyn/threads/trial.hpp>

using namespace locdyn;
using namespace locdyn::detail;

namespace {

// So many pieces of work of changing size, which all threads do at `speed` times that of one: how many had all.
int with_all(ThreadTrial& trial, int pieces, double speed) {
  int count = 0;
  for (int i = 0; i < pieces; ++i) {
    const double work = 1 + i % 7;
    const bool all = trial.next(4) == 4;
    trial.note(all ? work / speed : work, work);
    count += all;
  }
  return count;
}

}  // namespace

TEST_CASE("thread trial: all threads where they pay, one where they do not, and it notices when that changes") {
  ThreadTrial trial;
  CHECK(with_all(trial, 1000, 1.5) > 950);
  CHECK(with_all(trial, 300, 0.4) < 300);
  CHECK(with_all(trial, 1000, 0.4) < 50);
  CHECK(with_all(trial, 300, 1.5) > 0);
  CHECK(with_all(trial, 1000, 1.5) > 950);
}

TEST_CASE("thread trial: work that becomes dearer with every piece looks like no choice that is worse") {
  ThreadTrial trial;
  double cost = 1;
  int all = 0;
  for (int i = 0; i < 300; ++i) {
    const bool many = trial.next(2) == 2;
    trial.note(many ? cost / 1.2 : cost, 1);
    cost *= 1.1;
    all += many;
  }
  CHECK(all > 270);
}

TEST_CASE("thread trial: who wants one thread gets one, and work of no size says nothing") {
  ThreadTrial trial;
  for (int i = 0; i < 100; ++i) {
    CHECK(trial.next(1) == 1);
    trial.note(1, 0);
  }
  CHECK(trial.next(3) == 1);
}

TEST_CASE("thread trial: a hopeless trial costs one piece, and threads that have become dear are left at once") {
  ThreadTrial trial;
  CHECK(with_all(trial, 1000, 0.01) <= 10);
  CHECK(with_all(trial, 300, 1.5) > 0);
  CHECK(with_all(trial, 1000, 1.5) > 950);
  CHECK(with_all(trial, 200, 0.1) <= 8);
}

TEST_CASE("thread trial: the more a trial has lost the later comes the next") {
  ThreadTrial trial;
  CHECK(with_all(trial, 2000, 0.05) <= 7);
  CHECK(with_all(trial, 400, 1.5) > 0);
}

TEST_CASE("thread trial: work too short for several threads is left to one, until it has grown") {
  ThreadTrial trial;
  for (int i = 0; i < 500; ++i) {
    CHECK(trial.next(4) == 1);
    trial.note(2e-5, 1);
  }
  CHECK(with_all(trial, 100, 1.5) > 80);
}
