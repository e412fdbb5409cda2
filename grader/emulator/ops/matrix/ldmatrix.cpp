// ldmatrix, stmatrix, movmatrix (manual 9.7.14.5.15 to 9.7.14.5.17): 8×8 matrices of 16-bit elements. Lane
// 8j + i gives the address of row i of matrix j, 16 bytes; lane l has columns 2(l mod 4) and the next of row
// l/4 in its j-th register, or, transposed, rows and columns exchanged.
#include <bit>
#include <cstring>

#include "analysis/flow/control_flow.hpp"
#include "ops/matrix/decode.hpp"
#include "ops/memory/resolve.hpp"
#include "sched/active_mask_guard.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

constexpr unsigned kRowBytes = 16;

struct SmallOp : MatrixOp {
  MatrixAddress address;
  bool transposed = false;
  explicit SmallOp(bool has_results) : MatrixOp(has_results) {}
};
const SmallOp& small_op(const DecodedInstruction* at) { return static_cast<const SmallOp&>(matrix_op(at)); }

using Rows = std::uint16_t[kWarpSize][8];

// The element of its matrix, in eight rows, that one half of a lane's register holds.
std::uint16_t& element(Rows& rows, unsigned matrix, int lane, unsigned half, bool transposed) {
  const auto row = static_cast<unsigned>(lane) / 4, column = static_cast<unsigned>(lane) % 4 * 2 + half;
  return transposed ? rows[matrix * 8 + column][row] : rows[matrix * 8 + row][column];
}

void from_rows(Rows& rows, unsigned matrices, bool transposed, std::uint32_t* registers) {
  for (unsigned j = 0; j < matrices; ++j)
    for (int lane = 0; lane < kWarpSize; ++lane)
      registers[j * kWarpSize + static_cast<unsigned>(lane)] =
          element(rows, j, lane, 0, transposed) |
          static_cast<std::uint32_t>(element(rows, j, lane, 1, transposed)) << 16;
}

void to_rows(const Warp& warp, const MatrixOp& op, bool transposed, Rows& rows) {
  for (unsigned j = 0; j < op.registers; ++j)
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t value = warp.lanes<std::uint32_t>(op.slot[j])[lane];
      element(rows, j, lane, 0, transposed) = static_cast<std::uint16_t>(value);
      element(rows, j, lane, 1, transposed) = static_cast<std::uint16_t>(value >> 16);
    }
}

// Only the lanes that give addresses access memory.
template <class Move>
void access_rows(Warp& warp, const DecodedInstruction* at, Access::Kind kind, const Rows* values, Move move) {
  const SmallOp& op = small_op(at);
  const ActiveMaskGuard rows(warp,
                             warp.active & (op.registers == 4 ? kFullMask : (1u << 8 * op.registers) - 1));
  if (warp.active != 0) {
    AccessForm form;
    form.space = static_cast<std::uint8_t>(op.address.space);
    form.bytes = kRowBytes;
    Lanes lanes;
    for (int lane = 0; lane < kWarpSize; ++lane) lanes.address[lane] = op.address.of(warp, lane);
    ResolveRequest request{warp, at, form, kind, op.observed};
    request.value = values;
    resolve(request, lanes);
    for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      move(lanes.host[lane], lane);
    }
  }
}

void load_matrices(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  Rows rows = {};
  access_rows(warp, at, Access::Kind::read, nullptr,
              [&](const std::byte* from, int lane) { std::memcpy(rows[lane], from, kRowBytes); });
  const SmallOp& op = small_op(at);
  from_rows(rows, op.registers, op.transposed, reinterpret_cast<std::uint32_t*>(result_buffer(op, exchange)));
}

void store_matrices(Warp& warp, const DecodedInstruction* at, Exchange&) {
  Rows rows = {};
  to_rows(warp, small_op(at), small_op(at).transposed, rows);
  access_rows(warp, at, Access::Kind::write, &rows,
              [&](std::byte* to, int lane) { std::memcpy(to, rows[lane], kRowBytes); });
}

struct MoveOp : SmallOp {
  MatrixOp source{false};
  MoveOp() : SmallOp(true) {}
};

void move_matrix(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  const auto& op = static_cast<const MoveOp&>(matrix_op(at));
  Rows rows = {};
  to_rows(warp, op.source, false, rows);
  from_rows(rows, 1, true, reinterpret_cast<std::uint32_t*>(result_buffer(op, exchange)));
}

void decode_move(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to) {
  auto op = std::make_shared<MoveOp>();
  op->registers = op->distinct = op->source.registers = 1;
  put_registers(from, 0, ptx::Type::b32, *op, context);
  put_registers(from, 1, ptx::Type::b32, op->source, context);
  op->prepare = move_matrix;
  finish_matrix(op, context, to);
}

std::uint8_t count_of(const ptx::Instruction& from) {
  return from.has(Modifier::x4) ? 4 : from.has(Modifier::x2) ? 2 : from.has(Modifier::x1) ? 1 : 0;
}

}  // namespace

void decode_small_matrices(const ptx::Instruction& from, DecodeContext& context, bool observed,
                           DecodedInstruction& to) {
  if (!from.has(Modifier::m8n8) || !from.has(Modifier::b16))
    context.unsupported(from, "matrices of a 9.0 GPU have the shape m8n8 and 16-bit elements");
  if (from.opcode == Opcode::movmatrix) return decode_move(from, context, to);
  const bool load = from.opcode == Opcode::ldmatrix;
  auto op = std::make_shared<SmallOp>(load);
  op->registers = op->distinct = count_of(from);
  if (op->registers == 0) context.unsupported(from, "one of .x1, .x2 and .x4 is missing");
  op->transposed = from.has(Modifier::trans);
  op->observed = observed;
  const bool shared = from.has(Modifier::shared) || from.has(Modifier::shared_cta);
  put_registers(from, load ? 0 : 1, ptx::Type::b32, *op, context);
  op->address =
      matrix_address(from, load ? 1 : 0, shared ? ptx::Space::shared : ptx::Space::generic, context);
  op->prepare = load ? load_matrices : store_matrices;
  finish_matrix(op, context, to);
}

}  // namespace warpgrade::emulator
