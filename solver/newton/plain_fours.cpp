#include <locdyn/solver/newton/plain_fours.hpp>

#include <cstddef>
#include <variant>

#include <locdyn/base/four_vectors.hpp>
#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/ldy/contact_terms.hpp>

namespace locdyn::detail {
namespace {

#define LOCDYN_INLINE [[gnu::always_inline]] inline

constexpr std::size_t kRowsOfFour = 4;
constexpr FourLanes kOnes = {1, 1, 1, 1}, kZeros = {};

static_assert(offsetof(DiagonalBlock, R) == 0 && offsetof(DiagonalBlock, U) == 6 * sizeof(double));

// R, and U + σ.
LOCDYN_INLINE void load_rows(const PlainFour& four, FourVectors& R, FourVectors& motion) {
  FourLanes rest, x, y, z;
  const std::array numbers = {four.row[0]->R.data(), four.row[1]->R.data(), four.row[2]->R.data(),
                              four.row[3]->R.data()};
  gather_vectors(numbers, 0, R, rest);
  gather_vectors(numbers, 6, motion, rest);
  load_lanes(four.shift[0], x);
  load_lanes(four.shift[1], y);
  load_lanes(four.shift[2], z);
  motion = {motion.x + x, motion.y + y, motion.z + z};
}

struct Augmented {
  FrictionMap map;
  double augmentation;
};

struct FourMaps {
  FourVectors R, F;
  FourLanes rho_n, rho_t, friction, radius;
  FourLanes y0, y1, length;  // y, of length 1 where the row slides, and what its length was
  FourTruths presses, holds, slides;
};

// As `coulomb_map` in friction_map.cpp, operation by operation.
LOCDYN_INLINE void find_maps(const PlainFour& four, const Augmented& by, FourMaps& m) {
  FourVectors motion;
  load_rows(four, m.R, motion);
  load_lanes(four.normal_scale, m.rho_n);
  load_lanes(four.tangent_scale, m.rho_t);
  load_lanes(four.friction, m.friction);
  m.rho_n *= by.augmentation;
  m.rho_t *= by.augmentation;
  const FourLanes x = m.R.z - m.rho_n * motion.z;
  m.y0 = m.R.x - m.rho_t * motion.x;
  m.y1 = m.R.y - m.rho_t * motion.y;
  norm_in_plane(m.y0, m.y1, m.length);
  m.radius = m.friction * (by.map == FrictionMap::alart_curnier ? x : (m.R.z > 0 ? m.R.z : kZeros));
  m.presses = x > 0;
  m.holds = m.presses & (m.length <= m.radius);
  m.slides = m.presses & ~m.holds;
  m.length = m.slides ? m.length : kOnes;
  m.y0 /= m.length;
  m.y1 /= m.length;
  const FourLanes off0 = m.R.x - (m.slides ? m.radius * m.y0 : kZeros);
  const FourLanes off1 = m.R.y - (m.slides ? m.radius * m.y1 : kZeros);
  m.F.x = m.holds ? motion.x : off0 / m.rho_t;
  m.F.y = m.holds ? motion.y : off1 / m.rho_t;
  m.F.z = m.presses ? motion.z : m.R.z / m.rho_n;
}

LOCDYN_INLINE void find_squares_anywhere(const PlainFour& four, const Augmented& by, double* square) {
  FourMaps m;
  find_maps(four, by, m);
  const FourLanes sum = m.F.x * m.F.x + (m.F.y * m.F.y + m.F.z * m.F.z);
  store_lanes(sum, square);
}

// In memory. E = [turn E_n; 0 1] and C = [C_t C_n; 0 0] where a row presses, 0 and the diagonal of 1/ρ where it is
// open.
struct FourDerivatives {
  double F[3][4];
  double turn[4][4], E_n[2][4];  // turn and C_t column by column
  double C_t[4][4], C_n[2][4];
  double open_t[4], open_n[4];
  long long presses[4], holds[4];
};

LOCDYN_INLINE void linearise_anywhere(const PlainFour& four, const Augmented& by, FourDerivatives& d) {
  FourMaps m;
  find_maps(four, by, m);
  store_lanes(m.F.x, d.F[0]);
  store_lanes(m.F.y, d.F[1]);
  store_lanes(m.F.z, d.F[2]);
  for (std::size_t l = 0; l < kRowsOfFour; ++l) {
    d.presses[l] = m.presses[l];
    d.holds[l] = m.holds[l];
  }
  const FourLanes open_t = kOnes / m.rho_t, open_n = kOnes / m.rho_n;
  store_lanes(open_t, d.open_t);
  store_lanes(open_n, d.open_n);

  // As `pull_of_balance`.
  FourLanes size;
  norm_in_plane(m.R.x, m.R.y, size);
  const FourTruths leans = m.radius != 0;
  const FourLanes larger = size > m.radius ? size : m.radius, divisor = leans ? larger : kOnes;
  FourLanes p0 = leans ? m.R.x / divisor : m.y0, p1 = leans ? m.R.y / divisor : m.y1;
  const FourLanes along = p0 * m.y0 + p1 * m.y1, shorter = (leans & (along < 0)) ? kOnes - along : kOnes;
  p0 /= shorter;
  p1 /= shorter;

  // By names: arrays of registers are kept in memory.
  const FourLanes ratio = m.radius / m.length;
  const FourLanes t00 = m.holds ? kOnes : (-p0 * m.y0 + kOnes) * ratio, t10 = m.holds ? kZeros : -p1 * m.y0 * ratio;
  const FourLanes t11 = m.holds ? kOnes : (-p1 * m.y1 + kOnes) * ratio, t01 = m.holds ? kZeros : -p0 * m.y1 * ratio;
  const FourLanes c00 = (kOnes - t00) / m.rho_t, c10 = (kZeros - t10) / m.rho_t;
  const FourLanes c11 = (kOnes - t11) / m.rho_t, c01 = (kZeros - t01) / m.rho_t;
  store_lanes(t00, d.turn[0]);
  store_lanes(t10, d.turn[1]);
  store_lanes(t01, d.turn[2]);
  store_lanes(t11, d.turn[3]);
  store_lanes(c00, d.C_t[0]);
  store_lanes(c10, d.C_t[1]);
  store_lanes(c01, d.C_t[2]);
  store_lanes(c11, d.C_t[3]);
  const FourTruths has_disc = m.slides & (m.radius > 0);
  const FourLanes steep = by.map == FrictionMap::alart_curnier ? m.rho_n / m.rho_t : kZeros;
  const FourLanes C0 = has_disc ? -m.friction * m.y0 / m.rho_t : kZeros, E0 = m.friction * m.y0 * steep;
  const FourLanes C1 = has_disc ? -m.friction * m.y1 / m.rho_t : kZeros, E1 = m.friction * m.y1 * steep;
  const FourLanes E0_slides = m.slides ? E0 : kZeros, E1_slides = m.slides ? E1 : kZeros;
  store_lanes(C0, d.C_n[0]);
  store_lanes(C1, d.C_n[1]);
  store_lanes(E0_slides, d.E_n[0]);
  store_lanes(E1_slides, d.E_n[1]);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void find_squares_avx2(const PlainFour& four, const Augmented& by, double* square) {
  find_squares_anywhere(four, by, square);
}
[[gnu::target("avx2")]] void linearise_avx2(const PlainFour& four, const Augmented& by, FourDerivatives& d) {
  linearise_anywhere(four, by, d);
}
#endif

void find_squares_of(const PlainFour& four, const Augmented& by, double* square) {
#if defined(__x86_64__)
  if (has_avx2()) return find_squares_avx2(four, by, square);
#endif
  find_squares_anywhere(four, by, square);
}
void linearise_four(const PlainFour& four, const Augmented& by, FourDerivatives& d) {
#if defined(__x86_64__)
  if (has_avx2()) return linearise_avx2(four, by, d);
#endif
  linearise_anywhere(four, by, d);
}
void take_row(const FourDerivatives& d, std::size_t l, LinearisedRow& row) {
  row.F = {d.F[0][l], d.F[1][l], d.F[2][l]};
  row.pressed = d.presses[l] != 0;
  row.d.holds = d.holds[l] != 0;
  if (!row.pressed) {
    row.d.E.setZero();
    row.d.C = Eigen::Vector3d(d.open_t[l], d.open_t[l], d.open_n[l]).asDiagonal();
    return;
  }
  row.d.E << d.turn[0][l], d.turn[2][l], d.E_n[0][l],  //
      d.turn[1][l], d.turn[3][l], d.E_n[1][l],         //
      0, 0, 1;
  row.d.C << d.C_t[0][l], d.C_t[2][l], d.C_n[0][l],  //
      d.C_t[1][l], d.C_t[3][l], d.C_n[1][l],         //
      0, 0, 0;
}

}  // namespace

PlainFours::PlainFours(const LocalDynamics& ldy, std::span<const NewtonRow> rows) {
  const auto arena = ldy.diagonal_arena();
  std::vector<Index> plain;
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<Index>(&row - arena.data());
    // The force of a contact that rolls has its map, too, but no residual of its own.
    const bool fits = rows[place].plain && std::holds_alternative<ContactLaw>(ldy.law(row.constraint));
    (fits ? plain : others_).push_back(place);
  }
  const std::size_t in_fours = plain.size() - plain.size() % kRowsOfFour;
  fours_.resize(in_fours / kRowsOfFour);
  for (std::size_t i = 0; i < in_fours; ++i) {
    PlainFour& four = fours_[i / kRowsOfFour];
    const std::size_t l = i % kRowsOfFour;
    const NewtonRow& row = rows[plain[i]];
    four.row[l] = &arena[plain[i]];
    four.place[l] = plain[i];
    for (int axis = 0; axis < 3; ++axis) four.shift[axis][l] = row.shift[axis];
    four.friction[l] = row.friction;
    four.normal_scale[l] = row.normal_scale;
    four.tangent_scale[l] = row.tangent_scale;
    four.law[l] = &std::get<ContactLaw>(ldy.law(four.row[l]->constraint));
  }
  others_.insert(others_.end(), plain.begin() + static_cast<std::ptrdiff_t>(in_fours), plain.end());
}

void PlainFours::find_squares(FrictionMap map, double augmentation, std::span<double> square) const {
  std::array<double, kRowsOfFour> own;
  for (const PlainFour& four : fours_) {
    find_squares_of(four, {map, augmentation}, own.data());
    for (std::size_t l = 0; l < kRowsOfFour; ++l) square[four.place[l]] = own[l];
  }
}

void PlainFours::linearise(FrictionMap map, double augmentation, std::span<LinearisedRow> linear) const {
  FourDerivatives d;
  for (const PlainFour& four : fours_) {
    linearise_four(four, {map, augmentation}, d);
    for (std::size_t l = 0; l < kRowsOfFour; ++l) take_row(d, l, linear[four.place[l]]);
  }
}

double PlainFours::residual_square(double enough) const {
  double sum = 0;
  for (const PlainFour& four : fours_) {
    if (sum > enough) break;
    const std::array<double, kRowsOfFour> own = terms_of_four(four.row, four.law).scaled2;
    sum += (own[0] + own[1]) + (own[2] + own[3]);
  }
  return sum;
}

#undef LOCDYN_INLINE

}  // namespace locdyn::detail
