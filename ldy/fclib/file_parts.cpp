#include <locdyn/ldy/fclib/file_parts.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include <locdyn/ldy/fclib/contact_order.hpp>

namespace locdyn::detail {
namespace {

FclibSolution read_solution(const Hdf5Input& file, const std::string& name, const SolutionSize& size) {
  file.require_group(name);
  FclibSolution solution;
  const std::string meaning = "one a contact row";
  solution.U = from_file_order(finite_reals(file, name + "/u", size.contact_rows, meaning), size.d);
  solution.R = from_file_order(finite_reals(file, name + "/r", size.contact_rows, meaning), size.d);
  if (size.velocities > 0) solution.v = finite_vector(file, name + "/v", size.velocities, "one a velocity");
  if (size.bilateral > 0) solution.l = finite_vector(file, name + "/l", size.bilateral, "one a bilateral row");
  return solution;
}

std::vector<double> read_coefficients(const Hdf5Input& file, const std::string& name, std::size_t contacts,
                                      double most) {
  std::vector<double> friction = finite_reals(file, name, contacts, "one a contact");
  for (std::size_t contact = 0; contact < contacts; ++contact) {
    if (friction[contact] >= 0 && friction[contact] <= most) continue;
    file.fail(name, friction[contact] < 0 ? "friction of at least 0" : "friction of at most 1e6",
              std::to_string(friction[contact]) + " at contact " + std::to_string(contact));
  }
  return friction;
}

std::span<const double> values_of(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

void write_solution(Hdf5Output& file, const std::string& name, const FclibSolution& solution,
                    const SolutionSize& size) {
  const std::size_t blocks = size.contact_rows / static_cast<std::size_t>(size.d) * file_blocks(size.d);
  if (solution.U.size() != blocks || solution.R.size() != blocks) {
    throw std::invalid_argument(name + ": expected U and R of " + std::to_string(blocks) +
                                (size.d == 5 ? " blocks, two a contact" : " contacts") + ", found " +
                                std::to_string(solution.U.size()) + " and " + std::to_string(solution.R.size()));
  }
  const auto require = [&](const char* part, const Eigen::VectorXd& x, std::size_t expected) {
    if (static_cast<std::size_t>(x.size()) != expected) {
      throw std::invalid_argument(name + ": expected " + part + " of " + std::to_string(expected) + " numbers, found " +
                                  std::to_string(x.size()));
    }
  };
  require("v", solution.v, size.velocities);
  require("l", solution.l, size.bilateral);
  file.group(name);
  if (size.velocities > 0) file.reals(name + "/v", values_of(solution.v));
  if (size.bilateral > 0) file.reals(name + "/l", values_of(solution.l));
  file.reals(name + "/u", to_file_order(solution.U, size.d));
  file.reals(name + "/r", to_file_order(solution.R, size.d));
}

}  // namespace

int read_dimension(const Hdf5Input& file, const std::string& group, bool rolling) {
  const std::string name = group + "/spacedim";
  const long long spacedim = file.integer(name);
  if (rolling) {
    if (spacedim != 5) file.fail(name, "5, the rows of a contact with rolling friction", std::to_string(spacedim));
  } else if (spacedim != 2 && spacedim != 3) {
    file.fail(name, "2 or 3", std::to_string(spacedim));
  }
  return static_cast<int>(spacedim);
}

std::vector<double> finite_reals(const Hdf5Input& file, const std::string& name, std::size_t count,
                                 const std::string& meaning) {
  std::vector<double> values = file.reals(name, count, meaning);
  for (std::size_t at = 0; at < count; ++at) {
    if (!std::isfinite(values[at])) {
      file.fail(name, "finite numbers", std::to_string(values[at]) + " at place " + std::to_string(at));
    }
  }
  return values;
}

Eigen::VectorXd finite_vector(const Hdf5Input& file, const std::string& name, std::size_t count,
                              const std::string& meaning) {
  const std::vector<double> values = finite_reals(file, name, count, meaning);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::vector<double> read_friction(const Hdf5Input& file, const std::string& group, std::size_t contacts) {
  return read_coefficients(file, group + "/vectors/mu", contacts, ContactLaw::kLargestFriction);
}

std::vector<double> read_rolling(const Hdf5Input& file, const std::string& group, std::size_t contacts) {
  return read_coefficients(file, group + "/vectors/mu_r", contacts, std::numeric_limits<double>::infinity());
}

Law contact_law(double friction, int d) {
  if (d == 5) return RollingLaw{.friction = friction, .moment_rows = kRowsRolling};
  return ContactLaw{.friction = friction, .planar = d == 2};
}

void read_texts(const Hdf5Input& file, const std::string& group, FclibInfo& info) {
  info = {file.text(group + "/info/title"), file.text(group + "/info/description"),
          file.text(group + "/info/math_info")};
}

void read_solutions(const Hdf5Input& file, const SolutionSize& size, std::optional<FclibSolution>& solution,
                    std::vector<FclibSolution>& guesses) {
  if (file.has("solution")) solution = read_solution(file, "solution", size);
  if (!file.has("guesses")) return;
  file.require_group("guesses");
  const long long count = file.integer("guesses/number_of_guesses");
  if (count < 0) file.fail("guesses/number_of_guesses", "at least 0", std::to_string(count));
  for (long long guess = 1; guess <= count; ++guess) {
    guesses.push_back(read_solution(file, "guesses/" + std::to_string(guess), size));
  }
}

void write_texts(Hdf5Output& file, const std::string& group, const FclibInfo& info) {
  file.group(group + "/info");
  file.text(group + "/info/title", info.title);
  file.text(group + "/info/description", info.description);
  file.text(group + "/info/math_info", info.math_info);
}

void write_solutions(Hdf5Output& file, const SolutionSize& size, const std::optional<FclibSolution>& solution,
                     const std::vector<FclibSolution>& guesses) {
  if (solution) write_solution(file, "solution", *solution, size);
  if (guesses.empty()) return;
  file.group("guesses");
  file.integer("guesses/number_of_guesses", static_cast<int>(guesses.size()));
  for (std::size_t guess = 0; guess < guesses.size(); ++guess) {
    write_solution(file, "guesses/" + std::to_string(guess + 1), guesses[guess], size);
  }
}

}  // namespace locdyn::detail
