// Picks the build of lanes/memory.cpp for this machine.
#include "exec/lanes/memory.hpp"

namespace warpgrade::exec {

Handler fast_load(const FastAccess&, bool) { return nullptr; }
Handler fast_store(const FastAccess&, bool) { return nullptr; }

}  // namespace warpgrade::exec
