// Decoding that all matrix instructions share.
#pragma once

#include <array>
#include <memory>

#include "isa/matrix.hpp"
#include "ops/collective.hpp"
#include "ops/memory/decode_common.hpp"

namespace warpgrade::emulator {

// Each instruction has its own MatrixOp, so lanes can only complete it at the same instruction. prepare()
// writes all results to Exchange::result, register by register with 32 lanes each; complete() copies the
// results of Warp::active to their registers.
struct MatrixOp : CollectiveOps {
  std::array<std::uint32_t, 8> slot{};  // slots of the results, or of the stored values
  std::uint8_t registers = 0;
  std::uint8_t distinct = 0;        // later registers repeat these
  std::uint8_t register_bytes = 4;  // bytes of one lane's register
  bool observed = false;

  explicit MatrixOp(bool has_results);
};
inline const MatrixOp& matrix_op(const DecodedInstruction* at) {
  return *reinterpret_cast<const MatrixOp*>(at->immediate);
}
std::byte* result_buffer(const MatrixOp& op, Exchange& exchange);

// An address of each lane: register + offset.
struct MatrixAddress {
  std::uint32_t slot = kNoOperand;
  bool wide = true;
  std::uint64_t offset = 0;
  ptx::Space space = ptx::Space::generic;

  std::uint64_t of(const Warp& warp, int lane) const {
    if (wide) return warp.lanes<std::uint64_t>(slot)[lane] + offset;
    return warp.lanes<std::uint32_t>(slot)[lane] + static_cast<std::uint32_t>(offset);
  }
};
MatrixAddress matrix_address(const ptx::Instruction& from, std::size_t operand, ptx::Space space,
                             DecodeContext& context);
// Fills op.slot from a vector operand, or from a single register.
void put_registers(const ptx::Instruction& from, std::size_t operand, ptx::Type type, MatrixOp& op,
                   DecodeContext& context);
std::array<std::uint32_t, 8> register_slots(const ptx::Instruction& from, std::size_t operand, unsigned count,
                                            ptx::Type type, DecodeContext& context);

void decode_matrix_memory(const ptx::Instruction& from, DecodeContext& context, bool observed,
                          DecodedInstruction& to);
void decode_small_matrices(const ptx::Instruction& from, DecodeContext& context, bool observed,
                           DecodedInstruction& to);
void finish_matrix(std::shared_ptr<MatrixOp> op, DecodeContext& context, DecodedInstruction& to);

}  // namespace warpgrade::emulator
