// What a store's value was made of: bytes that nothing wrote mean other things in it than in a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct StoreSource {
  // A load of so many bytes that was made wider: the bytes above are no padding. 0: none.
  unsigned loaded = 0;
  // Of what stood there before, these bits: a bit-field was set in it.
  std::optional<std::uint64_t> kept;
};

StoreSource find_store_source(const ptx::Function& function, std::size_t store);

}  // namespace warpgrade::emulator
