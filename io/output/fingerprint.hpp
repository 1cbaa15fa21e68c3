#pragma once
// What a run does not change of a system, as counts and hashes: two systems with the same are taken for the same scene.

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// FNV-1a of 64 bits. Source: Fowler, Noll & Vo, The FNV Non-Cryptographic Hash Algorithm (IETF draft).
class Fnv1a {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  void add(std::uint64_t number) noexcept {
    for (int k = 0; k < 8; ++k) value_ = (value_ ^ ((number >> (8 * k)) & 0xff)) * 0x100000001b3u;
  }
  /// Bit for bit, but for the sign of zero.
  void add(double number) noexcept;
  void add(const double* numbers, Eigen::Index count) noexcept {
    for (Eigen::Index k = 0; k < count; ++k) add(numbers[k]);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

struct Fingerprint {
  std::string name;  ///< "bodies", "colliders", "constraints", "breakable", "forces", "surfaces"
  std::size_t count;
  std::uint64_t hash;
};

/// Of bodies: kind, freedoms, mass, inertia. Of colliders: body, shape, place, surface, groups. Of constraints for
/// life that cannot break and of forces: kind and bodies. Of breakable joints: names and loads. Of surfaces: friction
/// and restitution of all pairs.
[[nodiscard]] std::vector<Fingerprint> fingerprints(const System& system);

}  // namespace locdyn::detail
