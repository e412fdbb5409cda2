// Buffers reads for deferred checking (machine/read_log.hpp) and replays them unchanged.
#pragma once

#include <functional>
#include <memory>

#include "checks/shared_race/byte_range.hpp"
#include "machine/read_log.hpp"

namespace warpgrade::emulator {

class DeferredReads {
 public:
  DeferredReads() : log_(new ReadLog) {}
  // Handlers may append plain reads directly, if the reads do not overlap ReadLog::written.
  ReadLog& log() { return *log_; }

  bool is_full(const Access& access) const {
    return log_->count == ReadLog::kMost ||
           (!access.known() && log_->scattered_count == ReadLog::kMostScattered);
  }
  void keep(const Access& access, ByteRange range);
  bool overlap(ByteRange range);  // true if a logged read may overlap the range
  // Calls `use` for each logged read with its time, then empties the log.
  void take(const std::function<void(const Access& access, std::uint32_t time)>& use);
  void forget();

 private:
  std::unique_ptr<ReadLog> log_;
};

}  // namespace warpgrade::emulator
