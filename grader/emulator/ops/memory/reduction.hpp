// Reductions of single elements in memory, which red and cp.reduce.async.bulk share.
#pragma once

#include <cstddef>

#include "ptx/tree/modifier.hpp"
#include "ptx/tree/type.hpp"

namespace warpgrade::emulator {

// Combines the element at `where` with that at `value`; an atomic operation unless it lies in shared memory.
using Reduction = void (*)(std::byte* where, const std::byte* value, bool shared);
// Null: there is no such operation on this type.
Reduction reduction_of(ptx::Modifier op, ptx::Type type);

}  // namespace warpgrade::emulator
