// Runs one row of the operation table on 32 lanes, without a decoder.
#pragma once

#include <array>
#include <cstring>
#include <string_view>

#include "cases.hpp"
#include "isa/operands.hpp"
#include "isa/operation.hpp"
#include "machine/warp.hpp"

namespace warpgrade::isa::cases {

constexpr std::uint32_t kSlotBytes = 512;  // the widest slot

inline Raw get_lane(const std::byte* slot, ptx::Type type, int lane) {
  if (type == ptx::Type::pred) return (*reinterpret_cast<const std::uint32_t*>(slot) >> lane) & 1;
  Raw value = 0;
  std::memcpy(&value, slot + lane * lane_bytes(type), static_cast<std::size_t>(lane_bytes(type)));
  return value;
}
inline void set_lane(std::byte* slot, ptx::Type type, int lane, Raw value) {
  if (type == ptx::Type::pred) {
    auto* mask = reinterpret_cast<std::uint32_t*>(slot);
    *mask = (*mask & ~(1u << lane)) | static_cast<std::uint32_t>(value & 1) << lane;
  } else {
    std::memcpy(slot + lane * lane_bytes(type), &value, static_cast<std::size_t>(lane_bytes(type)));
  }
}

// The facts that all cases of a row share.
struct RowShape {
  int operands = 0;
  int destinations = 1;
  int table_operand = -1;       // lop3's: one value for all lanes
  bool without_second = false;  // setp of single halves has no second predicate
  bool reads_carry = false, writes_carry = false;
};
inline RowShape shape_of(const Operation& row) {
  const std::string_view form = row.form;
  const std::string_view opcode = form.substr(0, form.find('.'));
  RowShape shape;
  while (shape.operands < 8 && row.operands[static_cast<std::size_t>(shape.operands)] != ptx::Type::none)
    ++shape.operands;
  if (opcode == "setp") {
    shape.destinations = 2;
    shape.without_second = row.operands[2] == ptx::Type::f16 || row.operands[2] == ptx::Type::bf16;
  }
  if (opcode == "lop3") {
    shape.destinations = shape.operands == 7 ? 2 : 1;
    shape.table_operand = shape.operands == 7 ? 5 : 4;
  }
  const std::size_t pattern = form.find(' ');
  if (pattern != form.npos && form[pattern + 1] == '{') shape.destinations = shape.operands - 1;
  shape.reads_carry = opcode == "addc" || opcode == "subc" || opcode == "madc";
  shape.writes_carry = form.find(".cc") != form.npos;
  return shape;
}

struct Run {
  alignas(64) std::array<std::byte, 8 * kSlotBytes> frame{};
  std::uint32_t carry = 0;
};

// Runs the row on `run`'s frame for the lanes in `active`. Operand i is in slot i, or in slot shared_slot[i].
inline void run_row(const Operation& row, const RowShape& shape, Run& run, std::uint32_t active,
                    const std::array<int, 8>& slot = {0, 1, 2, 3, 4, 5, 6, 7}) {
  emulator::Warp warp;
  warp.frame = run.frame.data();
  warp.active = active;
  warp.alive = emulator::kFullMask;
  warp.carry = run.carry;
  emulator::DecodedInstruction at[2];
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.operands); ++i) {
    at[0].operand[i] = static_cast<std::uint32_t>(slot[i]) * kSlotBytes;
  }
  if (shape.without_second) at[0].operand[1] = emulator::kNoOperand;
  if (row.handler(warp, at) != at + 1) run.frame.fill(std::byte{0xee});
  run.carry = warp.carry;
}

// Operand `position` of a row's case. A pair of f32 is made of the operands of two cases of f32.
inline Raw operand_of(const Operation& row, int position, int index) {
  if (!std::string_view(row.form).ends_with(".f32x2"))
    return operand(value_type(row, position), position, index);
  return operand(ptx::Type::f32, position, index) | operand(ptx::Type::f32, position, index + kCases) << 32;
}

// Writes the operands of 32 cases, from `first` on, to the slots. Destinations hold a pattern, which shows
// what the row leaves unchanged.
inline void load_cases(const Operation& row, const RowShape& shape, int first, Run& run) {
  run.carry = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const int index = first + lane;
    for (int i = 0; i < shape.operands; ++i) {
      const ptx::Type type = row.operands[static_cast<std::size_t>(i)];
      Raw value = operand_of(row, i, index);
      if (i < shape.destinations)
        value = truncated(type, Raw{mix(static_cast<std::uint64_t>(index))} * 0x10001);
      if (i == shape.table_operand) value = 0x96;
      set_lane(run.frame.data() + i * static_cast<int>(kSlotBytes), type, lane, value);
    }
    run.carry |= static_cast<std::uint32_t>(mix(static_cast<std::uint64_t>(index)) & 1) << lane;
  }
}

}  // namespace warpgrade::isa::cases
