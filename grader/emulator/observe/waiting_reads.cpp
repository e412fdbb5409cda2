#include "observe/waiting_reads.hpp"

#include <bit>

namespace warpgrade::observe {

using Pattern = Access::Pattern;

void WaitingReads::keep(const Access& access, ByteRange range) {
  ReadLog& log = *log_;
  add(log.waiting, range.begin, range.end);
  const auto stride = [&](int half) {
    return access.half[half] == Pattern::packed ? std::uint32_t{access.bytes} : 0u;
  };
  log.reads[log.count++] = {
      .warp = access.warp,
      .instruction = access.at->index,
      .mask = access.mask,
      .first = {static_cast<std::uint32_t>(access.first[0]), static_cast<std::uint32_t>(access.first[1])},
      .stride = {stride(0), stride(1)},
      .scattered = access.known() ? ReadLog::kStrided : log.scattered_count,
      .begin = range.begin,
      .end = range.end,
      .time = log.now,
      .bytes = access.bytes};
  if (access.known()) return;
  std::uint32_t* to = log.offsets[log.scattered_count++];
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    to[lane] = static_cast<std::uint32_t>(access.of(lane));
  }
}

void WaitingReads::forget() {
  log_->count = log_->scattered_count = 0;
  clear(log_->waiting);
}

void WaitingReads::take(const std::function<void(const Access& access, std::uint32_t time)>& use) {
  for (std::uint32_t i = 0; i < log_->count; ++i) {
    const ReadLog::Read& read = log_->reads[i];
    exec::Instruction at;
    at.index = read.instruction;
    std::uint64_t address[exec::kWarpSize];
    Access access;
    access.at = &at;
    access.warp = read.warp;
    access.space = ptx::Space::shared;
    access.bytes = read.bytes;
    access.mask = read.mask;
    for (unsigned half = 0; half < 2; ++half) {
      const bool uniform = read.stride[half] == 0;
      const bool known = read.scattered == ReadLog::kStrided && (uniform || read.stride[half] == read.bytes);
      access.half[half] = !known ? Pattern::scattered : uniform ? Pattern::uniform : Pattern::packed;
      access.first[half] = read.first[half];
    }
    if (!access.known()) {
      access.address = address;
      for (unsigned lane = 0; lane < exec::kWarpSize; ++lane)
        address[lane] = read.scattered != ReadLog::kStrided
                            ? log_->offsets[read.scattered][lane]
                            : read.first[lane / 16] + lane % 16 * read.stride[lane / 16];
    }
    use(access, read.time);
  }
  forget();
}

}  // namespace warpgrade::observe
