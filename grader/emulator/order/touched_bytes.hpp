// Records which bytes of global memory a launch reads and writes: one bit for each byte, page by page.
//
// All workers of a launch share one TouchedBytes; each has a TouchedRecorder of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "machine/memory/touched_memory.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

class TouchedBytes {
 public:
  static constexpr unsigned kPageShift = 12;  // bytes of data that share a page
  static constexpr std::uint64_t kPage = std::uint64_t{1} << kPageShift;
  static constexpr std::size_t kWords = kPage / 64;
  enum Class : unsigned { kRead, kWritten, kReadStrongly, kWrittenStrongly, kFlag, kClasses };

  struct TouchedPage {
    std::atomic<std::uint64_t> bits[kClasses][kWords] = {};
  };
  struct TouchedArray {
    explicit TouchedArray(const Allocation& of) : in(&of), pages((of.bytes + kPage - 1) >> kPageShift) {}
    ~TouchedArray();
    TouchedArray(const TouchedArray&) = delete;
    TouchedPage& page(std::uint64_t offset);

    const Allocation* in;
    std::vector<std::atomic<TouchedPage*>> pages;
  };

  explicit TouchedBytes(Recording recording) : recording_(recording) {}
  // Null for memory that is not recorded: the emulator's own, and what kernels allocate.
  TouchedArray* of(const Allocation* allocation);
  // The bytes so far, which are then forgotten. Empty if there are more intervals than can be compared.
  TouchedMemory take();

 private:
  Recording recording_;
  std::mutex mutex_;
  std::deque<TouchedArray> arrays_;
};

class TouchedRecorder {
 public:
  explicit TouchedRecorder(TouchedBytes& to) : to_(to) {}
  void add(const Access& access);

 private:
  void add(const Access& access, const Allocation* in, std::uint64_t begin, std::uint64_t bytes);

  TouchedBytes& to_;
  const Allocation* last_ = nullptr;  // the allocation of the access before
  TouchedBytes::TouchedArray* array_ = nullptr;
};

}  // namespace warpgrade::emulator
