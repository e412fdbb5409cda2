#include "ops/system_calls.hpp"

#include <cstring>

#include "machine/memory/device_memory.hpp"
#include "machine/memory/local_window.hpp"
#include "machine/memory/shared_window.hpp"
#include "machine/observers.hpp"
#include "ops/printf.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kLongestString = 64 * 1024;

template <class T>
T argument(const Warp& warp, int lane, const CallSite& site, std::uint32_t base, std::size_t number) {
  T value{};
  const std::byte* local = warp.local + static_cast<std::size_t>(lane) * warp.local_bytes + base;
  if (number < site.arguments.size())
    std::memcpy(&value, local + site.arguments[number].offset, sizeof value);
  return value;
}

template <class T>
void give_back(const Warp& warp, int lane, const CallSite& site, std::uint32_t base, T value) {
  if (site.results.empty()) return;
  std::byte* local = warp.local + static_cast<std::size_t>(lane) * warp.local_bytes + base;
  std::memcpy(local + site.results[0].offset, &value,
              std::min<std::size_t>(sizeof value, site.results[0].bytes));
}

template <class Action>
void for_each_lane(std::uint32_t mask, Action action) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (mask >> lane & 1) action(lane);
  }
}

void print(Warp& warp, const CallSite& site, std::uint32_t base) {
  for_each_lane(warp.active, [&](int lane) {
    give_back<std::int32_t>(warp, lane, site, base, 0);
    std::string* output = warp.block->output;
    if (!output || output->size() > kPrintBuffer) return;
    const std::string pattern = read_string(warp, lane, argument<std::uint64_t>(warp, lane, site, base, 0));
    const auto buffer = argument<std::uint64_t>(warp, lane, site, base, 1);
    auto read = [&](std::size_t offset, std::size_t bytes, void* to) {
      const std::byte* from = readable(warp, lane, buffer + offset, bytes);
      if (from) std::memcpy(to, from, bytes);
      return from != nullptr;
    };
    auto string = [&](std::uint64_t address) { return read_string(warp, lane, address); };
    *output += format(pattern, read, string);
  });
}

[[noreturn]] void assertion(Warp& warp, const DecodedInstruction* at, const CallSite& site,
                            std::uint32_t base) {
  const int lane = __builtin_ctz(warp.active);
  const std::string what = read_string(warp, lane, argument<std::uint64_t>(warp, lane, site, base, 0));
  const std::string file = read_string(warp, lane, argument<std::uint64_t>(warp, lane, site, base, 1));
  const auto line = argument<std::uint32_t>(warp, lane, site, base, 2);
  const std::string where = read_string(warp, lane, argument<std::uint64_t>(warp, lane, site, base, 3));
  if (warp.block->output) {
    const Dim3 block = warp.block->index, thread = thread_of(warp, lane);
    char place[160];
    std::snprintf(place, sizeof place, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", block.x,
                  block.y, block.z, thread.x, thread.y, thread.z);
    *warp.block->output += file + ":" + std::to_string(line) + ": " + where + place + what + "` failed.\n";
  }
  fail(warp,
       finding_at(warp, at, FindingKind::assertion, "The assertion `" + what + "` failed in " + where + "."),
       LaunchStatus::device_assert);
}

std::uint64_t allocate_on_heap(Warp& warp, const DecodedInstruction* at, std::uint64_t bytes) {
  if (bytes == 0 || bytes > 1ull << 32) return 0;
  Allocation* made = warp.block->memory->allocate(bytes, Allocation::Kind::device_heap, "malloc");
  if (made == nullptr) return 0;
  made->program = state_of(warp).run->code->kernel->program;
  made->instruction = at->index;
  if (state_of(warp).run->check_init) made->written.assign((bytes + 7) / 8, 0);
  return made->base;
}

// free() of an invalid pointer corrupts the heap of a GPU: the kernel ends with cudaErrorLaunchFailure,
// sometimes later. The emulator reports it at once.
void free_on_heap(Warp& warp, const DecodedInstruction* at, int lane, std::uint64_t address) {
  const Allocation* found = warp.block->memory->find(address);
  const bool starts = found && found->base == address;
  if (starts && found->kind == Allocation::Kind::device_heap && !found->freed) {
    warp.block->memory->release(address);
    return;
  }
  const char* what = !starts                                        ? "no pointer that malloc() gave"
                     : found->kind != Allocation::Kind::device_heap ? "memory that the host allocated"
                                                                    : "memory that was freed before";
  warp.active = 1u << lane;
  fail(warp,
       finding_at(warp, at, FindingKind::invalid_free, std::string("free() of ") + what + " in a kernel"),
       LaunchStatus::launch_failure);
}

}  // namespace

const std::byte* readable(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes) {
  const Block& block = *warp.block;
  if (is_in_shared_window(address)) {
    const std::uint64_t offset = shared_offset(address);
    return offset + bytes <= block.shared_bytes ? block.shared + offset : nullptr;
  }
  if (is_local(address)) {
    const std::uint64_t offset = local_offset(address);
    if (offset > warp.local_bytes || bytes > warp.local_bytes - offset) return nullptr;
    return warp.local + static_cast<std::size_t>(lane) * warp.local_bytes + offset;
  }
  const Allocation* in = block.memory->find(address);
  if (!in || in->freed || address + bytes > in->base + in->bytes) return nullptr;
  return in->at(address);
}

std::string read_string(const Warp& warp, int lane, std::uint64_t address) {
  std::string text;
  for (; text.size() < kLongestString; ++address) {
    const std::byte* at = readable(warp, lane, address, 1);
    if (!at || *at == std::byte{0}) break;
    text += static_cast<char>(*at);
  }
  return text;
}

const DecodedInstruction* system_call(Warp& warp, const DecodedInstruction* at, const CallSite& site,
                                      std::uint32_t base) {
  switch (site.system) {
    case SystemCall::vprintf:
      print(warp, site, base);
      break;
    case SystemCall::assert_fail:
      assertion(warp, at, site, base);
    case SystemCall::malloc:
      for_each_lane(warp.active, [&](int lane) {
        const auto bytes = argument<std::uint64_t>(warp, lane, site, base, 0);
        give_back<std::uint64_t>(warp, lane, site, base, allocate_on_heap(warp, at, bytes));
      });
      break;
    case SystemCall::free:
      for_each_lane(warp.active, [&](int lane) {
        const auto address = argument<std::uint64_t>(warp, lane, site, base, 0);
        if (address) free_on_heap(warp, at, lane, address);
      });
      break;
    case SystemCall::none:
      break;
  }
  return at + 1;
}

}  // namespace warpgrade::emulator
