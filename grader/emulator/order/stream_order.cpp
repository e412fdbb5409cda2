#include "order/stream_order.hpp"

namespace warpgrade::emulator {

StreamOrder::StreamState& StreamOrder::state(StreamId stream) {
  const auto [entry, fresh] = streams_.try_emplace(stream.number);
  StreamState& found = entry->second;
  if (!fresh) return found;
  found.kind = stream.kind;
  found.timeline = new_timeline();
  return found;
}

Timeline StreamOrder::new_timeline() {
  if (unused_.empty()) return ticks_.emplace_back(0), ticks_.size() - 1;
  const Timeline taken = unused_.back();
  unused_.pop_back();
  return taken;
}

// Reuses the timeline for another stream only if that cannot hide a fault: if the host knows that all of it
// is over.
void StreamOrder::give_back(Timeline timeline) {
  if (host_.knows(timeline, ticks_[timeline])) unused_.push_back(timeline);
}

// An operation of the legacy default stream waits for all blocking streams, and they wait for it.
StreamClock StreamOrder::mark(StreamId stream) {
  StreamState& of = state(stream);
  StreamClock now = host_;
  now.join(of.clock);
  if (of.kind == StreamKind::blocking) now.join(legacy_);
  if (of.kind == StreamKind::legacy) now.join(blocking_);
  return now;
}

StreamClock StreamOrder::completed(StreamId stream) {
  StreamState& of = state(stream);
  StreamClock done = of.clock;
  if (of.kind == StreamKind::legacy) done.join(blocking_);
  return done;
}

void StreamOrder::wait(StreamId stream, const StreamClock& for_that) {
  StreamState& of = state(stream);
  of.clock.join(for_that);
  if (of.kind == StreamKind::blocking) blocking_.join(of.clock);
  if (of.kind == StreamKind::legacy) {
    of.clock.join(blocking_);
    legacy_ = of.clock;
  }
}

OrderedPlace StreamOrder::add(Timeline timeline, const StreamClock& before) {
  return {timeline, ++ticks_[timeline], before};
}

OrderedPlace StreamOrder::add(StreamId stream) {
  const OrderedPlace made = add(state(stream).timeline, mark(stream));
  wait(stream, made.after());
  return made;
}

void StreamOrder::destroy(StreamId stream) {
  const auto found = streams_.find(stream.number);
  if (found == streams_.end()) return;
  give_back(found->second.timeline);
  streams_.erase(found);
}

void StreamOrder::host_waits_for_all() {
  for (Timeline i = 0; i < ticks_.size(); ++i) host_.learn(i, ticks_[i]);
}

}  // namespace warpgrade::emulator
