#pragma once
// W = h H A⁻¹ Hᵀ as its factors, where a graph comes from bodies: row α acts on a few groups of velocities (the bodies,
// of which the graph knows no more than this), H_αk (3×n_k) each, and A is block diagonal over groups. A direct solve
// may then work in the space of velocities, which is smaller than that of rows and never singular.

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace locdyn {

/// One row's hold on one group of n velocities. 16 bytes.
struct Coupling {
  std::uint32_t body;      ///< the group
  std::uint32_t freedoms;  ///< n
  std::uint64_t place;     ///< of its n in the arrays: H at 4·place, Y at 3·place
};

/// H (3×n) as it lies in memory: columns of four numbers, the last of each zero.
using ConstFactorMap =
    Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>, Eigen::Unaligned, Eigen::OuterStride<4>>;

/// Y = h A⁻¹ Hᵀ (n×3) as it lies in memory.
using ConstResponseMap = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3>>;

/// The couplings of some rows alone, their groups numbered from 0 in the order of the rows.
struct CouplingsOfPart {
  std::vector<std::uint32_t> first;          ///< by row, one more at the end
  std::vector<Coupling> coupling;            ///< of all rows
  std::vector<std::uint64_t> first_inertia;  ///< by group, one more at the end
  std::vector<std::uint32_t> level;          ///< by group, or empty
};

/// A view: what it points to belongs to whoever assembled the graph, and holds until the graph changes.
struct DelassusFactor {
  std::span<const std::uint32_t> first;          ///< by row, one more at the end: its couplings
  std::span<const Coupling> coupling;            ///< of all rows
  std::span<const double> H;                     ///< of one coupling after the other, as `jacobian` reads it
  std::span<const double> Y;                     ///< h A⁻¹ Hᵀ; may be empty where the graph has its blocks
  std::span<const double> inertia;               ///< A of one group after the other (n×n)
  std::span<const std::uint64_t> first_inertia;  ///< by group, one more at the end
  std::span<const std::uint32_t> level;          ///< by group (group_levels.hpp); empty where nobody has looked
  double h = 1;                                  ///< step [s]
  std::shared_ptr<const CouplingsOfPart> part;   ///< of an extracted graph: keeps what `first` and `coupling` view

  /// The couplings of the row at a place of the graph's arena.
  [[nodiscard]] std::span<const Coupling> couplings(std::uint32_t place) const noexcept {
    return coupling.subspan(first[place], first[place + 1] - first[place]);
  }
  [[nodiscard]] std::size_t group_count() const noexcept {
    return first_inertia.empty() ? 0 : first_inertia.size() - 1;
  }
  [[nodiscard]] ConstFactorMap jacobian(const Coupling& c) const noexcept {
    return {H.data() + 4 * c.place, 3, Eigen::Index(c.freedoms)};
  }
  [[nodiscard]] bool has_responses() const noexcept { return Y.empty() == coupling.empty(); }
  [[nodiscard]] ConstResponseMap response(const Coupling& c) const noexcept {
    return {Y.data() + 3 * c.place, Eigen::Index(c.freedoms), 3};
  }
  [[nodiscard]] Eigen::Map<const Eigen::MatrixXd> inertia_of(const Coupling& c) const noexcept {
    return {inertia.data() + first_inertia[c.body], Eigen::Index(c.freedoms), Eigen::Index(c.freedoms)};
  }
};

/// The factor of a graph made of these rows of the view's, in this order. Cost: one pass over their couplings, and over
/// the groups of the view the first time in `room`, which is to be kept for the next part (empty at first).
[[nodiscard]] DelassusFactor factor_of_rows(const DelassusFactor& factor, std::span<const std::uint32_t> rows,
                                            std::vector<std::uint32_t>& room);

/// Holds a factor for the graph it was made for: one that is copied or moved elsewhere has none, since the view may
/// change or end behind it.
class FactorSlot {
 public:
  FactorSlot() = default;
  FactorSlot(const FactorSlot&) noexcept {}
  FactorSlot& operator=(const FactorSlot&) noexcept {
    known_ = false;
    return *this;
  }

  /// From now on it is known.
  void set(DelassusFactor factor) {
    factor_ = std::move(factor);
    known_ = true;
  }
  /// From now on it is not.
  void clear() noexcept { known_ = false; }
  /// Nullptr where it is not known.
  [[nodiscard]] const DelassusFactor* get() const noexcept { return known_ ? &factor_ : nullptr; }

 private:
  DelassusFactor factor_;
  bool known_ = false;
};

}  // namespace locdyn
