// Rare forms are compiled once, for any x86-64, as a scalar function that is called for each lane. Such a row
// takes some ten machine instructions, where a vector loop takes some hundred for each vector width.
#pragma once

#include <utility>

#include "isa/functors/signature.hpp"
#include "isa/tables.hpp"

namespace warpgrade::isa::rare {

// result[i] = function(sources[i]…) for the active lanes.
template <class D, class... S, std::size_t... I>
[[gnu::noinline, gnu::noclone]] void call_each(Warp& warp, const DecodedInstruction* at, D (*function)(S...),
                                               std::index_sequence<I...>) {
  auto* to = warp.lanes<D>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (warp.active >> lane & 1) to[lane] = function(warp.lanes<S>(at->operand[I + 1])[lane]...);
}

// F::apply of one lane's registers.
template <class F, class D, class... S>
typename D::storage apply_to(typename S::storage... x) {
  return static_cast<typename D::storage>(
      static_cast<typename D::value>(F::apply(static_cast<typename S::value>(x)...)));
}

template <class F, class D, class... S>
const DecodedInstruction* each_lane(Warp& warp, const DecodedInstruction* at, Signature<D, S...>) {
  call_each(warp, at, &apply_to<F, D, S...>, std::index_sequence_for<S...>{});
  return at + 1;
}

template <class F, class S>
const DecodedInstruction* rare_handler(Warp& warp, const DecodedInstruction* at) {
  return each_lane<F>(warp, at, S{});
}

// The row of a functor, as functor_row() makes it of vector code.
template <class F, class S>
constexpr Operation functor_row(const char* form, CounterClass counts, const char* section) {
  return make_row(form, &rare_handler<F, S>, counts, section, S{});
}

}  // namespace warpgrade::isa::rare
