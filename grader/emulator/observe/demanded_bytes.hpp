// Bytes of a loaded value that the kernel looks at: a bool that is read as part of a 64-bit word is one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::observe {

struct Access;

// By register, a bit for each of its bytes: may it make a difference? Copies, shuffles, selections, masks,
// shifts by whole bytes and narrower stores pass the question on; all else looks at all of what it reads.
// A store of all bytes counts only where `stores` is set: what is merely copied may have holes.
std::vector<std::uint16_t> demanded_bytes(const ptx::Function& function, bool stores);

// The same of what a load or an exchange gets: a bit for each byte of a lane's access.
struct DemandedBytes {
  std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t but_for_copies = ~std::uint64_t{0};
};
// Of one launch, one worker's: each function is looked at once.
class Demands {
 public:
  DemandedBytes of(const Access& access);

 private:
  struct OfFunction {  // by register, with stores of all bytes and without
    std::vector<std::uint16_t> all, but_for_copies;
  };
  std::unordered_map<std::int32_t, OfFunction> functions_;
};

}  // namespace warpgrade::observe
