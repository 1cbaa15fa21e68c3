#include <locdyn/ldy/contact_terms.hpp>

#include <algorithm>
#include <cstddef>

#include <locdyn/base/four_vectors.hpp>
#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/ldy/residual_terms.hpp>

namespace locdyn::detail {
namespace {

#define LOCDYN_INLINE [[gnu::always_inline]] inline

LOCDYN_INLINE double sum_of(const FourLanes& a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}
LOCDYN_INLINE double largest_of(const FourLanes& a) {
  return std::max({a[0], a[1], a[2], a[3]});
}
LOCDYN_INLINE void add_squares(const FourVectors& a, FourLanes& sum) {
  sum = a.x * a.x + a.y * a.y + a.z * a.z;
}

// ‖R − P_K(R − ρ Û)‖², the projection as in `project_on_cone`.
LOCDYN_INLINE void natural_map2(const FourVectors& R, const FourVectors& U_hat, const FourLanes& mu,
                                const FourLanes& rho, FourLanes& map2) {
  const FourVectors z = {R.x - rho * U_hat.x, R.y - rho * U_hat.y, R.z - rho * U_hat.z};
  FourLanes tangent;
  norm_in_plane(z.x, z.y, tangent);
  const FourLanes along = mu * tangent + z.z, normal = along / (1 + mu * mu), scale = mu * normal / tangent, none = {};
  const FourTruths within = (tangent <= mu * z.z) & (z.z >= 0), opposite = along <= 0;
  add_squares({R.x - (within     ? z.x
                      : opposite ? none
                                 : scale * z.x),
               R.y - (within     ? z.y
                      : opposite ? none
                                 : scale * z.y),
               R.z - (within     ? z.z
                      : opposite ? none
                                 : normal)},
              map2);
}

// R, B, U and W lie one behind the other in a row, μ and σ in a law.
static_assert(offsetof(DiagonalBlock, R) == 0 && offsetof(DiagonalBlock, B) == 3 * sizeof(double) &&
              offsetof(DiagonalBlock, U) == 6 * sizeof(double) && offsetof(DiagonalBlock, W) == 9 * sizeof(double));
static_assert(offsetof(ContactLaw, friction) == 0 && offsetof(ContactLaw, shift) == sizeof(double));

LOCDYN_INLINE void take_terms(const std::array<const DiagonalBlock*, 4>& rows,
                              const std::array<const ContactLaw*, 4>& laws, FourContactTerms& terms) {
  std::array<const double*, 4> numbers, coefficients;
  for (int i = 0; i < 4; ++i) {
    numbers[i] = reinterpret_cast<const double*>(rows[i]);
    coefficients[i] = reinterpret_cast<const double*>(laws[i]);
  }
  FourVectors R, B, U, law;
  FourLanes rest, W00, shift_n;
  gather_vectors(numbers, 0, R, rest);
  gather_vectors(numbers, 3, B, rest);
  gather_vectors(numbers, 6, U, W00);
  gather_vectors(coefficients, 0, law, shift_n);
  const FourLanes& mu = law.x;
  const FourVectors shift = {law.y, law.z, shift_n};
  FourLanes trace = W00;
  for (int i = 0; i < 4; ++i) trace[i] += rows[i]->W(1, 1) + rows[i]->W(2, 2);
  const FourLanes one = FourLanes{} + 1, rho = trace > kLeastTrace ? 3 / trace : one;

  FourVectors U_hat = {U.x + shift.x, U.y + shift.y, U.z + shift.z};
  FourLanes normal_velocity = U_hat.z, slip, sticking, scaled2, absolute2, b2, R2;
  norm_in_plane(U_hat.x, U_hat.y, slip);
  U_hat.z += mu * slip;
  natural_map2(R, U_hat, mu, rho, scaled2);
  natural_map2(R, U_hat, mu, one, absolute2);
  store_lanes(scaled2 / (rho * rho), terms.scaled2.data());
  add_squares({B.x + shift.x, B.y + shift.y, B.z + shift.z}, b2);
  add_squares(R, R2);
  terms.absolute2 = sum_of(absolute2);
  terms.b2 = sum_of(b2);
  terms.R2 = sum_of(R2);

  norm_in_plane(R.x, R.y, sticking);
  const FourLanes outside = sticking - mu * R.z, pulls = -R.z;
  FourLanes power = R.z * normal_velocity;
  absolute_lanes(trace, trace);
  absolute_lanes(power, power);
  terms.trace = largest_of(trace);
  terms.cone = largest_of(outside > pulls ? outside : pulls);
  terms.penetration = largest_of(-normal_velocity);
  terms.complementarity = largest_of(power);
}

#undef LOCDYN_INLINE

[[gnu::noinline]] void take_anywhere(const std::array<const DiagonalBlock*, 4>& rows,
                                     const std::array<const ContactLaw*, 4>& laws, FourContactTerms& terms) {
  take_terms(rows, laws, terms);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void take_avx2(const std::array<const DiagonalBlock*, 4>& rows,
                                       const std::array<const ContactLaw*, 4>& laws, FourContactTerms& terms) {
  take_terms(rows, laws, terms);
}
#endif

}  // namespace

FourContactTerms terms_of_four(const std::array<const DiagonalBlock*, 4>& rows,
                               const std::array<const ContactLaw*, 4>& laws) {
  FourContactTerms terms;
#if defined(__x86_64__)
  if (has_avx2()) {
    take_avx2(rows, laws, terms);
    return terms;
  }
#endif
  take_anywhere(rows, laws, terms);
  return terms;
}

}  // namespace locdyn::detail
