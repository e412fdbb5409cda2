// Turns a line of a .def file into a row of the operation table.
#pragma once

#include "isa/lanes/settled.hpp"
#include "isa/tables.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

// The handler of functor F.
template <class F, class S>
const DecodedInstruction* lanewise_handler(Warp& warp, const DecodedInstruction* at) {
  if constexpr (
      requires(float x) { F::raw(x); } && requires { lanewise_settled<F>(warp, at, S{}); }) {
    if (warp.active == kFullMask) [[likely]] {
      lanewise_settled<F>(warp, at, S{});
      return at + 1;
    }
  }
  return lanewise<F>(warp, at, S{});
}

// The row of a functor with the ordinary lane loop.
template <class F, class S>
constexpr Operation functor_row(const char* form, CounterClass counts, const char* section) {
  return make_row(form, &lanewise_handler<F, S>, counts, section, S{});
}

}  // namespace warpgrade::isa::WARPGRADE_LANES
