// Matrix instructions, mma and wmma: their forms, and which lane holds which elements (PTX ISA 9.7.14).
//
// A warp holds each matrix as a fragment: some registers of every lane. The manual defines the fragments of
// mma and leaves those of wmma open. Here wmma's consist of mma's, as on the hardware since sm_75: an f16
// fragment of 16 numbers holds 8 different ones, each twice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "isa/operation.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::isa {

enum class Element : std::uint8_t { f16, bf16, tf32, f32, f64, e4m3, e5m2, s8, u8, s4, u4, b1, s32 };
int bits_of(Element element);  // in a register: 32 for tf32

enum class MatrixRole : std::uint8_t { a, b, c };  // d is laid out as c

struct MatrixShape {
  std::uint16_t m = 0, n = 0, k = 0;
  bool operator==(const MatrixShape&) const = default;
};

// The form of an mma or wmma.mma, which computes D = A·B + C.
struct MatrixForm {
  MatrixShape shape;
  Element a = Element::f16, b = Element::f16, c = Element::f32, d = Element::f32;
  bool is_wmma = false;
  bool satfinite = false;
  bool exclusive = false;  // b1: .xor rather than .and
  bool column[2] = {};     // A, B are .col
  const Operation* row = nullptr;
};
// Empty if the operation table has no such form.
std::optional<MatrixForm> matrix_form(const ptx::Instruction& instruction);

// The registers of one matrix of a form. If lanes hold an element more than once, its first copy is stored
// and used in computations.
struct Fragment {
  Element element = Element::f16;
  std::uint16_t rows = 0, columns = 0;
  std::uint16_t matrices = 1;  // m8n8k4 of f16 is four products, one for each pair of quads
  std::uint8_t registers = 0;  // registers of one lane
  std::uint8_t distinct = 0;   // registers with elements that no earlier one holds
  std::uint8_t packed = 1;     // elements in a register
  std::uint8_t width = 32;     // bits of a register
  // [register][element in it][lane]: (matrix · rows + row) · columns + column; distinct registers only.
  const std::uint16_t* position = nullptr;

  std::uint32_t place(int reg, int part, int lane) const {
    return position[(reg * packed + part) * 32 + lane];
  }
};
// The tables behind `position` live as long as the program.
Fragment fragment_of(const MatrixForm& form, MatrixRole matrix);

// wmma.load and wmma.store: the fragment and its layout in memory.
struct MatrixAccess {
  Fragment fragment;
  bool store = false;
  bool column_major = false;
  ptx::Space space = ptx::Space::generic;
};
std::optional<MatrixAccess> matrix_access(const ptx::Instruction& instruction);

// D = A·B + C on a warp's registers, in lanes/: one for each vector width.
struct MatrixPlan {
  MatrixForm form;
  Fragment a, b, c, d;
  std::array<std::uint32_t, 8> a_slot{}, b_slot{}, c_slot{}, d_slot{};  // offsets from the frame
};
struct MatrixMath {
  // `result`: D's registers as they lie in a frame, 32 lanes each, one after the other.
  void (*multiply)(const MatrixPlan& plan, const std::byte* frame, std::byte* result);
};

// Every form of mma and wmma, for the operation table.
std::span<const Operation> matrix_rows();

}  // namespace warpgrade::isa
