// From syntax tree to decoded instructions: how isa/ and ops/ fill in operands.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "machine/program.hpp"
#include "machine/warp.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// The slot layout (see warp.hpp) that a type takes in a register.
ptx::Type slot_type(ptx::Type type);       // pred, b16, b32, b64 or b128
std::uint32_t slot_bytes(ptx::Type type);  // 4, 64, 128, 256 or 512

class DecodeContext {
 public:
  virtual ~DecodeContext() = default;
  virtual const ptx::Function& function() const = 0;
  virtual const ptx::Module& module() const = 0;

  // Slot of a register, immediate, special register or symbol address, for use as `type`.
  // A register keeps its own declared width; immediates are converted and filled in before the launch.
  // kNoOperand for a sink.
  virtual std::uint32_t slot(const ptx::Operand& operand, ptx::Type type) = 0;
  // Declared type of a register operand; `otherwise` for anything else.
  virtual ptx::Type declared(const ptx::Operand& operand, ptx::Type otherwise) const = 0;
  // Slot that holds this 64-bit value in every lane.
  virtual std::uint32_t constant(std::uint64_t bits, ptx::Type type) = 0;
  // A scratch slot of the function.
  virtual std::uint32_t scratch(ptx::Type type) = 0;

  // Flags of LoadUse: how the function uses the value that the current instruction loads.
  virtual std::uint8_t load_uses() const = 0;

  // Keeps what an instruction's `immediate` points to for as long as the code lives.
  virtual void keep(std::shared_ptr<const void> data) = 0;

  // A named variable: its space, and its address there (device address for global and const; offset for
  // shared, local, and param of the function; kernel parameters: offset in the parameter buffer).
  struct Symbol {
    ptx::Space space = ptx::Space::none;
    std::uint64_t address = 0;
    bool kernel_parameter = false;
    std::size_t bytes = 0;  // for a kernel parameter, bytes of all parameters
  };
  virtual Symbol symbol(const std::string& name, ptx::TextPosition place) = 0;
  // Throws: the emulator lacks this instruction. It is decoded to a trap with a message that contains `why`.
  [[noreturn]] virtual void unsupported(const ptx::Instruction& at, const std::string& why) = 0;
};

// Loads, stores, atomics, address conversions (ops/memory/decode.cpp). Returns true if
// `from` is one of them; `to` is then complete except for its guard. `observed`: with or without observers.
bool decode_memory(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to);

}  // namespace warpgrade::emulator
