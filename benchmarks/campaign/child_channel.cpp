#include "child_channel.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string>

namespace locdyn::app {

ChildChannel::ChildChannel() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const auto written = ::write(score, "1000", 4);
    ::close(score);
  }
  std::cout.flush();
  std::fflush(stdout);
  file_ = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
  ::dup2(2, 1);
}

ChildChannel::~ChildChannel() {
  std::cout.flush();
  std::fflush(stdout);
  ::dup2(file_, 1);
  ::close(file_);
}

void ChildChannel::say(std::string_view line) const {
  const std::string text = std::string(line) + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(file_, text.data() + at, text.size() - at);
    if (count > 0) at += static_cast<std::size_t>(count);
    if (count < 0 && errno != EINTR) ::_exit(1);  // nobody listens any more
  }
}

}  // namespace locdyn::app
