#pragma once
// What the processor offers beside the instructions that every build may use, for kernels compiled for both and chosen
// at run time.

namespace locdyn::detail {

#if defined(__x86_64__)
/// AVX2 with fused multiply and add.
[[nodiscard]] inline bool has_avx2() noexcept {
  static const bool known = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return known;
}

/// The same and AVX-512.
[[nodiscard]] inline bool has_avx512() noexcept {
  static const bool known = has_avx2() && __builtin_cpu_supports("avx512f") != 0;
  return known;
}
#endif

}  // namespace locdyn::detail
