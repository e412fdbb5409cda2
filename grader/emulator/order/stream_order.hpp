// Which operation of which stream happens before which other one, and before what the host does next.
//
// Rules: CUDA Runtime API, "API synchronization behavior" and "Stream synchronization behavior"; CUDA C++
// Programming Guide, "Implicit synchronization". Some orders are not guaranteed by these, but kept by drivers
// and used by correct programs: they are assumed. All threads of the host count as one: what one of them
// knows to be over is over.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "order/clock.hpp"

namespace warpgrade::emulator {

// How a stream and the legacy default stream wait for each other.
enum class StreamKind : std::uint8_t { legacy, blocking, non_blocking };

struct StreamId {
  std::uint64_t number = 0;
  StreamKind kind = StreamKind::legacy;
};

// Place of an operation in the order: its timeline, its number there, and what happens before it.
struct OrderedPlace {
  Timeline timeline = 0;
  std::uint64_t tick = 0;
  StreamClock before;
  // The clock after the operation: it knows the operation and all that happens before it.
  StreamClock after() const {
    StreamClock out = before;
    out.learn(timeline, tick);
    return out;
  }
};

class StreamOrder {
 public:
  // The next operation of a stream.
  OrderedPlace add(StreamId stream);
  // The clock before whatever is added to the stream next. An event that is recorded now gets this clock.
  StreamClock mark(StreamId stream);
  // What is over as soon as the stream has completed its operations. A blocking stream waits for the legacy
  // default stream only when its next operation starts; a wait for the stream does not include that (measured
  // on an H200).
  StreamClock completed(StreamId stream);
  // Orders all later work of the stream after this.
  void wait(StreamId stream, const StreamClock& for_that);
  void destroy(StreamId stream);
  // The timeline of a destroyed stream: nothing will be added to it.
  void give_back(Timeline timeline);

  // Nodes of a graph that is launched into a stream. A chain of nodes shares a timeline.
  Timeline new_timeline();
  OrderedPlace add(Timeline timeline, const StreamClock& before);

  // The host waits for work: everything later is ordered after it.
  void host_waits(const StreamClock& for_that) { host_.join(for_that); }
  void host_waits_for_all();
  bool is_over(Timeline timeline, std::uint64_t tick) const { return host_.knows(timeline, tick); }
  const StreamClock& host() const { return host_; }
  void clear() { *this = StreamOrder(); }

 private:
  struct StreamState {
    StreamKind kind = StreamKind::legacy;
    Timeline timeline = 0;
    StreamClock clock;  // of its last operation, and of what it waits for
  };
  StreamState& state(StreamId stream);

  std::map<std::uint64_t, StreamState> streams_;  // by StreamId::number
  std::vector<std::uint64_t> ticks_;              // last tick of each timeline
  std::vector<Timeline> unused_;                  // timelines of destroyed streams, all of which is over
  StreamClock host_, legacy_;  // legacy_: of the last operation of the legacy default stream
  StreamClock blocking_;       // of all blocking streams together
};

}  // namespace warpgrade::emulator
