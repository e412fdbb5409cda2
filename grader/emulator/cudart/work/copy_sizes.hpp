// The likely mistake where a copy is larger than the memory that it goes to or comes from.
#pragma once
#include <cstdint>
#include <string>

namespace warpgrade::cudart {

// Words that follow those of the two sizes: one counts elements and the other bytes, or the memory is as
// large as a pointer. Empty where neither is likely.
inline std::string mistaken_size(std::uint64_t copied, std::uint64_t allocated) {
  for (const std::uint64_t element : {2, 4, 8})
    if (copied == element * allocated)
      return ": the copy is " + std::to_string(element) +
             " times as large, as if one size were a number of elements; both are in bytes, n * sizeof(…)";
  if (allocated == sizeof(void*) && copied > allocated)
    return ": that is the size of a pointer, sizeof(pointer); what it points to has n * sizeof(*pointer) "
           "bytes";
  return "";
}

}  // namespace warpgrade::cudart
