// Matrix instructions: fragments as the manual draws them, and every form against a reference of its own.
#include "isa/matrix.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "isa/fidelity.hpp"
#include "isa/variant.hpp"
#include "tests/emulator/isa/exact.hpp"
#include "tests/emulator/isa/matrix_cases.hpp"
#include "tests/emulator/support/checkout.hpp"

using namespace warpgrade;
using isa::Element;
using isa::Fragment;
using isa::MatrixForm;
using isa::MatrixRole;
using isa::reference::Exact;
using isa::reference::Format;
using isa::reference::Mode;
using isa::reference::Number;

namespace {

MatrixForm form(const char* text) { return isa::matrix_cases::form_of({text, nullptr, {}, {}, {}, ""}); }

// Row and column of a lane's i-th element.
std::pair<unsigned, unsigned> at(const Fragment& f, int i, int lane) {
  const std::uint32_t place = f.place(i / f.packed, i % f.packed, lane);
  return {place / f.columns, place % f.columns};
}
using Place = std::pair<unsigned, unsigned>;

const Format& format_of(Element element) {
  using namespace isa::reference;
  switch (element) {
    case Element::f16:
      return kF16;
    case Element::bf16:
      return kBf16;
    case Element::tf32:
      return kTf32;
    case Element::e4m3:
      return kE4m3;
    case Element::e5m2:
      return kE5m2;
    case Element::f64:
      return kF64;
    default:
      return kF32;
  }
}

// A whole matrix of raw elements from its fragment's registers.
std::vector<std::uint64_t> gather(const Fragment& f, const std::vector<std::byte>& registers) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(f.rows * f.columns * f.matrices));
  const int bits = f.width / f.packed;
  for (int reg = 0; reg < f.distinct; ++reg)
    for (int part = 0; part < f.packed; ++part)
      for (int lane = 0; lane < 32; ++lane) {
        std::uint64_t raw = 0;
        std::memcpy(&raw, registers.data() + (reg * 32 + lane) * f.width / 8, f.width / 8);
        raw >>= part * bits;
        if (bits < 64) raw &= (std::uint64_t{1} << bits) - 1;
        if (f.element == Element::tf32) raw >>= 13;
        all[f.place(reg, part, lane)] = raw;
      }
  return all;
}

struct Term {
  bool negative;
  std::uint64_t mantissa;
  int exponent;  // of the last binary digit
  int aligned;   // exponent of the number for the alignment of the sum
};

// One element of D: from its row of A, its column of B, and c.
struct Product {
  const MatrixForm& form;
  std::vector<std::uint64_t> a, b;
  std::uint64_t c;

  const Format& fa() const { return format_of(form.a); }
  const Format& fb() const { return format_of(form.b); }
  const Format& fc() const { return format_of(form.c); }
  const Format& fd() const { return format_of(form.d); }

  // The exponent of a number as f16, or as its own format where that is no narrower.
  static int aligned(const Format& f, const Number& x) {
    const int written = x.exponent + f.mantissa;
    if (f.mantissa >= 7) return written;
    return std::max(x.exponent + 63 - __builtin_clzll(x.mantissa | 1), -14);
  }

  // The sum of these products and a number that takes part in the alignment.
  std::uint64_t fused(std::size_t first, std::size_t step, std::size_t count, const Format& f,
                      std::uint64_t addend, bool interleaved) const {
    std::vector<Term> terms;
    bool nan = false, infinite[2] = {false, false};
    for (std::size_t i = 0; i <= count; ++i) {
      const std::size_t k = interleaved ? first + i / 2 * 4 + i % 2 : first + i * step;
      const Number x = i < count ? isa::reference::decode(fa(), a[k]) : isa::reference::decode(f, addend);
      const Number y = i < count ? isa::reference::decode(fb(), b[k]) : Number{false, false, false, 1, 0};
      nan |= x.nan || y.nan || (x.infinite && y.zero()) || (x.zero() && y.infinite);
      if (x.infinite || y.infinite) infinite[x.negative != y.negative] = true;
      if (x.zero() || y.zero() || !x.finite() || !y.finite()) continue;
      const int exponent = i < count ? aligned(fa(), x) + aligned(fb(), y) : x.exponent + f.mantissa;
      terms.push_back({x.negative != y.negative, x.mantissa * y.mantissa, x.exponent + y.exponent, exponent});
    }
    if (nan || (infinite[0] && infinite[1])) return fd().nan;
    if (infinite[0] || infinite[1]) return fd().infinity() | (infinite[1] ? fd().sign() : 0);
    return sum(terms, fd());
  }

  std::uint64_t floating() const {
    const std::size_t k = a.size();
    if (fa().mantissa < 7) {
      const std::uint64_t lower = fused(0, 0, k / 2, fd(), 0, true);
      return added(fused(2, 0, k / 2, fd(), lower, true));
    }
    if (form.is_wmma && form.a == Element::tf32)
      return fused(k / 2, 1, k / 2, fd(), fused(0, 1, k / 2, fc(), c, false), false);
    return k == 4 && form.a == Element::f16 ? chained() : fused(0, 1, k, fc(), c, false);
  }

  static float number(const Format& f, std::uint64_t bits) {
    if (f.mantissa == 23) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
  }
  std::uint64_t in_d(float x) const {
    if (std::isnan(x)) return fd().nan;
    if (fd().mantissa == 23) return std::bit_cast<std::uint32_t>(x);
    return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
  }
  std::uint64_t chained() const {
    float total = fd().mantissa == 23 ? 0.0F : -0.0F;  // an H200's chain of f32 loses a −0
    for (std::size_t k = 0; k < a.size(); ++k)
      total = std::fma(number(fa(), a[k]), number(fb(), b[k]), total);
    return in_d(total + number(fc(), c));
  }
  std::uint64_t added(std::uint64_t total) const { return in_d(number(fd(), total) + number(fc(), c)); }

  static std::uint64_t sum(const std::vector<Term>& terms, const Format& fd) {
    int largest = -133;
    for (const Term& term : terms) largest = std::max(largest, term.aligned);
    const int unit = largest - 25;
    Exact exact;
    for (const Term& term : terms) {
      const int drop = unit - term.exponent;
      const std::uint64_t kept = drop <= 0 ? term.mantissa : drop < 64 ? term.mantissa >> drop : 0;
      if (kept != 0) exact.add(term.negative, kept, std::max(unit, term.exponent));
    }
    if (exact.zero()) return 0;
    if (fd.mantissa == 10) return exact.round(fd, Mode::nearest);
    Exact beyond = exact;  // the result is infinite if the magnitude minus 2^128 is not negative
    beyond.add(!exact.negative(), 1, 128);
    if (beyond.zero() || beyond.negative() == exact.negative())
      return fd.infinity() | (exact.negative() ? fd.sign() : 0);
    const std::uint64_t bits = exact.round(fd, Mode::zero);
    return bits == fd.sign() ? 0 : bits;
  }

  std::uint64_t doubles() const {
    double total = std::bit_cast<double>(c);
    bool nan = total != total;
    for (std::size_t k = 0; k < a.size(); ++k) {
      total = std::fma(std::bit_cast<double>(a[k]), std::bit_cast<double>(b[k]), total);
      nan |= total != total;
    }
    return nan ? 0 : std::bit_cast<std::uint64_t>(total);
  }

  static std::int64_t whole(Element element, std::uint64_t raw) {
    const int bits = isa::bits_of(element);
    const bool is_signed = element == Element::s8 || element == Element::s4 || element == Element::s32;
    const auto value = static_cast<std::int64_t>(raw);
    return is_signed && raw >> (bits - 1) ? value - (std::int64_t{1} << bits) : value;
  }
  std::uint64_t integer() const {
    std::int64_t total = whole(Element::s32, c);
    for (std::size_t k = 0; k < a.size(); ++k)
      total +=
          form.exclusive ? static_cast<std::int64_t>(a[k] ^ b[k]) : whole(form.a, a[k]) * whole(form.b, b[k]);
    if (form.satfinite) total = std::clamp<std::int64_t>(total, INT32_MIN, INT32_MAX);
    return static_cast<std::uint32_t>(total);
  }

  std::uint64_t value() const {
    if (form.d == Element::s32) return integer();
    return form.d == Element::f64 ? doubles() : floating();
  }
};

// The first difference from the reference; empty if there is none.
std::string compare(const isa::Operation& row, const isa::MatrixMath& math, int index) {
  const MatrixForm f = isa::matrix_cases::form_of(row);
  auto one = isa::matrix_cases::make_case(f, index);
  const auto d = gather(one.plan.d, isa::matrix_cases::multiply(math, one));
  const auto a = gather(one.plan.a, one.a), b = gather(one.plan.b, one.b), c = gather(one.plan.c, one.c);
  const std::size_t m = f.shape.m, n = f.shape.n, k = f.shape.k;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const std::size_t matrix = i / (m * n), r = i / n % m, column = i % n;
    Product product{f, {}, {}, c[i]};
    for (std::size_t l = 0; l < k; ++l) {
      product.a.push_back(a[(matrix * m + r) * k + l]);
      product.b.push_back(b[(matrix * k + l) * n + column]);
    }
    const std::uint64_t expected = product.value();
    if (expected == d[i] || (f.d == Element::f64 && expected == 0 && std::isnan(std::bit_cast<double>(d[i]))))
      continue;
    char text[200];
    std::snprintf(text, sizeof text, "%s case %d, element %zu: %llx, expected %llx", row.form, index, i,
                  static_cast<unsigned long long>(d[i]), static_cast<unsigned long long>(expected));
    return text;
  }
  return {};
}

}  // namespace

TEST_CASE("mma's fragments are the manual's") {
  const MatrixForm halves = form("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  const Fragment a = fragment_of(halves, MatrixRole::a), b = fragment_of(halves, MatrixRole::b),
                 c = fragment_of(halves, MatrixRole::c);
  CHECK(a.registers == 4);
  CHECK(b.registers == 2);
  CHECK(c.registers == 4);
  // Lane 13: group 3, thread 1 in it.
  CHECK(at(a, 0, 13) == Place{3, 2});
  CHECK(at(a, 1, 13) == Place{3, 3});
  CHECK(at(a, 2, 13) == Place{11, 2});
  CHECK(at(a, 5, 13) == Place{3, 11});
  CHECK(at(a, 6, 13) == Place{11, 10});
  CHECK(at(b, 1, 13) == Place{3, 3});
  CHECK(at(b, 2, 13) == Place{10, 3});
  CHECK(at(c, 1, 13) == Place{3, 3});
  CHECK(at(c, 2, 13) == Place{11, 2});
  const MatrixForm bytes = form("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32");
  CHECK(at(fragment_of(bytes, MatrixRole::a), 7, 13) == Place{11, 7});
  CHECK(at(fragment_of(bytes, MatrixRole::a), 8, 13) == Place{3, 20});
  CHECK(at(fragment_of(bytes, MatrixRole::b), 5, 13) == Place{21, 3});
  const MatrixForm words = form("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  CHECK(at(fragment_of(words, MatrixRole::a), 1, 13) == Place{11, 1});
  CHECK(at(fragment_of(words, MatrixRole::a), 2, 13) == Place{3, 5});
  CHECK(at(fragment_of(words, MatrixRole::b), 1, 13) == Place{5, 3});
}

TEST_CASE("m8n8k4's fragments belong to pairs of quads") {
  const MatrixForm rows = form("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32");
  const Fragment a = fragment_of(rows, MatrixRole::a), c = fragment_of(rows, MatrixRole::c);
  CHECK(a.matrices == 4);
  CHECK(a.registers == 2);
  CHECK(c.registers == 8);
  CHECK(at(a, 2, 21) == Place{8 + 5, 2});  // quad pair 1, row 1 + 4
  CHECK(at(c, 7, 21) == Place{8 + 7, 5});  // X = 1 + 2 + 4; 4 + 0 + 1
}

TEST_CASE("each fragment holds every element once") {
  for (const isa::Operation& row : isa::matrix_rows()) {
    const MatrixForm f = isa::matrix_cases::form_of(row);
    REQUIRE(f.row != nullptr);
    CHECK(f.row->form == std::string_view(row.form));
    for (const MatrixRole matrix : {MatrixRole::a, MatrixRole::b, MatrixRole::c}) {
      const Fragment fragment = fragment_of(f, matrix);
      std::set<std::uint32_t> places;
      for (int i = 0; i < fragment.distinct * fragment.packed; ++i)
        for (int lane = 0; lane < 32; ++lane)
          places.insert(fragment.place(i / fragment.packed, i % fragment.packed, lane));
      CHECK_MESSAGE(
          places.size() == static_cast<std::size_t>(fragment.rows) * fragment.columns * fragment.matrices,
          std::string_view(row.form));
      CHECK(*places.rbegin() + 1 == places.size());
    }
  }
}

TEST_CASE("m8n32 of wmma lies as m32n8 of the transposed matrices") {
  const MatrixForm wide = form("wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32");
  const MatrixForm tall = form("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32");
  const auto turned = [](Place place) { return Place{place.second, place.first}; };
  for (int lane = 0; lane < 32; lane += 5) {
    CHECK(at(fragment_of(wide, MatrixRole::a), 3, lane) ==
          turned(at(fragment_of(tall, MatrixRole::b), 3, lane)));
    CHECK(at(fragment_of(wide, MatrixRole::b), 9, lane) ==
          turned(at(fragment_of(tall, MatrixRole::a), 9, lane)));
    CHECK(at(fragment_of(wide, MatrixRole::c), 6, lane) ==
          turned(at(fragment_of(tall, MatrixRole::c), 6, lane)));
  }
}

TEST_CASE("every form agrees with the reference, in every vector width") {
  for (const isa::LaneVariant& variant : isa::variants()) {
    if (!variant.runs_here) continue;
    for (const isa::Operation& row : isa::matrix_rows()) {
      std::string wrong;
      for (int index = 0; index < 4 && wrong.empty(); ++index) wrong = compare(row, *variant.matrix, index);
      CHECK_MESSAGE(wrong.empty(), std::string_view(variant.name), ": ", wrong);
    }
  }
}

TEST_CASE("forms that claim to be as an H200 give its answers") {
  std::ifstream file(warpgrade::checkout() / "grader/tests/emulator/isa/h200_matrix_answers.tsv");
  std::map<std::string, std::string> kept;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.rfind('\t');
    if (tab != line.npos && line[0] != '#') kept[line.substr(0, tab)] = line.substr(tab + 1);
  }
  std::size_t claims = 0;
  for (const isa::Operation& row : isa::matrix_rows()) {
    if (isa::evidence(row) != isa::Evidence::hardware) continue;
    REQUIRE_MESSAGE(kept.contains(row.form), std::string_view(row.form), ": run grader/tests/gpu/isa/isa.sh");
    CHECK_MESSAGE(isa::matrix_cases::digest(*isa::chosen_variant().matrix, isa::matrix_cases::form_of(row)) ==
                      kept[row.form],
                  std::string_view(row.form));
    ++claims;
  }
  CHECK(claims == 216);
}
