#include "ops/inserted.hpp"

#include "ops/control.hpp"
#include "ops/division.hpp"
#include "ops/memory/affine.hpp"

namespace warpgrade::emulator {

bool is_inserted(const DecodedInstruction& at, Handler handler) {
  if (handler == control::guarded || handler == control::guarded_not) handler = at.body;
  return handler == control::join || handler == control::join_back || handler == control::count_block ||
         handler == control::count_guard || handler == control::count_guard_not ||
         handler == address_pattern_handler(true) || handler == address_pattern_handler(false) ||
         is_divisor_check(handler);
}

}  // namespace warpgrade::emulator
