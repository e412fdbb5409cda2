// The origin of a stored value: undefined bytes are harmless in a struct copy (padding), but not in a
// computed value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct StoreSource {
  // The value is a load of so many bytes, extended: the upper bytes are not padding. 0: it is not.
  unsigned loaded = 0;
  // The value is the previous word with a bit-field assigned: the mask of the bits that stay.
  std::optional<std::uint64_t> kept;
};

StoreSource find_store_source(const ptx::Function& function, std::size_t store);

}  // namespace warpgrade::emulator
