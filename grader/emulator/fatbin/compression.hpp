// The two compressions that nvcc uses for the payloads of a fat binary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace warpgrade::fatbin {

// `size` is the number of bytes that must come out, as the entry's header states it.
// Both throw FormatError where the data are damaged or `size` is beyond 256 MB.
std::string expand_lz4(std::span<const std::byte> packed, std::uint64_t size);   // one raw block, no frame
std::string expand_zstd(std::span<const std::byte> packed, std::uint64_t size);  // one frame

}  // namespace warpgrade::fatbin
