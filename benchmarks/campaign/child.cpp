#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace locdyn::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPatience = 20;  // between two looks at an interrupt [ms]

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds_in(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Both ends of a pipe; neither outlives a program that this one becomes.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  [[nodiscard]] int in() const { return ends_[0]; }
  [[nodiscard]] int out() const { return ends_[1]; }
  void close_in() { close_end(0); }
  void close_out() { close_end(1); }

 private:
  void close_end(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  int ends_[2] = {-1, -1};
};

// The environment of a child: what is added comes first and hides what is inherited.
std::vector<char*> surroundings(const std::vector<std::string>& added) {
  std::vector<char*> all;
  for (const std::string& one : added) all.push_back(const_cast<char*>(one.c_str()));
  for (char** one = environ; *one != nullptr; ++one) {
    const bool hidden = std::any_of(added.begin(), added.end(), [&](const std::string& other) {
      return std::strncmp(*one, other.c_str(), other.find('=') + 1) == 0;
    });
    if (!hidden) all.push_back(*one);
  }
  all.push_back(nullptr);
  return all;
}

// Starts the program with an empty input, its output and its complaints in two pipes. Returns errno, or 0.
int start(const std::vector<std::string>& words, const std::vector<std::string>& environment, int out, int err,
          pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  // A group of its own: Ctrl-C on the terminal is the parent's alone. Signals as a fresh program has them.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int fault = ::posix_spawnp(&child, words[0].c_str(), &actions, &attributes, arguments.data(),
                                   surroundings(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return fault;
}

// What has been read of the child so far, and the deadline that follows from it.
class Listener {
 public:
  Listener(const ChildLimits& limits, ChildOutcome& outcome) : limits_(limits), outcome_(outcome) {
    expect(limits.preparing_s);
  }

  void take_text(const char* bytes, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
      line_ += bytes[at];
      if (bytes[at] == '\n') end_line();
    }
    if (line_.size() > limits_.most_bytes) line_.resize(limits_.most_bytes);
  }
  void take_complaint(const char* bytes, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
      if (bytes[at] == '\n') {
        if (!complaint_.empty()) outcome_.last_line = complaint_;
        complaint_.clear();
      } else if (complaint_.size() < 1000) {
        complaint_ += bytes[at];
      }
    }
  }
  void finish() {
    end_line();
    if (!complaint_.empty()) outcome_.last_line = complaint_;
  }
  [[nodiscard]] double left() const { return limit_ - since(began_); }

 private:
  void expect(double seconds) {
    began_ = Clock::now();
    limit_ = seconds;
  }
  void end_line() {
    if (line_ == "solving\n") {
      expect(limits_.solving_s);
    } else {
      if (solving_) expect(limits_.preparing_s);
      if (line_ != "judging\n" && outcome_.text.size() + line_.size() <= limits_.most_bytes) outcome_.text += line_;
    }
    solving_ = line_ == "solving\n";
    line_.clear();
  }

  const ChildLimits& limits_;
  ChildOutcome& outcome_;
  std::string line_, complaint_;
  bool solving_ = false;
  Clock::time_point began_;
  double limit_ = 0;
};

// Reads what is there. False once the other end is closed.
template <class Take>
bool drain(int file, Take take) {
  char bytes[1 << 16];
  const ssize_t count = ::read(file, bytes, sizeof bytes);
  if (count > 0) take(bytes, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

// Reads what an ended child left in the pipe, without waiting for more.
template <class Take>
void drain_rest(int file, Take take) {
  if (file < 0) return;
  ::fcntl(file, F_SETFL, O_NONBLOCK);
  while (drain(file, take)) {
  }
}

// Whether a child has ended; it stays there to be waited for, so that its number is nobody else's.
bool has_ended(pid_t child) {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

}  // namespace

ChildOutcome run_child(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                       const ChildLimits& limits, const std::function<bool()>& interrupted) {
  ChildOutcome outcome;
  const Clock::time_point began = Clock::now();
  Pipe out, err;
  pid_t child = -1;
  outcome.code = out.in() < 0 || err.in() < 0 ? EMFILE : start(words, environment, out.out(), err.out(), child);
  if (outcome.code != 0) return outcome;
  out.close_out();
  err.close_out();

  Listener listener(limits, outcome);
  const auto take_text = [&](const char* bytes, std::size_t count) { listener.take_text(bytes, count); };
  const auto take_complaint = [&](const char* bytes, std::size_t count) { listener.take_complaint(bytes, count); };
  using End = ChildOutcome::End;
  outcome.end = End::exited;
  while (!has_ended(child)) {
    if (interrupted && interrupted()) outcome.end = End::interrupted;
    if (listener.left() <= 0) outcome.end = End::timed_out;
    if (outcome.end != End::exited) break;
    // A closed pipe has the number −1, which poll passes over; a child that closed both is waited for all the same.
    pollfd files[2] = {{out.in(), POLLIN, 0}, {err.in(), POLLIN, 0}};
    ::poll(files, 2, static_cast<int>(std::clamp(listener.left() * 1e3, 1.0, kPatience)));
    if (files[0].revents != 0 && !drain(out.in(), take_text)) out.close_in();
    if (files[1].revents != 0 && !drain(err.in(), take_complaint)) err.close_in();
  }

  // Nobody of its group stays, and what it wrote last is still in the pipes.
  ::kill(-child, SIGKILL);
  int status = 0;
  rusage used = {};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  drain_rest(out.in(), take_text);
  drain_rest(err.in(), take_complaint);
  listener.finish();
  outcome.seconds = since(began);
  outcome.cpu_s = seconds_in(used.ru_utime) + seconds_in(used.ru_stime);
  if (outcome.end == End::exited) {
    if (WIFSIGNALED(status)) outcome.end = End::crashed;
    outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  return outcome;
}

std::string exact(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string to_string(const ChildOutcome& outcome) {
  switch (outcome.end) {
    case ChildOutcome::End::exited: return "exited (status " + std::to_string(outcome.code) + ")";
    case ChildOutcome::End::crashed: return "crashed (signal " + std::to_string(outcome.code) + ")";
    case ChildOutcome::End::timed_out: return "timed out";
    case ChildOutcome::End::interrupted: return "interrupted";
    case ChildOutcome::End::not_started: break;
  }
  return std::string("not started (") + std::strerror(outcome.code) + ")";
}

}  // namespace locdyn::app
