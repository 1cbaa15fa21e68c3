#pragma once
// Which bodies each row of a graph acts on, laid out as `DelassusFactor` reads it: by row its couplings, and the bodies
// that rows act on numbered as groups in the order of their ids, so that bodies without rows cost nothing.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/ldy/delassus_factor.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// From so many bodies for each that rows act on, those are sorted, not looked for among all.
inline constexpr std::size_t kSortedFrom = 16;

/// `Body` numbers bodies from 0. Filled anew by `start`, then for each row its `add`s and one `end_row`, then
/// `number_groups`. Cost: one pass over the couplings and over the bodies met before.
template <class Body>
class CouplingLayout {
 public:
  void start(std::size_t body_count) {
    first_.assign(1, 0);
    couplings_.clear();
    for (const Body body : body_of_) group_of_[body] = kNone;
    group_of_.resize(body_count, kNone);
    body_of_.clear();
    places_ = 0;
  }
  /// The row that `end_row` ends acts on `body`, of so many velocities; on none where these are 0.
  void add(Body body, int freedoms) {
    if (freedoms == 0) return;
    couplings_.push_back({body, static_cast<std::uint32_t>(freedoms), places_});
    places_ += static_cast<std::uint64_t>(freedoms);
    if (group_of_[body] != kNone) return;
    group_of_[body] = 0;
    body_of_.push_back(body);
  }
  void end_row() { first_.push_back(static_cast<std::uint32_t>(couplings_.size())); }
  void number_groups() {
    if (body_of_.size() * kSortedFrom > group_of_.size()) {
      body_of_.clear();
      for (std::size_t body = 0; body < group_of_.size(); ++body) {
        if (group_of_[static_cast<Body>(body)] != kNone) body_of_.push_back(static_cast<Body>(body));
      }
    } else {
      std::sort(body_of_.begin(), body_of_.end());
    }
    for (Index group = 0; group < body_of_.size(); ++group) group_of_[body_of_[group]] = group;
    for (Coupling& c : couplings_) c.body = group_of_[static_cast<Body>(c.body)];
  }

  /// By row, one more at the end: its first coupling.
  [[nodiscard]] const std::vector<std::uint32_t>& first() const noexcept { return first_; }
  [[nodiscard]] const std::vector<Coupling>& couplings() const noexcept { return couplings_; }
  [[nodiscard]] std::span<const Coupling> couplings(Index row) const noexcept {
    return {couplings_.data() + first_[row], first_[row + 1] - first_[row]};
  }
  /// By group, ascending.
  [[nodiscard]] const std::vector<Body>& bodies() const noexcept { return body_of_; }
  /// kNone where no row acts on the body.
  [[nodiscard]] Index group(Body body) const noexcept { return group_of_[body]; }
  [[nodiscard]] std::size_t body_count() const noexcept { return group_of_.size(); }
  /// Velocities of all couplings: H has 4 numbers for each, Y 3.
  [[nodiscard]] std::uint64_t places() const noexcept { return places_; }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Coupling> couplings_;
  std::vector<Body> body_of_;
  std::vector<Index> group_of_;  // by body
  std::uint64_t places_ = 0;
};

}  // namespace locdyn::detail
