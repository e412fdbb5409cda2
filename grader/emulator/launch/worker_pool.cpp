#include "launch/worker_pool.hpp"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>

namespace warpgrade::emulator {
namespace {

std::atomic<std::ptrdiff_t> started{0};

class Pool {
 public:
  void run(int count, const std::function<void(int)>& task) {
    const std::lock_guard one_at_a_time(callers_);
    std::unique_lock lock(mutex_);
    for (; threads_ < count - 1; ++threads_, ++started) std::thread([this] { serve(); }).detach();
    task_ = &task;
    count_ = count;
    next_ = 1;
    left_ = count;
    lock.unlock();
    wake_.notify_all();
    work(lock, 0);
    // The caller runs the tasks that no thread has begun yet: that is faster than waking a thread.
    while (next_ < count_) work(lock, next_++);
    done_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return next_ < count_; });
      work(lock, next_++);
    }
  }

  // Releases the lock while it runs the task.
  void work(std::unique_lock<std::mutex>& lock, int number) {
    if (lock.owns_lock()) lock.unlock();
    (*task_)(number);
    lock.lock();
    if (--left_ == 0) done_.notify_one();
  }

  std::mutex callers_, mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* task_ = nullptr;
  int threads_ = 0, count_ = 0, next_ = 0, left_ = 0;  // tasks: next_ is the first that no worker has begun
};

}  // namespace

namespace {

// Of this process; none if the system does not say.
std::optional<std::ptrdiff_t> thread_count() {
  std::error_code failed;
  const std::filesystem::directory_iterator threads("/proc/self/task", failed), end;
  if (failed) return {};
  return std::distance(threads, end);
}

}  // namespace

bool other_threads_run() {
  const auto threads = thread_count();
  return !threads || *threads > 1 + started.load();
}

bool is_single_threaded() { return thread_count() == 1; }

void run_on_workers(int count, const std::function<void(int)>& task) {
  if (count <= 1) {
    task(0);
    return;
  }
  // Never destroyed: a program may exit while an endless kernel runs, and must not wait for it.
  static Pool& pool = *new Pool;
  pool.run(count, task);
}

}  // namespace warpgrade::emulator
