#include "order/stream_order.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

namespace {

constexpr StreamId kLegacy{0, StreamKind::legacy}, kBlocking{1, StreamKind::blocking},
    kOther{2, StreamKind::blocking}, kApart{3, StreamKind::non_blocking}, kFar{4, StreamKind::non_blocking};

bool ordered(const OrderedPlace& first, const OrderedPlace& then) {
  return then.before.knows(first.timeline, first.tick);
}

}  // namespace

TEST_CASE("operations of a stream are ordered, those of two streams are not") {
  StreamOrder order;
  const OrderedPlace a = order.add(kApart), b = order.add(kApart), c = order.add(kFar), d = order.add(kOther);
  CHECK(ordered(a, b));
  CHECK_FALSE(ordered(b, c));
  CHECK_FALSE(ordered(c, b));
  CHECK_FALSE(ordered(a, d));
}

TEST_CASE("the default stream orders all streams but non-blocking ones") {
  StreamOrder order;
  const OrderedPlace a = order.add(kBlocking), apart = order.add(kApart);
  const OrderedPlace middle = order.add(kLegacy);
  const OrderedPlace b = order.add(kOther), after = order.add(kApart);
  CHECK(ordered(a, middle));
  CHECK(ordered(middle, b));
  CHECK(ordered(a, b));
  CHECK_FALSE(ordered(apart, middle));
  CHECK_FALSE(ordered(middle, after));
}

TEST_CASE("a mark that another stream waits for orders what came before it") {
  StreamOrder order;
  const OrderedPlace a = order.add(kApart);
  const StreamClock mark = order.mark(kApart);
  const OrderedPlace b = order.add(kApart);
  order.wait(kFar, mark);
  const OrderedPlace c = order.add(kFar);
  CHECK(ordered(a, c));
  CHECK_FALSE(ordered(b, c));
}

TEST_CASE("who waits for the default stream waits for blocking ones, but not the other way round") {
  StreamOrder order;
  const OrderedPlace a = order.add(kBlocking), legacy = order.add(kLegacy), apart = order.add(kApart);
  order.host_waits(order.completed(kOther));
  order.host_waits(order.completed(kBlocking));
  CHECK(order.is_over(a.timeline, a.tick));
  CHECK_FALSE(order.is_over(legacy.timeline, legacy.tick));
  const OrderedPlace b = order.add(kBlocking);
  order.host_waits(order.completed(kLegacy));
  CHECK(order.is_over(legacy.timeline, legacy.tick));
  CHECK(order.is_over(b.timeline, b.tick));
  CHECK_FALSE(order.is_over(apart.timeline, apart.tick));
}

TEST_CASE("what the host has waited for comes before all that it does next") {
  StreamOrder order;
  const OrderedPlace a = order.add(kApart), b = order.add(kFar);
  order.host_waits(order.mark(kApart));
  CHECK(order.is_over(a.timeline, a.tick));
  CHECK_FALSE(order.is_over(b.timeline, b.tick));
  CHECK(ordered(a, order.add(kOther)));
  order.host_waits_for_all();
  CHECK(ordered(b, order.add(kOther)));
}

TEST_CASE("a destroyed stream's timeline goes to another one only when its work is over") {
  StreamOrder order;
  const OrderedPlace a = order.add(kApart);
  order.destroy(kApart);
  const OrderedPlace b = order.add(kFar);
  CHECK(a.timeline != b.timeline);
  order.host_waits_for_all();
  order.destroy(kFar);
  const OrderedPlace c = order.add(kOther);
  CHECK(c.timeline == b.timeline);
  CHECK(ordered(b, c));
}
