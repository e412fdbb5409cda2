#include "base/emulator.hpp"

#include "cudart/api/warpgrade.h"

// Weak symbols: with NVIDIA's library, which lacks them, their addresses are null.
#pragma weak warpgradeLabel
#pragma weak warpgradeNameBuffer
#pragma weak warpgradeKeptState
#pragma weak warpgradeBlocksInTurns
#pragma weak warpgradeFindingCount
#pragma weak warpgradeFork
#pragma weak warpgradeStepLimit
#pragma weak warpgradeUnwrittenByte
#pragma weak warpgradeUnwritten

namespace warpgrade::harness::emulator {

bool present() { return warpgradeLabel != nullptr; }

void label(const std::string& text) {
  if (warpgradeLabel) warpgradeLabel(text.c_str());
}

void blocks_in_turns(bool in_turns) {
  if (warpgradeBlocksInTurns) warpgradeBlocksInTurns(in_turns);
}

std::string kept_state() {
  char names[256] = "";
  if (warpgradeKeptState) warpgradeKeptState(names, sizeof names);
  return names;
}

int finding_count() { return warpgradeFindingCount ? warpgradeFindingCount() : 0; }

void step_limit(std::uint64_t steps) {
  if (warpgradeStepLimit) warpgradeStepLimit(steps);
}

int fork() { return warpgradeFork ? warpgradeFork() : -1; }

std::optional<std::byte> unwritten_byte() {
  if (!warpgradeUnwrittenByte) return {};
  return static_cast<std::byte>(warpgradeUnwrittenByte());
}

void name_buffer(const void* data, std::size_t bytes, const char* name) {
  if (warpgradeNameBuffer) warpgradeNameBuffer(data, bytes, name);
}

void unwritten(const void* data, std::size_t bytes) {
  if (warpgradeUnwritten) warpgradeUnwritten(data, bytes);
}

}  // namespace warpgrade::harness::emulator
