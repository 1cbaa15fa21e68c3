#include "peers.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "child.hpp"
#include "command.hpp"

namespace locdyn::app {
namespace {

std::vector<std::string> parts_of(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The peer with all that its program offers.
Peer offered(const std::string& name) {
  if (name != "siconos") throw UsageError("--peers: expected siconos or siconos:SOLVER, found " + name);
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  Peer peer{name, (folder / ("benchmark_" + name)).string(), {}};
  if (!std::filesystem::exists(peer.program, none)) {
    throw UsageError("--peers: expected the program " + peer.program +
                     " (built where Debian's libsiconos-numerics-dev is), found none");
  }
  const ChildOutcome list = run_child({peer.program, "--list"}, {}, {.preparing_s = 60});
  if (list.end != ChildOutcome::End::exited || list.code != 0) {
    throw UsageError("--peers: expected " + peer.program + " to list its solvers, found that it " + to_string(list) +
                     (list.last_line.empty() ? "" : ": " + list.last_line));
  }
  peer.solvers = parts_of(list.text, '\n');
  return peer;
}

}  // namespace

std::vector<Peer> find_peers(const std::string& names) {
  std::vector<Peer> peers, offers;
  for (const std::string& one : parts_of(names, ',')) {
    const std::size_t colon = one.find(':');
    const std::string name = one.substr(0, colon);
    const auto is_it = [&](const Peer& peer) { return peer.name == name; };
    if (std::none_of(offers.begin(), offers.end(), is_it)) {
      offers.push_back(offered(name));
      peers.push_back({name, offers.back().program, {}});
    }
    const Peer& offer = *std::find_if(offers.begin(), offers.end(), is_it);
    std::vector<std::string>& chosen = std::find_if(peers.begin(), peers.end(), is_it)->solvers;
    if (colon == std::string::npos) {
      chosen = offer.solvers;
      continue;
    }
    const std::string solver = one.substr(colon + 1);
    if (std::find(offer.solvers.begin(), offer.solvers.end(), solver) == offer.solvers.end()) {
      throw UsageError("--peers: expected a solver of " + name + " (" + listed(offer.solvers) + "), found " + solver);
    }
    if (std::find(chosen.begin(), chosen.end(), solver) == chosen.end()) chosen.push_back(solver);
  }
  return peers;
}

}  // namespace locdyn::app
