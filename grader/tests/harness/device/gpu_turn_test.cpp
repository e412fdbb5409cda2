#include "device/gpu_turn.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

namespace {

// Another process that takes turns: its own description of the open file.
class Other {
 public:
  explicit Other(const std::filesystem::path& file) : file_(open(file.c_str(), O_RDONLY | O_CREAT, 0600)) {}
  ~Other() { close(file_); }
  bool take() { return flock(file_, LOCK_EX | LOCK_NB) == 0; }
  void give() { flock(file_, LOCK_UN); }

 private:
  int file_;
};

struct Fixture {
  Fixture() { GpuTurn::use(file); }
  ~Fixture() { GpuTurn::use({}); }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "turn";
  Other other{file};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "nobody else has a turn while one lasts") {
  {
    const GpuTurn turn;
    CHECK_FALSE(other.take());
  }
  CHECK(other.take());
}

TEST_CASE_FIXTURE(Fixture, "a turn waits for the one before, and the wait is measured") {
  const auto before = GpuTurn::waited();
  REQUIRE(other.take());
  std::atomic<bool> given = false;
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    given = true;
    other.give();
  });
  {
    const GpuTurn turn;
    CHECK(given);
  }
  release.join();
  CHECK(GpuTurn::waited() > before);
}

TEST_CASE("without a file each turn begins at once, and a missing file is named") {
  GpuTurn::use({});
  const auto before = GpuTurn::waited();
  { const GpuTurn turn; }
  CHECK(GpuTurn::waited() == before);
  const TemporaryFolder folder;
  CHECK(contains(message_of<UsageError>([&] { GpuTurn::use(folder / "none"); }), "none: No such file"));
}
