#include "checks/shared_race/deferred_reads.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::emulator {

using LanePattern = Access::LanePattern;

namespace {

// The byte range of all lanes. Not for a read whose offsets are listed one by one.
ByteRange range_of(const ReadLog::Read& read) {
  const std::uint32_t last[2] = {read.first[0] + 15u * read.stride[0], read.first[1] + 15u * read.stride[1]};
  return {std::min(read.first[0], read.first[1]), std::max(last[0], last[1]) + read.bytes};
}

}  // namespace

void DeferredReads::keep(const Access& access, ByteRange range) {
  ReadLog& log = *log_;
  const auto stride = [&](int half) {
    return access.half[half] == LanePattern::packed ? access.bytes : std::uint8_t{0};
  };
  ReadLog::Read& read = log.reads[log.count++];
  read = {.warp = access.warp,
          .instruction = access.at->index,
          .mask = access.mask,
          .time = log.now,
          .first = {static_cast<std::uint32_t>(access.first[0]), static_cast<std::uint32_t>(access.first[1])},
          .stride = {stride(0), stride(1)},
          .bytes = access.bytes};
  if (access.known()) return;
  add(log.waiting, range.begin, range.end);
  read.stride[0] = read.stride[1] = ReadLog::kListed;
  read.first[0] = log.scattered_count;
  std::uint32_t* to = log.offsets[log.scattered_count++];
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    to[lane] = static_cast<std::uint32_t>(access.of(lane));
  }
}

bool DeferredReads::overlap(ByteRange range) {
  ReadLog& log = *log_;
  for (; log.entered < log.count; ++log.entered) {
    const ReadLog::Read& read = log.reads[log.entered];
    if (read.stride[0] == ReadLog::kListed) continue;  // was checked when it happened
    const ByteRange bytes = range_of(read);
    add(log.waiting, bytes.begin, bytes.end);
  }
  return overlaps(log.waiting, range.begin, range.end);
}

void DeferredReads::forget() {
  log_->count = log_->scattered_count = log_->entered = 0;
  clear(log_->waiting);
}

void DeferredReads::take(const std::function<void(const Access& access, std::uint32_t time)>& use) {
  for (std::uint32_t i = 0; i < log_->count; ++i) {
    const ReadLog::Read& read = log_->reads[i];
    DecodedInstruction at;
    at.index = read.instruction;
    std::uint64_t address[kWarpSize];
    Access access;
    access.at = &at;
    access.warp = read.warp;
    access.space = ptx::Space::shared;
    access.bytes = read.bytes;
    access.mask = read.mask;
    const bool listed = read.stride[0] == ReadLog::kListed;
    for (unsigned half = 0; half < 2; ++half) {
      const bool uniform = read.stride[half] == 0;
      const bool known = uniform || read.stride[half] == read.bytes;
      access.half[half] = !known    ? LanePattern::scattered
                          : uniform ? LanePattern::uniform
                                    : LanePattern::packed;
      access.first[half] = read.first[half];
    }
    if (!access.known()) {
      access.address = address;
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        address[lane] = listed ? log_->offsets[read.first[0]][lane]
                               : read.first[lane / 16] + lane % 16 * read.stride[lane / 16];
    }
    use(access, read.time);
  }
  forget();
}

}  // namespace warpgrade::emulator
