#include "cudart/runtime/interrupt.hpp"

#include <csignal>
#include <mutex>

namespace warpgrade::cudart {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

std::atomic<bool> interrupted{false};
std::atomic<int> received{0};
std::mutex mutex;
int guards = 0;
bool installed[std::size(kSignals)] = {};

void on_signal(int number) {
  received.store(number);
  if (!interrupted.exchange(true)) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void install(std::size_t i) {
  struct sigaction now = {};
  sigaction(kSignals[i], nullptr, &now);
  installed[i] = now.sa_handler == SIG_DFL && (now.sa_flags & SA_SIGINFO) == 0;
  if (!installed[i]) return;
  struct sigaction ours = {};
  ours.sa_handler = on_signal;
  sigaction(kSignals[i], &ours, nullptr);
}

void restore(std::size_t i) {
  struct sigaction now = {};
  sigaction(kSignals[i], nullptr, &now);
  if (installed[i] && now.sa_handler == on_signal) std::signal(kSignals[i], SIG_DFL);
  installed[i] = false;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  const std::lock_guard lock(mutex);
  if (guards++ == 0)
    for (std::size_t i = 0; i < std::size(kSignals); ++i) install(i);
}

InterruptGuard::~InterruptGuard() {
  const std::lock_guard lock(mutex);
  if (--guards == 0)
    for (std::size_t i = 0; i < std::size(kSignals); ++i) restore(i);
}

const std::atomic<bool>* InterruptGuard::requested() { return &interrupted; }

void InterruptGuard::raise_requested() {
  if (!interrupted.load()) return;
  std::signal(received.load(), SIG_DFL);
  std::raise(received.load());
}

}  // namespace warpgrade::cudart
