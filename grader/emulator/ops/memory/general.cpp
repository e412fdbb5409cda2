#include "ops/memory/lanes/contiguous_variants.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "ops/memory/general.hpp"
#include "ops/memory/resolve.hpp"

namespace warpgrade::emulator {
namespace {

struct TwoWords {
  std::uint64_t low, high;
};

template <unsigned Bytes>
using Bits = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t,
                                          std::conditional_t<Bytes == 8, std::uint64_t, TwoWords>>>>;

// A narrow value in a wider register: extended by its sign or with zeros.
template <class Register, class Element>
Register extend(Element value, [[maybe_unused]] bool sign) {
  if constexpr (std::is_same_v<Register, Element>) {
    return value;
  } else {
    using Signed = std::make_signed_t<Element>;
    return sign ? static_cast<Register>(static_cast<Signed>(value)) : static_cast<Register>(value);
  }
}

// Volatile and strong accesses must be atomic and ordered: other host threads run other blocks.
template <class T>
T load_value(const std::byte* from, bool ordered) {
  if constexpr (sizeof(T) <= 8) {
    if (ordered) return __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_SEQ_CST);
  }
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store_value(std::byte* to, T value, bool ordered) {
  if constexpr (sizeof(T) <= 8) {
    if (ordered) return __atomic_store_n(reinterpret_cast<T*>(to), value, __ATOMIC_SEQ_CST);
  }
  std::memcpy(to, &value, sizeof value);
}

bool is_ordered(AccessForm form) {
  return form.has(AccessForm::is_volatile) || form.has(AccessForm::is_strong);
}

template <unsigned E, unsigned R, bool Sign, bool Observed>
const DecodedInstruction* load(Warp& warp, const DecodedInstruction* at) {
  const AccessForm form = form_of(at);
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  resolve({warp, at, form, Access::Kind::read, Observed}, lanes);
  const bool ordered = is_ordered(form);
  for (unsigned element = 0; element < form.vector; ++element) {
    if (at->operand[element] == kNoOperand) continue;
    Bits<R>* to = warp.lanes<Bits<R>>(at->operand[element]);
    for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      to[lane] = extend<Bits<R>>(load_value<Bits<E>>(lanes.host[lane] + element * E, ordered), Sign);
    }
  }
  return at + 1;
}

// The low bytes of a register.
template <class Element, class Register>
Element narrow(Register value) {
  if constexpr (std::is_same_v<Register, Element>)
    return value;
  else
    return static_cast<Element>(value);
}

// The new bytes of each lane side by side, for observers that compare them with what is there.
template <unsigned E, unsigned R>
void gather_values(const Warp& warp, const DecodedInstruction* at, unsigned vector, std::byte* to) {
  for (unsigned element = 0; element < vector; ++element) {
    const Bits<R>* from = warp.lanes<Bits<R>>(at->operand[element]);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const auto value = narrow<Bits<E>>(from[lane]);
      std::memcpy(to + (lane * vector + element) * E, &value, E);
    }
  }
}

template <unsigned E, unsigned R, bool Observed>
const DecodedInstruction* store(Warp& warp, const DecodedInstruction* at) {
  const AccessForm form = form_of(at);
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  std::byte values[Observed ? kWarpSize * 32 : 1];
  if constexpr (Observed) gather_values<E, R>(warp, at, form.vector, values);
  ResolveRequest request{warp, at, form, Access::Kind::write, Observed};
  request.value = values;
  resolve(request, lanes);
  const bool ordered = is_ordered(form);
  for (unsigned element = 0; element < form.vector; ++element) {
    const Bits<R>* from = warp.lanes<Bits<R>>(at->operand[element]);
    for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      store_value(lanes.host[lane] + element * E, narrow<Bits<E>>(from[lane]), ordered);
    }
  }
  return at + 1;
}

template <unsigned E, unsigned R, bool Sign>
const DecodedInstruction* load_parameter(Warp& warp, const DecodedInstruction* at) {
  const AccessForm form = form_of(at);
  const std::byte* from = warp.block->parameters + at->immediate;
  for (unsigned element = 0; element < form.vector; ++element) {
    if (at->operand[element] == kNoOperand) continue;
    const Bits<R> value = extend<Bits<R>>(load_value<Bits<E>>(from + element * E, false), Sign);
    Bits<R>* to = warp.lanes<Bits<R>>(at->operand[element]);
    for (int lane = 0; lane < kWarpSize; ++lane)
      if ((warp.active >> lane & 1u) != 0) to[lane] = value;
  }
  return at + 1;
}

// Calls use(E, R) with the shape's widths as constants; null for a pair that PTX does not have.
template <class Use>
Handler with_widths(ElementShape shape, Use use) {
  const auto pick = [&]<unsigned E>() -> Handler {
    switch (shape.register_bytes) {
      case 2:
        if constexpr (E <= 2) return use.template operator()<E, 2>();
        break;
      case 4:
        if constexpr (E <= 4) return use.template operator()<E, 4>();
        break;
      case 8:
        if constexpr (E <= 8) return use.template operator()<E, 8>();
        break;
      case 16:
        if constexpr (E == 16) return use.template operator()<E, 16>();
        break;
      default:
        break;
    }
    return nullptr;
  };
  switch (shape.bytes) {
    case 1:
      return pick.template operator()<1>();
    case 2:
      return pick.template operator()<2>();
    case 4:
      return pick.template operator()<4>();
    case 8:
      return pick.template operator()<8>();
    case 16:
      return pick.template operator()<16>();
    default:
      return nullptr;
  }
}

}  // namespace

template <unsigned Bytes, bool Observed>
const DecodedInstruction* general_load_of(Warp& warp, const DecodedInstruction* at) {
  return load<Bytes, Bytes, false, Observed>(warp, at);
}
template <unsigned Bytes, bool Observed>
const DecodedInstruction* general_store_of(Warp& warp, const DecodedInstruction* at) {
  return store<Bytes, Bytes, Observed>(warp, at);
}
template const DecodedInstruction* general_load_of<4, false>(Warp&, const DecodedInstruction*);
template const DecodedInstruction* general_load_of<4, true>(Warp&, const DecodedInstruction*);
template const DecodedInstruction* general_load_of<8, false>(Warp&, const DecodedInstruction*);
template const DecodedInstruction* general_load_of<8, true>(Warp&, const DecodedInstruction*);
template const DecodedInstruction* general_store_of<4, false>(Warp&, const DecodedInstruction*);
template const DecodedInstruction* general_store_of<4, true>(Warp&, const DecodedInstruction*);
template const DecodedInstruction* general_store_of<8, false>(Warp&, const DecodedInstruction*);
template const DecodedInstruction* general_store_of<8, true>(Warp&, const DecodedInstruction*);

Handler general_load(ElementShape shape, bool observed) {
  return with_widths(shape, [&]<unsigned E, unsigned R>() -> Handler {
    if (shape.sign) return observed ? load<E, R, true, true> : load<E, R, true, false>;
    return observed ? load<E, R, false, true> : load<E, R, false, false>;
  });
}

Handler general_store(ElementShape shape, bool observed) {
  return with_widths(shape, [&]<unsigned E, unsigned R>() -> Handler {
    return observed ? store<E, R, true> : store<E, R, false>;
  });
}

Handler parameter_load(ElementShape shape) {
  return with_widths(shape, [&]<unsigned E, unsigned R>() -> Handler {
    return shape.sign ? load_parameter<E, R, true> : load_parameter<E, R, false>;
  });
}

}  // namespace warpgrade::emulator
