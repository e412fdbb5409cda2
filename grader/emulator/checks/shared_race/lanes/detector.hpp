// The common cases of the shared race check, vectorised over words: nothing to record, or a first access.
#pragma once

#include "checks/shared_race/shadow_word.hpp"
#include "isa/each_variant.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// True if the access has been recorded and no word of it races. False if the general rules must check
// it; part of it may have been recorded by then. Plain reads and writes of whole words only.
using SharedRaceFastPath = bool (*)(const Access& access, const SharedShadowView& view);

WARPGRADE_DECLARE_LANES(bool shared_race_fast_path(const Access& access, const SharedShadowView& view);)

SharedRaceFastPath shared_race_fast_path();  // chosen for this machine's vector width

}  // namespace warpgrade::emulator
