#include "device/gpu_turn.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

int lock_file = -1;  // open for the rest of the process
std::chrono::steady_clock::duration time_waited{};

}  // namespace

GpuTurn::GpuTurn() {
  if (lock_file < 0) return;
  const auto begin = std::chrono::steady_clock::now();
  int failed = 0;
  do failed = flock(lock_file, LOCK_EX);
  while (failed && errno == EINTR);
  if (failed) throw UsageError(std::string("the GPU's turn cannot be taken: ") + std::strerror(errno));
  time_waited += std::chrono::steady_clock::now() - begin;
}

GpuTurn::~GpuTurn() {
  if (lock_file >= 0) flock(lock_file, LOCK_UN);
}

void GpuTurn::use(const std::filesystem::path& file) {
  if (lock_file >= 0) close(lock_file);
  lock_file = -1;
  if (file.empty()) return;
  lock_file = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock_file < 0) throw UsageError("--turn " + file.string() + ": " + std::strerror(errno));
}

std::chrono::steady_clock::duration GpuTurn::waited() { return time_waited; }

}  // namespace warpgrade::harness
