#include <app/program.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include <ldy/raw_problem.hpp>

namespace locdyn::test {
namespace {

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

[[noreturn]] void become(char* const* words, const char* out, const char* err, long file_size) {
  const int out_file = ::open(out, O_WRONLY | O_CREAT, 0600), err_file = ::open(err, O_WRONLY | O_CREAT, 0600);
  ::dup2(out_file, 1);
  ::dup2(err_file, 2);
  if (file_size > 0) {
    const rlimit limit = {static_cast<rlim_t>(file_size), static_cast<rlim_t>(file_size)};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ::execvp(words[0], words);
  ::_exit(127);
}

}  // namespace

Outcome run_program(const std::string& program, const Words& arguments, const Surroundings& surroundings) {
  const ScratchFolder scratch;
  const std::string out = surroundings.out_file.empty() ? (scratch / "out").string() : surroundings.out_file;
  const std::string err = (scratch / "err").string();
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);

  const pid_t child = ::fork();
  if (child == 0) become(words.data(), out.c_str(), err.c_str(), surroundings.file_size);
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (surroundings.out_file.empty()) outcome.out = content(out);
  outcome.err = content(err);
  return outcome;
}

Outcome locdyn(const Words& arguments, const Surroundings& surroundings) {
  return run_program(LOCDYN_EXECUTABLE, arguments, surroundings);
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace locdyn::test
