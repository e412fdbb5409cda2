// atom and red (manual 9.7.13.6 and 9.7.13.7).
//
// The lanes of a warp execute them one after another, lowest first. On device memory each lane's operation is
// a host atomic, because blocks on other workers may access the cell. Shared memory belongs to one block,
// which runs on one worker.
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "machine/lock_holders.hpp"
#include "machine/observers.hpp"
#include "ops/memory/decode_common.hpp"
#include "ops/memory/half_atomic.hpp"
#include "ops/memory/reduction.hpp"
#include "ops/memory/resolve.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

struct Bits128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Bits128&) const = default;
};

enum class Operation : std::uint8_t { add, exch, min, max, inc, dec, cas, land, lor, lxor };

// The raw value of a register or memory cell of this many bytes.
template <class T>
using Raw =
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 8, std::uint64_t, Bits128>>>;

// atom.add.f32 on global memory flushes subnormal operands and results to zero, on shared it does not
// (manual 9.7.13.6).
float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

// The one NaN of f32 arithmetic (isa/functors/floating.hpp): a sum with the mark of an unwritten output is no
// mark.
float canonical(float value) {
  return std::isnan(value) ? std::bit_cast<float>(std::uint32_t{0x7fffffff}) : value;
}

template <Operation Op, class T, bool Shared>
T apply(T old, T b, [[maybe_unused]] T c) {
  if constexpr (Op == Operation::exch)
    return b;
  else if constexpr (Op == Operation::cas)
    return old == b ? c : old;
  else if constexpr (std::is_same_v<T, float> && Op == Operation::add)
    return canonical(Shared ? old + b : flush(flush(old) + flush(b)));
  else if constexpr (Op == Operation::add)
    return static_cast<T>(old + b);
  else if constexpr (Op == Operation::min)
    return least(old, b);
  else if constexpr (Op == Operation::max)
    return greatest(old, b);
  else if constexpr (Op == Operation::inc)
    return old >= b ? T{0} : old + 1;
  else if constexpr (Op == Operation::dec)
    return old == 0 || old > b ? b : old - 1;
  else if constexpr (Op == Operation::land)
    return old & b;
  else if constexpr (Op == Operation::lor)
    return old | b;
  else
    return old ^ b;
}

// Baseline x86-64 has no 16-byte atomic, so all 16-byte cells share one lock.
std::mutex& wide_lock() {
  static std::mutex mutex;
  return mutex;
}

// Replaces the cell by f(old) and returns old.
template <bool Shared, class R, class F>
R exchange(std::byte* where, F f) {
  R old;
  if constexpr (sizeof(R) == 16 || Shared) {
    std::unique_lock<std::mutex> lock;
    if constexpr (!Shared) lock = std::unique_lock(wide_lock());
    std::memcpy(&old, where, sizeof old);
    const R fresh = f(old);
    std::memcpy(where, &fresh, sizeof fresh);
  } else {
    R* cell = reinterpret_cast<R*>(where);
    old = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(cell, &old, f(old), true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
  }
  return old;
}

// One lane: b and c are its operands (raw), the result is the old value.
template <Operation Op, class T>
struct Lane {
  template <bool Shared>
  static Raw<T> run(std::byte* where, Raw<T> b, Raw<T> c) {
    if constexpr (!Shared && Op == Operation::add && std::is_integral_v<T>)
      return __atomic_fetch_add(reinterpret_cast<Raw<T>*>(where), b, __ATOMIC_SEQ_CST);
    return exchange<Shared, Raw<T>>(where, [&](Raw<T> old) {
      return std::bit_cast<Raw<T>>(
          apply<Op, T, Shared>(std::bit_cast<T>(old), std::bit_cast<T>(b), std::bit_cast<T>(c)));
    });
  }
};

// Whether the operation changes the value of the cell, which was `was`.
template <Operation Op, class T>
bool changes(bool shared, Raw<T> was, Raw<T> b, Raw<T> c) {
  const T old = std::bit_cast<T>(was), x = std::bit_cast<T>(b), y = std::bit_cast<T>(c);
  const T now = shared ? apply<Op, T, true>(old, x, y) : apply<Op, T, false>(old, x, y);
  return !(std::bit_cast<Raw<T>>(now) == was);
}

// A compare-and-swap of constants that succeeded.
void record_lock(const Warp& warp, const DecodedInstruction* at, int lane, const std::byte* where) {
  Site by;
  by.instruction = at->index;
  by.block = warp.block->index;
  by.thread = thread_of(warp, lane);
  by.access = "atomic";
  warp.block->locks->take(where, by);
}

bool is_shared(const Warp& warp, const std::byte* where) {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(where) - reinterpret_cast<std::uintptr_t>(warp.block->shared);
  return offset < warp.block->shared_bytes;
}

// operand: [0] old value, empty without a destination, [1] b, [2] c.
template <Operation Op, class T, bool Observed>
const DecodedInstruction* scalar(Warp& warp, const DecodedInstruction* at) {
  using R = Raw<T>;
  const AccessForm form = form_of(at);
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  resolve({warp, at, form, Access::Kind::atomic, Observed}, lanes);
  R* old = at->operand[0] == kNoOperand ? nullptr : warp.lanes<R>(at->operand[0]);
  const R* b = warp.lanes<R>(at->operand[1]);
  const R* c = Op == Operation::cas ? warp.lanes<R>(at->operand[2]) : b;
  bool* const changed = warp.block->atomics_changed;
  const bool takes_lock = form.has(AccessForm::takes_lock);
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* where = lanes.host[lane];
    const bool shared = is_shared(warp, where);
    const R was = shared ? Lane<Op, T>::template run<true>(where, b[lane], c[lane])
                         : Lane<Op, T>::template run<false>(where, b[lane], c[lane]);
    if (changed != nullptr) *changed |= changes<Op, T>(shared, was, b[lane], c[lane]);
    if (Op == Operation::cas && takes_lock && was == b[lane]) record_lock(warp, at, lane, where);
    if (old != nullptr) old[lane] = was;
  }
  return at + 1;
}

// A vector atomic has more registers than an instruction has operands: [6] and [7] point to them.
struct VectorSlots {
  std::uint32_t old[8], b[8];
};
const VectorSlots& vector_slots(const DecodedInstruction* at) {
  return *reinterpret_cast<const VectorSlots*>(std::uint64_t{at->operand[7]} << 32 | at->operand[6]);
}

// Each element is atomic on its own (manual: "the atomicity is guaranteed for each element").
template <Operation Op, class T, bool Observed>
const DecodedInstruction* vector(Warp& warp, const DecodedInstruction* at) {
  using R = Raw<T>;
  const AccessForm form = form_of(at);
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  resolve({warp, at, form, Access::Kind::atomic, Observed}, lanes);
  const VectorSlots& slots = vector_slots(at);
  if (warp.block->atomics_changed != nullptr) *warp.block->atomics_changed = true;
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (unsigned element = 0; element < form.vector; ++element) {
      const R b = warp.lanes<R>(slots.b[element])[lane];
      const R was = Lane<Op, T>::template run<false>(lanes.host[lane] + element * sizeof(R), b, b);
      if (slots.old[element] != kNoOperand) warp.lanes<R>(slots.old[element])[lane] = was;
    }
  }
  return at + 1;
}

template <Operation Op, class T>
void reduce(std::byte* where, const std::byte* value, bool shared) {
  Raw<T> b;
  std::memcpy(&b, value, sizeof b);
  shared ? Lane<Op, T>::template run<true>(where, b, b) : Lane<Op, T>::template run<false>(where, b, b);
}

// An operation on one type: as an instruction, and on one element of a bulk copy. Empty: there is none.
struct Chosen {
  Handler handler = nullptr;
  Reduction reduction = nullptr;
};

template <Operation Op, class T>
Chosen pick(bool is_vector, bool observed) {
  if constexpr (Op == Operation::add || Op == Operation::min || Op == Operation::max) {
    if constexpr (!std::is_integral_v<T> && sizeof(T) <= 4)
      if (is_vector) return {observed ? vector<Op, T, true> : vector<Op, T, false>};
  }
  if (is_vector) return {};
  return {observed ? scalar<Op, T, true> : scalar<Op, T, false>, reduce<Op, T>};
}

// Which types an operation takes: the table of the manual.
template <Operation Op>
Chosen arithmetic(ptx::Type type, bool is_vector, bool observed) {
  switch (type) {
    case ptx::Type::u32:
      return pick<Op, std::uint32_t>(is_vector, observed);
    case ptx::Type::s32:
      return pick<Op, std::int32_t>(is_vector, observed);
    case ptx::Type::u64:
      return pick<Op, std::uint64_t>(is_vector, observed);
    case ptx::Type::s64:
      return pick<Op, std::int64_t>(is_vector, observed);
    case ptx::Type::f16:
      return pick<Op, Half>(is_vector, observed);
    case ptx::Type::f16x2:
      return pick<Op, Pair<Half>>(is_vector, observed);
    case ptx::Type::bf16:
      return pick<Op, Brain>(is_vector, observed);
    case ptx::Type::bf16x2:
      return pick<Op, Pair<Brain>>(is_vector, observed);
    default:
      break;
  }
  if constexpr (Op == Operation::add) {
    if (type == ptx::Type::f32) return pick<Op, float>(is_vector, observed);
    if (type == ptx::Type::f64) return pick<Op, double>(is_vector, observed);
  }
  return {};
}

template <Operation Op>
Chosen bitwise(ptx::Type type, bool observed) {
  if (type == ptx::Type::b32) return pick<Op, std::uint32_t>(false, observed);
  if (type == ptx::Type::b64) return pick<Op, std::uint64_t>(false, observed);
  return {};
}

// exch and cas compare bits, whatever the type.
template <Operation Op>
Chosen bits(int bytes, bool observed) {
  switch (bytes) {
    case 2:
      return Op == Operation::cas ? pick<Op, std::uint16_t>(false, observed) : Chosen();
    case 4:
      return pick<Op, std::uint32_t>(false, observed);
    case 8:
      return pick<Op, std::uint64_t>(false, observed);
    case 16:
      return pick<Op, Bits128>(false, observed);
    default:
      return {};
  }
}

Chosen choose(Modifier op, ptx::Type type, bool is_vector, bool observed) {
  const bool u32 = type == ptx::Type::u32;
  if (op == Modifier::add) return arithmetic<Operation::add>(type, is_vector, observed);
  if (op == Modifier::min) return arithmetic<Operation::min>(type, is_vector, observed);
  if (op == Modifier::max) return arithmetic<Operation::max>(type, is_vector, observed);
  if (is_vector) return {};
  if (op == Modifier::inc) return u32 ? pick<Operation::inc, std::uint32_t>(false, observed) : Chosen();
  if (op == Modifier::dec) return u32 ? pick<Operation::dec, std::uint32_t>(false, observed) : Chosen();
  if (op == Modifier::and_) return bitwise<Operation::land>(type, observed);
  if (op == Modifier::or_) return bitwise<Operation::lor>(type, observed);
  if (op == Modifier::xor_) return bitwise<Operation::lxor>(type, observed);
  if (op == Modifier::exch) return bits<Operation::exch>(ptx::size_in_bytes(type), observed);
  if (op == Modifier::cas) return bits<Operation::cas>(ptx::size_in_bytes(type), observed);
  return {};
}

void put_scalar(const ptx::Instruction& from, bool reduction, const MemoryForm& form, DecodeContext& context,
                DecodedInstruction& to) {
  const std::size_t b = reduction ? 1 : 2;
  if (!reduction && operand_at(from, 0, context).kind != ptx::Operand::Kind::sink)
    to.operand[0] = context.slot(from.operands[0], form.type);
  to.operand[1] = context.slot(operand_at(from, b, context), form.type);
  if (form.operation == Modifier::cas)
    to.operand[2] = context.slot(operand_at(from, b + 1, context), form.type);
}

void put_vector(const ptx::Instruction& from, bool reduction, const MemoryForm& form, DecodeContext& context,
                DecodedInstruction& to) {
  const auto count = static_cast<std::size_t>(form.vector);
  const ptx::Operand& b = operand_at(from, reduction ? 1 : 2, context);
  if (count > 8 || b.elements.size() != count ||
      (!reduction && operand_at(from, 0, context).elements.size() != count))
    context.unsupported(from, "expected vectors of " + std::to_string(count) + " registers");
  auto slots = std::make_shared<VectorSlots>();
  for (std::size_t i = 0; i < count; ++i) {
    const bool wanted = !reduction && from.operands[0].elements[i].kind != ptx::Operand::Kind::sink;
    slots->old[i] = wanted ? context.slot(from.operands[0].elements[i], form.type) : kNoOperand;
    slots->b[i] = context.slot(b.elements[i], form.type);
  }
  const auto address = reinterpret_cast<std::uint64_t>(slots.get());
  to.operand[6] = static_cast<std::uint32_t>(address);
  to.operand[7] = static_cast<std::uint32_t>(address >> 32);
  context.keep(std::move(slots));
}

}  // namespace

Reduction reduction_of(Modifier op, ptx::Type type) {
  if (op == Modifier::exch || op == Modifier::cas) return nullptr;
  return choose(op, type, false, false).reduction;
}

void decode_atomic(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to) {
  const bool reduction = from.opcode == Opcode::red;
  MemoryForm form = memory_form(from);
  if (!form.refused.empty()) context.unsupported(from, "." + form.refused + " is not offered");
  form.is_strong = true;
  form.is_data = !has(context.load_uses(), LoadUse::control_relevant);
  form.takes_lock = has(context.load_uses(), LoadUse::takes_lock);
  const bool is_vector = form.vector > 1;
  to.handler = choose(form.operation, form.type, is_vector, observed).handler;
  if (to.handler == nullptr) context.unsupported(from, "no such atomic operation on this type");
  if (is_vector)
    put_vector(from, reduction, form, context, to);
  else
    put_scalar(from, reduction, form, context, to);
  const DecodedAddress address =
      decode_address(from, operand_at(from, reduction ? 0 : 1, context), form.space, context);
  if (address.kernel_parameter || address.space == ptx::Space::constant)
    context.unsupported(from, "atomics work on global and shared memory");
  if (is_vector && address.space != ptx::Space::global && address.space != ptx::Space::generic)
    context.unsupported(from, "vector atomics need .global");
  encode_access(form, address, static_cast<unsigned>(ptx::size_in_bytes(form.type) * form.vector), to);
}

}  // namespace warpgrade::emulator
