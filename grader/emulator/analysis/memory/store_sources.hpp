// The origin of a stored value: undefined bytes are harmless in a struct copy (padding), but not in a
// computed value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct StoreSource {
  // If the value is an extended load: the bytes of the load. Its upper bytes are not padding. Otherwise 0.
  unsigned loaded = 0;
  // If the value is the previous word with a bit-field assigned: the mask of the bits that stay.
  std::optional<std::uint64_t> kept;
  // The value is a sum, product or the like: each of its bytes is meant.
  bool computed = false;
};

StoreSource find_store_source(const ptx::Function& function, std::size_t store);

}  // namespace warpgrade::emulator
