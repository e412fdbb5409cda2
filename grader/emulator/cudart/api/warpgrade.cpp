// Functions that this runtime offers in addition to CUDA's (warpgrade.h).
#include <algorithm>

#include "cudart/api/api.hpp"
#include "cudart/memory/host_access.hpp"
#include "cudart/work/graph_listing.hpp"
#include "launch/worker_pool.hpp"
#include "symbols/host_call_site.hpp"

#pragma GCC visibility push(default)
#include "cudart/api/warpgrade.h"
#pragma GCC visibility pop

using namespace warpgrade;
using namespace warpgrade::cudart;

// Clears `count` bits from bit `from` on, of one bit for each byte of an allocation (Allocation::written).
static void forget_written(std::vector<std::uint8_t>& bits, std::size_t bytes, std::size_t from,
                           std::size_t count) {
  if (bits.empty()) bits.assign((bytes + 7) / 8, 0xff);
  const auto clear = [&](std::size_t at) {
    bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] & ~(1u << at % 8));
  };
  for (; count != 0 && from % 8 != 0; ++from, --count) clear(from);
  std::fill_n(bits.begin() + static_cast<std::ptrdiff_t>(from / 8), count / 8, std::uint8_t{0});
  for (from += count / 8 * 8, count %= 8; count != 0; ++from, --count) clear(from);
}

extern "C" {

int warpgradeNameBuffer(const void* data, size_t bytes, const char* name) {
  return call(__func__, [&](Runtime& r) {
    const auto begin = reinterpret_cast<std::uint64_t>(data);
    emulator::Allocation* found = r.memory.find(begin);
    // An empty buffer may start at the end of its allocation.
    if (found == nullptr && bytes == 0) found = r.memory.find(begin - 1);
    require(found != nullptr && !found->freed, cudaErrorInvalidValue);
    if (bytes > found->base + found->bytes - begin)
      fail(cudaErrorInvalidValue, "%zu bytes do not fit into the allocation of %zu bytes", bytes,
           found->bytes);
    found->open_begin = begin;
    found->open_end = begin + bytes;
    if (name != nullptr) found->name = name;
  });
}

int warpgradeUnwritten(const void* data, size_t bytes) {
  return call(__func__, [&](Runtime& r) {
    const auto begin = reinterpret_cast<std::uint64_t>(data);
    emulator::Allocation* const found = r.memory.find(begin);
    require(found != nullptr && !found->freed && bytes <= found->base + found->bytes - begin,
            cudaErrorInvalidValue);
    if (r.config.options.check_init) forget_written(found->written, found->bytes, begin - found->base, bytes);
  });
}

int warpgradeLabel(const char* label) {
  return call<Needs::nothing>(__func__,
                              [&](Runtime& r) { r.reporter.set_label(label == nullptr ? "" : label); });
}

int warpgradeBlocksInTurns(int in_turns) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) { r.blocks_in_turns = in_turns != 0; });
}

int warpgradeDeviceRange(void** begin, size_t* bytes) {
  return call(__func__, [&](Runtime& r) {
    require(begin != nullptr && bytes != nullptr, cudaErrorInvalidValue);
    *begin = reinterpret_cast<void*>(r.memory.range_begin());
    *bytes = r.memory.range_bytes();
  });
}

void warpgradeRemoteCall(const void* address) {
  emulator::set_remote_call(address);
  if (Runtime* const made = Runtime::made()) made->failed_calls.forget_why();
}

const char* warpgradeWhyFailed() {
  Runtime* const made = Runtime::made();
  return made == nullptr ? "" : made->failed_calls.why_remote().c_str();
}

unsigned long long warpgradeLastCopy() { return last_copy(); }

unsigned long long warpgradeBytesRead(unsigned long long copy) {
  unsigned long long bytes = 0;
  call<Needs::nothing>(__func__, [&](Runtime& r) { bytes = r.uploads.of(copy); });
  return bytes;
}

unsigned long long warpgradeLastLaunch() { return last_launch(); }

unsigned long long warpgradeBytesTaken(unsigned long long launch) {
  unsigned long long bytes = 0;
  call<Needs::nothing>(__func__, [&](Runtime& r) { bytes = r.results.of(launch); });
  return bytes;
}

void warpgradeComputedBytes(const void* memory, size_t bytes,
                            void (*visit)(void* context, size_t begin, size_t end), void* context) {
  const auto first = reinterpret_cast<std::uint64_t>(memory);
  call<Needs::nothing>(__func__, [&](Runtime& r) {
    const emulator::AddressRanges found = r.computed.in({first, first + bytes});
    for (const emulator::AddressRange& each : found.items())
      visit(context, each.begin - first, each.end - first);
  });
}

int warpgradeGraphNodes(const void* executable, void (*visit)(void*, const struct warpgradeNode*),
                        void* context) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) {
    const GraphExec* const found = r.handles.execs.find(executable);
    require(found != nullptr, cudaErrorInvalidValue);
    for (const ListedNode& each : listed(*found)) {
      warpgradeNode node{0, 0, nullptr, nullptr, each.before.data(), each.before.size()};
      const Work* const work = each.node == nullptr ? nullptr : &each.node->work;
      if (const auto* kernel = std::get_if<KernelWork>(work)) node.launch = kernel->number;
      if (const auto* copy = std::get_if<CopyWork>(work)) node.copy = copy->number;
      if (const auto* record = std::get_if<RecordWork>(work)) node.recorded = record->event;
      if (const auto* wait = std::get_if<WaitWork>(work)) node.awaited = wait->event;
      visit(context, &node);
    }
  });
}

unsigned long long warpgradeVariableBytes() {
  unsigned long long bytes = 0;
  call<Needs::nothing>(__func__, [&](Runtime& r) {
    for (const emulator::Allocation* each : r.memory.live()) {
      const bool is_managed = each->kind == emulator::Allocation::Kind::managed && !each->name.empty();
      if (is_managed || each->kind == emulator::Allocation::Kind::module_global) bytes += each->bytes;
    }
  });
  return bytes;
}

unsigned long long warpgradeHeapBytes() {
  unsigned long long bytes = 0;
  call<Needs::nothing>(__func__, [&](Runtime& r) { bytes = r.memory.most_heap(); });
  return bytes;
}

size_t warpgradeClosedPages(struct warpgradePages* pages, size_t most) {
  size_t count = 0;
  call<Needs::nothing>(__func__, [&](Runtime& r) {
    const auto add = [&](const PageGuard::Pages& closed, bool readable) {
      for (const auto& [begin, end] : closed) {
        if (count < most) pages[count] = {begin, end, readable ? 1ULL : 0ULL};
        ++count;
      }
    };
    add(r.order.guard().no_writes(), true);
    add(r.order.guard().no_access(), false);
  });
  return count;
}

int warpgradeHostAccess(const void* address, size_t bytes, int is_write) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) {
    const emulator::HostAccess access{reinterpret_cast<std::uint64_t>(address), bytes, is_write != 0,
                                      emulator::current_call()};
    if (r.order.host_accessed(r, access)) return;
    r.reporter.found(
        host_access(r.memory, reinterpret_cast<std::uint64_t>(address), is_write != 0, access.call), {});
  });
}

int warpgradeStepLimit(unsigned long long steps) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) { r.step_limit = steps; });
}

int warpgradeFork() {
  if (!emulator::is_single_threaded()) return -1;
  return static_cast<int>(Runtime::fork());
}

int warpgradeUnwrittenByte() { return emulator::kUnwrittenByte; }

int warpgradeFindingCount() {
  int count = 0;
  call<Needs::nothing>(__func__, [&](Runtime& r) { count = r.reporter.last_finding_count(); });
  return count;
}

int warpgradeKeptState(char* names, size_t bytes) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) {
    require(names != nullptr && bytes != 0, cudaErrorInvalidValue);
    std::string all;
    for (const std::string& each : r.reporter.kept()) all += (all.empty() ? "" : ", ") + each;
    names[all.copy(names, bytes - 1)] = 0;
  });
}

}  // extern "C"
