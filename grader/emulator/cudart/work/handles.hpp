// Streams, events, graphs and pools: what the program holds opaque pointers to.
#pragma once

#include <driver_types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "cudart/work/graph.hpp"
#include "symbols/host_call_site.hpp"

namespace warpgrade::cudart {

// Unless WARPGRADE_ORDER says otherwise, work is done when it is submitted, in the order of the calls: a
// stream is never busy, and a recorded event is complete.
struct Stream : Made {
  bool was_busy = false;  // when the program last asked
  std::uint64_t id = 0;   // unique; 0 of the legacy default stream
  unsigned flags = 0;
  int priority = 0;
  std::map<int, cudaStreamAttrValue> attributes;  // set by the program; they have no effect here
  std::shared_ptr<Capture> capture;               // null if the stream is not capturing
  std::vector<Node*> last;                        // capturing: what the next operation depends on
};

struct Event : Made {
  bool was_busy = false;  // when the program last asked
  unsigned flags = 0;
  bool recorded = false;
  emulator::StreamClock order;       // clock of its last record
  double seconds = 0;                // on a clock that only runs forward
  std::shared_ptr<Capture> capture;  // recorded in a capturing stream: what a waiting stream joins
  std::vector<Node*> last;
};

struct Pool : Made {
  std::map<int, std::uint64_t> attributes;
  std::uint64_t used = 0, used_high = 0;       // bytes
  std::map<const void*, std::uint64_t> taken;  // address → bytes, for memory in use
};

// A host object that graphs keep alive (cudaUserObjectCreate).
struct UserObject : Made {
  void* pointer = nullptr;
  cudaHostFn_t destroy = nullptr;
  std::uint64_t references = 0;
};

// Owns the objects of one kind; a pointer is valid as long as it is in the set.
template <class Object>
class Set {
 public:
  Object* add(std::unique_ptr<Object> object) {
    Object* raw = object.get();
    raw->made_at = emulator::current_call();
    items_[raw] = std::move(object);
    return raw;
  }
  Object* find(const void* handle) const {
    const auto found = items_.find(handle);
    return found == items_.end() ? nullptr : found->second.get();
  }
  std::unique_ptr<Object> take(const void* handle) {
    auto node = items_.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }
  void clear() { items_.clear(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

 private:
  std::map<const void*, std::unique_ptr<Object>> items_;
};

// While one exists, the default stream of this thread's calls is the thread's own: programs built with
// --default-stream per-thread call functions of other names.
class PerThreadDefault {
 public:
  PerThreadDefault();
  ~PerThreadDefault();
  PerThreadDefault(const PerThreadDefault&) = delete;
  static bool was_used();  // by any thread
};

struct Handles {
  static constexpr std::uint64_t kPerThreadId = ~std::uint64_t{0};
  Stream legacy;  // of the handles 0 and cudaStreamLegacy
  // Streams of cudaStreamPerThread, by OwnStream::number; their ids count down from kPerThreadId.
  std::map<std::uint64_t, Stream> per_thread;
  std::uint64_t own_made = 0;
  std::uint64_t streams_made = 0;
  Set<Stream> streams;
  Set<Event> events;
  Set<Graph> graphs;
  Set<GraphExec> execs;
  Set<Pool> pools;
  Set<UserObject> user_objects;
  Pool default_pool;
  Pool* current_pool = &default_pool;

  Stream& own();  // the calling thread's default stream
  bool is_own(const Stream& stream) const { return own_made > kPerThreadId - stream.id; }
  // Throw Failure (cudaErrorInvalidResourceHandle) for an unknown handle. Null: the default stream.
  Stream& stream(cudaStream_t handle);
  Event& event(cudaEvent_t handle) const;
  Pool& pool(cudaMemPool_t handle);
  bool is_stream_ordered(const void* pointer);  // memory of cudaMallocAsync
  void clear();
  // Ends the captures that forbid calls which wait for the device. Throws Failure if there is one.
  void forbid_in_capture();
  // Ends the captures that forbid work in the legacy stream: every blocking stream would wait for it.
  void forbid_legacy_in_capture();
};

}  // namespace warpgrade::cudart
