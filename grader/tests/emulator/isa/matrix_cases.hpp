// Runs one form of mma or wmma on a warp's registers, and the registers that the forms are tried on. The same
// numbers on every machine, so that a GPU's answers can be kept.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "answers.hpp"
#include "isa/matrix.hpp"
#include "ptx/parser/parser.hpp"

namespace warpgrade::isa::matrix_cases {

constexpr int kCases = 48;  // warps for each form

// The instruction of a row, without operands: enough for matrix_form().
inline MatrixForm form_of(const Operation& row) {
  ptx::Instruction instruction;
  instruction.set_form(row.form);
  return matrix_form(instruction).value();
}

// A number of the element's type. Kind 0: any bits. 1: near one. 2: small whole numbers, many of them zero.
// 3: near one, some of them extreme.
inline std::uint64_t element(Element type, int kind, std::uint64_t seed) {
  const std::uint64_t bits = cases::mix(seed);
  const auto floating = [&](int mantissa, int exponent) {
    const std::uint64_t all = ~std::uint64_t{0} >> (63 - mantissa - exponent);
    const std::uint64_t bias = (std::uint64_t{1} << (exponent - 1)) - 1;
    const std::uint64_t sign = bits >> 63 << (mantissa + exponent);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << mantissa) - 1);
    if (kind == 0 || (kind == 3 && bits >> 40 % 29 == 0)) return bits & all;
    if (kind == 2) {
      constexpr int wholes[] = {0, 0, 0, 0, 1, 1, 2, 4};
      const int whole = wholes[bits >> 32 & 7];
      return whole == 0 ? sign : sign | (bias + static_cast<std::uint64_t>(whole / 2)) << mantissa;
    }
    return sign | (bias - 3 + (bits >> 56 & 3) + (bits >> 50 & 3)) << mantissa | fraction;
  };
  switch (type) {
    case Element::f16:
      return floating(10, 5);
    case Element::bf16:
      return floating(7, 8);
    case Element::tf32:
    case Element::f32:
      return floating(23, 8);
    case Element::f64:
      return floating(52, 11);
    case Element::e4m3:
      return floating(3, 4);
    case Element::e5m2:
      return floating(2, 5);
    default:
      return bits & ((std::uint64_t{1} << bits_of(type)) - 1);
  }
}

// A fragment's registers, as they lie in a frame; doubled ones hold the same.
inline std::vector<std::byte> registers(const Fragment& f, int index, std::uint64_t salt) {
  const int bytes = f.width / 8;
  std::vector<std::byte> all(static_cast<std::size_t>(f.registers * 32 * bytes));
  for (int reg = 0; reg < f.registers; ++reg)
    for (int lane = 0; lane < 32; ++lane) {
      std::uint64_t value = 0;
      for (int part = 0; part < f.packed; ++part) {
        const std::uint64_t where = f.place(reg % f.distinct, part, lane);
        const int kind = f.element == Element::s32 ? 0 : index % 4;
        value |= element(f.element, kind, salt * 1000003 + static_cast<std::uint64_t>(index) * 65537 + where)
                 << part * (f.width / f.packed);
      }
      std::memcpy(all.data() + (reg * 32 + lane) * bytes, &value, static_cast<std::size_t>(bytes));
    }
  return all;
}

struct Case {
  MatrixPlan plan;
  std::vector<std::byte> a, b, c;
};
inline Case make_case(const MatrixForm& form, int index) {
  Case made;
  MatrixForm result = form;
  result.c = form.d;
  made.plan.form = form;
  made.plan.a = fragment_of(form, MatrixRole::a);
  made.plan.b = fragment_of(form, MatrixRole::b);
  made.plan.c = fragment_of(form, MatrixRole::c);
  made.plan.d = fragment_of(result, MatrixRole::c);
  made.a = registers(made.plan.a, index, 1);
  made.b = registers(made.plan.b, index, 2);
  made.c = registers(made.plan.c, index, 3);
  return made;
}

// D's registers, by the emulator.
inline std::vector<std::byte> multiply(const MatrixMath& math, Case& one) {
  alignas(64) static std::byte frame[4 * 8 * 256];
  std::uint32_t next = 0;
  const auto place = [&](const Fragment& f, const std::vector<std::byte>& from, auto& slots) {
    for (std::size_t reg = 0; reg < f.registers; ++reg) {
      slots[reg] = next;
      const std::size_t bytes = f.width / 8 * 32u;
      std::memcpy(frame + next, from.data() + reg * bytes, bytes);
      next += 256;
    }
  };
  place(one.plan.a, one.a, one.plan.a_slot);
  place(one.plan.b, one.b, one.plan.b_slot);
  place(one.plan.c, one.c, one.plan.c_slot);
  std::vector<std::byte> result(static_cast<std::size_t>(one.plan.d.registers) * one.plan.d.width / 8 * 32);
  math.multiply(one.plan, frame, result.data());
  return result;
}

// ---- as matrices in memory

inline std::size_t matrix_bytes(const Fragment& f) {
  return std::size_t{f.rows} * f.columns * f.matrices * static_cast<std::size_t>(f.width / f.packed) / 8;
}
inline std::size_t place_in_memory(const Fragment& f, std::size_t index, bool column_major) {
  const std::size_t row = index / f.columns, column = index % f.columns;
  return column_major ? column * f.rows + row : index;
}

inline std::uint64_t raw_of(const Fragment& f, const std::byte* registers, int reg, int part, int lane) {
  std::uint64_t raw = 0;
  std::memcpy(&raw, registers + (reg * 32 + lane) * (f.width / 8), f.width / 8);
  const int bits = f.width / f.packed;
  return bits == 64 ? raw : raw >> part * bits & ((std::uint64_t{1} << bits) - 1);
}

// The elements of a fragment's registers as a matrix in memory.
inline std::vector<std::byte> to_memory(const Fragment& f, const std::vector<std::byte>& registers,
                                        bool column_major) {
  std::vector<std::byte> memory(matrix_bytes(f));
  const auto bits = static_cast<std::size_t>(f.width / f.packed);
  for (int reg = 0; reg < f.distinct; ++reg)
    for (int part = 0; part < f.packed; ++part)
      for (int lane = 0; lane < 32; ++lane) {
        const std::uint64_t raw = raw_of(f, registers.data(), reg, part, lane);
        const std::size_t bit = place_in_memory(f, f.place(reg, part, lane), column_major) * bits;
        std::uint64_t word = 0;
        const std::size_t bytes = std::max<std::size_t>(bits / 8, 1);
        std::memcpy(&word, memory.data() + bit / 8, bytes);
        word |= raw << bit % 8;
        std::memcpy(memory.data() + bit / 8, &word, bytes);
      }
  return memory;
}

inline void add(cases::Digest& digest, const std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    digest.add_word(word);
  }
}

// The emulator's results for all cases of a form, in the form in which a GPU's answers are kept.
inline std::string digest(const MatrixMath& math, const MatrixForm& form) {
  cases::Digest sum;
  for (int index = 0; index < kCases; ++index) {
    Case one = make_case(form, index);
    add(sum, to_memory(one.plan.d, multiply(math, one), false));
  }
  return sum.text();
}

}  // namespace warpgrade::isa::matrix_cases
