#pragma once
// The dense kernels of a sparse LU by blocks: panels of a few rows (that of a body: six) and many columns, stored row
// by row without gaps. All take what the processor offers (AVX2, AVX-512); the bits of a result do not depend on which
// of the two.

namespace locdyn::detail {

/// A (inner × rows) and S (inner × length), row by row, their rows `stride` numbers apart.
struct PanelFactors {
  const double* A;
  const double* S;
  int stride;
  int inner;
};

/// dst (rows × length) −= Aᵀ S; the rows of `dst` are `dst_stride` numbers apart.
void subtract_product(const PanelFactors& f, int rows, int length, double* dst, int dst_stride);

/// T (size × width) ← Dᵀ T, D (size × size).
void turn_panel(const double* D, int size, double* T, int width);

/// sum (width) += Pᵀ x, P (size × width).
void add_transposed_times(const double* P, int size, int width, const double* x, double* sum);

/// The same of four columns side by side, from zero: product (width × 4) = Pᵀ X, X (size × 4).
void transposed_times_four(const double* P, int size, int width, const double* X, double* product);

/// y (size) −= P x, P (size × width).
void subtract_times(const double* P, int size, int width, const double* x, double* y);

/// D ← D⁻¹ (n×n); rows change places where a pivot is small beside its column. False, and D worthless, where it is
/// singular.
[[nodiscard]] bool invert(double* D, int n);

}  // namespace locdyn::detail
