// Copies and fills: checks the ranges against the copy's kind, and marks written device bytes.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "cudart/memory/host_errors.hpp"
#include "cudart/runtime/runtime.hpp"
#include "cudart/work/commands.hpp"
#include "cudart/work/copy_sizes.hpp"
#include "fatbin/host_memory.hpp"
#include "findings/fault.hpp"

namespace warpgrade::cudart {
namespace {

using emulator::Allocation;

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

std::string describe(const Allocation& a) {
  return name_of(a) + ", which has " + std::to_string(a.bytes) + " bytes";
}

// The allocation that holds [at, at + bytes); null for pageable host memory.
Allocation* holder(Runtime& runtime, const void* at, std::size_t bytes) {
  if (at == nullptr) throw Failure{cudaErrorInvalidValue, "the pointer is null"};
  Allocation* found = runtime.memory.find(address(at));
  if (found == nullptr) {
    if (!runtime.memory.in_range(address(at))) {
      if (!ends_readable(at, bytes))
        throw Failure{cudaErrorInvalidValue, "there is no host memory for these bytes: a wild pointer?"};
      return nullptr;
    }
    throw Failure{cudaErrorInvalidValue, "the pointer is a device address that was never allocated"};
  }
  if (found->freed)
    throw Failure{cudaErrorInvalidValue, "the memory was freed: " + describe(*found) + provenance(*found)};
  const std::uint64_t offset = address(at) - found->base;
  if (bytes > found->bytes - offset)
    throw Failure{cudaErrorInvalidValue, std::to_string(bytes) + " bytes from byte " +
                                             std::to_string(offset) + " of " + describe(*found) +
                                             provenance(*found) + mistaken_size(bytes, found->bytes)};
  return found;
}

bool on_host(const Allocation* a) {
  return a == nullptr || a->kind == Allocation::Kind::managed || a->kind == Allocation::Kind::pinned;
}

// Bytes from the first to the last of a box.
std::size_t span(std::size_t width, std::size_t pitch, std::size_t height, std::size_t slice,
                 std::size_t depth) {
  return width + (height - 1) * pitch + (depth - 1) * slice;
}

void set_bits(std::vector<std::uint8_t>& bits, std::size_t from, std::size_t count) {
  for (; count != 0 && from % 8 != 0; ++from, --count)
    bits[from / 8] = static_cast<std::uint8_t>(bits[from / 8] | 1u << from % 8);
  std::memset(bits.data() + from / 8, 0xff, count / 8);
  for (from += count / 8 * 8, count %= 8; count != 0; ++from, --count)
    bits[from / 8] = static_cast<std::uint8_t>(bits[from / 8] | 1u << from % 8);
}

bool bit(const std::vector<std::uint8_t>& bits, std::size_t at) { return (bits[at / 8] >> at % 8 & 1) != 0; }

void mark_written(Allocation* to, const void* at, std::size_t bytes) {
  if (to == nullptr || to->written.empty()) return;
  if (bytes == to->bytes)
    to->written = {};
  else
    set_bits(to->written, address(at) - to->base, bytes);
}

// The emulator's own address of the memory that the program's pointer names.
std::byte* bytes_of(const Allocation* a, const std::byte* pointer) {
  return a == nullptr ? const_cast<std::byte*>(pointer) : a->at(address(pointer));
}

// A copy of unwritten bytes is unwritten too.
void copy_written(Allocation* to, const void* to_at, const Allocation* from, const void* from_at,
                  std::size_t bytes) {
  if (from == nullptr || from->written.empty()) return mark_written(to, to_at, bytes);
  if (to == nullptr) return;
  if (to->written.empty() && to->kind != Allocation::Kind::device)
    return;  // the host may write there without a call
  if (to->written.empty()) to->written.assign((to->bytes + 7) / 8, 0xff);
  const std::size_t to_offset = address(to_at) - to->base, from_offset = address(from_at) - from->base;
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto mask = static_cast<std::uint8_t>(1u << (to_offset + i) % 8);
    std::uint8_t& target = to->written[(to_offset + i) / 8];
    target = static_cast<std::uint8_t>(bit(from->written, from_offset + i) ? target | mask : target & ~mask);
  }
}

bool is_unwritten(const Allocation* from, const std::byte* at, std::size_t bytes) {
  if (from == nullptr || from->written.empty()) return false;
  const std::size_t offset = address(at) - from->base;
  for (std::size_t i = 0; i < bytes; ++i)
    if (bit(from->written, offset + i)) return false;
  return true;
}

// The kind that says what the two pointers are.
std::string fitting_kind(const Allocation* to, const Allocation* from) {
  return std::string("cudaMemcpy") + (on_host(from) ? "Host" : "Device") + "To" +
         (on_host(to) ? "Host" : "Device");
}

void check_direction(const CopyWork& copy, const Allocation* to, const Allocation* from) {
  // As on an H200, a copy from host to host accepts any memory; other kinds require the memory that they
  // name.
  if (copy.kind == cudaMemcpyDefault || copy.kind == cudaMemcpyHostToHost) return;
  const bool to_host = copy.kind == cudaMemcpyDeviceToHost, from_host = copy.kind == cudaMemcpyHostToDevice;
  if ((to_host && !on_host(to) && on_host(from)) || (from_host && on_host(to) && !on_host(from)))
    throw Failure{cudaErrorInvalidValue,
                  std::string("the kind of copy says ") + (to_host ? "device to host" : "host to device") +
                      ", but the destination is " + (to_host ? "device" : "host") +
                      " memory and the source is " + (to_host ? "host" : "device") +
                      " memory: if this copy is meant, its kind is " + fitting_kind(to, from) +
                      "; if the other one is, exchange the first two arguments"};
  if (to_host ? !on_host(to) : to == nullptr)
    throw Failure{cudaErrorInvalidValue, std::string("the kind of copy says that the destination is ") +
                                             (to_host ? "host" : "device") +
                                             " memory, but it is not: for these two pointers the kind is " +
                                             fitting_kind(to, from)};
  if (from_host ? !on_host(from) : from == nullptr)
    throw Failure{cudaErrorInvalidValue,
                  std::string("the kind of copy says that the source is ") + (from_host ? "host" : "device") +
                      " memory, but it is not: for these two pointers the kind is " + fitting_kind(to, from)};
}

struct Ends {
  Allocation* to;
  Allocation* from;
};

Ends ends(Runtime& runtime, const CopyWork& copy) {
  require(copy.kind >= cudaMemcpyHostToHost && copy.kind <= cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  const bool rows = copy.height > 1 || copy.depth > 1;
  require(!rows || (copy.to_pitch >= copy.width && copy.from_pitch >= copy.width),
          cudaErrorInvalidPitchValue);
  const Ends found{
      holder(runtime, copy.to, span(copy.width, copy.to_pitch, copy.height, copy.to_slice, copy.depth)),
      holder(runtime, copy.from,
             span(copy.width, copy.from_pitch, copy.height, copy.from_slice, copy.depth))};
  check_direction(copy, found.to, found.from);
  return found;
}

// Begins of a box's rows, in ascending order.
std::vector<std::uint64_t> rows(const void* at, std::size_t pitch, std::size_t slice, const CopyWork& copy) {
  std::vector<std::uint64_t> begins;
  for (std::size_t z = 0; z < copy.depth; ++z)
    for (std::size_t y = 0; y < copy.height; ++y) begins.push_back(address(at) + z * slice + y * pitch);
  return begins;
}

// Bytes that are read and also written. A copy onto itself changes nothing.
std::size_t shared_bytes(const CopyWork& copy) {
  constexpr std::size_t kMostRows = std::size_t{1} << 18;
  if (copy.to == copy.from || copy.height * copy.depth > kMostRows) return 0;
  const std::vector<std::uint64_t> to = rows(copy.to, copy.to_pitch, copy.to_slice, copy),
                                   from = rows(copy.from, copy.from_pitch, copy.from_slice, copy);
  std::size_t all = 0;
  for (std::size_t i = 0, j = 0; i < to.size() && j < from.size(); to[i] < from[j] ? ++i : ++j) {
    const std::uint64_t apart = to[i] < from[j] ? from[j] - to[i] : to[i] - from[j];
    if (apart < copy.width) all += copy.width - apart;
  }
  return all;
}

Allocation* target(Runtime& runtime, const FillWork& fill) {
  require(fill.height <= 1 || fill.pitch >= fill.width, cudaErrorInvalidPitchValue);
  Allocation* to =
      holder(runtime, fill.to, span(fill.width, fill.pitch, fill.height, fill.slice, fill.depth));
  if (to == nullptr) throw Failure{cudaErrorInvalidValue, "the pointer is not device memory"};
  return to;
}

void fill_row(std::byte* to, const FillWork& fill) {
  if (fill.element == 1) {
    std::memset(to, static_cast<int>(fill.value), fill.width);
    return;
  }
  for (std::size_t at = 0; at + fill.element <= fill.width; at += fill.element)
    std::memcpy(to + at, &fill.value, fill.element);
}

}  // namespace

static std::atomic<std::uint64_t> copies{0};  // that were made

std::uint64_t last_copy() { return copies; }

CopyWork line_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return {to, bytes, bytes, from, bytes, bytes, bytes, 1, 1, kind, ++copies};
}

CopyWork plane_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  require(to_pitch >= width && from_pitch >= width, cudaErrorInvalidPitchValue);
  return {to, to_pitch, 0, from, from_pitch, 0, width, height, 1, kind, ++copies};
}

CopyWork box_copy(const cudaMemcpy3DParms* p) {
  require(p != nullptr, cudaErrorInvalidValue);
  if (p->srcArray != nullptr || p->dstArray != nullptr)
    fail(cudaErrorNotSupported, "CUDA arrays are not supported");
  const auto corner = [](const cudaPitchedPtr& box, const cudaPos& at) {
    return static_cast<std::byte*>(box.ptr) + (at.z * box.ysize + at.y) * box.pitch + at.x;
  };
  return {corner(p->dstPtr, p->dstPos),
          p->dstPtr.pitch,
          p->dstPtr.pitch * p->dstPtr.ysize,
          corner(p->srcPtr, p->srcPos),
          p->srcPtr.pitch,
          p->srcPtr.pitch * p->srcPtr.ysize,
          p->extent.width,
          p->extent.height,
          p->extent.depth,
          p->kind,
          ++copies};
}

// Host memory that is unknown to the runtime: malloc, the stack.
bool is_pageable(const Runtime& runtime, const void* pointer) {
  return runtime.memory.find(address(pointer)) == nullptr && !runtime.memory.in_range(address(pointer));
}

bool is_host_memory(const Runtime& runtime, const void* pointer) {
  const Allocation* in = runtime.memory.find(address(pointer));
  return in == nullptr ? !runtime.memory.in_range(address(pointer)) : on_host(in);
}

void check(Runtime& runtime, const CopyWork& copy) {
  const auto [to, from] = ends(runtime, copy);
  if (to == nullptr || to != from) return;
  if (const std::size_t shared = shared_bytes(copy); shared != 0)
    report_overlapping_copy(runtime, *to, shared);
}

void check(Runtime& runtime, const FillWork& fill) { target(runtime, fill); }

// `call`: the call that asked for the copy, null if unknown.
void copy_now(Runtime& runtime, const CopyWork& copy, const void* call) {
  if (empty(copy)) return;
  const auto [to, from] = ends(runtime, copy);
  const bool to_host = on_host(to) && !on_host(from);
  UnwrittenRows unwritten{.width = copy.width, .all = copy.height * copy.depth};
  for (std::size_t z = 0; z < copy.depth; ++z)
    for (std::size_t y = 0; y < copy.height; ++y) {
      std::byte* put = static_cast<std::byte*>(copy.to) + z * copy.to_slice + y * copy.to_pitch;
      const std::byte* get =
          static_cast<const std::byte*>(copy.from) + z * copy.from_slice + y * copy.from_pitch;
      if (to_host && is_unwritten(from, get, copy.width)) {
        if (unwritten.count++ == 0) unwritten.first = {z, y};
        const std::uint64_t over = address(put);
        unwritten.over_results |= !runtime.stored.in({over, over + copy.width}).empty();
      }
      std::memmove(bytes_of(to, put), bytes_of(from, get), copy.width);
      copy_written(to, put, from, get, copy.width);
    }
  if (unwritten.count != 0) report_unwritten_copy(runtime, *from, unwritten, call);
}

// Notes the words in which the fill begins or ends. A copy may end within a word, unlike a fill: a text is
// copied into a buffer whose size is rounded up, and read word by word, and so are the rows of an image.
static void note_cut_words(Allocation& in, const FillWork& fill) {
  constexpr std::size_t kMost = 64;
  if (fill.height != 1 || fill.depth != 1 || in.written.empty()) return;
  const std::uint64_t begin = address(fill.to) - in.base, end = begin + fill.width;
  const auto note = [&](std::uint64_t cut, bool of_all) {
    if (cut % 4 != 0 && cut < in.bytes && in.cut_words.size() < kMost) in.cut_words.push_back({cut, of_all});
  };
  note(begin, false);
  note(end, begin == 0 && in.bytes - end < 4);
}

void fill_now(Runtime& runtime, const FillWork& fill) {
  if (empty(fill)) return;
  Allocation* to = target(runtime, fill);
  note_cut_words(*to, fill);
  for (std::size_t z = 0; z < fill.depth; ++z)
    for (std::size_t y = 0; y < fill.height; ++y) {
      std::byte* put = static_cast<std::byte*>(fill.to) + z * fill.slice + y * fill.pitch;
      fill_row(bytes_of(to, put), fill);
      mark_written(to, put, fill.width);
    }
}

}  // namespace warpgrade::cudart
