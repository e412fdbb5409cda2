// wmma.load and wmma.store (manual 9.7.14.4.3 and 9.7.14.4.4). Adjacent elements of a lane are one access, as
// on the hardware.
#include <bit>
#include <cstring>

#include "ops/matrix/decode.hpp"
#include "ops/memory/resolve.hpp"

namespace warpgrade::emulator {
namespace {

struct FragmentOp : MatrixOp {
  isa::Fragment fragment;
  MatrixAddress address;
  std::uint32_t stride = kNoOperand;  // slot; none: as many elements as a row or column has
  bool column_major = false;
  std::uint8_t together = 1;  // elements of one access
  AccessForm form;
  explicit FragmentOp(bool load) : MatrixOp(load) {}

  unsigned element_bits() const { return fragment.width / fragment.packed; }
  // The byte where a lane's element lies, counted from its address.
  std::uint64_t offset(const Warp& warp, unsigned index, int lane) const {
    const auto at = fragment.place(static_cast<int>(index / fragment.packed),
                                   static_cast<int>(index % fragment.packed), lane);
    const std::uint64_t row = at / fragment.columns, column = at % fragment.columns;
    const std::uint64_t ld = stride != kNoOperand ? warp.lanes<std::uint32_t>(stride)[lane]
                             : column_major       ? fragment.rows
                                                  : fragment.columns;
    return (column_major ? column * ld + row : row * ld + column) * element_bits() / 8;
  }
};

void resolve_elements(Warp& warp, const DecodedInstruction* at, const FragmentOp& op, unsigned index,
                      Lanes& lanes, const std::byte* values) {
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    lanes.address[lane] = op.address.of(warp, lane) + op.offset(warp, index, lane);
  }
  using Kind = Access::Kind;
  ResolveRequest request{warp, at, op.form, values ? Kind::write : Kind::read, op.observed};
  request.value = values;
  resolve(request, lanes);
}

// Bytes of a lane's elements from `index` on, in its registers that lie 32 lanes apart.
void copy_elements(const FragmentOp& op, unsigned index, std::byte* registers, int lane, std::byte* memory,
                   bool load) {
  const unsigned bits = op.element_bits(), bytes = op.form.bytes;
  const unsigned piece = std::min<unsigned>(bytes, op.register_bytes);
  for (unsigned done = 0; done < bytes; done += piece) {
    const unsigned element = index + done * 8 / bits;
    std::byte* in_register =
        registers +
        (element / op.fragment.packed * kWarpSize + static_cast<unsigned>(lane)) * op.register_bytes +
        element % op.fragment.packed * bits / 8;
    std::memcpy(load ? in_register : memory + done, load ? memory + done : in_register, piece);
  }
}

void load_fragment(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  const auto& op = static_cast<const FragmentOp&>(matrix_op(at));
  std::byte* results = result_buffer(op, exchange);
  const unsigned elements = op.distinct * op.fragment.packed;
  for (unsigned index = 0; index < elements; index += op.together) {
    Lanes lanes;
    resolve_elements(warp, at, op, index, lanes, nullptr);
    for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      copy_elements(op, index, results, lane, lanes.host[lane], true);
    }
  }
}

void store_fragment(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  const auto& op = static_cast<const FragmentOp&>(matrix_op(at));
  std::byte* registers = result_buffer(op, exchange);
  const std::size_t register_bytes = std::size_t{op.register_bytes} * kWarpSize;
  for (unsigned reg = 0; reg < op.distinct; ++reg)
    std::memcpy(registers + reg * register_bytes, warp.frame + op.slot[reg], register_bytes);
  const unsigned elements = op.distinct * op.fragment.packed;
  for (unsigned index = 0; index < elements; index += op.together) {
    std::byte values[kWarpSize * 16];
    for (int lane = 0; lane < kWarpSize; ++lane)
      copy_elements(op, index, registers, lane, values + static_cast<unsigned>(lane) * op.form.bytes, false);
    Lanes lanes;
    resolve_elements(warp, at, op, index, lanes, values);
    for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      std::memcpy(lanes.host[lane], values + static_cast<unsigned>(lane) * op.form.bytes, op.form.bytes);
    }
  }
}

// The number of elements of a lane that are adjacent in memory: along k in A and B, pairs of columns in C.
std::uint8_t side_by_side(const isa::Fragment& fragment, bool column_major) {
  const auto at = [&](int part) {
    const std::uint32_t index = fragment.place(part / fragment.packed, part % fragment.packed, 0);
    const std::uint32_t row = index / fragment.columns, column = index % fragment.columns;
    return column_major ? column * 4096 + row : row * 4096 + column;
  };
  const int most = fragment.packed > 1 ? fragment.packed : 2;
  if (fragment.packed * fragment.distinct < most) return 1;
  for (int part = 1; part < most; ++part)
    if (at(part) != at(0) + static_cast<std::uint32_t>(part)) return 1;
  return static_cast<std::uint8_t>(most);
}

}  // namespace

void decode_matrix_memory(const ptx::Instruction& from, DecodeContext& context, bool observed,
                          DecodedInstruction& to) {
  const auto access = isa::matrix_access(from);
  if (!access) context.unsupported(from, "there is no such shape and type in the operation table");
  auto op = std::make_shared<FragmentOp>(!access->store);
  op->fragment = access->fragment;
  op->column_major = access->column_major;
  op->observed = observed;
  op->registers = access->fragment.registers;
  op->distinct = access->fragment.distinct;
  op->register_bytes = access->fragment.width / 8;
  op->together = side_by_side(access->fragment, access->column_major);
  if (op->together * op->element_bits() < 8)
    context.unsupported(from, "elements of less than a byte lie side by side along k");
  put_registers(from, access->store ? 1 : 0, op->register_bytes == 8 ? ptx::Type::b64 : ptx::Type::b32, *op,
                context);
  op->address = matrix_address(from, access->store ? 0 : 1, access->space, context);
  if (from.operands.size() > 2) op->stride = context.slot(from.operands[2], ptx::Type::u32);
  op->form.space = static_cast<std::uint8_t>(op->address.space);
  op->form.bytes = static_cast<std::uint8_t>(op->together * op->element_bits() / 8);
  op->prepare = access->store ? store_fragment : load_fragment;
  finish_matrix(op, context, to);
}

}  // namespace warpgrade::emulator
