#include <locdyn/solver/newton/dense_panels.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>

namespace locdyn::detail {
namespace {

// --- dst −= Aᵀ S -----------------------------------------------------------------------------------------------------

// `kTiles` times `Lanes` columns of `kRows` rows of the result at once, all in registers.
template <class Lanes, int kTiles, int kRows, int kInner>
[[gnu::always_inline]] inline void subtract_columns(const PanelFactors& f, int row, int column, double* dst,
                                                    int dst_stride) {
  constexpr int kLanes = sizeof(Lanes) / sizeof(double);
  const int inner = kInner > 0 ? kInner : f.inner;
  Lanes sum[kRows][kTiles], x[kTiles];
  double* to = dst + row * dst_stride + column;
  for (int r = 0; r < kRows; ++r) {
    for (int t = 0; t < kTiles; ++t) load_lanes(to + r * dst_stride + t * kLanes, sum[r][t]);
  }
  for (int s = 0; s < inner; ++s) {
    const double* a = f.A + s * f.stride + row;
    for (int t = 0; t < kTiles; ++t) load_lanes(f.S + s * f.stride + column + t * kLanes, x[t]);
    for (int r = 0; r < kRows; ++r) {
      for (int t = 0; t < kTiles; ++t) sum[r][t] -= a[r] * x[t];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int t = 0; t < kTiles; ++t) store_lanes(sum[r][t], to + r * dst_stride + t * kLanes);
  }
}

template <class Widest, int kRows, int kInner>
[[gnu::always_inline]] inline void subtract_rows(const PanelFactors& f, int row, int length, double* dst,
                                                 int dst_stride) {
  constexpr int kLanes = sizeof(Widest) / sizeof(double);
  int column = 0;
  for (; column + 2 * kLanes <= length; column += 2 * kLanes) {
    subtract_columns<Widest, 2, kRows, kInner>(f, row, column, dst, dst_stride);
  }
  if (column + kLanes <= length) {
    subtract_columns<Widest, 1, kRows, kInner>(f, row, column, dst, dst_stride);
    column += kLanes;
  }
  if (kLanes > 4 && column + 4 <= length) {
    subtract_columns<FourLanes, 1, kRows, kInner>(f, row, column, dst, dst_stride);
    column += 4;
  }
  if (column + 2 <= length) {
    subtract_columns<TwoLanes, 1, kRows, kInner>(f, row, column, dst, dst_stride);
    column += 2;
  }
  if (column < length) subtract_columns<double, 1, kRows, kInner>(f, row, column, dst, dst_stride);
}

template <class Widest>
[[gnu::always_inline]] inline void subtract_anywhere(const PanelFactors& f, int rows, int length, double* dst,
                                                     int dst_stride) {
  if (f.inner == 6 && rows == 6) return subtract_rows<Widest, 6, 6>(f, 0, length, dst, dst_stride);
  int row = 0;
  for (; row + 3 <= rows; row += 3) subtract_rows<FourLanes, 3, 0>(f, row, length, dst, dst_stride);
  for (; row < rows; ++row) subtract_rows<FourLanes, 1, 0>(f, row, length, dst, dst_stride);
}

// --- T ← Dᵀ T --------------------------------------------------------------------------------------------------------

template <class Lanes>
[[gnu::always_inline]] inline void turn_columns(const double* D, double* T, int width) {
  Lanes before[6];
  for (int s = 0; s < 6; ++s) load_lanes(T + s * width, before[s]);
  for (int i = 0; i < 6; ++i) {
    Lanes sum = D[i] * before[0];
    for (int s = 1; s < 6; ++s) sum += D[6 * s + i] * before[s];
    store_lanes(sum, T + i * width);
  }
}

[[gnu::always_inline]] inline void turn_six_anywhere(const double* D, double* T, int width) {
  int c = 0;
  for (; c + 4 <= width; c += 4) turn_columns<FourLanes>(D, T + c, width);
  for (; c + 2 <= width; c += 2) turn_columns<TwoLanes>(D, T + c, width);
  for (; c < width; ++c) turn_columns<double>(D, T + c, width);
}

// --- panels and vectors ----------------------------------------------------------------------------------------------

// `kSize` rows of P at a time: what they add to is read and written once.
template <class Lanes, int kSize>
[[gnu::always_inline]] inline void add_rows(const double* P, int width, const double* x, double* sum) {
  Lanes lanes, p;
  load_lanes(sum, lanes);
  for (int s = 0; s < kSize; ++s) {
    load_lanes(P + s * width, p);
    lanes += x[s] * p;
  }
  store_lanes(lanes, sum);
}

template <int kSize>
[[gnu::always_inline]] inline void add_transposed_rows(const double* P, int width, const double* x, double* sum) {
  int c = 0;
  for (; c + 4 <= width; c += 4) add_rows<FourLanes, kSize>(P + c, width, x, sum + c);
  for (; c < width; ++c) add_rows<double, kSize>(P + c, width, x, sum + c);
}

[[gnu::always_inline]] inline void add_transposed_anywhere(const double* P, int size, int width, const double* x,
                                                           double* sum) {
  int s = 0;
  for (; s + 6 <= size; s += 6) add_transposed_rows<6>(P + s * width, width, x + s, sum);
  for (; s < size; ++s) add_transposed_rows<1>(P + s * width, width, x + s, sum);
}

// `kSize` is that of P where it is not 0.
template <int kSize>
[[gnu::always_inline]] inline void transposed_times_four_sized(const double* P, int size, int width, const double* X,
                                                               double* product) {
  const int rows = kSize > 0 ? kSize : size;
  for (int c = 0; c < width; ++c) {
    FourLanes sum = {}, x;
    const double* p = P + c;
    for (int s = 0; s < rows; ++s, p += width) {
      load_lanes(X + 4 * s, x);
      sum += *p * x;
    }
    store_lanes(sum, product + 4 * c);
  }
}

[[gnu::always_inline]] inline void transposed_times_four_anywhere(const double* P, int size, int width, const double* X,
                                                                  double* product) {
  if (size == 6) return transposed_times_four_sized<6>(P, size, width, X, product);
  transposed_times_four_sized<0>(P, size, width, X, product);
}

[[gnu::always_inline]] inline void subtract_times_anywhere(const double* P, int size, int width, const double* x,
                                                           double* y) {
  for (int s = 0; s < size; ++s, P += width) {
    FourLanes four = {};
    int c = 0;
    for (; c + 4 <= width; c += 4) {
      FourLanes p, q;
      load_lanes(P + c, p);
      load_lanes(x + c, q);
      four += p * q;
    }
    double sum = (four[0] + four[1]) + (four[2] + four[3]);
    for (; c < width; ++c) sum += P[c] * x[c];
    y[s] -= sum;
  }
}

// --- D ← D⁻¹ ---------------------------------------------------------------------------------------------------------

// A row of D in registers: its six numbers, and two that nobody looks at.
struct Six {
  FourLanes head, tail;
};

[[gnu::always_inline]] inline void load_six(const double* from, Six& row) {
  load_lanes(from, row.head);
  load_lanes(from + 4, row.tail);
}
[[gnu::always_inline]] inline void store_six(const Six& row, double* to) {
  store_lanes(row.head, to);
  store_lanes(row.tail, to + 4);
}
template <int k>
[[gnu::always_inline]] inline double number(const Six& row) {
  return k < 4 ? row.head[k % 4] : row.tail[k % 4];
}
template <int k>
[[gnu::always_inline]] inline void set_number(double x, Six& row) {
  constexpr FourTruths kOwn = {k % 4 == 0 ? -1 : 0, k % 4 == 1 ? -1 : 0, k % 4 == 2 ? -1 : 0, k % 4 == 3 ? -1 : 0};
  const FourLanes all = {x, x, x, x};
  FourLanes& lanes = k < 4 ? row.head : row.tail;
  lanes = kOwn ? all : lanes;
}

template <int k>
[[gnu::always_inline]] inline void subtract_pivot(const Six& pivot, Six& row) {
  const double factor = number<k>(row);
  set_number<k>(0, row);
  row.head -= factor * pivot.head;
  row.tail -= factor * pivot.tail;
}

// Is the pivot of column k no smaller than a tenth of what stands below it?
template <int k, class... Below>
[[gnu::always_inline]] inline bool holds(const Six& pivot, const Below&... below) {
  const double most = 10 * std::abs(number<k>(pivot));
  return ((most > 0) && ... && (std::abs(number<k>(below)) <= most));
}

// Column k of D becomes that of D⁻¹, by Gauss and Jordan in place.
template <int k, class... Others>
[[gnu::always_inline]] inline void exchange(Six& pivot, Others&... others) {
  const double inverse = 1 / number<k>(pivot);
  set_number<k>(1, pivot);
  pivot.head *= inverse;
  pivot.tail *= inverse;
  (subtract_pivot<k>(pivot, others), ...);
}

template <int n>
bool invert_sized(double* values, int size) {
  using Square = Eigen::Matrix<double, n, n, n == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
  Eigen::Map<Square> D(values, size, size);
  const Square inverse = D.partialPivLu().inverse();
  D = inverse;
  return std::isfinite(D.sum());
}

// Without exchanging rows, which few blocks of bodies ask for: by rows that have names, since compilers keep arrays of
// registers in memory: 33 ns in place of 80 to 130 with them.
[[gnu::always_inline]] inline bool invert_six_anywhere(double* D) {
  double end[8] = {};  // no row reads behind D
  std::copy_n(D + 30, 6, end);
  Six a, b, c, d, e, f;
  load_six(D, a);
  load_six(D + 6, b);
  load_six(D + 12, c);
  load_six(D + 18, d);
  load_six(D + 24, e);
  load_six(end, f);
  bool all_hold = holds<0>(a, b, c, d, e, f);
  exchange<0>(a, b, c, d, e, f);
  all_hold &= holds<1>(b, c, d, e, f);
  exchange<1>(b, a, c, d, e, f);
  all_hold &= holds<2>(c, d, e, f);
  exchange<2>(c, a, b, d, e, f);
  all_hold &= holds<3>(d, e, f);
  exchange<3>(d, a, b, c, e, f);
  all_hold &= holds<4>(e, f);
  exchange<4>(e, a, b, c, d, f);
  all_hold &= holds<5>(f);
  exchange<5>(f, a, b, c, d, e);
  if (!all_hold) return false;
  store_six(a, D);
  store_six(b, D + 6);
  store_six(c, D + 12);
  store_six(d, D + 18);
  store_six(e, D + 24);
  store_six(f, end);
  std::copy_n(end, 6, D + 30);
  return std::isfinite(std::accumulate(D, D + 36, 0.0));
}

#if defined(__x86_64__)
using EightLanes = double __attribute__((vector_size(64)));

[[gnu::target("avx512f,avx2,fma")]] void subtract_avx512(const PanelFactors& f, int rows, int length, double* dst,
                                                         int dst_stride) {
  subtract_anywhere<EightLanes>(f, rows, length, dst, dst_stride);
}
[[gnu::target("avx2,fma")]] void subtract_avx2(const PanelFactors& f, int rows, int length, double* dst,
                                               int dst_stride) {
  subtract_anywhere<FourLanes>(f, rows, length, dst, dst_stride);
}
[[gnu::target("avx2,fma")]] void turn_six_avx2(const double* D, double* T, int width) {
  turn_six_anywhere(D, T, width);
}
[[gnu::target("avx2,fma")]] void add_transposed_avx2(const double* P, int size, int width, const double* x,
                                                     double* sum) {
  add_transposed_anywhere(P, size, width, x, sum);
}
[[gnu::target("avx2,fma")]] void transposed_times_four_avx2(const double* P, int size, int width, const double* X,
                                                            double* product) {
  transposed_times_four_anywhere(P, size, width, X, product);
}
[[gnu::target("avx2,fma")]] void subtract_times_avx2(const double* P, int size, int width, const double* x, double* y) {
  subtract_times_anywhere(P, size, width, x, y);
}
[[gnu::target("avx2,fma")]] bool invert_six_avx2(double* D) {
  return invert_six_anywhere(D);
}
#endif

bool invert_six(double* D) {
#if defined(__x86_64__)
  if (has_avx2()) return invert_six_avx2(D);
#endif
  return invert_six_anywhere(D);
}

}  // namespace

void subtract_product(const PanelFactors& f, int rows, int length, double* dst, int dst_stride) {
#if defined(__x86_64__)
  if (has_avx512()) return subtract_avx512(f, rows, length, dst, dst_stride);
  if (has_avx2()) return subtract_avx2(f, rows, length, dst, dst_stride);
#endif
  subtract_anywhere<FourLanes>(f, rows, length, dst, dst_stride);
}

void turn_panel(const double* D, int size, double* T, int width) {
  if (size != 6) {
    using Panel = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<Panel> panel(T, size, width);
    panel = (Eigen::Map<const Panel>(D, size, size).transpose() * panel).eval();
    return;
  }
#if defined(__x86_64__)
  if (has_avx2()) return turn_six_avx2(D, T, width);
#endif
  turn_six_anywhere(D, T, width);
}

void add_transposed_times(const double* P, int size, int width, const double* x, double* sum) {
#if defined(__x86_64__)
  if (has_avx2()) return add_transposed_avx2(P, size, width, x, sum);
#endif
  add_transposed_anywhere(P, size, width, x, sum);
}

void transposed_times_four(const double* P, int size, int width, const double* X, double* product) {
#if defined(__x86_64__)
  if (has_avx2()) return transposed_times_four_avx2(P, size, width, X, product);
#endif
  transposed_times_four_anywhere(P, size, width, X, product);
}

void subtract_times(const double* P, int size, int width, const double* x, double* y) {
#if defined(__x86_64__)
  if (has_avx2()) return subtract_times_avx2(P, size, width, x, y);
#endif
  subtract_times_anywhere(P, size, width, x, y);
}

bool invert(double* D, int n) {
  if (n == 3) return invert_sized<3>(D, n);
  if (n != 6) return invert_sized<Eigen::Dynamic>(D, n);
  return invert_six(D) || invert_sized<6>(D, n);
}

}  // namespace locdyn::detail
