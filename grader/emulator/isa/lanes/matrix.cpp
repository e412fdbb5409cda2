// D = A·B + C of mma and wmma.
//
// Floating point as Hopper's tensor cores do it (Xie and others, arXiv 2511.10909; Khattak and Mikaitis,
// arXiv 2512.07004), bit for bit on an H200: all k products of an element and its c are one sum. Products are
// exact. Each term is cut off, towards zero, 25 binary places below the largest exponent among them, where a
// product's exponent is the sum of its factors'; the terms are added exactly, and the sum is cut off to f32,
// or rounded to nearest for f16. f64 is a chain of fused multiply-adds, k ascending.
//
// Hopper's compiler composes the forms that have no unit, and so does this file. m8n8k4 of f16 is a chain of
// fused multiply-adds in f32. 8-bit floats are two products of f16, the lower two of every four k and then
// the upper two, summed from zero. Both add c at the end, by an ordinary addition.
#include "isa/matrix.hpp"
#include "isa/functors/formats.hpp"
#include "isa/tables.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

constexpr int kPlaces = 25;                      // kept of each term below the largest exponent
constexpr int kLeastExponent = -133;             // the least exponent that terms are aligned to
constexpr int kZero = -1023, kNotFinite = 4096;  // stand for exponents of 0, and of infinity and NaN
constexpr int kMostElements = 1024;              // elements of A or B: m16n8k64, 4 of m8n8k4
constexpr int kMostResults = 256;

// ---- registers to numbers

template <Element kElement>
static inline double to_double(std::uint32_t bits) {
  if constexpr (kElement == Element::f16) return static_cast<double>(half_to_float(bits));
  if constexpr (kElement == Element::bf16) return static_cast<double>(brain_to_float(bits));
  if constexpr (kElement == Element::e4m3) return static_cast<double>(e4m3_to_float(bits));
  if constexpr (kElement == Element::e5m2) return static_cast<double>(e5m2_to_float(bits));
  if constexpr (kElement == Element::tf32) return static_cast<double>(from_bits(bits & 0xffffe000u));
  return static_cast<double>(from_bits(bits));
}

// The least exponent of normal numbers; subnormal numbers have it too.
constexpr int least_exponent(Element element) {
  switch (element) {
    case Element::f16:
    case Element::e4m3:  // as f16, in which it is multiplied
    case Element::e5m2:
      return -14;
    default:
      return -126;
  }
}

// A matrix of numbers, with the exponents that they are aligned by.
template <int kMost>
struct Numbers {
  alignas(64) double value[kMost];
  alignas(64) std::int32_t exponent[kMost];
};

template <Element kElement, int kMost>
static inline void unpack_as(const Fragment& f, const std::uint32_t* slots, const std::byte* frame,
                             Numbers<kMost>& to) {
  constexpr int bits = kElement == Element::f16 || kElement == Element::bf16    ? 16
                       : kElement == Element::e4m3 || kElement == Element::e5m2 ? 8
                                                                                : 32;
  for (int reg = 0; reg < f.distinct; ++reg) {
    const auto* lanes = reinterpret_cast<const std::uint32_t*>(frame + slots[reg]);
    for (int part = 0; part < 32 / bits; ++part) {
      const std::uint16_t* position = f.position + (reg * f.packed + part) * kWarpSize;
      alignas(64) double value[kWarpSize];
      alignas(64) std::int32_t exponent[kWarpSize];
      for (int lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t raw = lanes[lane] >> part * (bits % 32);
        const double x = to_double<kElement>(bits == 32 ? raw : raw & ((1u << bits % 32) - 1));
        const auto biased = static_cast<std::int32_t>(to_bits(x) >> 52 & 0x7ff);
        const std::int32_t normal =
            biased - 1023 < least_exponent(kElement) ? least_exponent(kElement) : biased - 1023;
        value[lane] = x;
        exponent[lane] = biased == 0 ? kZero : (biased == 0x7ff ? kNotFinite : normal);
      }
      for (int lane = 0; lane < kWarpSize; ++lane) {
        to.value[position[lane]] = value[lane];
        to.exponent[position[lane]] = exponent[lane];
      }
    }
  }
}

template <int kMost>
void unpack(const Fragment& f, const std::uint32_t* slots, const std::byte* frame, Numbers<kMost>& to) {
  switch (f.element) {
    case Element::f16:
      return unpack_as<Element::f16>(f, slots, frame, to);
    case Element::bf16:
      return unpack_as<Element::bf16>(f, slots, frame, to);
    case Element::e4m3:
      return unpack_as<Element::e4m3>(f, slots, frame, to);
    case Element::e5m2:
      return unpack_as<Element::e5m2>(f, slots, frame, to);
    case Element::tf32:
      return unpack_as<Element::tf32>(f, slots, frame, to);
    default:
      return unpack_as<Element::f32>(f, slots, frame, to);
  }
}

// ---- sums

static inline float cut_off(double x) {
  const auto nearest = static_cast<float>(x);
  const bool outside = __builtin_fabs(static_cast<double>(nearest)) > __builtin_fabs(x);
  const bool overflow = __builtin_fabs(x) >= 0x1p128;
  return from_bits(to_bits(nearest) - (outside && !overflow ? 1u : 0u)) + 0.0f;  // a sum of nothing is +0
}

// Elements of a row of D that are computed at once. With AVX but without AVX-512, GCC converts four doubles
// at once, but eight one by one. With SSE alone, eight are fastest.
#if defined(__AVX__) && !defined(__AVX512F__)
constexpr int kTogether = 4;
#else
constexpr int kTogether = 8;
#endif
#pragma GCC diagnostic ignored "-Wpsabi"  // they never leave this file
typedef double Doubles __attribute__((vector_size(8 * kTogether)));
typedef std::int32_t Integers __attribute__((vector_size(4 * kTogether)));
typedef std::int64_t Longs __attribute__((vector_size(8 * kTogether)));

template <class Vector, class Number>
static inline Vector load(const Number* from) {
  Vector all;
  __builtin_memcpy(&all, from, sizeof all);
  return all;
}

// The factors and terms of kTogether sums: a row of A, and as many columns of B and elements of C.
struct Row {
  const double* a;
  const std::int32_t* a_exponent;
  const double* b;
  const std::int32_t* b_exponent;
  const double* c;
  const std::int32_t* c_exponent;
  int k, n;
};

static inline void sum_plainly(const Row& row, const std::int32_t* largest, double* d) {
  for (int j = 0; j < kTogether; ++j) {
    if (largest[j] <= kNotFinite / 2) continue;
    d[j] = row.c[j];
    for (int i = 0; i < row.k; ++i) d[j] += row.a[i] * row.b[i * row.n + j];
  }
}

static inline void sum_some(const Row& row, double* d) {
  Integers largest = load<Integers>(row.c_exponent);
  largest = largest > kLeastExponent ? largest : Integers{} + kLeastExponent;
  for (int i = 0; i < row.k; ++i) {
    const Integers exponent = load<Integers>(row.b_exponent + i * row.n) + row.a_exponent[i];
    largest = exponent > largest ? exponent : largest;
  }
  const Longs biased = 1023 + kPlaces - __builtin_convertvector(largest, Longs);
  const Doubles scale = reinterpret_cast<const Doubles&>(static_cast<const Longs&>(biased << 52));
  const auto cut = [](const Doubles& x) {  // below 2^27 each: the conversion to an integer cuts off
    return __builtin_convertvector(__builtin_convertvector(x, Integers), Doubles);
  };
  Doubles sum = cut(load<Doubles>(row.c) * scale);
  for (int i = 0; i < row.k; ++i) sum += cut(load<Doubles>(row.b + i * row.n) * row.a[i] * scale);
  const Doubles result = sum / scale;
  __builtin_memcpy(d, &result, sizeof result);
  std::int32_t each[kTogether], most = 0;
  __builtin_memcpy(each, &largest, sizeof each);
  for (int j = 0; j < kTogether; ++j) most = each[j] > most ? each[j] : most;
  if (most > kNotFinite / 2) sum_plainly(row, each, d);  // infinities and NaNs follow the ordinary rules
}

struct FloatTile {
  Numbers<kMostElements> a, b;
  Numbers<kMostResults> c;
  alignas(64) double d[kMostResults];
};

void sum_at_once(FloatTile& tile, const MatrixShape& shape, int matrices) {
  const int k = shape.k, n = shape.n;
  for (int i = 0; i < shape.m * matrices; ++i)
    for (int j = 0; j < n; j += kTogether) {
      const int a = i * k, b = i / shape.m * k * n + j, c = i * n + j;
      sum_some({tile.a.value + a, tile.a.exponent + a, tile.b.value + b, tile.b.exponent + b,
                tile.c.value + c, tile.c.exponent + c, k, n},
               tile.d + c);
    }
}

// One 32-bit register of D for each lane, from the numbers of its elements.
template <class Encode>
static inline void pack(const Fragment& d, std::byte* result, Encode encode) {
  for (int reg = 0; reg < d.distinct; ++reg) {
    auto* to = reinterpret_cast<std::uint32_t*>(result) + reg * kWarpSize;
    const std::uint16_t* position = d.position + reg * d.packed * kWarpSize;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = encode(position[lane]);
      if (d.packed == 2) to[lane] |= encode(position[kWarpSize + lane]) << 16;
    }
  }
}

// A sum as it comes out of the unit.
static inline double rounded(Element to, double x) {
  if (x != x) return x;
  if (to != Element::f16) return static_cast<double>(cut_off(x));
  return static_cast<double>(
      half_to_float(static_cast<std::uint32_t>(encode<Binary16, Round::nearest_even>(x))));
}

void set_c(FloatTile& tile, int i, Element element, double x) {
  const auto biased = static_cast<std::int32_t>(to_bits(x) >> 52 & 0x7ff);
  const std::int32_t least = least_exponent(element);
  const std::int32_t finite = biased - 1023 < least ? least : biased - 1023;
  tile.c.value[i] = x;
  tile.c.exponent[i] = biased == 0 ? kZero : biased == 0x7ff ? kNotFinite : finite;
}

// Copies half of every row of A and column of B: the first or second half of the k or, if `interleaved`, the
// lower or upper two of every four k.
void take_half(const FloatTile& from, const MatrixShape& shape, bool interleaved, int part, FloatTile& to) {
  const int k = shape.k, n = shape.n, half = k / 2;
  for (int i = 0; i < half; ++i) {
    const int source = interleaved ? i / 2 * 4 + part * 2 + i % 2 : part * half + i;
    for (int row = 0; row < shape.m; ++row) {
      to.a.value[row * half + i] = from.a.value[row * k + source];
      to.a.exponent[row * half + i] = from.a.exponent[row * k + source];
    }
    for (int column = 0; column < n; ++column) {
      to.b.value[i * n + column] = from.b.value[source * n + column];
      to.b.exponent[i * n + column] = from.b.exponent[source * n + column];
    }
  }
}

// Sums up one half of the products after the other. `late`: begins at zero, and adds c at the end.
void sum_in_halves(FloatTile& tile, const MatrixPlan& plan, bool late) {
  const MatrixShape& shape = plan.form.shape;
  const int results = shape.m * shape.n;
  const Element to = plan.d.element;
  FloatTile part;
  for (int i = 0; i < results; ++i) set_c(part, i, to, late ? 0.0 : tile.c.value[i]);
  for (int half = 0; half < 2; ++half) {
    take_half(tile, shape, late, half, part);
    sum_at_once(part, {shape.m, shape.n, static_cast<std::uint16_t>(shape.k / 2)}, 1);
    for (int i = 0; i < results; ++i) set_c(part, i, to, rounded(to, part.d[i]));
  }
  for (int i = 0; i < results; ++i) {
    const double sum = part.c.value[i] + (late ? tile.c.value[i] : 0.0);  // rounded twice, as once
    tile.d[i] = to == Element::f16 ? sum : static_cast<double>(static_cast<float>(sum));
  }
}

void sum_in_a_chain(FloatTile& tile, const MatrixPlan& plan) {
  const int m = plan.form.shape.m, n = plan.form.shape.n, depth = plan.form.shape.k;
  const float start = plan.d.element == Element::f16 ? -0.0F : 0.0F;  // the chain of f32 loses a −0
  for (int i = 0; i < m * plan.a.matrices; ++i)
    for (int j = 0; j < n; ++j) {
      const double *a = tile.a.value + i * depth, *b = tile.b.value + i / m * depth * n + j;
      float sum = start;
      for (int k = 0; k < depth; ++k)
        sum = __builtin_fmaf(static_cast<float>(a[k]), static_cast<float>(b[k * n]), sum);
      const double total = static_cast<double>(sum) + tile.c.value[i * n + j];
      tile.d[i * n + j] = static_cast<double>(static_cast<float>(total));
    }
}

void multiply_floats(const MatrixPlan& plan, const std::byte* frame, std::byte* result) {
  FloatTile tile;
  unpack(plan.a, &plan.a_slot[0], frame, tile.a);
  unpack(plan.b, &plan.b_slot[0], frame, tile.b);
  unpack(plan.c, &plan.c_slot[0], frame, tile.c);
  const bool chained = plan.a.matrices > 1, late = plan.a.packed == 4;
  if (chained)
    sum_in_a_chain(tile, plan);
  else if (late || (plan.form.is_wmma && plan.a.element == Element::tf32))
    sum_in_halves(tile, plan, late);
  else
    sum_at_once(tile, plan.form.shape, 1);
  if (plan.d.element == Element::f16) {
    pack(plan.d, result,
         [&](int i) { return static_cast<std::uint32_t>(encode<Binary16, Round::nearest_even>(tile.d[i])); });
    return;
  }
  const bool is_exact = !chained && !late;  // the others are rounded already, and keep −0
  pack(plan.d, result, [&](int i) {
    const double x = tile.d[i];
    return x != x ? 0x7fffffffu : to_bits(is_exact ? cut_off(x) : static_cast<float>(x));
  });
}

// ---- f64

void unpack_doubles(const Fragment& f, const std::uint32_t* slots, const std::byte* frame, double* to) {
  for (int reg = 0; reg < f.distinct; ++reg) {
    const auto* lanes = reinterpret_cast<const double*>(frame + slots[reg]);
    for (int lane = 0; lane < kWarpSize; ++lane) to[f.position[reg * kWarpSize + lane]] = lanes[lane];
  }
}

void multiply_doubles(const MatrixPlan& plan, const std::byte* frame, std::byte* result) {
  alignas(64) double a[kMostResults], b[kMostResults], c[kMostResults];
  unpack_doubles(plan.a, &plan.a_slot[0], frame, a);
  unpack_doubles(plan.b, &plan.b_slot[0], frame, b);
  unpack_doubles(plan.c, &plan.c_slot[0], frame, c);
  const MatrixShape& s = plan.form.shape;
  for (int i = 0; i < s.m; ++i)
    for (int k = 0; k < s.k; ++k)
      for (int j = 0; j < 8; ++j)
        c[i * 8 + j] = Float<FloatMultiplyAdd>::apply(a[i * s.k + k], b[k * 8 + j], c[i * 8 + j]);
  for (int reg = 0; reg < plan.d.distinct; ++reg) {
    auto* to = reinterpret_cast<double*>(result) + reg * kWarpSize;
    for (int lane = 0; lane < kWarpSize; ++lane) to[lane] = c[plan.d.position[reg * kWarpSize + lane]];
  }
}

// ---- integers

constexpr int kMostIntegers = 4096;  // elements of A: m16n8k256

void unpack_integers(const Fragment& f, const std::uint32_t* slots, const std::byte* frame,
                     std::int32_t* to) {
  const int bits = 32 / f.packed;
  const bool is_signed = f.element == Element::s8 || f.element == Element::s4 || f.element == Element::s32;
  for (int reg = 0; reg < f.distinct; ++reg) {
    const auto* lanes = reinterpret_cast<const std::uint32_t*>(frame + slots[reg]);
    for (int part = 0; part < f.packed; ++part) {
      const std::uint16_t* position = f.position + (reg * f.packed + part) * kWarpSize;
      for (int lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t raised = lanes[lane] << (32 - bits * (part + 1));
        to[position[lane]] = is_signed ? static_cast<std::int32_t>(raised) >> (32 - bits)
                                       : static_cast<std::int32_t>(raised >> (32 - bits));
      }
    }
  }
}

void multiply_integers(const MatrixPlan& plan, const std::byte* frame, std::byte* result) {
  alignas(64) std::int32_t a[kMostIntegers], b[kMostIntegers / 2], c[kMostResults];
  unpack_integers(plan.a, &plan.a_slot[0], frame, a);
  unpack_integers(plan.b, &plan.b_slot[0], frame, b);
  unpack_integers(plan.c, &plan.c_slot[0], frame, c);
  const MatrixShape& s = plan.form.shape;
  const bool exclusive = plan.form.exclusive;  // xor of single bits; their and is a·b
  for (int i = 0; i < s.m; ++i)
    for (int j = 0; j < s.n; j += kTogether) {
      Integers sum = {};  // at most 64·255², or 256 bits
      for (int k = 0; k < s.k; ++k) {
        const Integers y = load<Integers>(b + k * s.n + j);
        sum += exclusive ? a[i * s.k + k] ^ y : a[i * s.k + k] * y;
      }
      for (int column = 0; column < kTogether; ++column) {
        std::int32_t& to = c[i * s.n + j + column];
        const std::int64_t exact = std::int64_t{to} + sum[column];
        const std::int64_t limited = exact > INT32_MAX ? INT32_MAX : (exact < INT32_MIN ? INT32_MIN : exact);
        to = static_cast<std::int32_t>(plan.form.satfinite ? limited : exact);
      }
    }
  pack(plan.d, result, [&](int i) { return static_cast<std::uint32_t>(c[i]); });
}

void multiply(const MatrixPlan& plan, const std::byte* frame, std::byte* result) {
  if (plan.d.element == Element::s32)
    multiply_integers(plan, frame, result);
  else if (plan.d.element == Element::f64)
    multiply_doubles(plan, frame, result);
  else
    multiply_floats(plan, frame, result);
}

}  // namespace

extern constinit const MatrixMath matrix_math{multiply};

}  // namespace warpgrade::isa::WARPGRADE_LANES
