// Words that a copy may still write.
#include "checks/shared_race/async_copies.hpp"

#include "tests/emulator/support/observer_stage.hpp"

using namespace warpgrade::emulator;

namespace {

// An access of `bytes` a lane by the first two lanes of the first warp, from the word `first` on.
void perform(Stage& stage, Access::Kind kind, std::uint32_t first, bool async, bool done,
             const std::function<void(const Access&)>& use) {
  Stage::Event event;
  event.kind = kind;
  event.mask = 3;
  event.instruction = 7;
  event.address = [&](std::uint32_t lane) { return std::uint64_t{4} * (first + lane); };
  stage.perform(event, [&](const Access& access) {
    Access copy = access;
    copy.is_async = async;
    if (async && !done) copy.value = nullptr;
    use(copy);
  });
}

}  // namespace

TEST_CASE("from the issue of a copy to its end its words are met, and no others") {
  Stage stage(32);
  InFlightCopies copies;
  copies.block_begin(1024);
  CHECK_FALSE(copies.any());
  perform(stage, Access::Kind::write, 10, true, false, [&](const Access& issue) {
    CHECK(is_issue(issue));
    copies.issue(issue);
  });
  CHECK(copies.any());
  CHECK((copies.begin() == 40 && copies.end() == 48));
  perform(stage, Access::Kind::read, 11, false, false, [&](const Access& read) {
    CHECK_FALSE(is_issue(read));
    const auto met = copies.conflict_with(read, range_of(read));
    REQUIRE(met);
    CHECK((met->lane == 0 && met->lanes == 1 && met->offset == 44 && met->thread == 1));
    CHECK(met->instruction == 7);
    CHECK(met->words == std::vector<std::uint32_t>{11});
  });
  perform(stage, Access::Kind::read, 12, false, false,
          [&](const Access& read) { CHECK_FALSE(copies.conflict_with(read, range_of(read))); });
  perform(stage, Access::Kind::write, 10, true, true, [&](const Access& end) {
    CHECK_FALSE(is_issue(end));
    copies.finish(end);
  });
  CHECK_FALSE(copies.any());
  CHECK(copies.end() == 0);
}

TEST_CASE("shadow memory of one block does not affect the next block") {
  Stage stage(32);
  InFlightCopies copies;
  copies.block_begin(1024);
  perform(stage, Access::Kind::write, 0, true, false, [&](const Access& issue) { copies.issue(issue); });
  copies.block_begin(1024);
  CHECK_FALSE(copies.any());
  perform(stage, Access::Kind::read, 0, false, false,
          [&](const Access& read) { CHECK_FALSE(copies.conflict_with(read, range_of(read))); });
}
