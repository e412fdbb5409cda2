#include "order/conflict.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

namespace {

using Set = AddressRanges TouchedMemory::*;

TouchedMemory touching(Set set, std::uint64_t begin) {
  TouchedMemory out;
  (out.*set).append({begin, begin + 8});
  return out;
}

std::shared_ptr<StreamOperation> operation(Timeline timeline, TouchedMemory touched) {
  auto made = std::make_shared<StreamOperation>();
  made->timeline = timeline;
  made->tick = 1;
  made->touched = std::move(touched);
  return made;
}

}  // namespace

TEST_CASE("two accesses conflict if they share a byte and one of them writes, unless both are strong") {
  const Set plain[] = {&TouchedMemory::read, &TouchedMemory::written};
  const Set strong[] = {&TouchedMemory::read_strongly, &TouchedMemory::written_strongly};
  for (const Set a : {plain[0], plain[1], strong[0], strong[1]})
    for (const Set b : {plain[0], plain[1], strong[0], strong[1]}) {
      const bool writes = a == plain[1] || a == strong[1] || b == plain[1] || b == strong[1];
      const bool both_strong = (a == strong[0] || a == strong[1]) && (b == strong[0] || b == strong[1]);
      const auto found = conflict_of(touching(a, 100), touching(b, 104));
      CHECK(found.has_value() == (writes && !both_strong));
      if (found) {
        CHECK(found->bytes.begin == 104);
        CHECK(found->first_writes == (a == plain[1] || a == strong[1]));
        CHECK(found->second_writes == (b == plain[1] || b == strong[1]));
      }
      CHECK_FALSE(conflict_of(touching(a, 100), touching(b, 108)));
    }
}

TEST_CASE("an operation is compared with those that are not over, and not ordered") {
  UnfinishedOperations unfinished;
  const auto first = operation(0, touching(&TouchedMemory::written, 0));
  CHECK(unfinished.add(first).empty());
  const auto beside = operation(1, touching(&TouchedMemory::read, 0));
  REQUIRE(unfinished.add(beside).size() == 1);
  const auto behind = operation(2, touching(&TouchedMemory::read, 0));
  behind->before.learn(0, 1);
  CHECK(unfinished.add(behind).empty());
  StreamClock host;
  host.learn(0, 1);
  unfinished.remove_known(host);
  CHECK(unfinished.add(operation(3, touching(&TouchedMemory::read, 0))).empty());
}

TEST_CASE("a kernel that saw another one's flag is not compared with it") {
  UnfinishedOperations unfinished;
  TouchedMemory producer = touching(&TouchedMemory::written, 0), consumer = touching(&TouchedMemory::read, 0);
  producer.written_strongly.append({64, 68});
  consumer.read_strongly.append({64, 68});
  consumer.flags.append({64, 68});
  unfinished.add(operation(0, producer));
  CHECK(unfinished.add(operation(1, consumer)).empty());
}

TEST_CASE("memory that goes to another allocation is forgotten") {
  UnfinishedOperations unfinished;
  unfinished.add(operation(0, touching(&TouchedMemory::written, 0)));
  unfinished.forget({0, 16});
  CHECK(unfinished.add(operation(1, touching(&TouchedMemory::written, 0))).empty());
}
