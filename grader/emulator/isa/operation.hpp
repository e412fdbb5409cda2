// The operation table: one row for each PTX form. The decoder, the counters, the analyses, the fidelity table
// and the tests use it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "isa/attribute.hpp"
#include "machine/counters/counter_class.hpp"
#include "machine/warp.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::isa {

using emulator::CounterClass;

// How the decoder treats it. `lanewise`: handler and operand types below describe all of it. The others are
// decoded by the rooms ops and decode; their rows say that the form exists, its attributes and the section of
// the manual.
enum class Shape : std::uint8_t { lanewise, memory, control, barrier, collective, matrix, video };

struct Operation {
  const char* form;           // "add.s32"
  emulator::Handler handler;  // null if shape is not lanewise
  std::array<ptx::Type, 8>
      operands;  // type of each operand as written, destination first; none after the last
  CounterClass counts;
  Shape shape;
  const char* section;  // section of the PTX ISA, e.g. "9.7.1.1"
  Attributes attributes = {};
  bool is(Attribute one) const { return attributes.has(one); }
};

// The row for an instruction, with its handler chosen for this machine's vector width and for the declared
// widths of its registers (cvt, mov). `function` gives the registers. Null if the table has none.
const Operation* find(const ptx::Instruction& instruction, const ptx::Function& function);

// The shape of the rows of this opcode, which is the same for all; lanewise for an unknown opcode.
Shape shape_of(const ptx::Instruction& instruction);

std::span<const Operation> table();  // all rows, sorted by form

}  // namespace warpgrade::isa
